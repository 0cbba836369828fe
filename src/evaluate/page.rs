//! The part of a page that shows misjudged pairs.

use std::fmt::Write;

use super::{MISJUDGED, Misjudged, Row, Told};
use crate::near::difference::{Piece, cut, pieces};
use crate::report::chart::escape;
use crate::report::counted;

/// Rules of style that it needs.
pub(super) const STYLE: &str = include_str!("page.css");

/// Characters of each text that are shown …
const CHARACTERS: usize = 500;
/// … of which so many stand before the first difference of longer texts.
const BEFORE: usize = 60;

/// The misjudged pairs of each engine; nothing if none were asked for.
pub(super) fn misjudged(rows: &[Row]) -> String {
    let mut out = String::new();
    for (number, row) in rows.iter().enumerate() {
        if let Some(found) = &row.misjudged {
            // Writing to a String cannot fail.
            let _ = of_engine(&mut out, row.engine, found, number == 0);
        }
    }
    out
}

fn of_engine(to: &mut String, engine: &str, found: &[Misjudged], is_open: bool) -> std::fmt::Result {
    writeln!(to, "<h2>Misjudged by {} 误判</h2>", escape(engine))?;
    if found.is_empty() {
        return writeln!(to, "<p>No pair is.</p>");
    }
    writeln!(
        to,
        "<p class=\"soft\">A is the earlier message, B the later one; <del>what only A has</del> and <ins>what only B has</ins> are \
         marked. Of each kind the first {MISJUDGED} pairs are shown, of each text {CHARACTERS} characters. \
         <del>只见于前文</del>与<ins>只见于后文</ins>的文字已标出。</p>"
    )?;
    for (is_repeat, title) in [(false, "Dropped, though no repeat 误删"), (true, "Kept, though a repeat 漏删")] {
        let of_side = || found.iter().filter(|kind| kind.is_repeat == is_repeat);
        let count: u64 = of_side().map(|kind| kind.count).sum();
        if count > 0 {
            writeln!(to, "<h3>{title}: {}</h3>", counted(count, "pair"))?;
        }
        for kind in of_side() {
            of_kind(to, kind, is_open)?;
        }
    }
    Ok(())
}

fn of_kind(to: &mut String, kind: &Misjudged, is_open: bool) -> std::fmt::Result {
    let open = if is_open { " open" } else { "" };
    let name = if kind.value.is_empty() { "all" } else { &kind.value };
    let shown = kind.pairs.len() as u64;
    let first = if shown < kind.count { format!(", the first {shown}") } else { String::new() };
    writeln!(
        to,
        "<details{open}><summary><strong>{}</strong> {}{first}</summary>\n<ol>",
        escape(name),
        counted(kind.count, "pair")
    )?;
    for Told { a, b, reason } in &kind.pairs {
        let [a, b] = marked(a, b);
        writeln!(
            to,
            "<li><p dir=\"auto\"><strong>A</strong> {a}</p><p dir=\"auto\"><strong>B</strong> {b}</p><p class=\"soft\">{}</p></li>",
            markup(reason)
        )?;
    }
    writeln!(to, "</ol></details>")
}

/// Two texts, and in each what the other has not.
fn marked(a: &str, b: &str) -> [String; 2] {
    let [a, b] = window(a, b);
    let mut out = [String::new(), String::new()];
    for piece in pieces(&a, &b) {
        match piece {
            Piece::Same(text) => out.iter_mut().for_each(|out| *out += &markup(text)),
            Piece::Lacks(text) => out[0] += &format!("<del>{}</del>", markup(text)),
            Piece::Adds(text) => out[1] += &format!("<ins>{}</ins>", markup(text)),
        }
    }
    out
}

/// What is shown of two texts: all, or so many characters around their first difference.
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

/// Escaped text that keeps its lines.
fn markup(text: &str) -> String {
    text.split('\n').map(escape).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_text_shows_what_the_other_has_not() {
        let marked = |a, b| marked(a, b).join(" / ");
        let expected = "&lt;b&gt;宣布<del>加</del>息了 / &lt;b&gt;宣布<ins>降</ins>息了<ins>&amp;\n</ins>";
        assert_eq!(marked("<b>宣布加息了", "<b>宣布降息了&\n"), expected);
        assert_eq!(marked("", "好"), " / <ins>好</ins>");
    }

    #[test]
    fn of_long_texts_the_difference_is_shown() {
        let (head, tail) = ("春".repeat(2000), "秋".repeat(2000));
        let [a, b] = marked(&format!("{head}加{tail}"), &format!("{head}降{tail}"));
        assert!(a.starts_with(&format!("…{}<del>加</del>秋", "春".repeat(BEFORE))) && a.ends_with("秋…"), "{a}");
        assert!(b.contains("春<ins>降</ins>秋"), "{b}");
        let [a, _] = marked(&head, &tail);
        assert_eq!(a.matches('春').count(), CHARACTERS - 1);
        let short = "短".repeat(CHARACTERS);
        assert_eq!(window(&short, "短"), [short.clone(), "短".to_owned()]);
    }
}
