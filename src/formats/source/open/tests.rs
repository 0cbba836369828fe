//! Lines and encodings are the same wherever reads cut the input.

use super::*;
use proptest::prelude::*;

/// A reader that returns the given pieces, one for each read.
struct Reads(std::vec::IntoIter<Vec<u8>>);

impl Read for Reads {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let next = self.0.find(|bytes| !bytes.is_empty()).unwrap_or_default();
        buffer[..next.len()].copy_from_slice(&next);
        Ok(next.len())
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Got {
    number: u64,
    part: Part,
    original: Vec<u8>,
    text: String,
}

/// Reads all lines, and the encodings that were reported.
fn read(reads: Vec<Vec<u8>>, encoding: Option<&str>, max_line: usize) -> (Vec<Got>, Vec<String>) {
    let encoding = encoding.and_then(|label| Encoding::parse(label).unwrap());
    let reader = Box::new(Reads(reads.into_iter()));
    let mut open = Open::new(reader, "test".into(), Format::Lines, encoding, max_line);
    let (mut lines, mut told) = (Vec::new(), Vec::new());
    while let Some(batch) = open.next_batch(&mut |_, encoding| told.push(encoding.to_string())).unwrap() {
        assert_eq!(batch.lines.last().map(|line| line.end), Some(batch.bytes.len()));
        lines.extend(batch.lines.iter().enumerate().map(|(at, line)| Got {
            number: line.number,
            part: line.part,
            original: batch.entry(at).original.to_vec(),
            text: String::from_utf8_lossy(batch.entry(at).text).into_owned(),
        }));
    }
    (lines, told)
}

/// Encodes `text`.
fn encode(text: &str, label: &str) -> Vec<u8> {
    Encoding::parse(label).unwrap().unwrap().encode(text)
}

proptest! {
    #[test]
    fn lines_do_not_depend_on_how_reads_cut_them(
        reads in prop::collection::vec(prop::collection::vec(prop::sample::select(vec![b'a', b'b', b'\n']), 0..9), 0..12),
        max_line in 1usize..12,
    ) {
        let all = reads.concat();
        let (lines, _) = read(reads, None, max_line);
        prop_assert_eq!(lines.iter().flat_map(|line| line.original.clone()).collect::<Vec<_>>(), all.clone());
        let expected: Vec<&[u8]> = all.split_inclusive(|byte| *byte == b'\n').collect();
        for (index, line) in expected.iter().enumerate() {
            let pieces: Vec<_> = lines.iter().filter(|piece| piece.number == index as u64 + 1).collect();
            let too_long = line.strip_suffix(b"\n").unwrap_or(line).len() > max_line;
            prop_assert_eq!(pieces[0].part, if too_long { Part::TooLong } else { Part::Whole });
            prop_assert!(too_long || pieces.len() == 1);
            prop_assert!(pieces[1..].iter().all(|piece| piece.part == Part::TooLongRest));
        }
    }

    /// Lines in UTF-8, in GB18030 and in neither, some over the limit: the detected encoding must not depend on the reads.
    #[test]
    fn what_is_found_out_does_not_depend_on_how_reads_cut_the_lines(
        lines in prop::collection::vec(prop::sample::select(vec![
            "plain".as_bytes(), "联".as_bytes(), "今天武汉的樱花开了".as_bytes(), b"\xcd\xa8", b"\xff\xff", b"", &[b'x'; 70],
            b"\xbd\xf1\xcc\xec\xce\xe4\xba\xba\xb5\xc4\xd3\xa3\xbb\xa8\xbf\xaa\xc1\xcb", &[0xb0; 80],
        ]), 0..120),
        cuts in prop::collection::vec(1usize..400, 1..20),
        mark in prop::sample::select(vec![&b""[..], b"\xEF\xBB\xBF", b"\xFF\xFE", b"\xFE\xFF"]),
    ) {
        let all = [mark, &lines.join(&b'\n')].concat();
        let mut reads = Vec::new();
        let mut rest = &all[..];
        for cut in cuts.iter().cycle() {
            let (read, after) = rest.split_at((*cut).min(rest.len()));
            reads.push(read.to_vec());
            rest = after;
            if rest.is_empty() {
                break;
            }
        }
        let judged = |(lines, told): (Vec<Got>, Vec<String>)| {
            (lines.into_iter().filter(|line| matches!(line.part, Part::Whole | Part::Undecodable)).collect::<Vec<_>>(), told)
        };
        let cut = read(reads, None, 64);
        prop_assert_eq!(cut.0.iter().flat_map(|line| line.original.clone()).collect::<Vec<_>>(), all.clone());
        prop_assert_eq!(judged(cut), judged(read(vec![all], None, 64)));
    }
}

const CHINESE: &str = "许多人今天去武汉看樱花\n他们说功夫不负有心人，成功在于许多次努力\n{}\n";
const RUSSIAN: &str = "Сегодня в Москве открылась новая выставка\nПогода была хорошая, и людей пришло много\n";
const UKRAINIAN: &str = "Сьогодні в Києві відкрилася нова виставка, її відвідали багато людей\n";

#[test]
fn encodings_are_found_out_wherever_reads_cut() {
    let traditional = "許多人今天去武漢看櫻花\n他們說功夫不負有心人，成功在於許多次努力\n";
    let cases = [
        (CHINESE, "gb18030", "", "gb18030"),
        (traditional, "big5", "", "big5"),
        (RUSSIAN, "windows-1251", "", "windows-1251"),
        (UKRAINIAN, "windows-1251", "", "windows-1251"),
        (RUSSIAN, "koi8-r", "", "koi8-u"),
        (UKRAINIAN, "koi8-u", "", "koi8-u"),
        (RUSSIAN, "ibm866", "", "ibm866"),
        (CHINESE, "utf-16le", "\u{feff}", "utf-16le"),
        (traditional, "utf-16be", "\u{feff}", "utf-16be"),
    ];
    for (text, label, mark, found) in cases {
        let text = format!("{mark}{text}");
        let bytes = encode(&text, label);
        let expected: Vec<&str> = text.split_inclusive('\n').collect();
        for at in 0..=bytes.len() {
            let (first, second) = bytes.split_at(at);
            let (lines, told) = read(vec![first.to_vec(), second.to_vec()], None, 1000);
            assert_eq!(told, [found], "{label} cut at {at}");
            assert_eq!(lines.iter().map(|line| &line.text).collect::<Vec<_>>(), expected, "{label} cut at {at}");
            assert_eq!(lines.iter().flat_map(|line| line.original.clone()).collect::<Vec<_>>(), bytes);
            assert!(lines.iter().all(|line| line.part == Part::Whole));
        }
    }
}

#[test]
fn a_named_encoding_is_taken_but_for_a_mark() {
    for label in ["gb18030", "utf-16le", "utf-16be"] {
        let (lines, told) = read(vec![encode("是\nA", label)], Some(label), 100);
        assert_eq!((lines[0].text.as_str(), lines[1].text.as_str(), told.len()), ("是\n", "A", 0), "{label}");
    }
    let (lines, told) = read(vec!["\u{feff}是".into()], Some("gb18030"), 100);
    assert_eq!((lines[0].text.as_str(), &told[..]), ("\u{feff}是", &["utf-8".to_owned()][..]));
}

#[test]
fn an_input_is_utf_8_until_its_lines_show_otherwise() {
    let chinese = encode(CHINESE, "gb18030");
    let stray = b"\xfe\xfd\xfc\xfb\xfa\xf9\xf8\n";
    let torn = [&"今天武汉的樱花开了，我们都去看".as_bytes()[..43], b"\n"].concat();
    let cases: [(&[&[u8]], &[&str]); 9] = [
        // A faulty line in a feed of UTF-8: a later line, the first one, the first 300.
        (&["今天武汉\n".as_bytes(), stray, &chinese], &[]),
        (&[stray, "今天武汉\n".as_bytes(), &chinese], &[]),
        (&[&stray.repeat(300), "今天武汉\n".as_bytes(), &chinese], &[]),
        // Every line was cut within a character.
        (&[&torn.repeat(9)], &[]),
        // Too little to decide.
        (&[stray], &[]),
        (&[b"\xc4\xe3\xba\xc3\n"], &[]),
        (&[&encode(CHINESE, "utf-16le")], &["utf-16le"]),
        // Lines in ASCII show nothing. 联通 shows little: in GB18030 its bytes are also two characters of UTF-8.
        (&[&b"plain\n".repeat(2000), &chinese], &["gb18030"]),
        (&[b"\xc1\xaa\n\xcd\xa8\n", &chinese], &["gb18030"]),
    ];
    for (parts, expected) in cases {
        let (lines, told) = read(vec![parts.concat()], None, 1000);
        assert_eq!(told, expected, "{:?}", lines.first());
    }
}

#[test]
fn what_is_not_in_the_encoding_is_told_line_by_line() {
    let bytes = [&encode("好\n", "gb18030")[..], b"\xff\n", b"\xc4\n"].concat();
    let (lines, _) = read(vec![bytes], Some("gb18030"), 100);
    let shown: Vec<_> = lines.iter().map(|line| (line.part, &line.text[..])).collect();
    let bad = Part::Undecodable;
    assert_eq!(shown, [(Part::Whole, "好\n"), (bad, "\u{fffd}\n"), (bad, "\u{fffd}\n")]);
}

#[test]
fn a_line_that_is_too_long_is_not_buffered() {
    let reads = vec![vec![b'a'; 1000]; 50].into_iter().chain([b"\nb\n".to_vec()]).collect();
    let (lines, _) = read(reads, None, 1500);
    assert!(lines.iter().all(|line| line.original.len() <= 2000));
    let last = lines.last().unwrap();
    assert_eq!((last.number, last.part, &last.text[..]), (2, Part::Whole, "b\n"));
}

#[test]
fn a_line_of_utf_16_that_is_too_long_is_cut_between_characters() {
    let text = "长".repeat(40) + "\n好\n";
    let reads = encode(&text, "utf-16le").chunks(7).map(<[u8]>::to_vec).collect();
    let (lines, _) = read(reads, Some("utf-16le"), 20);
    assert!(lines.iter().all(|line| line.original.len() % 2 == 0));
    let last = lines.last().unwrap();
    assert_eq!((last.number, last.part, &last.text[..]), (2, Part::Whole, "好\n"));
}
