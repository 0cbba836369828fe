//! Input and answer: a [`Record`] comes in, a [`Judged`] comes out.

use std::borrow::Cow;
use std::fmt;

/// Position of a message in the input order, from 0. Positions order everything that one
/// [`Deduplicator`](crate::Deduplicator) has judged: "earlier" always means a smaller position.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
pub struct Pos(pub u64);

/// The name that a user gives a message. The field `of` of a verdict shows it.
///
/// ```
/// use quchong::RecordId;
/// assert_eq!(RecordId::from(17).to_string(), "17");
/// assert_eq!(RecordId::from("a-17").to_string(), "\"a-17\"");
/// assert_eq!(RecordId::Line(17).to_string(), "{\"line\":17}");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RecordId<'a> {
    /// A number, usually the 1-based line number.
    Number(u64),
    /// The 1-based line of a record that could have an id and has none: `{"line":17}`. No id has this form.
    Line(u64),
    /// The number of a record without an id: `{"record":17}`. It counts from 1 over all records that a state has seen, in all
    /// runs and files.
    Record(u64),
    /// Any other JSON value, kept as its JSON text: `"a-17"`, `-3`, `1.5`.
    Json(Cow<'a, str>),
}

impl<'a> RecordId<'a> {
    /// The id that this JSON text holds.
    pub(crate) fn of_json(text: Cow<'a, str>) -> Self {
        let number = |name: &str| text.strip_prefix(name)?.strip_suffix('}')?.parse().ok();
        let own = || number(r#"{"line":"#).map(Self::Line).or_else(|| number(r#"{"record":"#).map(Self::Record));
        match text.parse().ok().map(Self::Number).or_else(own) {
            Some(known) => known,
            None => Self::Json(text),
        }
    }
}

/// How to name records that have no id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Naming {
    /// By the line, for one input.
    Line,
    /// By the file and the line, for several inputs with different names.
    FileAndLine,
    /// By their number, from 1, over all records of all inputs and all runs of a state. Blank lines count.
    Record,
}

impl Naming {
    /// The name of a record without an id. A record that `could_have` had an id gets a name that no id has: `{"line":17}`,
    /// `{"file":"a.jsonl","line":17}`. A line of the one file of plain text gets `17`. Under [`Naming::Record`], every record
    /// gets `{"record":41}`.
    pub(crate) fn name(self, file: &str, line: u64, pos: Pos, could_have: bool) -> RecordId<'static> {
        match (self, could_have) {
            (Self::Line, false) => RecordId::Number(line),
            (Self::Line, true) => RecordId::Line(line),
            (Self::FileAndLine, _) => {
                let file = serde_json::Value::from(file);
                RecordId::Json(format!(r#"{{"file":{file},"line":{line}}}"#).into())
            }
            (Self::Record, _) => RecordId::Record(pos.0 + 1),
        }
    }
}

impl RecordId<'_> {
    /// The same id, owning its text.
    pub fn into_owned(self) -> RecordId<'static> {
        match self {
            Self::Number(n) => RecordId::Number(n),
            Self::Line(n) => RecordId::Line(n),
            Self::Record(n) => RecordId::Record(n),
            Self::Json(text) => RecordId::Json(Cow::Owned(text.into_owned())),
        }
    }
}

impl From<u64> for RecordId<'_> {
    fn from(n: u64) -> Self {
        Self::Number(n)
    }
}

impl From<&str> for RecordId<'_> {
    fn from(text: &str) -> Self {
        Self::Json(Cow::Owned(serde_json::Value::from(text).to_string()))
    }
}

/// As JSON: `17`, `{"line":17}`, `{"record":17}`, `"a-17"`.
impl fmt::Display for RecordId<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(n) => write!(f, "{n}"),
            Self::Line(n) => write!(f, r#"{{"line":{n}}}"#),
            Self::Record(n) => write!(f, r#"{{"record":{n}}}"#),
            Self::Json(text) => f.write_str(text),
        }
    }
}

/// One message to judge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record<'a> {
    /// How a later verdict names this message.
    pub id: RecordId<'a>,
    /// The message itself.
    pub text: Cow<'a, str>,
    /// Its event time, in milliseconds since 1970. A window of time uses it.
    pub time: Option<i64>,
}

