//! The texts of a tuning run: read from files or generated.

use crate::error::{Error, Result};
use crate::formats::parse::Parser;
use crate::formats::source::Source;
use crate::generate::{Generator, Recipe};
use crate::locale::Bilingual;
use crate::locale::tr;

/// Texts to try filters on.
pub enum Texts {
    /// Records of files, as `quchong dedup` reads them.
    Read {
        /// The inputs.
        source: Box<Source>,
        /// The position of the text in a record.
        parser: Box<Parser>,
        /// The name of the inputs in reports.
        name: String,
    },
    /// Generated posts, a part of them repeats.
    Generated {
        /// Number of posts.
        count: u64,
        /// The generator's seed.
        seed: u64,
    },
}

/// The records without a text that can be read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Unread {
    /// Their number.
    pub(crate) count: u64,
    /// The number of all records that are not blank.
    pub(crate) of: u64,
    /// The places and reasons of the first.
    pub(crate) first: Vec<String>,
}

/// How many unread records are named.
const NAMED: usize = 5;

impl Unread {
    /// Whether most records are unread.
    #[cfg(feature = "cli")]
    pub(crate) fn are_most(&self) -> bool {
        self.count * 2 > self.of
    }

    /// Makes an error for an input that cannot be measured. It names the first unread record, which may be the cause. `input` is its name.
    pub(crate) fn error(&self, input: &Bilingual, reason: String) -> Error {
        let reason = match self.first.first() {
            Some(first) => tr!("{reason}; the first: {first}", reason, first),
            None => reason,
        };
        Error::unmeasurable(&*input.localised, reason)
    }
}

impl Texts {
    /// The name of the texts in reports.
    pub(crate) fn name(&self) -> Bilingual {
        Bilingual::new(|| match self {
            Self::Read { name, .. } => name.clone(),
            Self::Generated { count, seed } => {
                tr!("generated posts: --generate {count} --seed {seed}", count, seed)
            }
        })
    }

    /// Passes each text to `take`, in order, until `take` returns false. Returns the records that could not be read.
    ///
    /// # Errors
    /// [`Error::Io`] if reading fails.
    pub(crate) fn each(self, mut take: impl FnMut(&str) -> bool) -> Result<Unread> {
        let (mut source, parser) = match self {
            Self::Read { source, parser, .. } => (source, parser),
            Self::Generated { count, seed } => {
                for (post, _) in Generator::new(seed, Recipe::default())?.zip(0..count) {
                    if !take(&post.text) {
                        break;
                    }
                }
                return Ok(Unread::default());
            }
        };
        let mut unread = Unread::default();
        while let Some(batch) = source.next_batch()? {
            let lines = batch.lines.iter().filter(|line| line.part.is_record());
            for (line, record) in lines.zip(parser.records(&batch)) {
                unread.of += u64::from(!matches!(record, Ok(None)));
                match record {
                    Ok(Some(parsed)) if !take(&parsed.text) => return Ok(unread),
                    Ok(_) => {}
                    Err(fault) => {
                        unread.count += 1;
                        if unread.first.len() < NAMED {
                            unread.first.push(format!("{}:{}: {}", batch.file, line.number, fault.reason));
                        }
                    }
                }
            }
        }
        Ok(unread)
    }
}

/// An endless stream of posts, none of which was made as a repeat.
///
/// # Errors
/// None in practice: the recipe is valid.
pub(crate) fn fresh_posts(seed: u64) -> Result<impl Iterator<Item = String>> {
    Ok(Generator::new(seed, Recipe { repeats: 0, decoys: 0, ..Recipe::default() })?.map(|post| post.text))
}

/// The reason why an input without texts cannot be measured.
pub(crate) fn nothing() -> String {
    tr!("no text could be read: --field names the field of the message, --format the format of the file")
}
