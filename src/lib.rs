//! quchong (去重) keeps each short Chinese text once.
//!
//! # The problem
//! A feed of Weibo posts, headlines, chat or SMS says the same thing many times: byte for byte, in another script or width,
//! inside a repost prefix and a video tail, with one or two characters changed. Gao & Li (2014, "Research on method to
//! detect reduplicative Chinese short texts") remove such repeats in two stages: equal texts by a Bloom filter or a trie of
//! hash digits, similar ones by the Hamming distance of SimHash fingerprints. This crate is their method made into a tool:
//! streaming, verified where a filter may err, through tables in place of the O(n²) scan; and, since fingerprints miss most near
//! repeats of short texts, with a rule on the texts themselves for the last 200 000 messages.
//!
//! # The picture
//! ```text
//! bytes ─▶ Record ─▶ Clean ─▶ Printed ─▶ [exact] ─▶ [near] ─▶ Verdict ─▶ bytes
//!          formats    text    fingerprint  exact     near      dedup     run
//!          ╰──────── stateless, any thread ───────╯╰─ one owner, in order ─╯
//! ```
//! Data flows one way, the noun changes at each step, and each state has one owner.
//!
//! # Reading order
//! 1. [`Record`] and [`Verdict`]: what flows.
//! 2. [`Config`]: every tunable and where its default comes from. [`config::settings`] is the one table of options.
//! 3. [`Deduplicator`]: the stages joined, and which messages are kept.
//! 4. [`text`]: the forms of a text. [Canonical form](text::normalise), [body](text::body), [tokens](text::tokens),
//!    [shingles](text::shingle), [words it knows](text::lexicon), [facts](text::facts), and [HTML](text::html) taken out.
//!    [`fingerprint`] makes digests and SimHash of them.
//! 5. [`exact`]: the [Bloom filter](exact::bloom) and the [digest trie](exact::trie).
//! 6. [`near`]: the [repeat rule](near::verify), the [overlap engine](near::overlap) that finds candidates for it, the
//!    [hybrid](near::hybrid) of both with fingerprints. [Permuted-band tables](near::bands) hold fingerprints,
//!    [MinHash-LSH](near::minhash) holds signatures; [`near::banding`] has the arithmetic of bands.
//! 7. [`reach`]: how far back a message can repeat another. [`store`]: what is remembered, on disk.
//! 8. [`formats`]: bytes to records and back. [Sources](formats::source) of [lines](formats::lines) and rows,
//!    [parsing](formats::parse), [compression](formats::compression), [encodings](formats::encoding), [times](formats::time).
//! 9. [`run`]: the stages over streams and threads. [Outputs](run::sink), [durable runs](run::durable) that survive a crash,
//!    [recounts](run::recount), [metrics](run::metrics), and a [session](run::session) for a program that hands texts over,
//!    such as the Python module.
//! 10. [`compare`]: two messages alone. [`explain`]: why they are repeats, or not.
//! 11. [`generate`]: labelled texts. [`mod@evaluate`]: precision and recall of [engines](evaluate::engines), their
//!     [tallies](evaluate::tally) and [agreement](evaluate::agreement), and the papers' tables [again](evaluate::reproduce).
//! 12. [`methods`]: the methods of the papers, one file each, in [pairs](methods::pairs) and by [checksum](methods::checksum);
//!     [`methods::results`] has what they find.
//! 13. [`tune`]: how many bits for which measured error, by a [sweep](tune::sweep) over [texts](tune::texts);
//!     [`tune::paper`] repeats the paper's experiments.
//!
//! The program alone needs these, which are not public: `cli`, a file for each command; `clusters`, messages with their repeats;
//! `overview`, a run as a page; `scale`, the same verdicts over many machines; `report`, tables and charts.
//!
//! # The way of one record
//! Rooms are folders; one imports only those below it, and no files import each other in a circle.
//! 1. `formats/source` reads a [`Batch`](formats::source::Batch) of lines; [`formats::parse`] finds the text, the id and the time in each.
//! 2. `run/prepare` cleans the text ([`text`]) and takes its prints ([`fingerprint`]), on any thread.
//! 3. `run/judge` asks the [`State`], in order: [`exact`] knows equal texts, [`near`] the similar ones. The answer is a [`Verdict`].
//! 4. Under `--state`, [`store`] writes down what is remembered.
//! 5. [`run::sink`] writes the record's bytes, or a note with the verdict; `run/totals` counts it.
//!
//! # The way of one command
//! `quchong dedup`: `main` calls `cli::main`, which reads the arguments. `cli/dedup` is the table of contents: `cli/dedup/steps` opens
//! inputs and outputs, and [`run::run`] takes them as a [`Job`](run::Job). The other commands have a file each in `cli/`.
//!
//! # Features
//! The program has all of them. A library takes what it needs.
//! - `cli`: the program itself.
//! - `lab`: what makes texts, measures and compares: `generate`, `methods`, `evaluate`, `tune`, `exact::paper`, and of `text` what is
//!   for whole documents.
//! - `metrics`: answers a monitoring system over HTTP, or writes it a file.
//! - `parquet`: reads and writes Parquet and Arrow.
//!
//! # An example
//! ```
//! use quchong::{Config, Deduplicator, Record, Verdict};
//! use quchong::config::Shingle;
//!
//! let config = Config { shingle: Shingle::Chars(3), ..Config::default() };
//! let mut dedup = Deduplicator::new(config)?;
//! let posts = [
//!     "今天的武汉，樱花开了，我们都在等你回来。",
//!     "转发微博 //@小王:今天的武汉，樱花开了，我们都在等你回来。",
//!     "今天的武汉，下雨了。",
//! ];
//! let verdicts: Vec<Verdict> = posts
//!     .iter()
//!     .zip(1..)
//!     .map(|(post, id)| Ok(dedup.judge(&Record::new(id, *post))?.verdict))
//!     .collect::<quchong::Result<_>>()?;
//! assert!(verdicts[0].is_kept());
//! assert_eq!(verdicts[1].name(), "near");
//! assert!(verdicts[2].is_kept());
//! # Ok::<(), quchong::Error>(())
//! ```
//!
//! # Limits
//! - The repeat rule knows the facts of its [lexicon](text::lexicon), not meaning: what is said in other words is not found, and a
//!   fact that no list has may pass as the same.
//! - Beyond the window of the hybrid, and under SimHash alone, short texts are mostly missed: of real posts in which one
//!   character was changed, distance 4 over pairs of characters finds 13 % at 21–40 characters and 62 % at 81–140.
//! - Many messages from one template, each with other words in its slot, are compared each with each: see
//!   [`overlap`](near::overlap).
//! - What is remembered grows with the number of kept messages, but for a [window](Config::window) or a
//!   [limit](Config::max_memory).

