//! Compressed inputs and outputs hold the same records as plain ones, even if a file or a run breaks off.
#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::Stdio;

use crate::common::place::{Place, input};
use crate::common::{dedup, generated, quchong};

const KINDS: [&str; 4] = ["gz", "zst", "bz2", "xz"];

/// Compresses `bytes` as one member.
fn packed(kind: &str, bytes: &[u8]) -> Vec<u8> {
    fn all(mut reader: impl Read) -> Vec<u8> {
        let mut all = Vec::new();
        reader.read_to_end(&mut all).unwrap();
        all
    }
    match kind {
        "gz" => all(flate2::bufread::GzEncoder::new(bytes, flate2::Compression::default())),
        "zst" => zstd::encode_all(bytes, 3).unwrap(),
        "bz2" => all(bzip2::bufread::BzEncoder::new(bytes, bzip2::Compression::best())),
        _ => all(liblzma::bufread::XzEncoder::new(bytes, 6)),
    }
}

/// Decompresses `bytes` with the usual reader of this kind.
fn unpacked(kind: &str, bytes: &[u8]) -> Vec<u8> {
    let mut all = Vec::new();
    match kind {
        "gz" => flate2::bufread::MultiGzDecoder::new(bytes).read_to_end(&mut all).unwrap(),
        "zst" => zstd::stream::read::Decoder::new(bytes).unwrap().read_to_end(&mut all).unwrap(),
        "bz2" => bzip2::bufread::MultiBzDecoder::new(bytes).read_to_end(&mut all).unwrap(),
        _ => liblzma::bufread::XzDecoder::new_multi_decoder(bytes).read_to_end(&mut all).unwrap(),
    };
    all
}

#[test]
fn a_file_that_cannot_be_read_at_all_leaves_the_output_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (good, zip, cut, out) = (path("a.jsonl"), path("a.zip"), path("a.gz"), path("kept.jsonl"));
    let tar = path("a.tar.gz");
    let header = [&b"posts.jsonl"[..], &[0; 246], b"ustar\x0000", &[0; 247], b"{\"text\":\"a\"}\n"].concat();
    fs::write(&tar, packed("gz", &header)).unwrap();
    fs::write(&good, "{\"text\":\"a\"}\n").unwrap();
    fs::write(&zip, b"PK\x03\x04xxxx").unwrap();
    fs::write(&cut, b"\x1f\x8b\x08\0\0\0").unwrap();
    fs::write(&out, "precious\n").unwrap();
    for (name, start, reason) in [
        ("a.lz4", &b"\x04\x22\x4d\x18\x64\x40\xa7\x0d\0\0\0"[..], "packed as LZ4"),
        ("a.7z", b"7z\xbc\xaf\x27\x1c\0\x04", "packed as 7-Zip"),
        ("a.rar", b"Rar!\x1a\x07\x01\0", "packed as RAR"),
        ("a.db", b"SQLite format 3\0\x10\0\x01\x01\0\x40\x20\x20", "export the table as CSV"),
        ("a.xls", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\0\0\0\0", "an old Office file"),
    ] {
        let bytes = [start, &[0; 80], "\n你好\n".as_bytes()].concat();
        fs::write(path(name), &bytes).unwrap();
        for (args, input) in [(&[&path(name)][..], &b""[..]), (&[], &bytes)] {
            let args: Vec<&str> = args.iter().map(|arg| arg.as_str()).collect();
            let run = dedup(&args, input);
            assert!(run.code == Some(2) && run.stderr.contains(reason), "{name}: {}", run.stderr);
        }
    }
    for (bad, reason) in [(&zip, "it is a ZIP file"), (&tar, "it is a tar archive"), (&cut, "the gz data breaks off")] {
        let run = dedup(&[&good, bad, "-o", &out], b"");
        assert!(run.code == Some(2) && run.stderr.contains(reason), "{}", run.stderr);
        assert_eq!(fs::read_to_string(&out).unwrap(), "precious\n");
    }
    // A text with these letters at that place is no archive.
    let text = format!("{}custard and mustard\n", "a".repeat(255));
    assert_eq!(dedup(&[], text.as_bytes()).text(), text);
}

#[test]
fn inputs_are_known_by_their_content() {
    let place = Place::new(b"");
    let plain = generated(600);
    let expected = dedup(&["--output", "annotated"], &plain).stdout;
    for kind in KINDS {
        let whole = packed(kind, &plain);
        let members: Vec<u8> = plain.chunks(9973).flat_map(|part| packed(kind, part)).collect();
        let padded = [&members[..], &[0; 512]].concat();
        for (name, bytes) in [("whole", &whole), ("members", &members), ("padded", &padded)] {
            assert!(dedup(&["--output", "annotated"], bytes).stdout == expected, "{kind} {name}");
            let file = place.path(&format!("{name}.jsonl.{kind}"));
            fs::write(&file, bytes).unwrap();
            let file = file.to_str().unwrap();
            assert!(dedup(&["--output", "annotated", file], b"").stdout == expected, "{kind} {name}");
        }
    }
    let mixed: Vec<u8> =
        plain.chunks(plain.len() / 9).zip(KINDS.iter().cycle()).flat_map(|(part, kind)| packed(kind, part)).collect();
    assert!(dedup(&["--output", "annotated"], &mixed).stdout == expected, "all kinds in one");
}

