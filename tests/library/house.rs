//! Tests the layout of the code: modules import only downwards, files never import each other in a circle and are short, each outside
//! crate is used in few places, and the public interface is small.
#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

use std::fs;
use std::path::Path;

use crate::imports::{Sources, circles, module};

/// The top-level modules by layer, from the lowest up. A module may import modules of lower layers, and its own files.
const LAYERS: &[&[&str]] = &[
    &["error", "file", "locale", "record", "prefetch", "hash"],
    &["config", "parallel"],
    &["text", "reach", "formats"],
    &["fingerprint", "rule"],
    &["exact", "near", "ids", "bodies"],
    &["dedup", "compare"],
    &["store"],
    &["run", "generate", "report", "explain", "methods"],
    &["tune", "evaluate", "clusters", "overview", "scale"],
    &["cli"],
];

/// Crates that may be named only in these modules or files.
const ALLOWED_IN: &[(&str, &str)] = &[
    ("twox_hash", "hash.rs"),
    ("foldhash", "hash"),
    ("indexmap", "hash"),
    ("jieba_rs", "text/segment.rs"),
    ("unicode_normalization", "text/"),
    ("unicode_segmentation", "text/"),
    ("html5gum", "text/html.rs"),
    ("bloomfilter", "exact/standard.rs"),
    ("crc32fast", "methods/checksum.rs"),
    ("md5", "methods/checksum.rs"),
    ("sha1", "methods/checksum.rs"),
    ("fst", "exact/trie/"),
    ("fst", "text/lexicon"),
    ("siphasher", "fingerprint.rs"),
    ("tokio", "run/"),
    ("tokio_stream", "run/"),
    ("axum", "run/http.rs"),
    ("axum", "run/metrics/http.rs"),
    ("axum", "run/service/http.rs"),
    ("hyper", "run/http.rs"),
    ("hyper", "run/service/http.rs"),
    ("hyper_util", "run/http.rs"),
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
    ("nix", "run/stop.rs"),
    ("rustix", "formats/input/follow/watch.rs"),
    ("rustix", "cli/serve.rs"),
    ("rustix", "cli/stdout.rs"),
    ("rustix", "main.rs"),
    ("chardetng", "formats/encoding/"),
    ("anyhow", "cli/"),
    ("anstream", "cli/screen.rs"),
    ("anstyle", "cli/screen.rs"),
    ("terminal_size", "cli/columns.rs"),
    ("clap", "cli/"),
    ("clap_complete", "cli/packaging.rs"),
    ("clap_mangen", "cli/packaging.rs"),
    ("tracing", "cli/"),
    ("tracing_subscriber", "cli/log.rs"),
    ("glob", "cli/glob.rs"),
    ("toml", "cli/origins.rs"),
    ("toml", "locale.rs"),
    ("walkdir", "cli/glob.rs"),
    ("indicatif", "cli/console.rs"),
    ("indicatif", "cli/summary.rs"),
    ("indicatif", "cli/bars.rs"),
    ("oorandom", "generate"),
    ("maud", "report/"),
    ("maud", "clusters/page.rs"),
    ("maud", "overview/page.rs"),
];

/// Crates that any module may name.
const EVERYWHERE: &[&str] = &["serde", "serde_json", "tr"];

/// Packages whose crate has another name.
const RENAMED: &[(&str, &str)] = &[("md-5", "md5")];

/// Most public types, traits, functions and constants, and most public methods. The lint `unreachable_pub` makes sure that every `pub`
/// item can be reached. Before raising these: does a user of the crate need the item, and does it have an example?
const FACE: [usize; 2] = [220, 188];

/// Returns the names that follow `prefix` in the code, if `prefix` is at the start of a word.
fn names<'c>(code: &'c str, prefix: &str) -> Vec<&'c str> {
    let word = |c: char| c.is_alphanumeric() || c == '_';
    code.match_indices(prefix)
        .filter(|(at, _)| !code[..*at].trim_end_matches("::").ends_with(|c: char| word(c) || c == ':'))
        .map(|(at, _)| code[at + prefix.len()..].split(|c: char| !word(c)).next().unwrap())
        .collect()
}

