//! Inputs in encodings other than UTF-8 are judged like those in UTF-8, and leave as they came.
#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

use std::fs;
use std::io::Write;
use std::process::Stdio;
use std::time::Duration;

use crate::common::{dedup, quchong};

/// `text` in an encoding of the WHATWG standard, in UTF-16, or in UTF-32.
fn encode(text: &str, label: &str) -> Vec<u8> {
    match label {
        "utf-16le" => text.encode_utf16().flat_map(u16::to_le_bytes).collect(),
        "utf-16be" => text.encode_utf16().flat_map(u16::to_be_bytes).collect(),
        "utf-32le" => text.chars().flat_map(|c| u32::from(c).to_le_bytes()).collect(),
        "utf-32be" => text.chars().flat_map(|c| u32::from(c).to_be_bytes()).collect(),
        _ => {
            let (bytes, _, replaced) = encoding_rs::Encoding::for_label(label.as_bytes()).unwrap().encode(text);
            assert!(!replaced, "{label} has no {text}");
            bytes.into_owned()
        }
    }
}

/// Lines of which the third is an exact repeat and the fourth a near one.
fn text(label: &str) -> &'static str {
    match label {
        "big5" => {
            "今天武漢的櫻花開了，我們在東湖邊等你，許功蓋\r\n明天見\n今天武漢的櫻花開了,我們在東湖邊等你，許功蓋\n\
             轉發微博 //@小王: 今天武漢的櫻花開了，我們在東湖邊等你，許功蓋\n\n還好"
        }
        "windows-1251" | "koi8-r" | "ibm866" => {
            "Сегодня в Москве открылась новая выставка\r\nДо завтра\nСЕГОДНЯ в Москве  открылась новая выставка\n\
             Сегодня в Москве открылась новая выставка!!!\n\nХорошо"
        }
        _ => {
            "今天武汉的樱花开了，我们在东湖边等你\r\n明天见\n今天武漢的櫻花開了,我們在東湖邊等你\n\
             转发微博 //@小王: 今天武汉的樱花开了，我们在东湖边等你\n\n还好"
        }
    }
}

const LABELS: [&str; 9] =
    ["gb18030", "big5", "utf-16le", "utf-16be", "utf-32le", "utf-32be", "windows-1251", "koi8-r", "ibm866"];

/// The lines of `text` that are kept.
fn kept(text: &str) -> String {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    [lines[0], lines[1], lines[4], lines[5]].concat()
}

/// If a damaged byte keeps the encoding from being detected, the message names the option that reads the other lines.
#[test]
fn a_line_that_looks_like_gb18030_is_said_to() {
    let damaged = |label| [&b"\xC0\xE9\xFF\x80x\n"[..], &encode(text(label), label)].concat();
    let said = |label| dedup(&["--encoding", "utf-8"], &damaged(label)).stderr;
    assert!(
        said("gb18030")
            .contains("<stdin>:2: not UTF-8 at byte 1 of the line, which looks like GB18030 (--encoding gb18030")
    );
    for label in ["big5", "windows-1251", "koi8-r", "ibm866"] {
        assert!(!said(label).contains("GB18030") && said(label).contains("not UTF-8"), "{label}: {}", said(label));
    }
}

#[test]
fn records_are_judged_in_every_encoding_and_leave_as_they_came() {
    for label in LABELS {
        let text = text(label);
        let input = encode(text, label);
        for threads in ["1", "4"] {
            let run = dedup(&["--encoding", label, "-j", threads], &input);
            assert_eq!(run.stdout, encode(&kept(text), label), "{label}: {}", run.stderr);
            assert_eq!((run.total("/dropped/exact"), run.total("/dropped/near")), (1, 1), "{label}");
            assert_eq!(run.total("/bytes_in"), input.len() as u64);
            assert!(!run.stderr.contains("read as"), "{}", run.stderr);
        }
        // Annotated output is the same as for the text in UTF-8.
        let annotated = dedup(&["--encoding", label, "--output", "annotated"], &input);
        assert_eq!(annotated.text(), dedup(&["--output", "annotated"], text.as_bytes()).text(), "{label}");
    }
}

