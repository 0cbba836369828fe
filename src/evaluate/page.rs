//! The part of a page that shows misjudged pairs.

use crate::locale::tr;

use super::{EngineScores, MISJUDGED, Misjudged, Told};
use crate::report::{Markup, clean, grouped, html, lines, paragraph};
use crate::rule::difference::{Piece, cut, pieces};

/// CSS rules for this part.
pub(super) const STYLE: &str = include_str!("page.css");

/// Characters of each text that are shown …
const CHARACTERS: usize = 500;
/// … of which this many come before the first difference if a text is longer.
const BEFORE: usize = 60;

/// Shows the misjudged pairs of each engine; nothing if none were asked for.
pub(super) fn misjudged(rows: &[EngineScores]) -> Markup {
    html! {
        @for (number, row) in rows.iter().enumerate() {
            @if let Some(found) = &row.misjudged { (of_engine(&row.engine, found, number == 0)) }
        }
    }
}

fn of_engine(engine: &str, found: &[Misjudged], is_open: bool) -> Markup {
    let sides = [(false, tr!("Dropped, though no repeat")), (true, tr!("Kept, though a repeat"))];
    let of_side = |is_repeat| found.iter().filter(move |kind| kind.is_repeat == is_repeat);
    let count = |is_repeat| of_side(is_repeat).map(|kind| kind.count).sum::<u64>();
    html! {
        h2 { (tr!("Misjudged by {}", clean(engine))) } "\n"
        @if found.is_empty() {
            (paragraph(&tr!("No pair is.")))
        } @else {
            p class="soft" {
                (tr!(
                    "A is the earlier message, B the later one. Of each kind the first {} pairs are shown, of each text {} characters. It is marked what differs:",
                    MISJUDGED,
                    CHARACTERS
                ))
                " " del { (tr!("what only A has")) } " " ins { (tr!("what only B has")) }
            }
            "\n"
            @for (is_repeat, title) in sides {
                @if count(is_repeat) > 0 { h3 { (title) ": " (grouped(count(is_repeat))) } "\n" }
                @for kind in of_side(is_repeat) { (of_kind(kind, is_open)) }
            }
        }
    }
}

fn of_kind(kind: &Misjudged, is_open: bool) -> Markup {
    let name = if kind.value.is_empty() { tr!("all") } else { kind.value.clone() };
    let shown = kind.pairs.len() as u64;
    html! {
        details open[is_open] {
            summary {
                strong { (clean(&name)) } " " (grouped(kind.count))
                @if shown < kind.count { (tr!(", the first {}", shown)) }
            }
            "\n"
            ol { "\n" @for told in &kind.pairs { (of_pair(told)) } }
        }
        "\n"
    }
}

fn of_pair(Told { a, b, reason }: &Told) -> Markup {
    let [a, b] = marked(a, b);
    html! {
        li {
            p dir="auto" { strong { "A" } " " (a) }
            p dir="auto" { strong { "B" } " " (b) }
            p class="soft" { (lines(reason)) }
        }
        "\n"
    }
}

/// Marks in each of two texts the parts that the other lacks.
fn marked(a: &str, b: &str) -> [Markup; 2] {
    let [a, b] = window(a, b);
    let of = |is_first: bool| {
        html! {
            @for piece in pieces(&a, &b) {
                @match piece {
                    Piece::Same(text) => { (lines(text)) }
                    Piece::Lacks(text) => { @if is_first { del { (lines(text)) } } }
                    Piece::Adds(text) => { @if !is_first { ins { (lines(text)) } } }
                }
            }
        }
    };
    [of(true), of(false)]
}

/// Returns the shown part of two texts: all of both, or `CHARACTERS` characters around their first difference.
fn window(a: &str, b: &str) -> [String; 2] {
    let is_long = |text: &str| text.chars().nth(CHARACTERS).is_some();
    let common = a.chars().zip(b.chars()).take_while(|(a, b)| a == b).count();
    let skipped = if is_long(a) || is_long(b) { common.saturating_sub(BEFORE) } else { 0 };
    [a, b].map(|text| {
        let rest: String =
            if skipped > 0 { ['…'].into_iter().chain(text.chars().skip(skipped)).collect() } else { text.to_owned() };
        cut(&rest, CHARACTERS)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_text_shows_what_the_other_has_not() {
        let marked = |a, b| marked(a, b).map(Markup::into_string).join(" / ");
        let expected = "&lt;b&gt;宣布<del>加</del>息了 / &lt;b&gt;宣布<ins>降</ins>息了<ins>&amp;\n</ins>";
        assert_eq!(marked("<b>宣布加息了", "<b>宣布降息了&\n"), expected);
        assert_eq!(marked("", "好"), " / <ins>好</ins>");
    }

    #[test]
    fn of_long_texts_the_difference_is_shown() {
        let (head, tail) = ("春".repeat(2000), "秋".repeat(2000));
        let [a, b] = marked(&format!("{head}加{tail}"), &format!("{head}降{tail}")).map(Markup::into_string);
        assert!(a.starts_with(&format!("…{}<del>加</del>秋", "春".repeat(BEFORE))) && a.ends_with("秋…"), "{a}");
        assert!(b.contains("春<ins>降</ins>秋"), "{b}");
        let [a, _] = marked(&head, &tail).map(Markup::into_string);
        assert_eq!(a.matches('春').count(), CHARACTERS - 1);
        let short = "短".repeat(CHARACTERS);
        assert_eq!(window(&short, "短"), [short.clone(), "短".to_owned()]);
    }
}
