//! Prints an explanation for readers, with aligned and shortened lines.

use std::fmt;

use super::{Explanation, Forms};
use crate::near::align::Gap;
use crate::near::difference::{MOST, Spelled, cut};

/// Characters of a form that are shown.
const SHOWN: usize = 120;
/// Characters shown on each side of a difference.
const CONTEXT: usize = 6;
/// Characters of a stretch in the marked text.
const STRETCH: usize = 16;

impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "A, the earlier message\n{}B, the later message\n{}A and B", self.a, self.b)?;
        line(f, "canonical", if self.equal { "equal" } else { "different" })?;
        line(f, "distance", &self.distance.map_or("-".to_owned(), |bits| format!("{bits} of 64 bits")))?;
        line(f, "similarity", &format!("{:.3}", self.similarity))?;
        line(f, "B in A", &format!("{:.3}", self.b_in_a))?;
        line(f, "differs", self.marked.as_deref().unwrap_or("(too long to be aligned)"))?;
        let verdict = match (self.verdict, self.engine) {
            ("kept", _) => "kept".to_owned(),
            (repeat, None) => format!("dropped, {repeat} repeat"),
            (repeat, Some(engine)) => format!("dropped, {repeat} repeat ({engine})"),
        };
        writeln!(f, "B is {verdict}: {}", self.reason)?;
        self.otherwise.iter().try_for_each(|otherwise| writeln!(f, "  otherwise    {otherwise}"))
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
    writeln!(f, "  {name:<12} {value}")
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
        marked += &format!(" … and {} more", gaps.len() - MOST);
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
