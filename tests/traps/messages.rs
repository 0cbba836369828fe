//! Every refusal is one line: what, where, and what to do, in English and in Chinese. `QUCHONG_BLESS=1` writes both catalogues again.

use std::fs;
use std::path::Path;

use super::{Place, ended, records};

/// Commands that are refused. Words of a command are parted by blanks.
const REFUSED: &[&str] = &[
    // What clap refuses.
    "bogus",
    "dedup --windw 24h",
    "dedup --xyzzy",
    "dedup --field",
    "dedup --near bogus",
    "dedup --sync sometimes --state state",
    "dedup --resume",
    "dedup --abandon",
    "dedup --again",
    "dedup --append",
    "dedup --append -o kept.jsonl --state state --again",
    "dedup --append -o kept.jsonl --state state --resume",
    "dedup --state state --resume --abandon",
    "dedup --represent longest --follow in.jsonl",
    "dedup --on-full stop",
    "dedup --keep 0",
    "dedup --keep 2 --exact bloom",
    "dedup --represent largest",
    "dedup --scope a,,b",
    "dedup --scope by -f lines",
    "dedup --scope text.by in.jsonl --field text.by.name",
    "dedup --field a,b,c,d,e,f,g,h,i",
    "dedup --against a --max-memory 1GB",
    "dedup --against missing in.jsonl",
    "dedup --against - in.jsonl",
    "dedup --against . in.jsonl",
    "dedup -q -q",
    "clusters --sort by-mood in.jsonl",
    "explain one",
    "in.jsonl",
    "dedup --normalise '' in.jsonl",
    "dedup --recount -5m --output annotated in.jsonl",
    "dedup -q book.xlsx",
    "state info",
    "state bogus",
    "tune bogus",
    "explain",
    "explain a b c",
    "serve",
    "serve --state state -o kept.jsonl",
    "serve --state state --time-field at",
    "serve --state state --remember-ids 0",
    "serve --state state --max-body 10",
    "serve --state state --patience 0s",
    "serve --state state --token-file missing",
    "serve --state state --token-file empty.txt",
    "serve --state served --listen 0.0.0.0:0",
    "serve --state served --listen here",
    "serve --state served --listen unix:in.jsonl",
    "serve --state damaged --near none",
    "serve --state state --field a.b --id-field a",
    "edges x y",
    "sign in.jsonl",
    "completions nope",
    "man nope",
    "methods nope",
    "methods SimHsh",
    "methods --format x",
    "evaluate in.jsonl --engine nope",
    "sketch --pos-field n --first-pos 4",
    "dedup --resume=3 --state state",
    "dedup --follow in.jsonl --resume --state state",
    // Values.
    "dedup --max-memory 5XB",
    "dedup --max-memory -5",
    "dedup --max-memory 1PB",
    "dedup --max-memory lots",
    "dedup --max-line 0",
    "dedup --max-line -5",
    "dedup --capacity -1",
    "dedup --capacity 0",
    "dedup --seed -1",
    "dedup --seed many",
    "dedup --threads 0",
    "dedup --threads -2",
    "dedup --similarity 2",
    "dedup --window 24x",
    "dedup --window -1h",
    "dedup --window 0",
    "dedup --window 24h -f lines",
    "dedup --window 1h --lateness -5s",
    "dedup --time-field at",
    "dedup --seq-field n",
    "dedup --sync always",
    "dedup --lateness 5",
    "dedup --lateness 5s",
    "dedup --recount 0s --output annotated",
    "dedup --recount 10m",
    "dedup --recount 10m --output annotated in.csv",
    "dedup --shingle foo",
    "dedup --shingle char:99",
    "dedup --normalise foo",
    "dedup --encoding klingon",
    "dedup --bloom-error 2",
    "dedup --permutations 7",
    "dedup --near minhash --permutations 7",
    "dedup --max-distance 99",
    "dedup --capacity 99999999999999999999",
    "dedup --bloom-hashes 3",
    "dedup --bloom-bits 7 --bloom-error 0.1",
    "dedup --near simhash --similarity 0.5",
    "dedup --near none --guard off",
    "dedup --preset poetry",
    "dedup --metrics nope",
    "dedup in.jsonl --metrics 1.2.3.4:1",
    "dedup in.jsonl --metrics-file /",
    "dedup --max-memory 1k",
    "dedup --field a..b",
    "dedup -f jsonl --output annotated --id-field user --field user.text",
    "dedup --field quchong --output annotated",
    "dedup --no-header -f lines",
    "dedup --no-header in.jsonl",
    "dedup --no-header in.csv",
    "dedup --explain",
    "clusters --least x",
    "clusters --least -1",
    "generate --lines x",
    "generate --seed x",
    "generate --seed -1",
    "generate --seed 99999999999999999999",
    "generate --repeats 900 --decoys 900",
    "edges --from x",
    "edges --expected -1",
    "evaluate in.jsonl --truth nope",
    "evaluate in.jsonl --length x",
    "evaluate in.jsonl --min-precision 0.9",
    "evaluate in.jsonl --seed 1",
    "evaluate in.jsonl --seed 1 --truth indel:0.8",
    "evaluate in.jsonl --sample 5",
    "evaluate in.jsonl --field text",
    "evaluate bytes.txt --field text --truth edits",
    "evaluate in.jsonl --field text --whole-files --truth edits",
    "sign --method A0 --field text bytes.txt",
    "sign --method A0 --field text --whole-files in.jsonl",
    "sign --method A0 --id-field id --whole-files in.jsonl",
    "reproduce --field text bytes.txt",
    "reproduce --field text --whole-files in.jsonl",
    "tune bloom in.jsonl --bits 5..3",
    "tune bloom bytes.txt --field text",
    // Settings in a file.
    "dedup --config missing.toml",
    "dedup --config .",
    "dedup --config key.toml in.jsonl",
    "dedup --config value.toml in.jsonl",
    "dedup --config word.toml in.jsonl",
    "dedup --config idle.toml in.jsonl",
    "dedup --config list.toml in.jsonl",
    "dedup --config table.toml in.jsonl",
    "dedup --config syntax.toml in.jsonl",
    "dedup --config unclosed.toml in.jsonl",
    "dedup --config twice.toml in.jsonl",
    "dedup --config bytes.txt in.jsonl",
    // Inputs.
    "dedup missing.jsonl",
    "dedup .",
    "dedup 'missing-*.jsonl'",
    "dedup --files-from missing.txt",
    "dedup --files-from .",
    "dedup --files-from empty.txt",
    "dedup --files-from - -",
    "dedup --follow",
    "dedup --follow a b",
    "dedup --follow missing.txt",
    "dedup --represent longest",
    "dedup in.csv --field txt",
    "dedup in.csv in.jsonl",
    "dedup in.csv other.csv",
    "dedup -q open.csv",
    "dedup utf16.csv",
    "dedup in.csv --max-line 3",
    "dedup -f csv --field txt in.csv",
    "dedup -q cut.gz",
    "dedup -q bad.jsonl --on-error fail",
    "dedup -q null.jsonl --on-error fail --field user.text",
    "dedup -q nulls.jsonl --on-error fail",
    "dedup -q wide.csv --on-error fail",
    "dedup -q short.csv --on-error fail",
    "dedup -q unclosed.csv --on-error fail",
    "dedup -q behind.csv --on-error fail",
    "dedup -q bytes.txt --on-error fail",
    "dedup -q bytes.txt --encoding big5 --on-error fail",
    "dedup -q in.jsonl --max-line 9 --on-error fail",
    "evaluate missing.jsonl",
    "evaluate in.jsonl",
    "explain --file missing.jsonl a b",
    "explain --file in.jsonl 1 9",
    "explain --file bad.jsonl 1 2",
    "decide missing.jsonl",
    "decide in.jsonl",
    "edges --expected 10 in.jsonl",
    "edges --from 0 in.jsonl",
    "edges --from 0 --near simhash",
    "sketch --near minhash in.jsonl",
    "sketch --exact bloom in.jsonl",
    "sketch --format arrow in.jsonl",
    "sketch --format arrow --encoding gb18030",
    "sketch --pos-field pos in.jsonl",
    "dedup not.parquet",
    "dedup --format parquet in.jsonl",
    // Outputs.
    "dedup in.jsonl -o in.jsonl",
    "dedup in.jsonl -o out.jsonl --dropped out.jsonl",
    "dedup in.jsonl --dropped /dev/stdout",
    "dedup in.jsonl --dropped -",
    "dedup in.jsonl -o no/such/folder.jsonl",
    "dedup in.jsonl -o out.csv",
    "dedup in.jsonl -o out.parquet",
    "dedup in.csv -o out.csv --append",
    "dedup in.jsonl -o /",
    "dedup in.jsonl -o /proc/x",
    "dedup in.jsonl --summary .",
    "clusters in.jsonl -o out.csv",
    "clusters in.jsonl -o .",
    "sketch in.jsonl -o out.csv",
    // States.
    "dedup --state in.jsonl",
    "dedup --state /proc/x",
    "dedup other.jsonl --state state -o kept.jsonl",
    "dedup in.jsonl --state broken",
    "dedup changed.jsonl --state changed --resume",
    "dedup in.jsonl --state state -o kept.jsonl",
    "dedup in.jsonl --state state --window 5",
    "dedup in.jsonl --state state --seed 9",
    "dedup in.jsonl --state state --recount 10m --output annotated",
    "dedup in.jsonl --state state --resume -o other.jsonl",
    "dedup other.jsonl --state state --resume",
    "dedup in.jsonl --state mistyped --resume -o kept.jsonl",
    "dedup --follow in.jsonl --state state -o kept.jsonl",
    "dedup other.jsonl --state state -o state/HEAD",
    "dedup in.jsonl --state damaged",
    "state check damaged",
    "state check gone",
    "state repair gone",
    "state check missing",
    "state info in.jsonl",
    "state compact missing",
    "state dump empty",
    "state repair empty",
    // Done, and most likely not what was meant.
    "dedup -q in.jsonl --field txt",
    "dedup -q in.jsonl --window 24h",
    "dedup -q some.jsonl --strict",
    "dedup -q in.jsonl --output annotated --id-field nope",
    "dedup -q numbers.jsonl --state numbers --seq-field id",
    "dedup -q in.jsonl --state fresh --seq-field nn",
    "dedup -q in.jsonl --state state -o new.jsonl",
    "dedup -q in.jsonl --represent newest",
    "dedup -q in.jsonl --state full -o /dev/full",
    "clusters -q in.jsonl --field txt",
    "clusters -q in.jsonl --id-field nope",
    "sign --method A0 in.jsonl --id-field nope",
    "clusters -q in.jsonl --time-field tyme",
    "sketch -q in.jsonl --field txt",
];

