use super::*;
use crate::text::normalise::canonical;
use proptest::prelude::*;
use std::path::Path;

/// Returns the text without the civility at its ends.
fn left(text: &str) -> String {
    let (mut plain, mut breaks) = (String::new(), Vec::new());
    for c in text.chars() {
        if matches!(c, '，' | '。') {
            breaks.push(plain.len());
            plain.push(' ');
        } else {
            plain.push(c);
        }
    }
    plain[without_civility(&plain, &breaks)].trim().to_owned()
}

#[test]
fn civility_at_the_ends_is_no_news() {
    for (text, news) in [
        ("尊敬的业主您好，明天上午八点停水，给您带来不便敬请谅解", "明天上午八点停水"),
        ("体检报告请到一楼领取，感谢您的理解与配合", "体检报告请到一楼领取"),
        ("求扩散，好心人帮帮忙，老人在东湖附近走失", "老人在东湖附近走失"),
        ("荔枝今早到货，欢迎新老顾客前来选购。", "荔枝今早到货"),
    ] {
        assert_eq!(left(text), news);
    }
}

#[test]
fn news_and_judgement_stay() {
    for text in [
        // Too little is left.
        "到了，祝您生活愉快",
        "谢谢，晚安",
        // It is news.
        "明天上午八点停水，下午三点恢复供水",
        "荔枝今早到货，买三斤送一斤",
        "老人在东湖附近走失，已经找到",
        // It is judgement, or somebody is thanked.
        "消防员救出三名儿童，为消防员点赞",
        "小区又涨物业费，我支持",
        "体检报告请到一楼领取，感谢张医生",
        // It is short compared with the rest.
        "受台风影响，明天全市中小学和幼儿园停课一天，感谢配合",
    ] {
        assert_eq!(left(text), text.replace('，', " "));
    }
}

/// Counts the tokens of a civil clause by a slow reference method: it reads the whole clause and asks the lexicon at every place.
fn civil_by_reading(clause: &str) -> Option<usize> {
    let mut tokens = Tokens::default();
    tokens.read(clause);
    let list = tokens.list;
    let mut reached = vec![0_u8; list.len() + 1];
    reached[0] = 1;
    for at in 0..list.len() {
        let here = reached[at];
        lexicon().words_at(&list, at, |length, entry| {
            if entry.is(CIVIL | BESIDE) && here > 0 {
                reached[at + length] |= if entry.is(CIVIL) && length > 1 { 2 } else { here };
            }
        });
    }
    (reached[list.len()] & 2 != 0 && list.len() <= CLAUSE_UPTO).then_some(list.len())
}

fn assert_equal(clause: &str) {
    assert_eq!(civil_tokens(lexicon(), clause, &mut Tokens::default()), civil_by_reading(clause), "{clause:?}");
}

/// Words of the lists, from any section.
fn listed() -> impl Iterator<Item = &'static str> {
    lines(LIST).flat_map(Line::words)
}

#[test]
fn every_word_of_civility_passes_the_quick_question() {
    let (mut tokens, mut civil) = (Tokens::default(), 0);
    for word in listed() {
        let text = canonical(word);
        tokens.read(&text);
        let entry = lexicon().get(&tokens.list);
        if entry.is_some_and(|entry| entry.is(CIVIL | BESIDE)) {
            let [first, second] = [0, 1].map(|at| tokens.list.get(at).copied().unwrap_or_default());
            assert!(WORDS.has_first(first) && WORDS.has(first, second), "{word}");
            civil += 1;
        }
        assert_equal(&text);
        // After words of `[beside]`, with a name, a number or a break that the quick test does not read.
        for around in ["您", "你", "请", "3点", "三点", "今日", "vip", "-", " ", "！"] {
            assert_equal(&canonical(&format!("{around}{word}")));
            assert_equal(&canonical(&format!("{word}{around}")));
            assert_equal(&canonical(&format!("我们{word}{around}")));
        }
    }
    assert!(civil > 1000, "{civil}");
}

proptest! {
    #[test]
    fn the_quick_question_answers_as_reading_does(
        words in prop::collection::vec((any::<prop::sample::Index>(), 0..12_usize), 1..7),
    ) {
        let all: Vec<&str> = listed().collect();
        let odd = ["感謝您", "ＶＩＰ", "日", "12", "妳", "哈哈哈哈", "元", "ok"];
        let text: String = words.iter().map(|(word, at)| odd.get(*at).copied().unwrap_or_else(|| all[word.index(all.len())])).collect();
        assert_equal(&canonical(&text));
        assert_equal(&text);
    }
}

#[test]
#[allow(clippy::print_stderr, reason = "a test tells what it skips")]
fn the_quick_question_answers_as_reading_does_of_real_texts() {
    for (file, least) in [
        ("data/posts.jsonl", 300),
        ("../shared/data/sms-dev.jsonl", 3000),
        ("../shared/data/sms-spam-dev.jsonl", 3000),
        ("../shared/data/headlines-dev.jsonl", 3000),
    ] {
        let Ok(posts) = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(file)) else {
            eprintln!("skipped: {file} is not there");
            continue;
        };
        let mut texts = 0;
        for post in posts.lines().take(3000) {
            let post: serde_json::Value = serde_json::from_str(post).unwrap();
            let text = canonical(post["text"].as_str().unwrap());
            let ends = |c: char| ",。、;:!?.…|/~".contains(c);
            text.split(ends).map(str::trim_start).filter(|clause| !clause.is_empty()).for_each(assert_equal);
            texts += 1;
        }
        assert!(texts >= least, "{file}: {texts}");
    }
}
