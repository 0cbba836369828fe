//! A verdict as text.

use std::fmt::Write;

use crate::record::{Likeness, RecordId, Verdict};

/// A verdict as records are annotated with it: see [`Sink::judged`](super::Sink::judged).
pub(crate) fn note(
    verdict: Verdict,
    of: Option<&RecordId<'_>>,
    copy: Option<u64>,
    differs: Option<&[[String; 2]]>,
) -> String {
    let mut note = String::new();
    let of = of.map_or_else(|| "null".to_owned(), ToString::to_string);
    let copy = copy.map_or_else(String::new, |copy| format!(r#","copy":{copy}"#));
    let differs = differs.map_or_else(String::new, |differs| format!(r#","differs":{}"#, serde_json::json!(differs)));
    // Writing to a string cannot fail.
    let _ = match verdict {
        Verdict::Kept if copy.is_empty() => write!(note, r#"{{"verdict":"kept"}}"#),
        Verdict::Kept => write!(note, r#"{{"verdict":"kept","of":{of}{copy}}}"#),
        Verdict::Exact { .. } => write!(note, r#"{{"verdict":"exact","of":{of}{copy}{differs}}}"#),
        Verdict::Near { engine, by, .. } => {
            let engine = engine.name();
            let _ = write!(note, r#"{{"verdict":"near","of":{of}{copy},"engine":"{engine}","#);
            let _ = match by {
                Likeness::Distance(bits) => write!(note, r#""distance":{bits}"#),
                // Rounded down.
                Likeness::Similarity(mille) => {
                    write!(note, r#""similarity":{}.{:02}"#, mille / 1000, mille % 1000 / 10)
                }
            };
            write!(note, "{differs}}}")
        }
    };
    note
}