/// Returns the imports that do not lead to a lower layer.
fn upward(sources: &Sources) -> Vec<String> {
    let layer = |file: &str| LAYERS.iter().position(|layer| layer.contains(&module(file)));
    let imports = sources.imports().into_iter();
    let between = imports.filter(|import| {
        module(&import.from) != module(&import.to) && import.from != "main.rs" && import.from != "lib.rs"
    });
    // The root of the crate only re-exports items that have their home elsewhere.
    between
        .filter(|import| module(&import.to) == "lib" || layer(&import.to) >= layer(&import.from))
        .map(|import| format!("{} imports `{}` of {}, which is not below it", import.from, import.item, import.to))
        .collect()
}

/// Whether code names a crate.
fn uses(code: &str, krate: &str) -> bool {
    let statement = |line: &str| {
        let line = line.trim_start().trim_start_matches("pub(crate) ").trim_start_matches("pub ");
        let name = line.strip_prefix("use ").or(line.strip_prefix("extern crate "));
        let rest = name.and_then(|name| name.trim_start_matches("::").strip_prefix(krate));
        rest.is_some_and(|rest| rest.starts_with([';', ' ']))
    };
    !names(code, &format!("{krate}::")).is_empty() || code.lines().any(statement)
}

/// Returns the crates that a manifest depends on, except for tests.
fn dependencies(manifest: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut is_open = false;
    for line in manifest.lines() {
        if line.starts_with('[') {
            is_open = line.ends_with("dependencies]") && !line.contains("dev-dependencies");
        } else if let Some((name, _)) = line.split_once(" = ").filter(|_| is_open) {
            let renamed = RENAMED.iter().find(|(package, _)| *package == name);
            found.push(renamed.map_or_else(|| name.replace('-', "_"), |(_, krate)| (*krate).to_owned()));
        }
    }
    found
}

/// Returns the dependencies that no module may name.
fn unlisted(manifest: &str) -> Vec<String> {
    let is_allowed =
        |krate: &&String| EVERYWHERE.contains(&&***krate) || ALLOWED_IN.iter().any(|(of, _)| *of == **krate);
    dependencies(manifest).iter().filter(|krate| !is_allowed(krate)).cloned().collect()
}

/// Returns the uses of a crate outside the modules that may name it, and the crates that no code names.
fn misplaced(sources: &Sources) -> Vec<String> {
    let mut used = vec![false; ALLOWED_IN.len()];
    let mut found = Vec::new();
    for (file, code) in sources.code() {
        for (krate, _) in ALLOWED_IN.iter().filter(|(krate, _)| uses(code, krate)) {
            let mut places = (0..ALLOWED_IN.len()).filter(|&at| ALLOWED_IN[at].0 == *krate);
            match places.find(|&at| file.starts_with(ALLOWED_IN[at].1)) {
                Some(place) => used[place] = true,
                None => found.push(format!("{file} uses {krate}, which only other modules may name")),
            }
        }
    }
    let unused = ALLOWED_IN.iter().zip(used).filter(|(_, used)| !used);
    found.extend(unused.map(|(place, _)| format!("no code uses {}: is the name right, is the crate needed?", place.0)));
    found
}

#[test]
fn modules_import_only_downwards() {
    let sources = Sources::of_this_crate();
    for (file, _) in sources.code().filter(|(file, _)| !["lib.rs", "main.rs"].contains(&file.as_str())) {
        assert!(
            LAYERS.iter().any(|layer| layer.contains(&module(file))),
            "{file}: which layer is its module in? Add it to LAYERS"
        );
    }
    assert!(sources.imports().len() > 500, "only {} imports were seen", sources.imports().len());
    assert_eq!(upward(&sources), [""; 0]);
}

