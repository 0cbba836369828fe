//! Records to sketches: all that the later steps need to know of them.

use std::fmt;

use crate::config::{Config, ExactMode, NearMode};
use crate::error::{Error, Result};
use crate::fingerprint::{Digest, Printer};
use crate::pipeline::parse::{Fault, FaultKind, Parser};
use crate::pipeline::source::Source;
use crate::record::Pos;
use crate::text::Clean;

/// A record by its position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sketch {
    /// Where it stands among all records.
    pub pos: Pos,
    /// What it is known by.
    pub content: Content,
}

/// What a record is known by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Content {
    /// A message.
    Message {
        /// SipHash-1-3 of what the exact stage compares, 128 bits under [`Config::seed`], which must be the same for all tasks:
        /// among 10^9 different texts two share a digest with probability 1.5 · 10^-21, among 10^11 with 1.5 · 10^-17. None
        /// if there is nothing to compare, or no exact stage.
        digest: Option<Digest>,
        /// SimHash of the body; none if the message is nothing but wrapping, or without near stage.
        simhash: Option<u64>,
    },
    /// A blank line: always kept.
    Blank,
    /// A record that cannot be judged: goes through.
    Fault(FaultKind),
}

/// As a JSON object: `{"pos":3,"digest":"…","simhash":"…"}` in 32 and 16 hexadecimal digits, what is none left out;
/// `{"pos":4}` for a blank line; `{"pos":5,"error":"not-a-string"}`.
impl fmt::Display for Sketch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, r#"{{"pos":{}"#, self.pos.0)?;
        match self.content {
            Content::Message { digest, simhash } => {
                if let Some(Digest(digest)) = digest {
                    write!(f, r#","digest":"{digest:032x}""#)?;
                }
                if let Some(simhash) = simhash {
                    write!(f, r#","simhash":"{simhash:016x}""#)?;
                }
            }
            Content::Blank => {}
            Content::Fault(kind) => write!(f, r#","error":"{}""#, kind.name())?,
        }
        f.write_str("}")
    }
}

/// Refuses options under which many processes cannot give the verdicts of one.
///
/// # Errors
/// [`Error::Config`] naming the option, and what works.
pub fn check(config: &Config) -> Result<()> {
    config.validate()?;
    let works = "use --near simhash, --near none or --preset paper";
    match config.near {
        NearMode::SimHash | NearMode::None => {}
        NearMode::Hybrid => {
            return Err(Error::config("--near", format!("hybrid compares texts, which sketches do not have; {works}")));
        }
        NearMode::MinHash => return Err(Error::config("--near", format!("minhash has no sketch; {works}"))),
    }
    match config.exact {
        ExactMode::Verified | ExactMode::Trie | ExactMode::None => Ok(()),
        ExactMode::Bloom | ExactMode::PaperTrie => Err(Error::config(
            "--exact",
            "bloom and paper-trie err by the order in which they fill, which many processes do not share; use verified, trie or none",
        )),
    }
}

/// How many records were sketched.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Sketched {
    /// Messages.
    pub messages: u64,
    /// Blank lines.
    pub blank: u64,
    /// Records that cannot be judged.
    pub errors: u64,
}

impl Sketched {
    /// All records.
    pub fn records(&self) -> u64 {
        self.messages + self.blank + self.errors
    }
}

/// Hands the sketch of each record of `source` to `each`, in order. Positions are the numbers of the parser's
/// [`seq_field`](Parser::seq_field), if it has one, else they count from `first`. `fault` hears, with file and line, why a record
/// cannot be judged.
///
/// # Errors
/// [`Error::Config`] for options that [cannot work](check), [`Error::Io`] if reading fails, [`Error::Unmeasurable`] for a
/// record without the position that it should have, and those of `each` and `fault`.
pub fn sketch(
    config: &Config,
    mut source: Source,
    parser: &Parser,
    first: Pos,
    mut fault: impl FnMut(&str, u64, &Fault) -> Result<()>,
    mut each: impl FnMut(Sketch) -> Result<()>,
) -> Result<Sketched> {
    check(config)?;
    let (printer, mut clean) = (Printer::new(config), Clean::default());
    let mut sketched = Sketched::default();
    while let Some(batch) = source.next_batch()? {
        for line in batch.lines.iter().filter(|line| line.part.is_record()) {
            let mut pos = Pos(first.0 + sketched.records());
            let read = parser.read(&batch, line);
            if let Some(field) = &parser.seq_field {
                let given = read.as_ref().ok().and_then(|parsed| parsed.as_ref()?.seq);
                pos = Pos(given.ok_or_else(|| Error::Unmeasurable {
                    path: batch.file.to_string(),
                    line: line.number,
                    reason: match &read {
                        Err(fault) => format!("{}; its position cannot be read", fault.reason),
                        Ok(_) => format!("no position in field `{}`: a whole number from 0", field.spelled()),
                    },
                })?);
            }
            let content = match read {
                Ok(Some(parsed)) => {
                    sketched.messages += 1;
                    let printed = printer.print_text(&parsed.text, &mut clean);
                    Content::Message { digest: printed.digest, simhash: printed.simhash }
                }
                Ok(None) => {
                    sketched.blank += 1;
                    Content::Blank
                }
                Err(found) => {
                    sketched.errors += 1;
                    fault(&batch.file, line.number, &found)?;
                    Content::Fault(found.kind)
                }
            };
            each(Sketch { pos, content })?;
        }
    }
    Ok(sketched)
}