fn place() -> Place {
    let place = Place::new()
        .with("in.jsonl", records(4))
        .with("in.csv", "id,text\n1,早上好\n")
        .with("other.csv", "text,id\n早上好,1\n")
        .with("open.csv", "text\n\"".to_owned() + &"好\n".repeat(1200))
        .with("utf16.csv", b"\xff\xfet\0\n\0")
        .with("cut.gz", &b"\x1f\x8b\x08\0\0\0\0\0\0\x03\x4b"[..])
        .with("bad.jsonl", "{\"text\":\"好\"}\n{\"text\":\"cut\n")
        .with("null.jsonl", "{\"user\":null}\n")
        .with("nulls.jsonl", "{\"text\":null}\n")
        .with("some.jsonl", "{\"text\":\"好\"}\n{\"text\":1}\n{\"text\":\"再见\"}\n")
        .with("other.jsonl", records(5))
        .with("wide.csv", "id,text\n1,a,b\n")
        .with("short.csv", "id,text\n1\n")
        .with("unclosed.csv", "id,text\n1,\"a\n")
        .with("behind.csv", "id,text\n1,\"a\"b\n")
        .with("bytes.txt", b"\xff\xff\n")
        .with("empty.txt", "")
        .with("changed.jsonl", records(9))
        .with("numbers.jsonl", records(3))
        .with("not.parquet", "text\n")
        .with("key.toml", "field = \"text\"\nsimlarity = 0.5\n")
        .with("value.toml", "similarity = 2\n")
        .with("word.toml", "\nnear = \"simhahs\"\n")
        .with("idle.toml", "bloom-hashes = 3\n")
        .with("list.toml", "normalise = [\"url\"]\n")
        .with("table.toml", "[dedup]\nquiet = true\n")
        .with("syntax.toml", "quiet = true\nsimilarity 0.5\n")
        .with("unclosed.toml", "field = \"text\n")
        .with("twice.toml", "window = 5\nwindow = 6\n")
        .with("book.xlsx", b"PK\x03\x04\x14\0")
        .with("out.jsonl", "");
    let dedup = ["dedup", "-q", "in.jsonl", "--seed", "1", "-o", "kept.jsonl", "--state"];
    for state in ["damaged", "gone", "state"] {
        let run = place.run(&[&dedup[..], &[state]].concat());
        assert_eq!(run.code, Some(0), "{}", run.said);
        fs::remove_file(place.path("kept.jsonl")).unwrap();
    }
    fs::write(place.path("kept.jsonl"), records(4)).unwrap();
    let broken = place.run(&["dedup", "-q", "bad.jsonl", "--on-error", "fail", "--state", "broken"]);
    assert_eq!(broken.code, Some(2), "{}", broken.said);
    for args in
        [&["changed.jsonl", "--state", "changed"][..], &["numbers.jsonl", "--state", "numbers", "--seq-field", "id"]]
    {
        assert_eq!(place.run(&[&["dedup", "-q"], args].concat()).code, Some(0), "{args:?}");
    }
    fs::write(place.path("changed.jsonl"), records(10).replacen("1", "7", 1)).unwrap();
    let log = place.path("damaged/00000001.log");
    let mut bytes = fs::read(&log).unwrap();
    bytes[60] ^= 1;
    fs::write(&log, bytes).unwrap();
    fs::remove_file(place.path("gone/00000001.log")).unwrap();
    fs::create_dir(place.path("empty")).unwrap();
    place
}