/// The table in `ARCHITECTURE.md` has the layers of this test, from the top.
#[test]
fn the_layers_are_documented() {
    let page = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("ARCHITECTURE.md")).unwrap();
    let rows = page.lines().filter_map(|line| line.strip_prefix("| ")).filter_map(|row| row.split_once(" | "));
    let named = |cell: &str| cell.split('`').skip(1).step_by(2).map(str::to_owned).collect::<Vec<_>>();
    let documented: Vec<(usize, Vec<String>)> =
        rows.filter_map(|(number, rest)| Some((number.parse().ok()?, named(rest.split(" | ").next()?)))).collect();
    let own = LAYERS.iter().enumerate().rev();
    let expected: Vec<(usize, Vec<String>)> =
        own.map(|(at, layer)| (at + 1, layer.iter().map(|name| (*name).to_owned()).collect())).collect();
    assert_eq!(documented, expected);
}

#[test]
fn no_files_import_each_other() {
    assert_eq!(circles(&Sources::of_this_crate().imports()), [[""; 0]; 0]);
}

#[test]
fn files_are_short() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let (mut open, mut seen) = (["src", "tests", "benches", "examples"].map(|folder| root.join(folder)).to_vec(), 0);
    while let Some(folder) = open.pop() {
        for path in fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()) {
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let lines = fs::read_to_string(&path).unwrap().lines().count();
                assert!(lines <= 400, "{}: {lines} lines; split it", path.display());
                seen += 1;
            }
        }
    }
    assert!(seen > 300, "{seen}");
}

#[test]
fn the_table_of_facts_has_each_file() {
    let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("src/rule/facts.rs")).unwrap();
    let named = |start: &str, end: &str| -> Vec<String> {
        let names = text.lines().filter_map(|line| line.strip_prefix(start)?.split_once(end));
        names.map(|(name, _)| name.to_owned()).collect()
    };
    let (files, rows) = (named("mod ", ";"), named("//! | `", "` |"));
    assert!(files.len() > 20, "{files:?}");
    assert_eq!(rows, files.into_iter().filter(|file| file != "tests").collect::<Vec<_>>());
}

/// Counts the public items of files, and their public methods.
fn face(sources: &Sources) -> [usize; 2] {
    let items = ["fn ", "struct ", "enum ", "trait ", "type ", "const ", "static "];
    let count = |start: &str| {
        let is_item =
            |line: &&str| line.strip_prefix(start).is_some_and(|rest| items.iter().any(|item| rest.starts_with(item)));
        sources.code().flat_map(|(_, code)| code.lines()).filter(is_item).count()
    };
    [count("pub "), count("    pub ")]
}

#[test]
fn the_public_face_is_small() {
    let sources = Sources::of_this_crate();
    assert!(sources.code().any(|(file, code)| file == "lib.rs" && code.contains("#![warn(unreachable_pub)]")));
    let [items, methods] = face(&sources);
    assert!(items <= FACE[0] && methods <= FACE[1], "{items} public items, {methods} public methods");
}

#[test]
fn what_is_public_is_counted() {
    let text = "pub struct A {\n    pub a: u8,\n    pub(crate) b: u8,\n}\nimpl A {\n    pub fn new() -> A;\n    fn old();\n}\npub(crate) fn f() {}\npub mod b;";
    assert_eq!(face(&planted(&[("near/a.rs", text)])), [1, 1]);
}

#[test]
fn each_crate_is_named_in_few_modules() {
    assert_eq!(misplaced(&Sources::of_this_crate()), [""; 0]);
    let manifest = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml")).unwrap();
    assert!(dependencies(&manifest).len() > 40);
    assert_eq!(unlisted(&manifest), [""; 0], "add them to ALLOWED_IN");
}

/// A made-up crate with these files, given by path and text.
fn planted(files: &[(&str, &str)]) -> Sources {
    Sources::new(files.iter().map(|(file, text)| ((*file).to_owned(), (*text).to_owned())))
}

