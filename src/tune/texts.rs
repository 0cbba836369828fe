//! The texts of a tuning run: read from files or generated.

use crate::error::{Error, Result};
use crate::formats::parse::Parser;
use crate::formats::source::Source;
use crate::generate::{Generator, Recipe};
use crate::locale::Said;
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

impl Texts {
    /// The name of the texts in reports.
    pub(crate) fn name(&self) -> Said {
        Said::new(|| match self {
            Self::Read { name, .. } => name.clone(),
            Self::Generated { count, seed } => {
                tr!("generated posts: --generate {count} --seed {seed}", count, seed)
            }
        })
    }

    /// Passes each text to `take`, in order, until `take` returns false. Returns how many records could not be read.
    ///
    /// # Errors
    /// [`Error::Io`] if reading fails.
    pub(crate) fn each(self, mut take: impl FnMut(&str) -> bool) -> Result<u64> {
        let (mut source, parser) = match self {
            Self::Read { source, parser, .. } => (source, parser),
            Self::Generated { count, seed } => {
                for (post, _) in Generator::new(seed, Recipe::default())?.zip(0..count) {
                    if !take(&post.text) {
                        break;
                    }
                }
                return Ok(0);
            }
        };
        let mut faults = 0;
        while let Some(batch) = source.next_batch()? {
            for record in parser.records(&batch) {
                match record {
                    Ok(Some(parsed)) if !take(&parsed.text) => return Ok(faults),
                    Ok(_) => {}
                    Err(_) => faults += 1,
                }
            }
        }
        Ok(faults)
    }
}

/// An endless stream of posts, none of which was made as a repeat.
///
/// # Errors
/// None in practice: the recipe is valid.
pub(crate) fn fresh_posts(seed: u64) -> Result<impl Iterator<Item = String>> {
    Ok(Generator::new(seed, Recipe { repeats: 0, decoys: 0, ..Recipe::default() })?.map(|post| post.text))
}

/// The error for an input that has no texts. `input` is its name.
pub(crate) fn nothing(input: &Said) -> Error {
    let reason = tr!("no text could be read: --field names the field of the message, --format the format of the file");
    Error::invalid(&*input.told, reason)
}
