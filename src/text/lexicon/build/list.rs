//! A list that the lexicon is made from, and the errors that it may have.

use std::{fmt, fs, io, path::Path};

use crate::text::lists::{self, Line};

/// A list: its name, and its text.
pub(super) struct List {
    pub(super) name: &'static str,
    pub(super) text: String,
}

impl List {
    /// Reads a list from a folder.
    pub(super) fn read(folder: &Path, name: &'static str) -> Result<Self, ListError> {
        let read = fs::read_to_string(folder.join(name).with_extension("txt"));
        let wrong = |error| ListError { place: format!("{name}.txt"), flaw: Flaw::Unread(error) };
        Ok(Self { name, text: read.map_err(wrong)? })
    }

    /// Returns the lines of the list.
    pub(super) fn lines(&self) -> impl Iterator<Item = Line<'_>> {
        lists::lines(&self.text)
    }

    /// Returns the error that a line of the list is wrong.
    pub(super) fn wrong(&self, line: Line<'_>, flaw: Flaw) -> ListError {
        ListError { place: format!("{}.txt:{}: [{}]", self.name, line.number, line.section), flaw }
    }
}

/// Reads the heading of a class: its name, and whether its members are brands of goods.
pub(super) fn class(section: &str) -> Option<(&str, bool)> {
    let (name, mark) = section.split_once(' ').unwrap_or((section, ""));
    let is_goods = mark == "goods" && !name.ends_with("_char");
    (!name.is_empty() && (mark.is_empty() || is_goods)).then_some((name, is_goods))
}

/// The error for a list that the lexicon cannot be made from: the list, the line and its section, and what is wrong there.
#[derive(Debug)]
pub struct ListError {
    pub(super) place: String,
    pub(super) flaw: Flaw,
}

impl fmt::Display for ListError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.flaw)
    }
}

impl std::error::Error for ListError {}

/// The errors that a list may have.
#[derive(Debug)]
pub(super) enum Flaw {
    /// The list cannot be read.
    Unread(io::Error),
    /// The list has no such section. These are its sections.
    Section(Vec<&'static str>),
    /// The heading of a class has more than its name and `goods`, or differs from an earlier heading in `goods`.
    Class,
    /// The heading of a section of the dictionary is no part of speech and frequency.
    Frequency,
    /// A heading has no end.
    Heading,
    /// A word has this many tokens, which is too many.
    Long(String, usize),
    /// A line of opposites does not have two words.
    Opposites,
    /// A line of sounds does not have a syllable and characters.
    Sounds,
    /// The map of the words cannot be written.
    Map(fst::Error),
}

impl fmt::Display for Flaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unread(error) => write!(f, "{error}"),
            Self::Section(known) => write!(f, "the list has no such section; name one of these: {}", known.join(", ")),
            Self::Class => {
                write!(f, "name a class, and goods behind it at each of its headings or at none: [milk_brand goods]")
            }
            Self::Frequency => write!(f, "name a part of speech and a number up to 31: [noun 9]"),
            Self::Heading => write!(f, "end the heading with ]"),
            Self::Long(word, length) => {
                write!(f, "{word} has {length} tokens; leave out words of more than {}", super::LONGEST_WORD)
            }
            Self::Opposites => write!(f, "write two words before the |"),
            Self::Sounds => write!(f, "write a syllable and its characters"),
            Self::Map(error) => write!(f, "{error}"),
        }
    }
}
