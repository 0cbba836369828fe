//! The numbers of a run in the text format of Prometheus, version 0.0.4.

use std::fmt::Write;
use std::time::{SystemTime, UNIX_EPOCH};

use super::{BUCKETS, Figures, Histogram, Snapshot};
use crate::formats::parse::FaultKind;
use crate::run::totals::memory;

/// Writes all metrics. A metric that the run does not have, such as that of a filter or of times, is left out.
pub(super) fn text(snapshot: &Snapshot) -> String {
    let Snapshot { counts, bytes_out, latency, event_time, figures } = snapshot;
    let Figures { parts, bytes, live, times, filter } = figures;
    let mut to = String::with_capacity(6 << 10);
    let version = concat!("version=\"", env!("CARGO_PKG_VERSION"), "\"");
    gauge(&mut to, "quchong_build_info", "Always 1; the label tells the version.", [(version, 1)]);
    let records = "Records read, blank lines among them: kept, dropped, errors and skipped together.";
    counter(&mut to, "quchong_messages_total", records, [("", counts.r#in)]);
    counter(&mut to, "quchong_kept_total", "Records kept.", [("", counts.kept)]);
    let by = [("by=\"exact\"", counts.exact), ("by=\"near\"", counts.near)];
    counter(&mut to, "quchong_dropped_total", "Records dropped, by the stage that found the repeat.", by);
    let kinds: Vec<_> = FaultKind::NAMED.iter().map(|(name, _)| format!("kind=\"{name}\"")).collect();
    let errors = kinds.iter().map(String::as_str).zip(counts.errors);
    counter(&mut to, "quchong_errors_total", "Records that could not be judged.", errors);
    let skipped = "Records that had come before by their number in the feed.";
    counter(&mut to, "quchong_skipped_total", skipped, [("", counts.skipped)]);
    counter(&mut to, "quchong_read_bytes_total", "Bytes of the records.", [("", counts.bytes_in)]);
    counter(&mut to, "quchong_written_bytes_total", "Bytes written to the output.", [("", *bytes_out)]);
    if let Some(times) = times {
        let kinds =
            [("kind=\"missing\"", times.missing), ("kind=\"late\"", times.late), ("kind=\"ahead\"", times.ahead)];
        counter(&mut to, "quchong_untimely_total", "Messages whose time was not taken as it stood.", kinds);
    }
    if let Some(event_time) = event_time {
        // A system clock before 1970 counts as 1970.
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0.0, |since| since.as_secs_f64());
        let help = "Now less the event time of the last message that had one.";
        gauge(&mut to, "quchong_lag_seconds", help, [("", now - *event_time as f64 / 1e3)]);
    }
    let help = "Texts that the exact stage, and messages that the near stage can find repeated.";
    gauge(&mut to, "quchong_live_messages", help, [("stage=\"exact\"", live[0]), ("stage=\"near\"", live[1])]);
    let other = bytes.saturating_sub(parts.filter + parts.trie + parts.near);
    let parts = [("filter", parts.filter), ("trie", parts.trie), ("near", parts.near), ("other", other)];
    let parts = parts.map(|(part, bytes)| (format!("part=\"{part}\""), bytes));
    let help = "Heap bytes of what is remembered: what --max-memory limits.";
    gauge(&mut to, "quchong_state_bytes", help, parts.iter().map(|(part, bytes)| (part.as_str(), *bytes)));
    if let Some(resident) = memory("VmRSS:") {
        // Not named process_resident_memory_bytes: node_exporter has a metric of that name, and its collector would refuse
        // the file.
        gauge(&mut to, "quchong_resident_memory_bytes", "Resident memory of the process.", [("", resident)]);
    }
    if let Some(filter) = filter {
        let help = "Distinct texts in the Bloom filter.";
        gauge(&mut to, "quchong_bloom_texts", help, [("", filter.inserted)]);
        let help = "Distinct texts that the Bloom filter was sized for (--capacity).";
        gauge(&mut to, "quchong_bloom_capacity_texts", help, [("", filter.capacity)]);
        gauge(
            &mut to,
            "quchong_bloom_fill_ratio",
            "Share of the Bloom filter's bits that are set.",
            [("", filter.fill)],
        );
        let help = "Estimated probability that the Bloom filter takes a new text for a repeat.";
        gauge(&mut to, "quchong_bloom_false_positive_ratio", help, [("", filter.expected_error)]);
    }
    histogram(&mut to, latency);
    to
}

/// Writes a metric that only rises.
pub(crate) fn counter<'l>(to: &mut String, name: &str, help: &str, samples: impl IntoIterator<Item = (&'l str, u64)>) {
    family(to, name, "counter", help, samples);
}

/// Writes a metric that rises and falls.
pub(crate) fn gauge<'l, V: std::fmt::Display>(
    to: &mut String,
    name: &str,
    help: &str,
    samples: impl IntoIterator<Item = (&'l str, V)>,
) {
    family(to, name, "gauge", help, samples);
}

/// Writes a metric with one sample for each set of labels. The labels must need no escapes.
fn family<'l, V: std::fmt::Display>(
    to: &mut String,
    name: &str,
    kind: &str,
    help: &str,
    samples: impl IntoIterator<Item = (&'l str, V)>,
) {
    // Writing to a string cannot fail.
    let _ = writeln!(to, "# HELP {name} {help}\n# TYPE {name} {kind}");
    for (labels, value) in samples {
        let _ = match labels {
            "" => writeln!(to, "{name} {value}"),
            labels => writeln!(to, "{name}{{{labels}}} {value}"),
        };
    }
}

fn histogram(to: &mut String, latency: &Histogram) {
    const NAME: &str = "quchong_verdict_seconds";
    let help = "From the reading of a record to the writing of its verdict, since the process began.";
    family(to, NAME, "histogram", help, [("", 0); 0]);
    let mut below = 0;
    let bounds = BUCKETS.iter().map(f64::to_string).chain(["+Inf".to_owned()]);
    for (bound, records) in bounds.zip(latency.counts) {
        below += records;
        let _ = writeln!(to, "{NAME}_bucket{{le=\"{bound}\"}} {below}");
    }
    let _ = writeln!(to, "{NAME}_sum {}\n{NAME}_count {below}", latency.seconds);
}