impl<'a> Record<'a> {
    /// A record with this id and text, and no time.
    ///
    /// ```
    /// let record = quchong::Record::new("weibo-17", "今天天气真好");
    /// assert_eq!(record.id.to_string(), "\"weibo-17\"");
    /// ```
    pub fn new(id: impl Into<RecordId<'a>>, text: impl Into<Cow<'a, str>>) -> Self {
        Self { id: id.into(), text: text.into(), time: None }
    }

    /// The same record with this event time, in milliseconds since 1970.
    #[must_use]
    pub fn at(self, time: i64) -> Self {
        Self { time: Some(time), ..self }
    }
}

/// The decision about a message. It names other messages by position.
///
/// ```
/// use quchong::{Config, Deduplicator, Engine, Pos, Record, Verdict};
///
/// let mut dedup = Deduplicator::new(Config::default())?;
/// dedup.judge(&Record::new(1, "我在东湖边的樱花树下等你"))?;
/// let judged = dedup.judge(&Record::new(2, "我在东湖旁的樱花树下等你"))?;
/// assert!(matches!(judged.verdict, Verdict::Near { of: Pos(0), engine: Engine::Overlap, .. }));
/// # Ok::<(), quchong::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// The message is kept: it repeats no message that counts.
    Kept,
    /// An earlier message has the same text: the canonical one, or the raw one under
    /// [`ExactOn::Raw`](crate::config::ExactOn::Raw).
    Exact {
        /// The kept message that it repeats. Always `None` under [`ExactMode::Bloom`](crate::config::ExactMode::Bloom) and
        /// [`ExactMode::PaperBloom`](crate::config::ExactMode::PaperBloom), which remember no messages; seldom `None` under
        /// [`ExactMode::PaperTrie`](crate::config::ExactMode::PaperTrie).
        of: Option<Pos>,
    },
    /// An earlier kept message is a near duplicate.
    Near {
        /// The earliest such kept message.
        of: Pos,
        /// Which engine found it.
        engine: Engine,
        /// How alike the two are, in that engine's measure.
        by: Likeness,
    },
}

/// The engine that found a near duplicate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Engine {
    /// The repeat rule on the texts of the last messages.
    Overlap,
    /// 64-bit SimHash fingerprints within a Hamming distance.
    SimHash,
    /// MinHash signatures of a Jaccard similarity.
    MinHash,
}

impl Engine {
    /// Its name in output.
    pub fn name(self) -> &'static str {
        match self {
            Self::Overlap => "overlap",
            Self::SimHash => "simhash",
            Self::MinHash => "minhash",
        }
    }
}

/// How alike two near duplicates are, in whole numbers, so that every machine gives the same value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Likeness {
    /// Hamming distance of the two fingerprints, 0..=64.
    Distance(u32),
    /// Similarity in thousandths, 0..=1000.
    Similarity(u32),
}

impl Verdict {
    /// Whether the message is kept.
    pub fn is_kept(self) -> bool {
        matches!(self, Self::Kept)
    }

    /// Its name in output: `kept`, `exact` or `near`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Kept => "kept",
            Self::Exact { .. } => "exact",
            Self::Near { .. } => "near",
        }
    }

    /// The kept message that this one repeats, if it is known.
    pub fn of(self) -> Option<Pos> {
        match self {
            Self::Kept => None,
            Self::Exact { of } => of,
            Self::Near { of, .. } => Some(of),
        }
    }

    /// The same verdict, with `to` applied to the position of the message that is repeated.
    pub(crate) fn mapped(self, to: impl FnOnce(Pos) -> Pos) -> Self {
        match self {
            Self::Kept => self,
            Self::Exact { of } => Self::Exact { of: of.map(to) },
            Self::Near { of, engine, by } => Self::Near { of: to(of), engine, by },
        }
    }
}

/// Whether an answer has the id of the message that is repeated. Looking it up takes time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OfId {
    Named,
    Omitted,
}

/// The answer about one message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Judged {
    /// The message's own position.
    pub pos: Pos,
    /// The decision.
    pub verdict: Verdict,
    /// The id of the kept message that this one repeats, if it is known.
    pub of: Option<RecordId<'static>>,
    /// The number of this message in its cluster, 2 or more: `Some` only for a repeat, and only if
    /// [`Config::keep`](crate::Config::keep) is more than 1. The first `keep` messages of a cluster are kept, and their
    /// verdict is [`Verdict::Kept`].
    pub copy: Option<u64>,
    /// The differences, under [`Config::explain`](crate::Config::explain): see
    /// [`State::differences`](crate::State::differences).
    pub differs: Option<Vec<[String; 2]>>,
}
