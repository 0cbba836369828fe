//! Counts and sizes as a person reads them: `12,345` and `1.20 MiB`.

pub(crate) use indicatif::{HumanBytes, HumanCount};
