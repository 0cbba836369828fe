//! Hostile inputs cost linear time and bounded memory, and change no verdict. `cargo bench --bench hostile` measures the time.
#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

use crate::common::oracle::hold_against_the_oracle;
use crate::common::place::{Place, input};
use crate::common::{dedup, generated};
use oorandom::Rand64;
use quchong::Config;
use quchong::config::{NearMode, Rule, Rules};
use serde_json::{Value, json};

fn han(random: &mut Rand64, length: usize) -> String {
    (0..length).map(|_| char::from_u32(0x4e00 + random.rand_range(0..3000) as u32).unwrap()).collect()
}

fn jsonl(texts: impl IntoIterator<Item = String>) -> String {
    texts.into_iter().map(|text| json!({ "text": text }).to_string() + "\n").collect()
}

/// Posts that have as much in common as they can without repeating each other, and some repeats.
fn floods() -> [Vec<String>; 7] {
    let mut random = Rand64::new(1);
    let mut make = |n: u64, text: &mut dyn FnMut(&mut Rand64, u64) -> String| {
        (0..n).map(|i| text(&mut random, i)).collect::<Vec<_>>()
    };
    let template = "尊敬的客户您好您在我行办理的业务已经受理请保持电话畅通稍后由客户经理与您联系";
    [
        make(350, &mut |r, i| format!("#同一个话题# {}", han(r, 4 + i as usize % 13))),
        make(350, &mut |r, i| format!("#同一个##{}##{}#", i % 700, r.rand_range(0..400))),
        make(350, &mut |r, i| format!("#{}# 好", i + r.rand_range(0..3))),
        make(350, &mut |r, i| format!("#{}# 加油", i + r.rand_range(0..3))),
        make(250, &mut |r, i| format!("{}{template}{}", han(r, 9), i % 500)),
        make(250, &mut |r, _| "哈".repeat(r.rand_range(1..400) as usize)),
        make(150, &mut |r, _| "哈呵".repeat(r.rand_range(1..200) as usize)),
    ]
}

#[test]
fn floods_lose_nothing() {
    for texts in floods() {
        // The floods are mixed with other posts, some of which are repeats.
        let others = String::from_utf8(generated(texts.len())).unwrap();
        let input: String = others
            .split_inclusive('\n')
            .zip(texts)
            .map(|(other, text)| format!("{other}{}\n", json!({ "id": text, "text": text })))
            .collect();
        let on = Config { rules: Rules::ALL.without(Rule::Topic), ..Config::default() };
        for (config, args) in [
            (Config::default(), &[][..]),
            (on, &["--normalise", "all,-topic"]),
            (Config::of(NearMode::MinHash), &["--near", "minhash"]),
        ] {
            hold_against_the_oracle(&input, &config, args);
        }
    }
}

/// Texts of 50 kB that repeat one pattern are read in one pass, in no time to speak of. A reader that looked to the end of the text from
/// every place of it would take seconds for each text.
#[test]
fn long_texts_are_read_in_one_go() {
    let patterns = "一 十 百 二〇 第1 L的 # #a [ [a] 【 【a】 //@ //@a: @ @a http:// t.cn/ 1 1, 1. 1.5万 - 好 不 《 》 …… 。 ? / 2北京 \
        的微博视频 展开全文 转发微博 回复@ 分享图片 我在这里: … é ① ㈱ \u{301} \u{200d} \u{fe0f} \u{1100} 😀 哈呵";
    let texts = patterns.split(' ').flat_map(|pattern| {
        let text = pattern.repeat(50_000 / pattern.len());
        [format!("一开头{text}"), format!("{text} 结尾")]
    });
    let run = dedup(&[], jsonl(texts).as_bytes());
    assert_eq!(run.code, Some(0), "{}", run.stderr);
}

/// A line of 200 kB takes memory in proportion to its length, whatever it contains.
#[test]
fn no_line_takes_more_memory_than_its_length() {
    let many = |piece: &dyn Fn(usize) -> String| (0..20_000).map(piece).collect::<String>();
    let texts = [
        many(&|i| format!("#{i}#")),
        format!("你好{}", many(&|i| format!("#{i}#"))),
        many(&|i| format!("{} ", 10_000_000_000 + i * 7919)),
        many(&|i| format!("//@{i}: ")),
        many(&|i| format!("w{i:x} ")),
    ];
    for near in [&[][..], &["--near", "simhash"], &["--near", "minhash"]] {
        let run = dedup(&[&["-j", "1"], near].concat(), jsonl(texts.clone()).as_bytes());
        let peak = run.total("/peak_memory_bytes");
        assert!(run.code == Some(0) && peak < 200_000_000, "{near:?}: {peak} {}", run.stderr);
    }
}

#[test]
fn any_seed_gives_the_same_output() {
    let input = generated(2500);
    let run = |args: &[&str]| dedup(&[&["--output", "annotated"], args].concat(), &input).stdout;
    let expected = run(&["--seed", "0"]);
    for exact in ["verified", "trie"] {
        assert!(run(&["--exact", exact]) == expected && run(&["--exact", exact, "--seed", "7"]) == expected, "{exact}");
    }
    // A filter errs at other texts under another seed, and therefore its default seed is fixed.
    let bloom = ["--near", "none", "--exact", "bloom", "--capacity", "2000", "--bloom-error", "0.1"];
    assert!(run(&bloom) == run(&bloom));
    assert!(run(&bloom) == run(&[&bloom[..], &["--seed", "0"]].concat()));
    assert!(run(&bloom) != run(&[&bloom[..], &["--seed", "random"]].concat()));
}

#[test]
fn a_state_has_a_seed_of_its_own_and_keeps_it() {
    let place = Place::new(&input(300, 1));
    let seed = |state| {
        let info: Value =
            serde_json::from_slice(&place.succeed(&["state", "info", state, "--format", "json"])).unwrap();
        info["config"]["seed"].as_u64().unwrap()
    };
    for state in ["a", "b"] {
        place.succeed(&["dedup", "-q", "--state", state, "in.jsonl"]);
    }
    let first = seed("a");
    assert!(first != seed("b") && first != 0);
    assert!(place.succeed(&["dedup", "-q", "--state", "a", "--again", "in.jsonl"]).is_empty(), "all are known");
    assert_eq!(seed("a"), first);
    assert!(place.refused(&["dedup", "-q", "--state", "a", "--seed", "5", "in.jsonl"]).contains("not --seed 5"));
}
