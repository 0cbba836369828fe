//! Where the texts of a tuning run come from.

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
        /// Where the text stands in a record.
        parser: Box<Parser>,
        /// How reports name them.
        name: String,
    },
    /// Generated posts, a part of them repeats.
    Generated {
        /// How many.
        count: u64,
        /// The generator's seed.
        seed: u64,
    },
}

impl Texts {
    /// How reports name the texts.
    pub(crate) fn name(&self) -> Said {
        Said::new(|| match self {
            Self::Read { name, .. } => name.clone(),
            Self::Generated { count, seed } => {
                tr!("generated posts: --generate {count} --seed {seed}", count, seed)
            }
        })
    }

    /// Hands each text to `take` until it returns false, in order; how many records could not be read.
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

/// An endless stream of posts, none of them made to repeat another.
///
/// # Errors
/// None that the generator's own checks do not exclude.
pub(crate) fn fresh_posts(seed: u64) -> Result<impl Iterator<Item = String>> {
    Ok(Generator::new(seed, Recipe { repeats: 0, decoys: 0, ..Recipe::default() })?.map(|post| post.text))
}

/// The error for an input of this name without texts.
pub(crate) fn nothing(input: &Said) -> Error {
    let reason = tr!("no text could be read: --field names the field of the message, --format the format of the file");
    Error::invalid(&*input.told, reason)
}
