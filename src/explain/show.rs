//! Prints an explanation for readers, with aligned and shortened lines.

use std::fmt;

use super::{Explanation, Forms};
use crate::locale::columns;
use crate::near::align::Gap;
use crate::near::difference::{MOST, Spelled, cut};
use tr::tr;

/// Characters of a form that are shown.
const SHOWN: usize = 120;
/// Characters shown on each side of a difference.
const CONTEXT: usize = 6;
/// Characters of a stretch in the marked text.
const STRETCH: usize = 16;

impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{}\n{}{}\n{}{}",
            tr!("A, the earlier message"),
            self.a,
            tr!("B, the later message"),
            self.b,
            tr!("A and B")
        )?;
        line(f, "canonical", &if self.equal { tr!("equal") } else { tr!("different") })?;
        line(f, "distance", &self.distance.map_or("-".to_owned(), |bits| tr!("{bits} of 64 bits", bits)))?;
        line(f, "similarity", &format!("{:.3}", self.similarity))?;
        line(f, "B in A", &format!("{:.3}", self.b_in_a))?;
        line(f, "differs", self.marked.as_deref().unwrap_or(&tr!("(too long to be aligned)")))?;
        let verdict = match (self.verdict, self.engine) {
            ("kept", _) => tr!("B is kept"),
            ("exact", None) => tr!("B is dropped, exact repeat"),
            (_, None) => tr!("B is dropped, near repeat"),
            ("exact", Some(engine)) => tr!("B is dropped, exact repeat ({engine})", engine),
            (_, Some(engine)) => tr!("B is dropped, near repeat ({engine})", engine),
        };
        writeln!(f, "{verdict}: {}", self.reason)?;
        self.otherwise.iter().try_for_each(|otherwise| writeln!(f, "  {} {otherwise}", padded("otherwise")))
    }
}

impl fmt::Display for Forms {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        line(f, "canonical", &self.canonical)?;
        line(f, "body", &self.body)?;
        line(f, "topics", &self.topics.join(" "))?;
        line(f, "tokens", &format!("{}: {}", self.tokens.len(), self.tokens.join(" ")))?;
        line(f, "facts", &self.facts.join(" "))?;
        line(f, "shingles", &format!("{}: {}", self.shingles.len(), self.shingles.join(" ")))?;
        line(f, "fingerprint", self.fingerprint.as_deref().unwrap_or_default())
    }
}

fn line(f: &mut fmt::Formatter<'_>, name: &str, value: &str) -> fmt::Result {
    let value = if value.is_empty() { "-".to_owned() } else { cut(value, SHOWN) };
    writeln!(f, "  {} {value}", padded(name))
}

/// The name of a line in the language of the user, as wide as all names.
fn padded(name: &str) -> String {
    let name = tr!(name);
    format!("{name}{:1$}", "", 12_usize.saturating_sub(columns(&name)))
}

/// B's body with its differences from A's: `-A's-+B's+`, and some of the common text around each.
pub(super) fn marked(a: &Spelled<'_>, b: &Spelled<'_>, gaps: &[Gap]) -> String {
    let mut marked = String::new();
    let mut end = 0;
    for (index, (p, q)) in gaps.iter().take(MOST).enumerate() {
        let place = b.place(q);
        let between = &b.text[end..place.start.max(end)];
        marked += &shortened(between, index > 0, true);
        for (sign, stretch) in [('-', a.stretch(p)), ('+', b.stretch(q))] {
            if !stretch.is_empty() {
                marked.push(sign);
                marked += &cut(stretch, STRETCH);
                marked.push(sign);
            }
        }
        end = place.end.max(end);
    }
    if gaps.len() > MOST {
        marked += &tr!(" … and {} more", gaps.len() - MOST);
    } else if !gaps.is_empty() {
        marked += &shortened(&b.text[end..], true, false);
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
