//! The classes of characters that the rules of the body form distinguish.

use std::sync::LazyLock;

use crate::text::normalise::is_list_number;

/// The part that a character may play in the rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    /// Copied, whatever the rules.
    Plain,
    Blank,
    /// Punctuation and symbols that begin nothing.
    Punctuation,
    Emoji,
    /// A letter that wrapping may begin with.
    Letter,
    /// Punctuation that wrapping may begin with, or that may belong to a number.
    Sign,
}

impl Class {
    pub(super) const ALL: [Self; 6] =
        [Self::Plain, Self::Blank, Self::Punctuation, Self::Emoji, Self::Letter, Self::Sign];
}

/// The characters of [`Class::Sign`]: see `Scanner::sign` and `Scanner::is_in_number`.
const SIGNS: [char; 12] = ['/', '【', '[', '@', '#', '?', '(', '.', ',', ':', '%', '‰'];
/// The characters of [`Class::Letter`], which wrapping begins with: see `Scanner::letter`.
const LETTERS: [char; 17] =
    ['回', '转', 'h', 'w', 't', 'u', '网', 'o', 'l', '2', '收', '展', '查', '分', '全', 'v', '来'];

/// The class of each character below 2^16, as [`classify`] computes it. Computing all of them would take a quarter of a short run,
/// so a file has the answers. It has three bytes for each run of characters of one class: the first character in two bytes, and the
/// number of the class in [`Class::ALL`].
pub(super) static CLASSES: LazyLock<Box<[Class; 1 << 16]>> = LazyLock::new(|| {
    let mut classes = Box::new([Class::Plain; 1 << 16]);
    let runs = include_bytes!("../classes.bin").as_chunks().0;
    let start = |[a, b, _]: &[u8; 3]| usize::from(u16::from_le_bytes([*a, *b]));
    for (run, end) in runs.iter().zip(runs.iter().skip(1).map(start).chain([classes.len()])) {
        let class = Class::ALL.get(usize::from(run[2])).copied().unwrap_or(Class::Plain);
        classes[start(run)..end].fill(class);
    }
    classes
});

pub(super) fn classify(c: char) -> Class {
    match c {
        _ if SIGNS.contains(&c) => Class::Sign,
        _ if LETTERS.contains(&c) => Class::Letter,
        _ => kind(c),
    }
}

/// Returns the class of a character that is in neither list above.
fn kind(c: char) -> Class {
    match c {
        _ if c.is_whitespace() => Class::Blank,
        _ if is_list_number(c) => Class::Punctuation,
        '\u{20000}'..='\u{3ffff}' => Class::Plain,
        '\u{e000}'..='\u{f8ff}' => Class::Emoji,
        _ if c.is_alphanumeric() => Class::Plain,
        // Pictures, the frame of keycaps, and the characters that fonts or crawls put in place of pictures.
        '\u{20e3}'
        | '\u{231a}'..='\u{231b}'
        | '\u{23e9}'..='\u{23fa}'
        | '\u{2600}'..='\u{27bf}'
        | '\u{2b1b}'..='\u{2b55}'
        | '\u{fffd}'
        | '\u{1f000}'..='\u{1fbff}'
        | '\u{f0000}'..='\u{10ffff}' => Class::Emoji,
        _ => Class::Punctuation,
    }
}
