//! quchong (去重): each message once.

pub mod config;
mod dedup;
mod error;
pub mod exact;
pub mod fingerprint;
pub mod generate;
mod ids;
pub mod near;
mod record;
pub mod text;

pub use config::Config;
pub use dedup::{Deduplicator, State};
pub use error::{Error, Result};
pub use record::{Judged, Pos, Record, RecordId, Verdict};
