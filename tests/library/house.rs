//! The layout holds: modules import only downwards, and each outside crate has one door.
#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

use std::fs;
use std::path::{Path, PathBuf};

/// Rooms from the ground up; a room may import those on floors below its own, and its own inside.
const FLOORS: &[&[&str]] = &[
    &["error", "record", "prefetch"],
    &["config"],
    &["text", "reach", "formats"],
    &["fingerprint"],
    &["exact", "near", "ids", "bodies"],
    &["dedup", "compare"],
    &["store"],
    &["run", "generate", "report", "explain", "methods"],
    &["tune", "evaluate", "clusters", "overview", "scale"],
    &["cli"],
];

/// Crates that only these rooms, or files, may name.
const DOORS: &[(&str, &str)] = &[
    ("jieba_rs", "text/segment.rs"),
    ("unicode_normalization", "text/"),
    ("unicode_segmentation", "text/"),
    ("bloomfilter", "exact/bloom.rs"),
    ("crc32fast", "methods/checksum.rs"),
    ("md5", "methods/checksum.rs"),
    ("sha1", "methods/checksum.rs"),
    ("strsim", "evaluate/indel.rs"),
    ("fst", "exact/trie/"),
    ("fst", "text/lexicon"),
    ("siphasher", "fingerprint.rs"),
    ("tokio", "run/"),
    ("tokio_stream", "run/"),
    ("memchr", "formats/"),
    ("memchr", "run/sink.rs"),
    ("simdutf8", "formats/parse.rs"),
    ("postcard", "store/"),
    ("jiff", "formats/time.rs"),
    ("flate2", "formats/compression"),
    ("zstd", "formats/compression"),
    ("bzip2", "formats/compression"),
    ("liblzma", "formats/compression"),
    ("parquet", "formats/columnar"),
    ("arrow_array", "formats/columnar"),
    ("arrow_ipc", "formats/columnar/ipc.rs"),
    ("arrow_schema", "formats/columnar"),
    ("arrow_select", "formats/columnar/write.rs"),
    ("encoding_rs", "formats/encoding"),
    ("chardetng", "formats/encoding/"),
    ("clap", "cli/"),
    ("clap_complete", "cli/packaging.rs"),
    ("clap_mangen", "cli/packaging.rs"),
    ("tracing", "cli/"),
    ("tracing_subscriber", "cli/log.rs"),
    ("glob", "cli/named.rs"),
    ("walkdir", "cli/named.rs"),
    ("indicatif", "cli/report.rs"),
    ("oorandom", "generate"),
];

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// Path below src/, and the code without comments and tests.
fn code() -> Vec<(String, String)> {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut paths = Vec::new();
    sources(&src, &mut paths);
    assert!(paths.len() > 15, "{paths:?}");
    let read = |path: PathBuf| {
        let name = path.strip_prefix(&src).unwrap().display().to_string();
        let text = fs::read_to_string(&path).unwrap();
        let lines = text.lines().take_while(|line| !line.contains("#[cfg(test)]"));
        let code = lines.filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n");
        (name, code)
    };
    paths.into_iter().map(read).collect()
}

/// Names that follow `prefix` in the code, at the start of a word.
fn names<'c>(code: &'c str, prefix: &str) -> Vec<&'c str> {
    let word = |c: char| c.is_alphanumeric() || c == '_';
    code.match_indices(prefix)
        .filter(|(at, _)| !code[..*at].ends_with(|c: char| word(c) || c == ':'))
        .map(|(at, _)| code[at + prefix.len()..].split(|c: char| !word(c)).next().unwrap())
        .collect()
}

#[test]
fn rooms_import_only_downwards() {
    let floor = |room: &str| FLOORS.iter().position(|floor| floor.contains(&room));
    let mut seen = 0;
    for (file, code) in code() {
        let room = file.split(['/', '.']).next().unwrap();
        let Some(own) = floor(room) else {
            assert!(["lib", "main"].contains(&room), "{file}: which floor is `{room}` on? Add it to FLOORS");
            continue;
        };
        for import in names(&code, "crate::").into_iter().filter(|import| floor(import).is_some() && *import != room) {
            seen += 1;
            assert!(floor(import).unwrap() < own, "{file} imports `{import}`, which is not below it");
        }
    }
    assert!(seen > 20, "only {seen} imports were seen");
}

#[test]
fn each_crate_has_one_door() {
    let mut used = vec![false; DOORS.len()];
    for (file, code) in code() {
        for (krate, _) in DOORS.iter().filter(|(krate, _)| !names(&code, &format!("{krate}::")).is_empty()) {
            let mut doors = (0..DOORS.len()).filter(|&at| DOORS[at].0 == *krate);
            let door = doors.find(|&at| file.starts_with(DOORS[at].1));
            used[door.unwrap_or_else(|| panic!("{file} uses {krate}, whose door is elsewhere"))] = true;
        }
    }
    let unused: Vec<_> = DOORS.iter().zip(used).filter(|(_, used)| !used).map(|(door, _)| door.0).collect();
    assert!(unused.is_empty(), "no code uses {unused:?}: is the name right, is the crate needed?");
}
