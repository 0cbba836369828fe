//! Hash functions, hash tables, and the memory of lists and maps. Only this module names the crates behind them.
//!
//! | | from | for |
//! |---|---|---|
//! | [`XxHash3_64`], [`XxHash3_128`] | twox-hash | values that are compared or stored: digests, shingles, checksums of the state |
//! | [`HashMap`], [`HashSet`] | foldhash | tables in memory whose keys are hashes or small numbers; nobody iterates them for output |
//! | [`table`] | | tables of numbers in hot loops |
//! | [`mix`] | | hashes of numbers |
//! | [`SweptMap`] | indexmap | maps whose old entries go a few at a time |
//! | [`memory`] | | lists that grow in small steps; the bytes of a map |

pub(crate) mod memory;
pub(crate) mod mix;
mod swept_map;
pub(crate) mod table;

pub(crate) use foldhash::{HashMap, HashSet};
pub(crate) use indexmap::map::Entry as SweptEntry;
pub(crate) use swept_map::SweptMap;
pub(crate) use twox_hash::{XxHash3_64, XxHash3_128};