#[test]
fn the_format_is_told_by_the_extension_before() {
    let place = Place::new(b"");
    // As JSONL the second record has no text; as plain lines both are messages.
    let text = b"{\"text\":\"a\"}\n{\"x\":1}\n";
    for (name, errors) in [("a.jsonl.gz", 1), ("a.txt.gz", 0), ("a.gz", 1)] {
        fs::write(place.path(name), packed("gz", text)).unwrap();
        assert_eq!(dedup(&[place.path(name).to_str().unwrap()], b"").total("/errors/total"), errors, "{name}");
    }
}

#[test]
fn outputs_are_compressed_by_their_extension() {
    let plain = input(1500, 5);
    let place = Place::new(&plain);
    place.succeed(&["dedup", "-q", "in.jsonl", "-o", "out.jsonl", "--dropped", "dropped.jsonl"]);
    let expected = ["out", "dropped"].map(|name| fs::read(place.path(&format!("{name}.jsonl"))).unwrap());
    for kind in KINDS {
        let names = ["out", "dropped"].map(|name| format!("{name}.{kind}"));
        for state in [&[][..], &["--state", kind]] {
            let args = ["dedup", "-q", "in.jsonl", "-o", &names[0], "--dropped", &names[1]];
            place.succeed(&[&args, state].concat());
            for (name, expected) in names.iter().zip(&expected) {
                let packed = fs::read(place.path(name)).unwrap();
                assert!(packed.len() < expected.len() / 2, "{name}: {} of {} bytes", packed.len(), expected.len());
                assert!(unpacked(kind, &packed) == *expected, "{name} {state:?}");
            }
        }
        // An archive of an empty output is a valid archive.
        fs::write(place.path("empty"), b"").unwrap();
        place.succeed(&["dedup", "-q", "empty", "-o", &names[0]]);
        let empty = fs::read(place.path(&names[0])).unwrap();
        assert!(!empty.is_empty() && unpacked(kind, &empty).is_empty(), "{kind}");
    }
}

#[test]
fn what_was_judged_before_a_failure_is_a_whole_archive() {
    let place = Place::new(b"{\"text\":\"a\"}\n{\"x\":1}\n{\"text\":\"b\"}\n");
    let told = place.refused(&["dedup", "-q", "in.jsonl", "-o", "out.zst", "--on-error", "fail"]);
    assert!(told.contains("in.jsonl:2"), "{told}");
    assert_eq!(unpacked("zst", &fs::read(place.path("out.zst")).unwrap()), b"{\"text\":\"a\"}\n");
}

/// If the archive of a table breaks off within a quoted field of several lines, the rows before it are judged.
#[test]
fn an_archive_that_breaks_off_within_a_field_ends_behind_its_last_row() {
    let place = Place::new(b"");
    let rows: String = (0..3000).map(|i| format!("{i},\"甲{i}\n乙{}\"\n", i * i)).collect();
    let whole = packed("gz", format!("id,text\n{rows}").as_bytes());
    for length in [whole.len() / 2, whole.len() - 40, whole.len() - 9] {
        fs::write(place.path("in.csv.gz"), &whole[..length]).unwrap();
        let told = place.refused(&["dedup", "-q", "--near", "none", "in.csv.gz", "-o", "out.csv"]);
        assert!(told.contains("in.csv.gz") && told.contains("was judged"), "{told}");
        let kept = fs::read_to_string(place.path("out.csv")).unwrap();
        let rows = kept.strip_prefix("id,text\n").unwrap().split_inclusive("\"\n");
        let count = rows.clone().count();
        assert!(count > 1000 && rows.enumerate().all(|(i, row)| row.starts_with(&format!("{i},\"甲{i}\n"))), "{told}");
    }
}

