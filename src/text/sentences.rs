//! Splits a text into sentences, and counts its punctuation.
//!
//! *In Chinese* a sentence ends after one or more of 。！？；… or their variants (`!` `?` `;` `．` half-width `｡`), and after the
//! quotation marks and brackets that close there. It ends after `.`, unless a digit comes before or an ASCII letter or digit comes
//! after (`3.5`, `1.`, `t.cn`). It also ends at a line break.
//!
//! *In Russian, Ukrainian and English* a sentence ends at a sentence boundary of UAX #29, and so at each line break. "Mr. Smith" is
//! two sentences, "т. е. он" is one, and `…` ends no sentence.

use unicode_segmentation::UnicodeSegmentation;

use super::language::Language;

/// Returns the sentences of `text`, in order. Together they make up the whole text: blank lines belong to the sentence before them,
/// and those at the beginning belong to the first sentence. No sentence is blank, except that a text of blanks alone is one
/// sentence. An empty text has none.
///
/// ```
/// use quchong::text::{language::Language, sentences::sentences};
/// let text = "樱花开了！！“真的？”是的……\n明天见";
/// assert_eq!(sentences(text, Language::Han), ["樱花开了！！", "“真的？”", "是的……\n", "明天见"]);
/// ```
pub fn sentences(text: &str, language: Language) -> Vec<&str> {
    let mut found = Vec::new();
    // Where the current sentence begins, and where the last piece ends.
    let (mut start, mut end) = (0, 0);
    let mut piece = |length: usize| {
        let is_blank = |part: &str| part.trim_start().is_empty();
        if !is_blank(&text[end..end + length]) && !is_blank(&text[start..end]) {
            found.push(&text[start..end]);
            start = end;
        }
        end += length;
    };
    match language {
        Language::Han => han_pieces(text, piece),
        _ => text.split_sentence_bounds().for_each(|sentence| piece(sentence.len())),
    }
    if !text.is_empty() {
        found.push(&text[start..]);
    }
    found
}

/// Calls `piece` with the length of each stretch up to the end of a Chinese sentence. Together the stretches are the whole text.
fn han_pieces(text: &str, mut piece: impl FnMut(usize)) {
    let mut start = 0;
    let mut before = None;
    let mut characters = text.char_indices().peekable();
    while let Some((at, c)) = characters.next() {
        let next = characters.peek().map(|(_, c)| *c);
        let ends = match c {
            '.' => {
                !before.is_some_and(|c: char| c.is_ascii_digit()) && !next.is_some_and(|c| c.is_ascii_alphanumeric())
            }
            _ => is_end(c) || is_line_break(c),
        };
        before = Some(c);
        if !ends {
            continue;
        }
        let mut end = at + c.len_utf8();
        while !is_line_break(c)
            && let Some((at, c)) = characters.next_if(|(_, c)| is_end(*c) || *c == '.' || is_closing(*c))
        {
            end = at + c.len_utf8();
            before = Some(c);
        }
        piece(end - start);
        start = end;
    }
    piece(text.len() - start);
}

fn is_end(c: char) -> bool {
    matches!(c, '。' | '！' | '？' | '；' | '…' | '!' | '?' | ';' | '．' | '｡' | '⋯' | '‼' | '⁇' | '⁈' | '⁉')
}

fn is_closing(c: char) -> bool {
    matches!(c, '”' | '’' | '」' | '』' | '）' | '】' | '》' | '〉' | ')' | ']' | '"')
}

fn is_line_break(c: char) -> bool {
    matches!(c, '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// Counts each of the eleven characters `. , - _ : ; ! ? ( )` and the blank, in this order (Kosinov's K1). The full-width variants
/// 。．，、－＿：；！？（） and the ideographic blank (U+3000) count with them.
pub(crate) fn punctuation_counts(text: &str) -> [u32; 11] {
    let mut counts = [0; 11];
    for c in text.chars() {
        let index = match c {
            '.' | '。' | '．' | '｡' => 0,
            ',' | '，' | '、' | '､' => 1,
            '-' | '－' => 2,
            '_' | '＿' => 3,
            ':' | '：' => 4,
            ';' | '；' => 5,
            '!' | '！' => 6,
            '?' | '？' => 7,
            '(' | '（' => 8,
            ')' | '）' => 9,
            ' ' | '\u{3000}' => 10,
            _ => continue,
        };
        counts[index] += 1;
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn chinese_sentences() {
        let cases: [(&str, &[&str]); 10] = [
            ("一。二！三？四；五…六", &["一。", "二！", "三？", "四；", "五…", "六"]),
            ("一!二?三;四", &["一!", "二?", "三;", "四"]),
            ("真的吗？！……是", &["真的吗？！……", "是"]),
            ("他说：“走。”我走了。", &["他说：“走。”", "我走了。"]),
            ("（完。）再见", &["（完。）", "再见"]),
            ("涨了3.5点.跌了", &["涨了3.5点.", "跌了"]),
            ("1.苹果 看t.cn/a", &["1.苹果 看t.cn/a"]),
            ("标题\r\n\r\n  正文\n", &["标题\r\n\r\n", "  正文\n"]),
            ("\n\n一", &["\n\n一"]),
            (" \n", &[" \n"]),
        ];
        for (text, expected) in cases {
            assert_eq!(sentences(text, Language::Han), expected, "{text}");
        }
        assert!(sentences("", Language::Han).is_empty() && sentences("", Language::English).is_empty());
    }

    #[test]
    fn sentences_of_spaced_scripts() {
        let cases: [(Language, &str, &[&str]); 4] = [
            (Language::English, "It is 3.5 now. \"Is it?\" Yes!", &["It is 3.5 now. ", "\"Is it?\" ", "Yes!"]),
            (Language::Russian, "Это т. е. он. Привет!", &["Это т. е. он. ", "Привет!"]),
            (Language::Ukrainian, "Так! Ні…\nДобре", &["Так! ", "Ні…\n", "Добре"]),
            (Language::English, "Title\n\nBody", &["Title\n\n", "Body"]),
        ];
        for (language, text, expected) in cases {
            assert_eq!(sentences(text, language), expected, "{text}");
        }
    }

    #[test]
    fn twins_count_together() {
        assert_eq!(punctuation_counts(". , - _ : ; ! ? ( )"), [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 9]);
        assert_eq!(punctuation_counts("。，、－＿：；！？（）\u{3000}字"), [1, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1]);
        assert_eq!(punctuation_counts(""), [0; 11]);
    }

    proptest! {
        #[test]
        fn nothing_is_lost(text in r#"[a-cА-В樱花.。!！?？;；…”"） \n\r\u{3000}0-9😂]{0,40}"#) {
            for language in [Language::Han, Language::English] {
                let found = sentences(&text, language);
                prop_assert_eq!(found.concat(), text.as_str());
                prop_assert!(text.trim().is_empty() || found.iter().all(|sentence| !sentence.trim().is_empty()));
            }
        }
    }
}