#[test]
fn the_encoding_is_found_out_and_told() {
    for label in LABELS {
        let mark = if ["utf-16be", "utf-32be"].contains(&label) { "\u{feff}" } else { "" };
        // UTF-16 is recognised by its mark or by its ASCII characters, UTF-32 also by its zeros.
        let ascii = if label == "utf-16le" { "2020-01-23 今天" } else { "今天" };
        let text = format!("{mark}{}", text(label).replace("今天", ascii));
        let input = encode(&text, label);
        let run = dedup(&[], &input);
        assert_eq!(run.stdout, encode(&kept(&text), label), "{label}: {}", run.stderr);
        let found = if label == "koi8-r" { "koi8-u" } else { label };
        assert!(run.stderr.contains(&format!("<stdin>: read as {found}, ")), "{label}: {}", run.stderr);
        assert!(!dedup(&["--quiet"], &input).stderr.contains("read as"));
    }
}

#[test]
fn a_stream_may_be_cut_at_every_byte() {
    for label in ["gb18030", "utf-16le", "utf-16be", "utf-32le", "utf-32be", "big5"] {
        let text = format!("\u{feff}{}", text(label));
        let text = if label.starts_with("utf") { &text } else { text.trim_start_matches('\u{feff}') };
        let mut child = quchong()
            .args(["dedup", "--quiet", "-j", "2"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        for byte in encode(text, label) {
            stdin.write_all(&[byte]).unwrap();
            std::thread::sleep(Duration::from_micros(200));
        }
        drop(stdin);
        assert_eq!(child.wait_with_output().unwrap().stdout, encode(&kept(text), label), "{label}");
    }
}

#[test]
fn json_is_decoded_before_it_is_parsed() {
    // In Big5, 許 and 功 end in a backslash byte; so do 乗 and others in GB18030. Read as bytes, this is broken JSON.
    for (label, word) in [
        ("big5", "許功蓋"),
        ("gb18030", "乗俓僜"),
        ("utf-16le", "《開》"),
        ("utf-16be", "《開》"),
        ("utf-32le", "《開》"),
        ("utf-32be", "《開》"),
    ] {
        let line = |id: u32, more: &str| format!("{{\"id\":\"{word}{id}\",\"text\":\"{word}{more}\"}}\n");
        let input = [line(1, ""), line(2, " "), line(3, "好人一生平安")].concat();
        let bytes = encode(&input, label);
        assert!(label != "big5" && label != "gb18030" || bytes.contains(&b'\\'), "{label}");
        let run = dedup(&["--encoding", label, "--output", "annotated"], &bytes);
        let lines = run.json();
        assert_eq!(lines[1]["quchong"]["verdict"], "exact", "{label}: {}", run.text());
        assert_eq!(lines[1]["quchong"]["of"], format!("{word}1"), "{label}");
        let kept = dedup(&["--encoding", label], &bytes);
        assert_eq!(kept.stdout, encode(&[line(1, ""), line(3, "好人一生平安")].concat(), label), "{label}");
    }
}

#[test]
fn a_line_that_is_not_utf_8_makes_no_other_encoding_of_a_feed() {
    let stray = encode("今天武汉的樱花开了，我们在东湖边等你", "gb18030");
    let feed = [&stray[..], b"\n", text("").as_bytes(), b"\n", &stray, b"\n"].concat();
    let run = dedup(&[], &feed);
    assert_eq!(run.stdout, [&stray[..], b"\n", kept(text("")).as_bytes(), b"\n", &stray, b"\n"].concat());
    assert_eq!((run.total("/errors/invalid-utf8"), run.total("/dropped/exact")), (2, 1), "{}", run.stderr);
}

#[test]
fn a_line_that_is_not_in_the_encoding_cannot_be_judged() {
    for (label, bad) in
        [("gb18030", &b"\xff"[..]), ("utf-16le", b"\x00\xdc"), ("utf-32le", b"\0\xdc\0\0"), ("utf-32be", b"\0\x11\0\0")]
    {
        let line_end = encode("\n", label);
        let input = [&encode("好\n", label), bad, &line_end, &encode("好\n", label)].concat();
        let pass = dedup(&["--encoding", label], &input);
        assert_eq!(pass.stdout, [&encode("好\n", label), bad, &line_end].concat(), "{label}");
        assert_eq!(pass.total("/errors/invalid-encoding"), 1, "{label}");
        assert!(pass.stderr.contains(&format!("<stdin>:2: not {label}")), "{}", pass.stderr);
        let dropped = dedup(&["--encoding", label, "--on-error", "drop", "--output", "dropped"], &input).json();
        assert_eq!(
            dropped[0],
            serde_json::json!({"raw": "\u{fffd}", "quchong": {"verdict": "error", "error": "invalid-encoding"}})
        );
        let fail = dedup(&["--encoding", label, "--on-error", "fail"], &input);
        assert_eq!((fail.code, fail.stdout), (Some(2), encode("好\n", label)));
    }
    // A line over the limit is an error, and leaves whole.
    let input = encode(&format!("{}\n好\n好\n", "长".repeat(200_000)), "utf-16be");
    let run = dedup(&["--encoding", "utf-16be", "--max-line", "1kB"], &input);
    assert_eq!(run.stdout, input[..input.len() - 4]);
    assert_eq!(run.total("/errors/line-too-long"), 1);
}

#[test]
fn files_in_several_encodings_are_one_stream() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, bytes: Vec<u8>| {
        let path = folder.path().join(name);
        fs::write(&path, bytes).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let chinese = text("");
    let utf_8 = write("1.txt", chinese.into());
    let gb18030 = write("2.txt", encode(chinese, "gb18030"));
    let utf_16 = write("3.txt", encode(&format!("\u{feff}{chinese}"), "utf-16le"));

    // A blank line is not a message, and is kept. Pure ASCII fits every encoding.
    let ascii = write("0.txt", b"see you tomorrow\n\n".into());
    for (file, label) in [(&utf_8, "utf-8"), (&gb18030, "gb18030")] {
        let run = dedup(&[&ascii, file, &ascii], b"");
        let whole = [b"see you tomorrow\n\n", &encode(&kept(chinese), label)[..], b"\n\n"].concat();
        assert_eq!(run.stdout, whole, "{label}: {}", run.stderr);
    }
    let dropped = dedup(&[&utf_8, &gb18030, &utf_16, "--output", "dropped"], b"").json();
    assert_eq!(dropped.len(), 2 + 5 + 5);
    assert_eq!(dropped[11]["quchong"]["of"], serde_json::json!({"file": utf_8, "line": 6}));
    assert_eq!(dropped[11]["text"], "还好");

    // One output cannot hold two encodings.
    for (file, name) in [(&utf_16, "utf-16le"), (&gb18030, "gb18030")] {
        let mixed = dedup(&[&utf_8, file], b"");
        assert_eq!((mixed.code, mixed.text()), (Some(2), &kept(chinese)[..]));
        let told = format!("{file}: is {name}, and the output already has utf-8; kept records leave as they came");
        assert!(mixed.stderr.contains(&told), "{}", mixed.stderr);
    }
    let mixed = dedup(&[&gb18030, &utf_8], b"");
    assert!(mixed.stderr.contains("1.txt: is utf-8, and the output already has gb18030"), "{}", mixed.stderr);
    // A compressor holds back what it was given; the output must not be taken for an empty one.
    for extension in ["txt", "gz", "zst", "bz2", "xz"] {
        let out = folder.path().join("out").with_extension(extension);
        let mixed = dedup(&[&utf_8, &utf_16, "-o", out.to_str().unwrap()], b"");
        assert!(mixed.code == Some(2) && mixed.stderr.contains("is utf-16le, and"), "{extension}: {}", mixed.stderr);
    }
    let both = dedup(&[&utf_16, &utf_16], b"");
    assert_eq!(both.stdout, encode(&format!("\u{feff}{}\n\n", kept(chinese)), "utf-16le"), "{}", both.stderr);
}

#[test]
fn nothing_is_appended_in_another_encoding() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (input, out) = (path("in.txt"), path("out.txt"));
    let more = "see you\n后天去爬山吧朋友们，记得带伞\n";
    for (before, added, option) in [
        ("utf-8", "gb18030", "-o"),
        ("utf-8", "utf-16le", "-o"),
        ("gb18030", "utf-8", "-o"),
        ("big5", "gb18030", "-o"),
        ("gb18030", "utf-8", "--dropped"),
        ("gb18030", "gb18030", "--dropped"),
    ] {
        let old = encode(text(before), before);
        fs::write(&out, &old).unwrap();
        fs::write(&input, encode(more, added)).unwrap();
        let run = dedup(&["--append", &input, option, &out], b"");
        assert_eq!((run.code, &fs::read(&out).unwrap()), (Some(2), &old), "{before} {added} {option}: {}", run.stderr);
        assert!(run.stderr.contains(before) && run.stderr.contains("; "), "{}", run.stderr);
    }
    // ASCII fits every output, and so does the same encoding. A named encoding is trusted more than a guess.
    for (before, added, named) in [
        ("utf-8", "utf-8", "auto"),
        ("gb18030", "gb18030", "auto"),
        ("big5", "big5", "big5"),
        ("ascii", "gb18030", "auto"),
    ] {
        let old = if before == "ascii" { b"one\n".into() } else { encode(text(before), before) };
        let more = if added == "big5" { "see you\n許功蓋\n" } else { more };
        fs::write(&out, &old).unwrap();
        fs::write(&input, encode(more, added)).unwrap();
        let run = dedup(&["--append", "--encoding", named, &input, "-o", &out], b"");
        let end = if before == "ascii" { &b""[..] } else { &encode("\n", before) };
        let whole = [&old[..], end, &encode(more, added)].concat();
        assert_eq!(fs::read(&out).unwrap(), whole, "{before} {added}: {}", run.stderr);
    }
}

#[test]
fn a_resumed_run_knows_the_encoding_of_what_was_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (one, two, out, state) = (path("1.txt"), path("2.txt"), path("out.txt"), path("state"));
    fs::write(&one, text("")).unwrap();
    fs::write(&two, encode("后天去爬山吧朋友们，记得带伞\n", "gb18030")).unwrap();
    for resume in [&[][..], &["--resume"], &["--resume"]] {
        let run = dedup(&[&[&one, &two, "-o", &out, "--state", &state][..], resume].concat(), b"");
        assert!(run.code == Some(2) && run.stderr.contains("2.txt: is gb18030, and the output"), "{}", run.stderr);
        assert_eq!(fs::read_to_string(&out).unwrap(), kept(text("")));
    }
}

