//! Undoes what a page layout did to a text: the pre-processing of Sharapova, "Detection of full duplicates of texts".
//!
//! A *full duplicate* is the same text whatever its formatting. Copies with other margins must therefore come out alike:
//!
//! - words hyphenated at a line's end are joined: `дубли-` + `каты`;
//! - page breaks are removed, and so are lines that are only a page number: `- 12 -`, `第12页`, `Page 12 of 30`, `стр. 12`. A bare
//!   `12` is removed only beside a page break or a blank line: elsewhere it may be a row of a table. Roman numbers (`xii`) and
//!   numbers in words (`第十二页`, `十二`) are removed only as the first or last line of a page, beside a page break;
//! - torn lines are joined with a blank, or without one if Chinese characters or punctuation are at the seam.
//!
//! This is for the signatures of whole documents (`text` of web pages, books, files), before the canonical form levels width,
//! script and blanks. The deduplicator's canonical form does not do it. Posts and headlines have no pages, and a number on a line
//! of its own is part of the message. And `exact` promises that two texts it calls equal differ in nothing that a reader would call
//! content.
//!
//! Known weaknesses: without a dictionary, `near-` + `duplicate` becomes `nearduplicate`. A bare number on the first or last line
//! of the whole text stays. So do Roman numbers and numbers in words if pages do not end in a form feed, because elsewhere the same
//! characters are content.

use super::language::{Language, is_unspaced};

/// What separates two lines that have text. The larger value wins.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Gap {
    /// A line break.
    Line,
    /// A blank line.
    Blank,
    /// A page break or a page number.
    Page,
}

/// Returns `text` without its layout, as one line, but with a line break after each heading. A heading is a line that ends without
/// punctuation and is followed by a blank line. A text of nothing but page numbers keeps them.
///
/// ```
/// use quchong::text::reflow::reflow;
/// assert_eq!(reflow("Нечёткие дубли-\nкаты\n\n- 12 -\n\u{c}\nтекстов."), "Нечёткие дубликаты текстов.");
/// assert_eq!(reflow("　　今天武汉的樱\n花开了。\n　　我们去看。\n"), "今天武汉的樱花开了。我们去看。");
/// ```
pub fn reflow(text: &str) -> String {
    let chinese = Language::of(text) == Language::Han;
    let mut out = String::with_capacity(text.len());
    // The second pass keeps page numbers. It runs only if dropping them leaves nothing.
    for drop_numbers in [true, false] {
        let mut gap = Gap::Line;
        let all: Vec<(&str, bool)> = lines(text).collect();
        let mut lines = all.iter().copied().enumerate().map(|(at, (line, page))| (at, line, page)).peekable();
        while let Some((at, line, break_before)) = lines.next() {
            if break_before {
                gap = Gap::Page;
            }
            let alone = gap > Gap::Line || lines.peek().is_some_and(|(_, next, page)| *page || next.is_empty());
            if line.is_empty() {
                gap = gap.max(Gap::Blank);
            } else if drop_numbers && is_page_number(line, alone, !line.is_empty() && is_at_break(&all, at)) {
                gap = Gap::Page;
            } else {
                if gap == Gap::Blank && !out.is_empty() && !out.ends_with(closes) {
                    out.push('\n');
                    out.push_str(line);
                } else {
                    join(&mut out, line, chinese);
                }
                gap = Gap::Line;
            }
        }
        if !out.is_empty() {
            break;
        }
    }
    out.retain(|c| c != SOFT_HYPHEN);
    out
}

/// Whether a line is the first or last of a page: only blank lines are between it and a page break.
fn is_at_break(lines: &[(&str, bool)], at: usize) -> bool {
    // Look upwards for a page break, as far as the nearest line with text.
    let blank_above = lines[..at].iter().rev().take_while(|(line, _)| line.is_empty()).count();
    lines[at - blank_above..=at].iter().any(|(_, page)| *page)
        || lines[at + 1..].iter().find(|(line, page)| *page || !line.is_empty()).is_some_and(|(_, page)| *page)
}

const SOFT_HYPHEN: char = '\u{ad}';

/// Returns the lines of `text`, trimmed, and for each whether a page break is before it.
fn lines(text: &str) -> impl Iterator<Item = (&str, bool)> {
    let pages = text.split('\u{c}').enumerate();
    pages.flat_map(|(page, text)| {
        // "\r\n" must not make an extra blank line, so the text is split at "\n" first.
        let lines = text.split(['\n', '\u{b}', '\u{85}', '\u{2028}', '\u{2029}']);
        let lines = lines.flat_map(|line| line.strip_suffix('\r').unwrap_or(line).split('\r'));
        lines.enumerate().map(move |(number, line)| (line.trim(), page > 0 && number == 0))
    })
}