/// The commands with their exit codes and what they say in a language.
fn catalogue(ui: &str) -> Vec<(String, i32, String)> {
    let place = place();
    let folder = place.0.path().display().to_string();
    let told = |command: &&str| {
        let words: Vec<&str> = command.split(' ').map(|word| word.trim_matches('\'')).collect();
        let run = ended(place.command(&words).env("QUCHONG_UI", ui).spawn().unwrap());
        ((*command).to_owned(), run.code.unwrap_or(-1), run.said.replace(&folder, "DIR"))
    };
    REFUSED.iter().map(told).collect()
}

/// Compares what was said with the catalogue of this name.
fn compare(told: &[(String, i32, String)], name: &str) {
    let catalogue: String =
        told.iter().map(|(command, code, said)| format!("$ quchong {command}\n[{code}] {said}")).collect();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/traps").join(name);
    if std::env::var_os("QUCHONG_BLESS").is_some() {
        fs::write(path, catalogue).unwrap();
        return;
    }
    let expected = fs::read_to_string(path).unwrap();
    for (line, expected) in catalogue.lines().zip(expected.lines()) {
        assert_eq!(line, expected);
    }
    assert_eq!(catalogue.lines().count(), expected.lines().count());
}

#[test]
fn every_refusal_is_one_line_that_says_what_to_do() {
    let told = catalogue("en");
    let mut poor = String::new();
    for (command, code, said) in &told {
        let is_one = (*code == 2 || *code == 3) && said.lines().count() == 1 && said.starts_with("quchong: error: ");
        // Neither gaps in a sentence, nor the system's numbers, nor an option that is named twice.
        let is_plain = !said.contains("  ")
            && !said.contains(") (")
            && !said.contains("..=")
            && !said.contains("os error")
            && !said.contains("--normalise: --");
        if !is_one || !is_plain {
            poor += &format!("$ quchong {command}\n[{code}] {said}\n");
        }
    }
    assert!(poor.is_empty(), "{poor}");
    compare(&told, "messages.txt");
}

