//! The cost of hostile input, compared with random input of the same run.
//!
//! Fingerprints are looked up and stored. `ball`: within 7 bits of one centre and at least 5 bits apart, so each is kept. `16 bits`:
//! random, except that one band has the same value in all. Texts go through a `Deduplicator` with the defaults, or with the options in the
//! name. A ratio compares the means. The times are of a shared machine, so read the ratios.
#![allow(
    clippy::expect_used,
    clippy::print_stdout,
    missing_docs,
    reason = "a bench may panic, and tells what it measured"
)]

use std::hint::black_box;
use std::time::Instant;

use oorandom::Rand64;
use quchong::config::{Guard, NearMode};
use quchong::near::bands::BandTables;
use quchong::{Config, Deduplicator, Record};

const DISTANCE: u32 = 4;
const FINGERPRINTS: usize = 100_000;

/// Microseconds for each of `values`, looked up and stored in tables made for [`FINGERPRINTS`].
fn tables(values: &[u64]) -> f64 {
    let mut tables = BandTables::new(DISTANCE, FINGERPRINTS as u64);
    let start = Instant::now();
    for value in values {
        black_box(tables.earliest(*value));
        tables.insert(*value);
    }
    start.elapsed().as_secs_f64() * 1e6 / values.len() as f64
}

/// Fingerprints of a ball that are far enough apart to be kept, out of a million drawn.
fn ball(random: &mut Rand64) -> Vec<u64> {
    let (mut tables, mut kept) = (BandTables::new(DISTANCE, FINGERPRINTS as u64), Vec::new());
    for _ in 0..1_000_000 {
        let mut flips = 0_u64;
        while flips.count_ones() < 7 {
            flips |= 1 << random.rand_range(0..64);
        }
        let value = 0x0123_4567_89AB_CDEF ^ flips;
        if tables.earliest(value).is_none() {
            tables.insert(value);
            kept.push(value);
        }
        if kept.len() == FINGERPRINTS {
            break;
        }
    }
    kept
}

fn fingerprints() {
    let mut random = Rand64::new(1);
    let randoms: Vec<u64> = (0..FINGERPRINTS).map(|_| random.rand_u64()).collect();
    let ball = ball(&mut random);
    let shared = |mask: u64| randoms.iter().map(|value| value & !mask).collect::<Vec<_>>();
    let base = tables(&randoms);
    println!("fingerprints, random, {FINGERPRINTS}: {base:.2} µs");
    for (name, values) in [
        ("ball", ball),
        ("16 bits", shared(0xFFFF)),
        ("32 bits", shared(0xFFFF_FFFF)),
        ("every other bit", shared(0x5555_5555_5555_5555)),
    ] {
        let cost = tables(&values);
        println!("fingerprints, {name}, {}: {cost:.2} µs, {:.1} times random", values.len(), cost / base);
    }
}

fn han(random: &mut Rand64, length: usize) -> String {
    (0..length).filter_map(|_| char::from_u32(0x4e00 + random.rand_range(0..5000) as u32)).collect()
}

/// A text with `count` links: all its own except the last, which all texts share.
fn links(random: &mut Rand64, count: usize, text: &str) -> String {
    let own = (1..count).map(|at| format!(" t.cn/a{at}b{}", random.rand_range(0..1_000_000)));
    std::iter::once(text.to_owned()).chain(own).chain([" t.cn/common".to_owned()]).collect()
}

/// Returns the microseconds per text.
fn judged(config: &Config, count: usize, mut text: impl FnMut(&mut Rand64, usize) -> String) -> f64 {
    let mut random = Rand64::new(2);
    let texts: Vec<String> = (0..count).map(|i| text(&mut random, i)).collect();
    let mut dedup = Deduplicator::new(config.clone()).expect("the configuration");
    let start = Instant::now();
    for (text, id) in texts.iter().zip(1..) {
        black_box(dedup.judge(&Record::new(id, text.as_str())).expect("no limit is reached"));
    }
    start.elapsed().as_secs_f64() * 1e6 / count as f64
}