// What is `pub` in a file is what a user of the crate sees.
#![warn(unreachable_pub)]

mod bodies;
#[cfg(feature = "cli")]
#[doc(hidden)]
pub mod cli;
#[cfg(feature = "cli")]
mod clusters;
pub mod compare;
pub mod config;
mod dedup;
mod error;
#[cfg(feature = "lab")]
pub mod evaluate;
pub mod exact;
pub mod explain;
pub mod fingerprint;
pub mod formats;
#[cfg(feature = "lab")]
pub mod generate;
mod ids;
#[cfg(feature = "lab")]
pub mod methods;
pub mod near;
#[cfg(feature = "cli")]
mod overview;
mod parallel;
mod prefetch;
pub mod reach;
mod record;
#[cfg(any(feature = "cli", feature = "lab"))]
mod report;
pub mod run;
#[cfg(feature = "cli")]
mod scale;
pub mod store;
pub mod text;
#[cfg(feature = "lab")]
pub mod tune;

pub use config::Config;
pub use dedup::{Deduplicator, State};
pub use error::{Error, Result, Spelling};
pub use record::{Engine, Judged, Likeness, Pos, Record, RecordId, Verdict};

/// What the benches, the fuzz targets and a test of this repository reach: how a state stands on disk, entry by entry. It changes
/// without notice.
#[doc(hidden)]
pub mod internals {
    pub use crate::dedup::Remembered;
    pub use crate::store::entry::{read, write};
    pub use crate::store::open::Opened;
}