#[test]
fn every_refusal_is_told_in_chinese_with_the_same_exit_code() {
    let told = catalogue("zh");
    for (command, code, said) in &told {
        let is_one = (*code == 2 || *code == 3) && said.lines().count() == 1 && said.starts_with("quchong: 错误: ");
        let behind = said.trim_start_matches("quchong: 错误: ");
        assert!(is_one && behind.chars().any(|c| ('\u{4e00}'..'\u{a000}').contains(&c)), "{command}: {code} {said}");
    }
    let english = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/traps/messages.txt")).unwrap();
    let codes = english.lines().filter_map(|line| line.strip_prefix('[')?.split_once(']')?.0.parse::<i32>().ok());
    assert!(codes.eq(told.iter().map(|(_, code, _)| *code)));
    compare(&told, "messages.zh.txt");
}

/// The table is for people: no lists of numbers, no bits.
#[test]
fn what_a_state_has_is_told_to_people() {
    let input = records(5) + &records(2) + "{\"text\":1}\n";
    let place = Place::new().with("in.jsonl", input);
    let args = ["dedup", "-q", "in.jsonl", "--state", "seen", "--window", "24h", "-o", "kept.jsonl"];
    place.run(&args);
    let told = place.run(&["state", "info", "seen"]).out;
    for row in [
        "folder           seen\n",
        "seen             8 records\n",
        "last run         came to its end\n",
        "  inputs         in.jsonl\n",
        "  kept           5\n",
        "  dropped        2 (exact 2, near 0)\n",
        "  errors         not-a-string 1\n",
        "made with        --window 1d --seed ",
        "  options        --output-file kept.jsonl\n",
    ] {
        assert!(told.contains(row), "{row}: {told}");
    }
    assert!(told.lines().all(|line| line.chars().count() <= 120 && !line.contains("0 0 0")), "{told}");
    assert!(told.is_ascii() && !told.contains("rules"), "{told}");
}
