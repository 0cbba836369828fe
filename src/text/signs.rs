//! Signs that say something where they stand: ≥ and ≤, √ and ×, → and ←, + and -, and how many stars.
//!
//! They are no tokens: a sign more or less is decoration as often as not. But of two texts that have another sign in one place, the one
//! says what the other does not: 血糖≥7 / 血糖≤7.

/// A sign: its group above, its member below.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Sign(u8);

/// Signs that exclude each other, in groups; those in one string are one.
const GROUPS: [&[&str]; 5] = [
    &["≥⩾≧", "≤⩽≦", ">", "<", "≠", "=", "≈"],
    &["√✓✔✅☑👍", "×✗✘❌✖✕👎"],
    &["→➡➜⇒", "←⬅⇐"],
    &["↑⬆📈", "↓⬇📉"],
    &["+➕", "-➖−"],
];
/// The group of stars, whose member is their number.
const STARS: u8 = GROUPS.len() as u8;
/// More stars are decoration.
const MOST_STARS: u8 = 10;
const BITS: u8 = 4;

impl Sign {
    /// The sign that a character is, where `before` and `after` stand around it.
    pub(crate) fn of(c: char, before: Option<char>, after: Option<char>) -> Option<Self> {
        // Most of what is cut out.
        if matches!(c, ',' | '。' | '、' | ':' | '!' | '?' | '.' | ' ' | '\u{3000}'..='\u{4dff}') {
            return None;
        }
        let content = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
        let latin = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric());
        let c = match (c, after) {
            // Arrows that are typed.
            ('>', _) if matches!(before, Some('-' | '=')) => '→',
            ('<', Some('-')) => '←',
            ('>' | '<', Some('=')) => if c == '>' { '≥' } else { '≤' },
            // The others are brackets.
            ('>' | '<', _) if !content(before) || !content(after) || !latin(before) && !latin(after) => return None,
            ('=' | '-' | '+', _) if !content(before) || !content(after) => return None,
            _ => c,
        };
        let member = |group: &&[&str]| group.iter().position(|same| same.contains(c));
        let (group, member) = GROUPS.iter().enumerate().find_map(|(at, group)| Some((at, member(group)?)))?;
        Some(Self((group as u8) << BITS | member as u8))
    }

    /// Whether a character is a star, filled or not.
    pub(crate) fn star(c: char) -> Option<bool> {
        match c {
            '★' | '⭐' => Some(true),
            '☆' => Some(false),
            _ => None,
        }
    }

    /// So many filled stars.
    pub(crate) fn stars(filled: u8) -> Self {
        Self(STARS << BITS | filled.min(MOST_STARS))
    }

    /// One more star; `None` if it is another sign.
    pub(crate) fn more(self, filled: bool) -> Option<Self> {
        let count = self.0 & ((1 << BITS) - 1);
        (self.0 >> BITS == STARS).then(|| Self::stars(count + u8::from(filled)))
    }

    /// Whether one stands for the other.
    pub(crate) fn excludes(self, other: Self) -> bool {
        self != other && self.0 >> BITS == other.0 >> BITS
    }

    /// The sign, for readers.
    pub(crate) fn spelled(self) -> String {
        let (group, member) = (self.0 >> BITS, self.0 & ((1 << BITS) - 1));
        match GROUPS.get(usize::from(group)).and_then(|group| group.get(usize::from(member))) {
            Some(same) => same.chars().take(1).collect(),
            None => "★".repeat(member.into()),
        }
    }

    /// The sign as a number.
    pub(crate) fn code(self) -> u8 {
        self.0
    }

    /// The sign of a number that [`code`](Self::code) gave.
    pub(crate) fn from_code(code: u8) -> Self {
        Self(code)
    }
}
