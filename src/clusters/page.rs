//! A page that shows the largest clusters one by one.

use crate::locale::tr;
use maud::PreEscaped;

use super::{Cluster, Clusters, Wording};
use crate::formats::time::rfc3339;
use crate::record::RecordId;
use crate::report::{Markup, grouped, headline, html, lines, paragraph, percent, styled_page};
use crate::rule::difference::{Piece, cut, pieces};

/// Most clusters on a page …
pub(crate) const CLUSTERS: usize = 200;
/// … texts of each, beside the most frequent one …
pub(crate) const WORDINGS: usize = 50;
/// … characters of each text …
pub(crate) const CHARACTERS: usize = 500;
/// … and ids of repeats.
pub(crate) const IDS: usize = 500;

impl Clusters {
    /// A page of the largest clusters that have `least` messages or more, and at least two. The page needs no other file.
    /// With scripts it shows one cluster at a time, with arrow keys and a search; without scripts it shows all below each
    /// other. The most frequent wording comes first, and each other text is marked where it differs from that one. At most
    /// [`CLUSTERS`] with [`WORDINGS`] texts of [`CHARACTERS`] characters each.
    pub(crate) fn html(&self, name: &str, least: u64) -> String {
        let mut found: Vec<&Cluster> = self.clusters.iter().filter(|cluster| cluster.count() >= least.max(2)).collect();
        found.sort_by_key(|cluster| std::cmp::Reverse(cluster.count()));
        let kept = self.clusters.len() as u64;
        let all: u64 = self.clusters.iter().map(Cluster::count).sum();
        let count = found.len();
        let body = html! {
            (headline(
                &percent(all - kept, all),
                &tr!("messages that repeat an earlier one: {} of {}", grouped(all - kept), grouped(all)),
            ))
            (paragraph(&tr!(
                "{}: messages {}, clusters {}; clusters of at least {} messages: {}.",
                name,
                grouped(all),
                grouped(kept),
                grouped(least.max(2)),
                grouped(count as u64)
            )))
            @if count > CLUSTERS { (paragraph(&tr!("Here are the {} largest.", CLUSTERS))) }
            p class="soft" {
                (tr!("Each cluster begins with its most frequent wording. In the others it is marked what differs:")) " "
                del { (tr!("what they lack")) } " " ins { (tr!("what they have in its place")) }
            }
            "\n"
            nav hidden {
                button type="button" { "← " (tr!("previous")) }
                output {}
                button type="button" { (tr!("next")) " →" }
                input type="search" placeholder=(tr!("search ( / )")) aria-label=(tr!("search"));
            }
            "\n"
            @for (number, cluster) in found.iter().take(CLUSTERS).enumerate() { (section(number + 1, cluster)) }
            script { "\n" (PreEscaped(include_str!("page.js"))) }
            "\n"
        };
        styled_page("quchong clusters", include_str!("page.css"), &body)
    }
}

/// A text of a cluster in the form that the page shows.
struct Shown<'c> {
    text: String,
    count: u64,
    id: &'c RecordId<'static>,
    /// Whether it is the text of the kept message.
    is_kept: bool,
}

impl<'c> Shown<'c> {
    /// The texts of a cluster, the most frequent first, and at most [`WORDINGS`] others; the kept text is always among them.
    fn of(cluster: &'c Cluster) -> Vec<Self> {
        let kept = (&cluster.text, cluster.same, &cluster.id, true);
        let others = cluster.wordings.iter().map(|Wording { text, count, id }| (text, *count, id, false));
        let mut all: Vec<_> = std::iter::once(kept).chain(others).collect();
        // Of equally frequent texts the kept one comes first.
        all.sort_by_key(|(_, count, ..)| std::cmp::Reverse(*count));
        let kept_at = all.iter().position(|(.., is_kept)| *is_kept).unwrap_or_default();
        if kept_at > WORDINGS {
            all.swap(kept_at, WORDINGS);
        }
        let shown = all.into_iter().take(WORDINGS + 1);
        shown.map(|(text, count, id, is_kept)| Self { text: cut(text, CHARACTERS), count, id, is_kept }).collect()
    }

    /// Makes the item of the list; `first` is the first text of the list.
    fn item(&self, first: &str, is_first: bool) -> Markup {
        html! {
            li class=[is_first.then_some("first")] {
                b { (grouped(self.count)) " ×" }
                p dir="auto" { (compared(first, &self.text)) }
                span class="soft" { @if self.is_kept { mark { (tr!("kept")) } " " } (shown_id(self.id)) }
            }
            "\n"
        }
    }
}

fn section(number: usize, cluster: &Cluster) -> Markup {
    let Cluster { exact, near, times, repeats, wordings, representative, .. } = cluster;
    let (exact, near, shown) = (grouped(*exact), grouped(*near), Shown::of(cluster));
    let first = shown.first().map_or("", |first| &first.text);
    let times = times.and_then(|(first, last)| Some((rfc3339(first, 1000)?, rfc3339(last, 1000)?)));
    let more = (wordings.len() + 1).saturating_sub(shown.len());
    html! {
        section id={ "c" (number) } {
            "\n"
            h2 { (number) ". " (tr!("{} message" | "{} messages" % cluster.count(), grouped(cluster.count()))) }
            "\n"
            p class="soft" {
                (tr!("kept 1 · exact {} · near {}", exact, near))
                @if let Some((first, last)) = times { " · " (first) @if first != last { " – " (last) } }
                @if let Some((id, _)) = representative { " · " (tr!("represented by {}", shown_id(id))) }
            }
            "\n"
            ol class="texts" {
                "\n"
                @for (place, shown) in shown.iter().enumerate() { (shown.item(first, place == 0)) }
            }
            "\n"
            @if more > 0 { p class="soft" { (tr!("… and less frequent wordings: {}.", grouped(more as u64))) } "\n" }
            details class="soft" {
                summary { (tr!("ids of the repeats")) }
                @for (at, id) in repeats.iter().take(IDS).enumerate() { @if at > 0 { " " } (shown_id(id)) }
                @if repeats.len() > IDS { " …" }
            }
            "\n"
        }
        "\n"
    }
}

/// An id, cut to a length.
fn shown_id(id: &RecordId<'_>) -> String {
    lines(&cut(&id.to_string(), CHARACTERS))
}

/// `other`, with marks where it differs from `text`. There are no marks if less than two fifths is common to both, because so many
/// marks would hide the text.
fn compared(text: &str, other: &str) -> Markup {
    let found = pieces(text, other);
    let same = found.iter().map(|piece| if let Piece::Same(text) = piece { text.chars().count() } else { 0 });
    let is_marked = same.sum::<usize>() * 5 >= text.chars().count().max(other.chars().count()) * 2;
    html! {
        @if is_marked {
            @for piece in found {
                @match piece {
                    Piece::Same(text) => { (lines(text)) }
                    Piece::Lacks(text) => { del { (lines(text)) } }
                    Piece::Adds(text) => { ins { (lines(text)) } }
                }
            }
        } @else {
            (lines(other))
        }
    }
}
