//! Files to read, named by patterns and lists.
#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

use std::fs;

use crate::common::place::Place;

#[test]
fn lists_name_the_files_to_read() {
    let place = Place::new(b"");
    for (name, text) in [("a b.txt", "你好\n"), ("c.txt", "再见\n"), ("d.txt", "你好\n明天\n")] {
        fs::write(place.path(name), text).unwrap();
    }
    for list in ["c.txt\n\nd.txt\n", "c.txt\r\nd.txt\r\n", "c.txt\0d.txt\0", "\u{feff}c.txt\nd.txt\n"] {
        fs::write(place.path("list"), list).unwrap();
        let kept = place.succeed(&["dedup", "-q", "a b.txt", "--files-from", "list"]);
        assert_eq!(String::from_utf8(kept).unwrap(), "你好\n再见\n明天\n");
    }
    fs::write(place.path("list"), "\n").unwrap();
    assert!(place.refused(&["dedup", "--files-from", "list"]).contains("names no file"));
    assert!(place.refused(&["dedup", "--files-from", "none"]).contains("--files-from none: there is no such file"));
    assert!(place.refused(&["dedup", "-", "--files-from", "-"]).contains("standard input is the list"));
}

#[test]
fn patterns_name_files_in_the_order_of_their_bytes() {
    let place = Place::new(b"");
    fs::create_dir_all(place.path("d/e.txt")).unwrap();
    for (name, text) in
        [("d/b.txt", "乙\n"), ("d/é.txt", "丁\n"), ("d/B.txt", "甲\n"), ("d/e.txt/b.txt", "丙\n"), ("d/.c.txt", "-\n")]
    {
        fs::write(place.path(name), text).unwrap();
    }
    let kept = |pattern: &str| {
        let output = place.run(&["dedup", "--near", "none", pattern]);
        (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap())
    };
    let (stdout, stderr) = kept("d/*.txt");
    assert_eq!(stdout, "甲\n乙\n丁\n");
    let told = "d/*.txt: 3 files, read in the order of their names' bytes, from d/B.txt to d/é.txt";
    assert!(stderr.contains(told), "{stderr}");
    assert_eq!(kept("d/**/[b-z].txt").0, "乙\n丙\n");
    // Links to files are followed; links to folders are not, because the walk might never end.
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("..", place.path("d/e.txt/up")).unwrap();
        std::os::unix::fs::symlink("../B.txt", place.path("d/e.txt/c.txt")).unwrap();
        assert_eq!(kept("d/**/[b-z].txt").0, "乙\n丙\n甲\n");
        assert_eq!(kept("**/[b-z].txt").0, "乙\n丙\n甲\n");
        assert_eq!(kept("d/e.txt/**").0, "丙\n甲\n");
        assert_eq!(kept("./d/e.txt/**").0, "丙\n甲\n");
        assert_eq!(kept(".//d/e.txt/**").0, "丙\n甲\n");
        assert_eq!(kept("d/*/up/b.txt").0, "乙\n");
    }
    // A link to nothing matches nothing below it.
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("/nonexistent", place.path("d/latest")).unwrap();
        assert_eq!(kept("d/*/**/b.txt").0, "丙\n");
    }
    assert!(kept("d/*.txt/").1.contains("no file matches it"));
    // Names in GBK, as unpacked archives have them.
    #[cfg(unix)]
    {
        use std::os::unix::ffi::OsStrExt;
        let in_gbk = |name: &[u8]| place.path("d").join(std::ffi::OsStr::from_bytes(name));
        fs::write(in_gbk(b"\xc4\xea.txt"), "己\n").unwrap();
        fs::create_dir(in_gbk(b"\xd4\xc2")).unwrap();
        fs::write(in_gbk(b"\xd4\xc2/b.txt"), "庚\n").unwrap();
        assert_eq!(kept("d/*.txt").0, "甲\n乙\n丁\n己\n");
        assert_eq!(kept("d/**/*.txt").0, "甲\n乙\n丙\n丁\n己\n庚\n");
        assert_eq!(kept("d/?*/b.txt").0, "丙\n庚\n");
    }
    // The name of an existing file is not taken for a pattern.
    fs::write(place.path("d/[b].txt"), "戊\n").unwrap();
    assert_eq!(kept("d/[b].txt").0, "戊\n");
    for (pattern, reason) in [("d/x*.txt", "no file matches it as a pattern"), ("d/[.txt", "as a pattern")] {
        for args in [
            &["dedup", pattern][..],
            &["clusters", pattern],
            &["sign", "--method", "A0", pattern],
            &["evaluate", pattern],
            &["tune", "bloom", pattern],
        ] {
            let told = place.refused(args);
            assert!(told.contains(pattern) && told.contains(reason), "{args:?}: {told}");
        }
    }
    let told = place.refused(&["dedup", "d/*.txt", "-o", "d/b.txt"]);
    assert!(told.contains("d/b.txt and --output-file d/b.txt are the same file"), "{told}");
}