#[test]
fn other_commands_read_them_too() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("posts.txt");
    fs::write(&path, encode(text(""), "gb18030")).unwrap();
    let path = path.to_str().unwrap();
    for args in [
        &["explain", "--file", path, "1", "3"][..],
        &["explain", "--encoding", "gb18030", "--file", path, "1", "3"],
        &["evaluate", path, "--truth", "edits"],
        &["tune", "bloom", path, "--capacity", "100", "--bits", "1e3..1e4"],
    ] {
        let output = quchong().args(args).output().unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.success(), "{args:?}: {stderr}");
        assert_eq!(stderr.contains("posts.txt: read as gb18030"), !args.contains(&"--encoding"), "{args:?}: {stderr}");
    }
    let output = quchong().args(["dedup", "--encoding", "utf-7", path]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8(output.stderr).unwrap().contains("--encoding: `utf-7` cannot be read; use auto, utf-8"));
}

/// A string that is sent with its terminator looks like UTF-16 with a line end of two bytes.
#[test]
fn a_nul_does_not_make_valid_utf_8_another_encoding() {
    let texts = ["昨日新增确诊病例7例，累计83例", "昨日新增确诊病例9例，累计83例", "心功能Ⅱ级能坐飞机吗", "还好"];
    for text in texts {
        for lines in [format!("{text}\0\n"), format!("{text}\n\0\n"), format!("{text}\0\n{text}吧\0\n")] {
            let run = dedup(&[], lines.as_bytes());
            assert!(
                run.stdout.starts_with(text.as_bytes()) && !run.stderr.contains("utf-16"),
                "{lines:?}: {}",
                run.stderr
            );
        }
    }
}

/// The first lines are valid UTF-8 as well.
#[test]
fn utf_16_is_known_by_more_than_its_first_line() {
    for text in ["黄金\n", "最近还好吗\n今天武汉的樱花开了\n今天武漢的櫻花開了\n", "圣诞礼物这样包才好看\n明天见\n"]
    {
        let run = dedup(&[], &encode(text, "utf-16le"));
        assert!(run.stderr.contains("read as utf-16le"), "{text}: {}", run.stderr);
    }
}
