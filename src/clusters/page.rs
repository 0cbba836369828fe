//! A page that shows the largest clusters one by one.

use maud::PreEscaped;

use super::{Cluster, Clusters, Wording};
use crate::formats::time::rfc3339;
use crate::near::difference::{Piece, cut, pieces};
use crate::record::RecordId;
use crate::report::{Markup, clean, counted, grouped, html, lines, styled_page};

/// Most clusters on a page …
pub(crate) const CLUSTERS: usize = 200;
/// … texts of each, beside the kept text …
pub(crate) const WORDINGS: usize = 50;
/// … characters of each text …
pub(crate) const CHARACTERS: usize = 500;
/// … and ids of repeats.
pub(crate) const IDS: usize = 500;

impl Clusters {
    /// A page of the largest clusters that have `least` messages or more, and at least two. The page needs no other file.
    /// With scripts it shows one cluster at a time, with arrow keys and a search; without scripts it shows all below each
    /// other. Each text is marked where it differs from the kept one. At most [`CLUSTERS`] with [`WORDINGS`] texts of
    /// [`CHARACTERS`] characters each.
    pub(crate) fn html(&self, name: &str, least: u64) -> String {
        let mut found: Vec<&Cluster> = self.clusters.iter().filter(|cluster| cluster.count() >= least.max(2)).collect();
        found.sort_by_key(|cluster| std::cmp::Reverse(cluster.count()));
        let kept = self.clusters.len() as u64;
        let all: u64 = self.clusters.iter().map(Cluster::count).sum();
        let count = found.len();
        let least = if least > 2 { format!(" and at least {}", grouped(least)) } else { String::new() };
        let has = if count == 1 { "has" } else { "have" };
        let body = html! {
            p {
                (clean(name)) ": " (counted(all, "message")) " in " (counted(kept, "cluster")) ", of which "
                (grouped(count as u64)) " " (has) " more than one" (least) "."
            }
            "\n"
            @if count > CLUSTERS { p { "Here are the " (CLUSTERS) " largest." } "\n" }
            p class="soft" {
                "Below the kept text: the others, with " del { "what they lack" } " and " ins { "what they have in its place" }
                ". 最上面是保留的原文，其余为重复，" del { "缺少的" } "与" ins { "换成的" } "已标出。"
            }
            "\n"
            nav hidden {
                button type="button" { "← previous 上一组" }
                output {}
                button type="button" { "next 下一组 →" }
                input type="search" placeholder="search 搜索 ( / )" aria-label="search 搜索";
            }
            "\n"
            @for (number, cluster) in found.iter().take(CLUSTERS).enumerate() { (section(number + 1, cluster)) }
            script { "\n" (PreEscaped(include_str!("page.js"))) }
            "\n"
        };
        styled_page("quchong clusters", include_str!("page.css"), &body)
    }
}

fn section(number: usize, cluster: &Cluster) -> Markup {
    let Cluster { id, text, exact, near, times, repeats, same, wordings, representative } = cluster;
    let (exact, near, text) = (grouped(*exact), grouped(*near), cut(text, CHARACTERS));
    let times = times.and_then(|(first, last)| Some((rfc3339(first, 1000)?, rfc3339(last, 1000)?)));
    let more = wordings.len().saturating_sub(WORDINGS);
    html! {
        section id={ "c" (number) } {
            "\n"
            h2 { (number) ". " (counted(cluster.count(), "message")) }
            "\n"
            p class="soft" {
                "kept 保留 1 · exact 相同 " (exact) " · near 近似 " (near)
                @if let Some((first, last)) = times { " · " (first) @if first != last { " – " (last) } }
                @if let Some((id, _)) = representative { " · represented by 代表 " (shown(id)) }
            }
            "\n"
            ol {
                "\n"
                (item("kept", *same, id, &html! { (lines(&text)) }))
                @for Wording { text: other, count, id } in wordings.iter().take(WORDINGS) {
                    (item("", *count, id, &compared(&text, &cut(other, CHARACTERS))))
                }
            }
            "\n"
            @if more > 0 { p class="soft" { "… and " (counted(more as u64, "less frequent wording")) "." } "\n" }
            details class="soft" {
                summary { "ids of the repeats 重复的编号" }
                @for (at, id) in repeats.iter().take(IDS).enumerate() { @if at > 0 { " " } (shown(id)) }
                @if repeats.len() > IDS { " …" }
            }
            "\n"
        }
        "\n"
    }
}

fn item(class: &str, count: u64, id: &RecordId<'_>, text: &Markup) -> Markup {
    html! {
        li class=(class) { b { (grouped(count)) " ×" } p dir="auto" { (text) } span class="soft" { (shown(id)) } }
        "\n"
    }
}

/// An id, cut to a length.
fn shown(id: &RecordId<'_>) -> String {
    lines(&cut(&id.to_string(), CHARACTERS))
}

/// `other`, with marks where it differs from `text`.
fn compared(text: &str, other: &str) -> Markup {
    html! {
        @for piece in pieces(text, other) {
            @match piece {
                Piece::Same(text) => { (lines(text)) }
                Piece::Lacks(text) => { del { (lines(text)) } }
                Piece::Adds(text) => { ins { (lines(text)) } }
            }
        }
    }
}