fn texts() {
    let all = Config::default();
    let minhash = Config::of(NearMode::MinHash);
    let template = "尊敬的客户您好您在我行办理的业务已经受理请保持电话畅通稍后由客户经理与您联系祝您生活愉快";
    type Text<'t> = Box<dyn FnMut(&mut Rand64, usize) -> String + 't>;
    let careful = Config { guard: Guard::Careful, ..Config::default() };
    let cases: [(&str, &Config, usize, Text<'_>); 19] = [
        ("topics alone, one in common", &all, 50_000, Box::new(|_, i| format!("#同一个##{i}#"))),
        ("one shingle, over and over", &all, 20_000, Box::new(|_, i| "哈".repeat(1 + i % 1000))),
        ("one hashtag in the text", &all, 50_000, Box::new(|r, _| format!("同一个话题大家都在说 {}", han(r, 30)))),
        ("one character under other topics", &all, 10_000, Box::new(|_, i| format!("#{i}# 好"))),
        ("one character with other links", &all, 10_000, Box::new(|_, i| format!("戳 http://t.cn/A{i}xq"))),
        ("topics, one of them twice", &all, 10_000, Box::new(|_, i| format!("#话题##话题# #甲{i}# #乙{i}# #丙{i}#"))),
        ("two characters under other topics", &all, 10_000, Box::new(|_, i| format!("#{i}# 加油"))),
        ("a template with a code", &all, 10_000, Box::new(|_, i| format!("{template} {}", 100_000 + i))),
        ("a template with a name of four", &all, 4_000, Box::new(|r, _| format!("尊敬的{}{template}", han(r, 4)))),
        (
            "a list in another order between long ends",
            &all,
            200,
            Box::new(|r, _| {
                let mut shared = Rand64::new(3);
                let [head, tail] = [4000, 4000].map(|length| han(&mut shared, length));
                let mut items = ["红苹果", "黄香蕉干", "紫葡萄", "青提子", "蓝莓干"];
                (0..items.len()).for_each(|at| items.swap(at, r.rand_range(0..5) as usize));
                format!("{head}{}{tail}", items.join("、"))
            }),
        ),
        (
            "four characters in any order",
            &all,
            4_000,
            Box::new(|r, _| (0..85).map(|_| ['天', '地', '人', '和'][r.rand_range(0..4) as usize]).collect()),
        ),
        (
            "20 000 characters, half in common",
            &all,
            400,
            Box::new(|r, _| {
                let mut shared = Rand64::new(3);
                let passage = |_| {
                    let passage = han(&mut shared, 100);
                    if r.rand_range(0..2) == 0 { passage } else { han(r, 100) }
                };
                (0..200).map(passage).collect()
            }),
        ),
        (
            "minhash, one phrase in common",
            &minhash,
            10_000,
            Box::new(|r, _| format!("同一个话题大家都在说{}", han(r, 20))),
        ),
        ("90 links, the last in common", &all, 200, Box::new(|r, _| links(r, 90, "快来看看这个吧"))),
        ("4 000 links, careful", &careful, 10, Box::new(|r, _| links(r, 4_000, "快来看看这个吧"))),
        ("20 000 brackets that open", &all, 20, Box::new(|r, _| format!("{}{}a)", han(r, 4), "(".repeat(20_000)))),
        ("10 000 mentions in a row", &all, 20, Box::new(|r, _| format!("{}{}", han(r, 4), ",@a,".repeat(10_000)))),
        (
            "9 000 characters of a template",
            &all,
            100,
            Box::new(|r, _| {
                let mut shared = Rand64::new(3);
                let [head, tail] = [4_500, 4_500].map(|length| han(&mut shared, length));
                format!("{head}{}{tail}", han(r, 8))
            }),
        ),
        ("posts of one hashtag", &all, 1_000_000, Box::new(|r, _| format!("#同一个话题# {}", han(r, 30)))),
    ];
    let random = |config| judged(config, 50_000, |r, _| han(r, 40));
    let bases = [random(&all), random(&minhash)];
    println!("texts, random, 50000: {:.1} µs, minhash {:.1} µs", bases[0], bases[1]);
    for (name, config, count, text) in cases {
        let base = bases[usize::from(config.near == NearMode::MinHash)];
        let cost = judged(config, count, text);
        println!("texts, {name}, {count}: {cost:.1} µs, {:.1} times random", cost / base);
    }
}

fn main() {
    fingerprints();
    texts();
}
