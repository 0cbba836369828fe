//! A list that the lexicon is made of, and what may be wrong with it.

use std::{fmt, fs, io, path::Path};

use crate::text::lists::{self, Line};

/// A list: its name, and what it says.
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

    /// Its lines.
    pub(super) fn lines(&self) -> impl Iterator<Item = Line<'_>> {
        lists::lines(&self.text)
    }

    /// That one of its lines is wrong.
    pub(super) fn wrong(&self, line: Line<'_>, flaw: Flaw) -> ListError {
        ListError { place: format!("{}.txt:{}: [{}]", self.name, line.number, line.section), flaw }
    }
}

/// What the heading of a class says: its name, and whether its members are brands of goods.
pub(super) fn class(section: &str) -> Option<(&str, bool)> {
    let (name, mark) = section.split_once(' ').unwrap_or((section, ""));
    let is_goods = mark == "goods" && !name.ends_with("_char");
    (!name.is_empty() && (mark.is_empty() || is_goods)).then_some((name, is_goods))
}

/// Why no lexicon can be made: a list, the line and its section, and what is wrong there.
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

/// What may be wrong.
#[derive(Debug)]
pub(super) enum Flaw {
    /// The list cannot be read.
    Unread(io::Error),
    /// It has no such section, but these.
    Section(Vec<&'static str>),
    /// The heading of a class says something else than its name and `goods`, or not the same as an earlier one.
    Class,
    /// The heading of a section of the dictionary is none.
    Frequency,
    /// A heading has no end.
    Heading,
    /// A word has so many tokens, and too many.
    Long(String, usize),
    /// No two words stand on a line of opposites.
    Opposites,
    /// No syllable and characters stand on a line of sounds.
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
