//! Prints an explanation for readers, with aligned and shortened lines.

use std::fmt;

use super::{Explanation, Forms};
use crate::locale::columns;
use crate::locale::tr;
use crate::rule::difference::{MOST_TOLD, Spelled, cut};
use crate::rule::gap::Gap;

/// Characters of a form that are shown.
const SHOWN: usize = 120;
/// Characters shown on each side of a difference.
const CONTEXT: usize = 6;
/// Characters of a stretch in the marked text.
const STRETCH: usize = 16;

/// The kind of a piece of an explanation, for callers that show it in colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tone {
    /// Nothing in particular.
    Plain,
    /// The verdict.
    Strong,
    /// Text that only A has.
    Lacks,
    /// Text that only B has.
    Adds,
}

/// A text in pieces.
pub(crate) type Pieces = Vec<(Tone, String)>;

impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.pieces().iter().try_for_each(|(_, text)| f.write_str(text))
    }
}

impl Explanation {
    /// The text that [`Display`](fmt::Display) writes, in pieces.
    pub(crate) fn pieces(&self) -> Pieces {
        let plain = |text: String| (Tone::Plain, text);
        let mut out = vec![
            plain(tr!("A, the earlier message") + "\n"),
            plain(self.a.to_string()),
            plain(tr!("B, the later message") + "\n"),
            plain(self.b.to_string()),
            plain(tr!("A and B") + "\n"),
            plain(line("canonical", &if self.equal { tr!("equal") } else { tr!("different") })),
            plain(line("distance", &self.distance.map_or("-".to_owned(), |bits| tr!("{bits} of 64 bits", bits)))),
            plain(line("similarity", &format!("{:.3}", self.similarity))),
            plain(line("B in A", &format!("{:.3}", self.b_in_a))),
        ];
        match &self.pieces_of_b {
            Some(pieces) if !pieces.is_empty() => {
                out.push(plain(format!("  {} ", padded("differs"))));
                out.extend(shown(pieces));
                out.push(plain("\n".to_owned()));
            }
            Some(_) => out.push(plain(line("differs", ""))),
            None => out.push(plain(line("differs", &tr!("(too long to be aligned)")))),
        }
        let verdict = match (self.verdict, self.engine) {
            ("kept", _) => tr!("B is kept"),
            ("exact", None) => tr!("B is dropped, exact repeat"),
            (_, None) => tr!("B is dropped, near repeat"),
            ("exact", Some(engine)) => tr!("B is dropped, exact repeat ({engine})", engine),
            (_, Some(engine)) => tr!("B is dropped, near repeat ({engine})", engine),
        };
        out.push((Tone::Strong, verdict));
        out.push(plain(tr!(": {}", self.reason) + "\n"));
        out.extend(self.otherwise.iter().map(|otherwise| plain(format!("  {} {otherwise}\n", padded("otherwise")))));
        out
    }
}

impl fmt::Display for Forms {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tokens = format!("{}: {}", self.tokens.len(), self.tokens.join(" "));
        let shingles = format!("{}: {}", self.shingles.len(), self.shingles.join(" "));
        f.write_str(&line("canonical", &self.canonical))?;
        f.write_str(&line("body", &self.body))?;
        f.write_str(&line("topics", &self.topics.join(" ")))?;
        f.write_str(&line("tokens", &tokens))?;
        f.write_str(&line("facts", &self.facts.join(" ")))?;
        f.write_str(&line("shingles", &shingles))?;
        f.write_str(&line("fingerprint", self.fingerprint.as_deref().unwrap_or_default()))
    }
}

fn line(name: &str, value: &str) -> String {
    let value = if value.is_empty() { "-".to_owned() } else { cut(value, SHOWN) };
    format!("  {} {value}\n", padded(name))
}

/// The name of a line in the user's language, padded to the width of all names.
fn padded(name: &str) -> String {
    let name = tr!(name);
    format!("{name}{:1$}", "", 12_usize.saturating_sub(columns(&name)))
}

/// As many pieces as a line has room for; the last character is an ellipsis if there are more.
fn shown(pieces: &Pieces) -> Pieces {
    let length: usize = pieces.iter().map(|(_, text)| text.chars().count()).sum();
    let (mut room, mut out) = (if length > SHOWN { SHOWN - 1 } else { length }, Pieces::new());
    for (tone, text) in pieces {
        out.push((*tone, text.chars().take(room).collect()));
        room = room.saturating_sub(text.chars().count());
    }
    if length > SHOWN {
        out.push((Tone::Plain, "…".to_owned()));
    }
    out
}

/// B's body with its differences from A's: `-A's-+B's+`, and some of the common text around each.
pub(super) fn marked(a: &Spelled<'_>, b: &Spelled<'_>, gaps: &[Gap]) -> Pieces {
    let mut marked = Pieces::new();
    let mut end = 0;
    for (index, Gap { a: p, b: q }) in gaps.iter().take(MOST_TOLD).enumerate() {
        let place = b.place(q);
        let between = &b.text[end..place.start.max(end)];
        marked.push((Tone::Plain, shortened(between, index > 0, true)));
        for (tone, sign, stretch) in [(Tone::Lacks, '-', a.stretch(p)), (Tone::Adds, '+', b.stretch(q))] {
            if !stretch.is_empty() {
                marked.push((tone, format!("{sign}{}{sign}", cut(stretch, STRETCH))));
            }
        }
        end = place.end.max(end);
    }
    if gaps.len() > MOST_TOLD {
        marked.push((Tone::Plain, tr!(" … and {} more", gaps.len() - MOST_TOLD)));
    } else if !gaps.is_empty() {
        marked.push((Tone::Plain, shortened(&b.text[end..], true, false)));
    }
    marked
}

/// Shortens a common text. It keeps the first characters if the text follows a difference, and the last if one follows it.
fn shortened(text: &str, follows: bool, is_followed: bool) -> String {
    let count = text.chars().count();
    let (head, tail) = (if follows { CONTEXT } else { 0 }, if is_followed { CONTEXT } else { 0 });
    if count <= head + tail {
        return text.to_owned();
    }
    let head = text.chars().take(head);
    let tail = text.chars().skip(count - tail);
    head.chain(['…']).chain(tail).collect()
}
