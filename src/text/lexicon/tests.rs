use super::*;
use crate::text::testing::tokens;

#[test]
fn words_are_known() {
    let entry = |word: &str| lexicon().get(&tokens(word)).unwrap_or_else(|| panic!("{word}"));
    assert!(lexicon().conflict(entry("红色"), entry("橙色")).is_some());
    assert!(lexicon().conflict(entry("加息"), entry("降息")).is_some());
    assert_eq!(lexicon().conflict(entry("昨天"), entry("昨日")), None);
    assert!(lexicon().same(entry("昨天"), entry("昨日")));
    assert!(entry("非").is(NEGATION) && entry("副").is(RANK) && entry("张").is(SURNAME));
    assert_eq!(entry("银行").tag(), Tag::Noun);
    let is_of_goods = |word: &str| lexicon().senses(entry(word)).any(|sense| lexicon().is_of_goods(sense.group));
    assert!(is_of_goods("蒙牛") && !is_of_goods("日产") && !is_of_goods("红色"));
    let confused = |x: &str, y: &str| lexicon().confused(tokens(x)[0], tokens(y)[0]);
    assert!(confused("再", "在") && confused("未", "末") && !confused("北", "海"));
}