#[test]
fn an_upward_import_is_seen() {
    let down = ("store/mod.rs", "mod log;\nuse crate::near::{self, Near};");
    let root = ("lib.rs", "mod near;\nmod store;\npub mod internals {\n    pub use crate::store::log::Log;\n}");
    let config = ("config.rs", "pub struct Config;");
    let near = |text: &str| planted(&[root, config, down, ("store/log.rs", "pub struct Log;"), ("near/mod.rs", text)]);
    assert_eq!(upward(&near("pub struct Near;")), [""; 0]);
    assert_eq!(upward(&near("struct Near;\nmod a {\n    use super::Near;\n    fn f() { super::g() }\n}")), [""; 0]);
    for text in [
        "use crate::{config::Config, store::log::Log};",
        "fn f() { super::store::f() }",
        "type T = crate::store::Sync;",
        "mod a {\n    use super::super::store::Sync;\n}",
        "pub use crate::store::log::Log;",
        "pub(crate) use crate::store::log::Log;",
        "fn f() { crate::internals::Log::new() }",
        "use crate as c;",
        "macro_rules! m {\n    () => { $crate::store::f() };\n}",
        "#[cfg(test)]\nconst A: &[u8] = &[\n    1,\n];\nuse crate::store::Sync;\nfn f() {\n}",
        "#[cfg(test)]\nconst A: u8 =\n    1;\nuse crate::store::Sync;\nfn f() {\n}",
    ] {
        assert_eq!(upward(&near(text)).len(), 1, "{text}");
    }
    let tests = "#[cfg(test)]\nmod tests {\n    use crate::store::Sync;\n}";
    assert_eq!(upward(&near(tests)), [""; 0]);
    assert_eq!(upward(&near(&format!("{tests}\nuse crate::store::Sync;"))).len(), 1, "behind tests");
}

#[test]
fn a_circle_is_seen() {
    let mods = ("near/mod.rs", "mod a;\nmod b;");
    let found = |files: &[_]| circles(&planted(files).imports());
    let two = vec![vec!["near/a.rs".to_owned(), "near/b.rs".to_owned()]];
    let (a, b) = (("near/a.rs", "use super::b::{\n    B,\n};"), ("near/b.rs", "pub struct B;"));
    assert_eq!(found(&[mods, a, b]), [[""; 0]; 0]);
    assert_eq!(found(&[mods, a, ("near/b.rs", "fn f() { crate::near::a::f() }")]), two);
    // A re-exported item counts as an import of the file that defines it.
    let handed = ("near/mod.rs", "mod a;\nmod b;\npub use a::A;");
    assert_eq!(found(&[handed, a, ("near/b.rs", "use super::A;")]), two);
    assert_eq!(
        found(&[("near/mod.rs", "mod a;\nmod b;\npub use b::B;"), ("near/a.rs", "use super::B;"), b]),
        [[""; 0]; 0]
    );
    // A file and the files of its folder: they may use its types, but not its functions.
    let parent = ("near/mod.rs", "mod b;\nuse b::B;\nstruct Near(B);");
    assert_eq!(found(&[parent, ("near/b.rs", "use super::Near;")]), [[""; 0]; 0]);
    assert_eq!(found(&[parent, ("near/b.rs", "use super::seed;")]), [["near/b.rs", "near/mod.rs"]]);
    // A circle through a folder.
    let through = [mods, ("near/a.rs", "mod c;\nfn f() { c::f() }"), ("near/a/c.rs", "use crate::near::b;")];
    let [_, file, child] = through;
    assert_eq!(found(&[mods, file, child, b]), [[""; 0]; 0]);
    let circle = found(&[mods, file, child, ("near/b.rs", "use super::a::A;")]);
    assert_eq!(circle, [["near/a.rs", "near/a/c.rs", "near/b.rs"]]);
}

#[test]
fn a_crate_named_elsewhere_is_seen() {
    let found = |file, text| {
        misplaced(&planted(&[(file, text)]))
            .into_iter()
            .filter(|found| found.contains("which only other modules"))
            .count()
    };
    assert_eq!(found("cli/dedup.rs", "use clap::Parser;"), 0);
    for text in [
        "use clap::Parser;",
        "fn f() { clap::f() }",
        "use clap as k;",
        "use clap;",
        "extern crate clap;",
        "pub use ::clap;",
    ] {
        assert_eq!(found("run/mod.rs", text), 1, "{text}");
    }
    assert_eq!(unlisted("[dependencies]\nclap = 1\nregex-lite = 1\n[dev-dependencies]\ncsv = 1\n"), ["regex_lite"]);
}
