//! Tests the opposites of `data/lexicon/opposites.txt` with the rule. Each line has a sentence with one of the two words. The other word
//! makes another message.
#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use quchong::Config;
use quchong::compare::Comparer;

/// Sentences in which the rule does not recognise the opposite: 聪明 / 笨.
const KNOWN: [&str; 1] = ["听说我家的狗很聪明"];

/// Number of phrases of other lists that still count as a repeat after a word inside was replaced by its opposite: 大风天气 / 微风天气. Most of
/// the resulting phrases are nonsense (不不存在). Lower the number when the rule gets better; never raise it.
const MOST_PHRASES: usize = 38;

fn list(name: &str) -> String {
    fs::read_to_string(format!("{}/data/lexicon/{name}.txt", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

fn lines(list: &str) -> impl Iterator<Item = &str> {
    list.lines()
        .map(|line| line.split('#').next().unwrap().trim())
        .filter(|line| !line.is_empty() && !line.starts_with('['))
}

/// Whether either message repeats the other.
fn is_one(comparer: &mut Comparer, a: &str, b: &str) -> bool {
    [(a, b), (b, a)].iter().any(|(a, b)| !comparer.compare(a, b).verdict.is_kept())
}

#[test]
fn each_makes_another_message_of_its_sentence() {
    let (list, mut comparer) = (list("opposites"), Comparer::new(&Config::default()).unwrap());
    let mut wrong = Vec::new();
    for line in lines(&list) {
        let (words, sentence) = line.split_once('|').unwrap();
        let [word, other] = words.split_whitespace().collect::<Vec<_>>()[..] else { panic!("two words: {line}") };
        let sentence = sentence.trim();
        if is_one(&mut comparer, sentence, &sentence.replacen(word, other, 1)) {
            wrong.push(sentence);
        }
    }
    assert_eq!(wrong, KNOWN);
}

/// 外地车辆 and 夺得冠军 are in the lexicon, but the opposites inside them still count.
#[test]
fn they_count_inside_longer_words() {
    let (opposites, mut comparer) = (list("opposites"), Comparer::new(&Config::default()).unwrap());
    let mut others = BTreeMap::<&str, BTreeSet<&str>>::new();
    for line in lines(&opposites) {
        let [x, y] = line.split('|').next().unwrap().split_whitespace().collect::<Vec<_>>()[..] else {
            panic!("{line}")
        };
        // 上调至 means nothing before a comma.
        if x.chars().count() > 1 && y.chars().count() > 1 && !x.ends_with('至') {
            others.entry(x).or_default().insert(y);
            others.entry(y).or_default().insert(x);
        }
    }
    // A phrase that is read as a synonym has no words inside: 北京首都国际机场 is read as 首都机场.
    let (synonyms, filler) = (list("synonyms"), list("filler"));
    let synonyms = synonyms.split("[everywhere]").next().unwrap();
    let phrases: BTreeSet<&str> =
        [synonyms, &filler].into_iter().flat_map(lines).flat_map(str::split_whitespace).collect();
    let (mut seen, mut wrong) = (0, Vec::new());
    for phrase in phrases {
        let inside = others.iter().filter(|(word, _)| phrase.len() > word.len() && phrase.contains(**word));
        for (word, others) in inside {
            for other in others {
                let [a, b] =
                    [phrase, &phrase.replacen(word, other, 1)].map(|phrase| format!("今天听说{phrase}，大家注意一下"));
                seen += 1;
                if is_one(&mut comparer, &a, &b) {
                    wrong.push(b);
                }
            }
        }
    }
    assert!(seen > 2000 && wrong.len() <= MOST_PHRASES, "{} of {seen}: {}", wrong.len(), wrong.join("\n"));
}