/// A sender that flushes after each message gets an answer to each message.
#[test]
fn feeds_are_answered_at_once() {
    struct Pipe(std::process::ChildStdin);
    impl Write for Pipe {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.write(bytes)
        }
        fn flush(&mut self) -> std::io::Result<()> {
            self.0.flush()
        }
    }
    for kind in ["gz", "zst", "xz"] {
        let mut child = quchong().args(["dedup", "-q"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let mut answers = BufReader::new(child.stdout.take().unwrap());
        let pipe = Pipe(child.stdin.take().unwrap());
        let mut feed: Box<dyn Write> = match kind {
            "gz" => Box::new(flate2::write::GzEncoder::new(pipe, flate2::Compression::default())),
            "zst" => Box::new(zstd::stream::write::Encoder::new(pipe, 3).unwrap().auto_finish()),
            _ => Box::new(liblzma::write::XzEncoder::new(pipe, 6)),
        };
        for message in ["今天武汉的樱花开了\n", "明天见\n", "长江的水位又涨了一点\n"] {
            feed.write_all(message.as_bytes()).unwrap();
            feed.flush().unwrap();
            // liblzma's writer holds back the end of the flushed bytes until the next call.
            feed.flush().unwrap();
            let mut answer = String::new();
            // Blocks for ever if nothing is answered.
            answers.read_line(&mut answer).unwrap();
            assert_eq!(answer, message, "{kind}");
        }
        drop(feed);
        assert!(child.wait().unwrap().success(), "{kind}");
    }
}

#[test]
fn what_breaks_off_is_told_and_all_before_it_answered() {
    let place = Place::new(b"");
    let plain = generated(2500);
    let expected = dedup(&["-q"], &plain).stdout;
    for kind in KINDS {
        let whole = packed(kind, &plain);
        let (file, name) = (place.path(&format!("cut.{kind}")), format!("cut.{kind}"));
        fs::write(&file, &whole[..whole.len() * 9 / 10]).unwrap();
        let output = place.run(&["dedup", &name]);
        let told = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{kind}: {told}");
        assert!(told.contains(&format!("error: {name}: the {kind} data breaks off at byte")), "{told}");
        let line =
            told.split("only what stands before line ").nth(1).map_or("1", |rest| rest.split(' ').next().unwrap());
        let lines = line.parse::<usize>().unwrap() - 1;
        let first: Vec<u8> = plain.split_inclusive(|byte| *byte == b'\n').take(lines).flatten().copied().collect();
        assert!(output.stdout == dedup(&["-q"], &first).stdout, "{kind}: {told}");
        assert!(expected.starts_with(&output.stdout), "{kind}");
    }
}

/// Damage is reported in formats that have checksums. The `zstd` command writes one, its library does not.
#[test]
fn damage_is_told() {
    let plain = generated(3000);
    for kind in ["gz", "bz2", "xz"] {
        let mut damaged = packed(kind, &plain);
        let middle = damaged.len() / 2;
        damaged[middle] ^= 0x10;
        let run = dedup(&["-q"], &damaged);
        assert_eq!(run.code, Some(2), "{kind}: {}", run.stderr);
        assert!(run.stderr.contains(&format!("<stdin>: the {kind} data cannot be decompressed")), "{}", run.stderr);
    }
}

/// A long line of zeros, compressed to 260 kB, is cut like any other line, and takes no more memory.
#[test]
fn a_bomb_takes_no_memory() {
    let zeros = std::io::repeat(b'0').take(256 << 20);
    let mut bomb = flate2::read::GzEncoder::new(zeros, flate2::Compression::default());
    let mut bytes = Vec::new();
    bomb.read_to_end(&mut bytes).unwrap();
    let run = dedup(&["--output", "dropped", "--max-line", "1MiB"], &bytes);
    assert_eq!((run.code, run.total("/errors/line-too-long")), (Some(3), 1));
    assert_eq!(run.total("/bytes_in"), 256 << 20);
    assert!(run.total("/peak_memory_bytes") < 64 << 20, "{}", run.summary);
}

#[test]
fn windows_beyond_the_limit_are_refused() {
    let mut encoder = zstd::stream::write::Encoder::new(Vec::new(), 1).unwrap();
    encoder.window_log(28).unwrap();
    encoder.write_all(b"a\n").unwrap();
    encoder.flush().unwrap();
    let run = dedup(&[], &encoder.finish().unwrap());
    assert_eq!(run.code, Some(2));
    assert!(run.stderr.contains("<stdin>: the zst data cannot be decompressed ("), "{}", run.stderr);
}

/// A run over compressed files that is killed at any point and resumed writes the same bytes.
#[test]
#[cfg(unix)]
fn a_crash_is_a_pause_for_archives_too() {
    let plain = input(2000, 3);
    for kind in KINDS {
        let (from, to) = (format!("in.{kind}"), format!("out.{kind}"));
        let args = ["dedup", "-q", "--state", "state", "--resume", &from, "-o", &to, "--near", "none"];
        let place = || {
            let place = Place::new(b"");
            fs::write(place.path(&from), packed(kind, &plain)).unwrap();
            place
        };
        let whole = place();
        let started = std::time::Instant::now();
        whole.succeed(&args);
        let longest = started.elapsed();
        let cut = place();
        for share in [3, 5, 7] {
            let mut child = cut.command(&args).spawn().unwrap();
            std::thread::sleep(longest * share / 10);
            child.kill().unwrap();
            child.wait().unwrap();
        }
        cut.succeed(&args);
        let [whole, cut] = [whole, cut].map(|place| fs::read(place.path(&to)).unwrap());
        assert!(whole == cut && !unpacked(kind, &whole).is_empty(), "{kind}");
    }
}