/// Appends a line to the line that it was torn from.
fn join(out: &mut String, line: &str, chinese: bool) {
    let (mut before, first) = (out.chars().rev(), line.chars().next());
    if let (Some(last), Some(first)) = (before.next(), first) {
        let letter = before.next().filter(|c| c.is_alphanumeric() && !is_unspaced(*c));
        let hyphenated = matches!(last, '-' | '\u{2010}' | '\u{2011}' | '¬' | SOFT_HYPHEN) && letter.is_some();
        let in_capitals = first.is_uppercase() && letter.is_some_and(char::is_uppercase);
        let open =
            |c: char| is_unspaced(c) || is_wide(c) || chinese && matches!(c, '“' | '”' | '‘' | '’' | '…' | '—' | '·');
        if hyphenated && (first.is_lowercase() || in_capitals || matches!(last, '¬' | SOFT_HYPHEN)) {
            out.pop();
        } else if !hyphenated && !open(last) && !open(first) {
            out.push(' ');
        }
    }
    out.push_str(line);
}

/// Whether a character is punctuation of East Asian width, which needs no blank beside it.
fn is_wide(c: char) -> bool {
    matches!(c, '\u{3000}'..='\u{303f}' | '\u{ff00}'..='\u{ffef}')
}

/// Whether a character is punctuation that no heading ends with.
fn closes(c: char) -> bool {
    matches!(c, '.' | '!' | '?' | '…' | ':' | ';' | ',' | '。' | '！' | '？' | '：' | '；' | '，' | '、' | '｡')
        || matches!(c, '"' | '”' | '’' | '»' | '」' | '』' | '）' | ')')
}

/// Most digits of a page number.
const PAGE_DIGITS: usize = 4;

/// The shapes of lines that are page numbers. In a shape a number is `0`, blanks are left out, 頁 is 页, and ， is `,`.
const SHAPES: [&str; 18] = [
    "第0页",
    "第0页共0页",
    "第0页/共0页",
    "第0页,共0页",
    "page0",
    "page0of0",
    "p.0",
    "pg.0",
    "с.0",
    "стр0",
    "стр.0",
    "стр.0из0",
    "страница0",
    "страница0из0",
    "стор.0",
    "стор.0з0",
    "сторінка0",
    "сторінка0з0",
];

/// Whether a line is only a page number. A bare number counts only if it is `alone`, beside a page break or a blank line. A number
/// in Roman or Chinese numerals counts only `at_break`, as the first or last line of a page.
fn is_page_number(line: &str, alone: bool, at_break: bool) -> bool {
    let ornament = |c: char| matches!(c, '-' | '–' | '—' | '―' | '·' | '•' | '~' | '*' | '|');
    let core = line.trim_start_matches(ornament);
    let ornate = core.len() < line.len() && core.ends_with(ornament);
    let core = core.trim_end_matches(ornament).trim();
    if at_break && is_roman(core) {
        return true;
    }
    let is_digit = |c: char| matches!(c, '0'..='9' | '０'..='９') || at_break && NUMERALS.contains(c);
    let mut shape = String::new();
    let mut digits = 0;
    for c in core.chars().filter(|c| !c.is_whitespace()) {
        match c {
            c if is_digit(c) => {
                digits += 1;
                if digits > PAGE_DIGITS {
                    return false;
                }
                if digits == 1 {
                    shape.push('0');
                }
            }
            _ => {
                digits = 0;
                match c {
                    '頁' => shape.push('页'),
                    '，' => shape.push(','),
                    _ => shape.extend(c.to_lowercase()),
                }
            }
        }
    }
    match shape.as_str() {
        "0" => ornate || core == line && alone,
        "0/0" => core == line && alone,
        shape => SHAPES.contains(&shape),
    }
}

/// The characters of page numbers in words.
const NUMERALS: &str = "〇零一二三四五六七八九十百";

