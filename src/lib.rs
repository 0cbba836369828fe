//! quchong (去重) keeps each short Chinese text once.
//!
//! # The problem
//! A feed of Weibo posts, headlines, chat or SMS says the same thing many times: byte for byte, in another script or width,
//! inside a repost prefix and a video tail, or with one or two characters changed. Gao & Li (2014, "Research on method to
//! detect reduplicative Chinese short texts") remove such repeats in two stages. A Bloom filter or a trie of hash digits
//! finds equal texts; the Hamming distance of SimHash fingerprints finds similar ones.
//!
//! This crate makes that method a tool. It works on streams. Where a filter can err, a trie verifies its answer. Tables
//! replace the O(n²) scan of fingerprints. Fingerprints miss most near repeats of short texts, so a rule on the texts
//! themselves judges the last 200 000 messages.
//!
//! # The picture
//! ```text
//! bytes ─▶ Record ─▶ Clean ─▶ Printed ─▶ [exact] ─▶ [near] ─▶ Verdict ─▶ bytes
//!          formats    text    fingerprint  exact     near      dedup     run
//!          ╰──────── stateless, any thread ───────╯╰─ one owner, in order ─╯
//! ```
//! Data flows one way, each step has its own type, and each state has one owner.
//!
//! # Reading order
//! 1. [`Record`] and [`Verdict`]: the input and the answer.
//! 2. [`Config`]: every tunable and where its default comes from. [`config::settings`] is the one table of options.
//! 3. [`Deduplicator`]: how the stages work together, and which messages are kept.
//! 4. [`text`]: the forms of a text. [Canonical form](text::normalise), [body](text::body), [tokens](text::tokens),
//!    [shingles](text::shingle), the [lexicon](text::lexicon), and removal of [HTML](text::html).
//!    [`fingerprint`] makes digests and SimHash fingerprints from them.
//! 5. [`exact`]: the [Bloom filter](exact::bloom) and the [digest trie](exact::trie).
//! 6. [`rule`]: the repeat rule, which judges two texts, and the [facts](rule::facts) that may not differ.
//! 7. [`near`]: the [overlap engine](near::overlap) that finds candidates for the rule, and the [hybrid](near::hybrid) of that
//!    engine and fingerprints. [Permuted-band tables](near::bands) hold fingerprints, [MinHash-LSH](near::minhash) holds
//!    signatures; [`near::banding`] has the arithmetic of bands.
//! 8. [`reach`]: how far back a message can repeat another. [`store`]: the state on disk.
//! 9. [`formats`]: from bytes to records and back. [Sources](formats::source) read [lines](formats::lines) and rows; there
//!    are [parsing](formats::parse), [compression](formats::compression), [encodings](formats::encoding) and
//!    [times](formats::time).
//! 10. [`run`]: the stages over streams and threads. [Outputs](run::sink), [durable runs](run::durable) that survive a crash,
//!     [recounts](run::recount), [metrics](run::metrics), and a [session](run::session) for a program that passes texts
//!     itself, such as the Python module.
//! 11. [`compare`]: judges two messages alone. [`explain`]: says why they are repeats, or why not.
//! 12. [`generate`]: makes labelled texts. [`mod@evaluate`]: measures precision and recall of [engines](evaluate::engines),
//!     with [tallies](evaluate::tally) and [agreement](evaluate::agreement), and [reproduces](evaluate::reproduce) the
//!     papers' tables.
//! 13. [`methods`]: the methods of the papers, one file each, on [pairs](methods::pairs) and by
//!     [checksum](methods::checksum); [`methods::results`] has their results.
//! 14. [`tune`]: how many bits give which measured error, by a [sweep](tune::sweep) over [texts](tune::texts);
//!     [`tune::paper`] repeats the paper's experiments.
//!
//! These modules are private and serve the program alone: `cli` has a file for each command; `clusters` collects messages
//! with their repeats; `overview` shows a run as a page; `scale` gives the same verdicts on many machines; `report` draws
//! tables and charts.
//!
//! # The way of one record
//! The folders of `src` are layers: a folder imports only from folders below it, and no files import each other in a circle.
//! A file may use the types of its parent file, with their methods, and its constants.
//! 1. `formats/source` reads a [`Batch`](formats::source::Batch) of lines; [`formats::parse`] finds text, id and time in
//!    each.
//! 2. `run/prepare` cleans the text ([`text`]) and makes its fingerprints ([`fingerprint`]), on any thread.
//! 3. `run/judge` asks the [`State`], in order: [`exact`] finds equal texts, [`near`] similar ones. The answer is a
//!    [`Verdict`].
//! 4. Under `--state`, [`store`] writes the remembered messages to disk.
//! 5. [`run::sink`] writes the record's bytes, or a line with the verdict; `run/totals` counts it.
//!
//! # The way of one command
//! `quchong dedup`: `main` calls `cli::main`, which reads the arguments. `cli/dedup` shows the steps in order:
//! `cli/dedup/steps` opens inputs and outputs, and [`run::run`] takes them as a [`Job`](run::Job). Each other command has its
//! own file in `cli/`, with two exceptions: `check` is in `cli/dedup/check`, and `completions` and `man` share
//! `cli/packaging`.
//!
//! # Features
//! The program is built with all of them. A library user chooses.
//! - `cli`: the program itself.
//! - `lab`: makes texts, measures and compares: `generate`, `methods`, `evaluate`, `tune`, `exact::paper`, and the parts of
//!   `text` for whole documents.
//! - `metrics`: answers a monitoring system over HTTP, or writes a file for it.
//! - `parquet`: reads and writes Parquet and Arrow.
//! - `serve`: the program as a service, which answers messages over HTTP.
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
//! - The repeat rule knows the facts of its [lexicon](text::lexicon), not meaning. It does not find a message that says the
//!   same in other words. It may take two messages for repeats whose facts differ, if no list has these facts.
//! - SimHash alone misses most repeats of short texts, and so does the hybrid beyond its window. The shorter a real post is,
//!   the less often a copy with one changed character is found.
//! - If a feed has many messages from templates that are nested in each other, each message is compared with each other one:
//!   see [`overlap`](near::overlap). Messages of a single template are looked up.
//! - Memory grows with the number of kept messages, unless there is a [window](Config::window) or a
//!   [limit](Config::max_memory).

// A `pub` item must be reachable for a user of the crate.
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
mod file;
pub mod fingerprint;
pub mod formats;
#[cfg(feature = "lab")]
pub mod generate;
mod hash;
mod ids;
mod locale;
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
pub mod rule;
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

/// The encoding of a state on disk, entry by entry, for the benches, the fuzz targets and a test of this repository. It
/// changes without notice.
#[doc(hidden)]
pub mod internals {
    pub use crate::dedup::Remembered;
    pub use crate::store::entry::{read, write};
    pub use crate::store::open::Opened;
}
