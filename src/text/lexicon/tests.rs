use super::*;
use crate::text::tokens::Tokens;
use std::path::Path;

fn lists() -> build::Lists {
    build::read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("data/lexicon")).unwrap()
}

fn tokens(word: &str) -> Vec<Token> {
    let mut tokens = Tokens::default();
    tokens.read(word);
    tokens.list
}

#[test]
fn the_file_is_made_of_the_lists() {
    let made = build::build(&lists()).unwrap();
    assert!(made == BYTES, "data/lexicon.bin is older than data/lexicon/*.txt: run `cargo run --example lexicon`");
}

#[test]
fn words_are_known() {
    let entry = |word: &str| lexicon().get(&tokens(word)).unwrap_or_else(|| panic!("{word}"));
    assert!(lexicon().conflict(entry("红色"), entry("橙色")).is_some());
    assert!(lexicon().conflict(entry("加息"), entry("降息")).is_some());
    assert_eq!(lexicon().conflict(entry("昨天"), entry("昨日")), None);
    assert!(lexicon().same(entry("昨天"), entry("昨日")));
    assert!(entry("非").is(NEGATION) && entry("副").is(RANK) && entry("张").is(SURNAME));
    assert_eq!(entry("银行").tag(), Tag::Noun);
    let confused = |x: &str, y: &str| lexicon().confused(tokens(x)[0], tokens(y)[0]);
    assert!(confused("再", "在") && confused("未", "末") && !confused("北", "海"));
}

/// The words of a line of opposites that can be put into its test sentence, and the sentence.
#[test]
fn opposites_are_opposites() {
    let list = lists().opposites;
    let mut seen = 0;
    for (_, line) in build::lines(&list) {
        let (words, sentence) = line.split_once('|').unwrap_or_else(|| panic!("no sentence: {line}"));
        let words: Vec<&str> = words.split_whitespace().collect();
        let [x, y] = words[..] else { panic!("two words: {line}") };
        assert!(sentence.contains(x), "{line}");
        let (x, y) = (lexicon().get(&tokens(x)), lexicon().get(&tokens(y)));
        let conflict = x.zip(y).map(|(x, y)| lexicon().conflict(x, y));
        assert!(conflict.is_none_or(|found| found.is_some()), "synonyms, too, or one member of a class: {line}");
        seen += usize::from(conflict.is_some());
    }
    assert!(seen > 2000, "{seen}");
}