/// Whether a word is a Roman number up to 99 in standard spelling, all small or all capital. Front matter has no more pages, and
/// `mix`, `did` and `C` are words.
fn is_roman(word: &str) -> bool {
    let lower = word.to_lowercase();
    let capitals = word.chars().filter(|c| c.is_uppercase()).count();
    // Each decimal place is written in one of nine ways, or left out.
    let place = |rest: &str, [one, five, ten]: [&str; 3]| -> usize {
        let ways = [
            format!("{one}{ten}"),
            format!("{one}{five}"),
            format!("{five}{one}{one}{one}"),
            format!("{five}{one}{one}"),
            format!("{five}{one}"),
            five.to_owned(),
            format!("{one}{one}{one}"),
            format!("{one}{one}"),
            one.to_owned(),
        ];
        ways.iter().find(|way| rest.starts_with(way.as_str())).map_or(0, String::len)
    };
    let tens = place(&lower, ["x", "l", "c"]);
    let ones = place(&lower[tens..], ["i", "v", "x"]);
    !word.is_empty() && tens + ones == lower.len() && [0, word.len()].contains(&capitals)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn layouts_are_undone() {
        let cases = [
            // Hyphenation.
            ("докумен-\nты", "документы"),
            ("доку\u{ad}мен\u{ad}\nты", "документы"),
            ("ДУБЛИ-\nКАТЫ", "ДУБЛИКАТЫ"),
            ("дубли¬\nкаты", "дубликаты"),
            ("Санкт-\nПетербург", "Санкт-Петербург"),
            ("2019-\n2020", "2019-2020"),
            ("слово -\nслово", "слово - слово"),
            // Torn lines.
            ("two\r\n  lines\r\n", "two lines"),
            ("two\rlines", "two lines"),
            ("樱花\n开了", "樱花开了"),
            ("发布\niPhone", "发布iPhone"),
            ("iPhone\nPro 发布", "iPhone Pro 发布"),
            ("他说“好”\n“走”", "他说“好”“走”"),
            ("He said “yes”\n“go”", "He said “yes” “go”"),
            // Paragraphs and headings.
            ("First.\n\nSecond.", "First. Second."),
            ("Heading\n\nFirst.", "Heading\nFirst."),
            ("标题\n\n　　正文。\n\n　　又一段。", "标题\n正文。又一段。"),
            // Pages.
            ("a torn\n\n- 12 -\n\n\u{c}\nline", "a torn line"),
            ("a torn\n\u{c}line", "a torn line"),
            ("доку-\n\n12\n\u{c}менты", "документы"),
            ("第一页的文字在\n第 1 頁，共 3 頁\n第二页接着", "第一页的文字在第二页接着"),
            ("to the\nPage 3 of 10\nend", "to the end"),
            ("до\nСтр. 7\nконца", "до конца"),
            ("end.\n\n１２", "end."),
            ("front\n\nxii\n\u{c}matter", "front matter"),
            ("front\n\u{c}\nXIV\nmatter", "front matter"),
            ("第一页的文字在\n第十二页\n\u{c}第二页接着", "第一页的文字在第二页接着"),
            ("文字在\n— 一百零三 —\n\u{c}接着", "文字在接着"),
            // What is no page number.
            ("7\n9\n11", "7 9 11"),
            ("新增\n7\n例", "新增7例"),
            ("Year\n\n20201\n", "Year\n20201"),
            ("-5 degrees\n\n-5", "-5 degrees\n-5"),
            ("666", "666"),
            ("\n\n12\n", "12"),
            ("see\n\nxii\n\nbelow.", "see\nxii\nbelow."),
            ("a\n\nmix\n\u{c}b", "a\nmix b"),
            ("小说\n\n第十二页\n\n正文", "小说\n第十二页\n正文"),
            ("", ""),
            (" \n\u{c}", ""),
        ];
        for (text, expected) in cases {
            assert_eq!(reflow(text), expected, "{text:?}");
        }
    }

    #[test]
    fn roman_numbers() {
        for (word, roman) in [("i", true), ("iv", true), ("XC", true), ("xcix", true), ("Ix", false), ("", false)] {
            assert_eq!(is_roman(word), roman, "{word}");
        }
        assert!(["mix", "civil", "iix", "vx", "xxxx", "c", "a"].iter().all(|word| !is_roman(word)));
    }

    #[test]
    fn copies_with_other_margins_come_out_alike() {
        let words = "the papers join the lines that a narrow page has torn. Every copy is the same text. It ends here.";
        let chinese = "今天武汉的樱花开了，我们在东湖边等你。明天也许下雨，后天再来。";
        for width in 5..60 {
            let mut line = 0;
            let wrapped: String = words
                .split(' ')
                .flat_map(|word| {
                    line += word.len() + 1;
                    let torn = line > width;
                    if torn {
                        line = word.len();
                    }
                    [if torn { "\n" } else { " " }, word]
                })
                .collect();
            assert_eq!(reflow(&wrapped), words);
            let characters: Vec<char> = chinese.chars().collect();
            let wrapped: Vec<String> = characters.chunks(width).map(|line| line.iter().collect()).collect();
            assert_eq!(reflow(&wrapped.join("\n")), chinese);
        }
    }

    proptest! {
        #[test]
        fn letters_stay(text in r"[a-cА-В樱花。. \n\r\u{c}-]{0,40}") {
            let once = reflow(&text);
            let letters = |text: &str| text.chars().filter(|c| c.is_alphanumeric()).collect::<String>();
            prop_assert_eq!(letters(&once), letters(&text));
            prop_assert!(!once.contains("\n\n") && once.trim() == once);
        }
    }
}
