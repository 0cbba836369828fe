//! `quchong explain` and `dedup --explain`: every verdict comes with its reason.
#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

use std::process::Output;

use crate::common::{dedup, quchong};
use serde_json::{Value, json};

const LIBRARY: &str =
    "城东图书馆周末开始试运行，市民可凭身份证入馆阅览，三楼的自习室每天开放到晚上九点半，座位不够的话可以去负一层";

pub(super) fn run(args: &[&str]) -> Output {
    quchong().arg("explain").args(args).output().unwrap()
}

fn text(args: &[&str]) -> String {
    let output = run(args);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

pub(super) fn explain(args: &[&str]) -> Value {
    serde_json::from_str(&text(&[args, &["--format", "json"]].concat())).unwrap()
}

/// The verdict with its reason, and the changes that would make it another one.
fn why(args: &[&str]) -> (String, Vec<String>) {
    let explanation = explain(args);
    let words = |value: &Value| value.as_str().unwrap().to_owned();
    let otherwise = explanation["otherwise"].as_array().unwrap().iter().map(words).collect();
    (format!("{}: {}", words(&explanation["verdict"]), words(&explanation["reason"])), otherwise)
}

#[test]
fn a_difference_of_facts_names_the_facts() {
    let pairs = [
        ("昨日新增确诊病例7例，累计83例", "昨日新增确诊病例9例，累计83例", "number", "7 / 9"),
        (
            "昨日新增5例本土确诊病例，均已在定点医院隔离治疗",
            "昨日本土新增确诊病例17例，均已在定点医院隔离治疗",
            "number",
            "5 / 17",
        ),
        ("昨天我在河南看了一场露天电影，人很多", "昨天我在河北看了一场露天电影，人很多", "province", "河南 / 河北"),
        (
            "从明天起市民可以出门买菜，记得带好口罩",
            "从明天起市民不可以出门买菜，记得带好口罩",
            "negation",
            "可以 / 不可以",
        ),
        (
            "女足姑娘们今晚踢得真漂亮，最后一分钟绝杀",
            "男足姑娘们今晚踢得真漂亮，最后一分钟绝杀",
            "team gender",
            "女足 / 男足",
        ),
        ("刚刚在楼下捡到一台iphone，失主请到前台", "刚刚在楼下捡到一台ipad，失主请到前台", "word", "iphone / ipad"),
        ("空腹血糖≥7的，请到二楼复查", "空腹血糖≤7的，请到二楼复查", "sign", "≥ / ≤"),
        ("判断对错：√", "判断对错：×", "sign", "√ / ×"),
        ("这家店我给5星★★★★★", "这家店我给5星★☆☆☆☆", "sign", "★★★★★ / ★☆☆☆☆"),
        ("★★★★★这家店味道不错", "★☆☆☆☆这家店味道不错", "sign", "★★★★★ / ★☆☆☆☆"),
        ("晚班车：北京→上海，卧铺有余票", "晚班车：北京←上海，卧铺有余票", "sign", "→ / ←"),
        ("明天全市中小学可能停课一天", "明天全市中小学停课一天", "qualifier", "可能 / (none)"),
        // These have the same tokens.
        ("验证码为BXKJZP，请勿告诉他人", "验证码为CWEWQF，请勿告诉他人", "word", "bxkjzp / cwewqf"),
        ("快递已由13182186872签收", "快递已由15308634081签收", "number", "13182186872 / 15308634081"),
    ];
    for (a, b, kind, stretches) in pairs {
        let (reason, otherwise) = why(&[a, b]);
        assert_eq!(reason, format!("kept: a fact differs ({kind}): {stretches}"));
        assert!(otherwise.contains(&"dropped with --guard off".to_owned()), "{otherwise:?}");
        assert!(why(&[a, b, "--guard", "off"]).0.starts_with("near: "), "{a}");
    }
}

#[test]
fn other_verdicts_have_reasons_too() {
    let library = &LIBRARY[..LIBRARY.find("每天").unwrap()];
    let comment = format!("我家门口终于有一个像样的地方可以看书啦//@小王:{LIBRARY}");
    let added = format!("{library}。另外儿童阅览区要等到下个月装修结束才会对外开放");
    let bank = ["您尾号的中国银行卡已成功扣款，感谢使用", "您尾号的招商证券卡已成功扣款，感谢使用"];
    let spring = ["我在东湖边等你回来看今年开得最好的樱花", "我们都在东湖边等你回来看今年最好的樱花"];
    let works = ["看了《茶馆》很感动，推荐给大家", "昨晚去看《雷雨》，推荐给大家"];
    let cases: [(&str, &str, &str); 14] = [
        // Too little in common, but the fact says more.
        (works[0], works[1], "kept: a fact differs (work): 茶馆 / 雷雨"),
        (library, &added, "kept: B adds a passage: 区要等到下个月装修结束才会对外开放"),
        (LIBRARY, &comment, "kept: B adds a passage: 我家门口终于有一个像样的地方"),
        ("上海疫情", "上海疫情发布会", "kept: B adds words: 发布会"),
        (LIBRARY, library, "near: B is inside A: 1.00 of it is there"),
        (bank[0], bank[1], "kept: other words stand in a place of the text: 中国银行 / 招商证券"),
        ("#早高峰# 加油", "#期末考试# 加油", "kept: a short remark under another topic is about something else"),
        ("今天天气真好", "转发微博 //@小王: 今天天气真好", "near: the bodies are equal"),
        ("今天天气真好!", "今天天氣真好！", "exact: the canonical forms are equal"),
        (spring[0], spring[1], "near: the bodies are alike: similarity 0.842, and 0.62 is enough"),
        (
            "今天天气真好，出门走走",
            "城东图书馆周末试运行",
            "kept: the bodies differ too much: similarity 0.00, and 0.70 is needed for texts so short",
        ),
        ("", "今天天气真好", "kept: one is nothing but topics or wrapping, the other is not"),
        ("", "[哈哈]", "kept: both are nothing but topics or wrapping, and share too few topics"),
        ("#武汉加油# [心]", "#武汉加油#", "near: both are nothing but topics, and A has those of B"),
    ];
    for (a, b, expected) in cases {
        assert_eq!(why(&[a, b]).0, expected, "{a}\n{b}");
    }
}

/// Mere decoration is not a fact in which texts differ.
#[test]
fn decoration_is_no_fact() {
    for (a, b) in [
        ("✔支持退货 ✔全国包邮 ✔正品保证", "支持退货 全国包邮 正品保证"),
        ("【今日特价】苹果五元一斤", "今日特价------苹果五元一斤---"),
        ("→→→今天武汉的樱花开了，我在东湖边等你", "今天武汉的樱花开了，我在东湖边等你←←←"),
        ("★今天武汉的樱花开了，我在东湖边等你", "☆今天武汉的樱花开了，我在东湖边等你☆"),
        ("今天武汉的樱花开了👍我在东湖边等你", "今天武汉的樱花开了，我在东湖边等你"),
        ("空腹血糖≥7的，请到二楼复查", "空腹血糖≧7的，请到二楼复查"),
    ] {
        assert!(why(&[a, b]).0.starts_with("near: "), "{a}\n{b}: {:?}", why(&[a, b]));
    }
}

#[test]
fn a_correction_is_no_repeat() {
    let lost = "寻人：我家老人今天上午在东湖公园走失，穿灰色外套，有消息请打电话";
    let found = why(&[lost, &format!("已找到 //@小王: {lost}")]).0;
    assert!(found.starts_with("kept: a fact differs (correction): "), "{found}");
    assert!(why(&[lost, &format!("转起来 //@小王: {lost}")]).0.starts_with("near: "));
}

/// A clause of a long text is a repeat, because it was read with the text, unless the text refutes it.
#[test]
fn a_clause_of_a_long_text_is_a_repeat() {
    let long = "搬到成都的第三年，终于学会了用四川话跟老板砍价，虽然一次也没砍成，还多搭进去两块钱买葱";
    let clause = "终于学会了用四川话跟老板砍价";
    assert_eq!(why(&[long, clause]).0, "near: B is inside A: 1.00 of it is there");
    assert!(why(&[clause, long]).0.starts_with("kept: "));
    assert!(why(&[long, "学会了用四川话跟老板砍"]).0.starts_with("kept: "));
    assert!(why(&[long, clause, "--preset", "careful"]).0.starts_with("kept: "));
    let refuted = "网传终于学会了用四川话跟老板砍价，这是假消息，请大家不要相信，更不要再转发给家里的老人";
    assert!(why(&[refuted, clause]).0.starts_with("kept: "));
}

/// Every policy that would change the verdict is named, and so is the similarity that short texts need.
#[test]
fn the_policies_that_matter_are_named() {
    let near = ["我在东湖边的樱花树下等你", "我在东湖旁的樱花树下等你"];
    let remark = ["今天武汉的樱花开了，我在东湖边等你", "好美 //@小王: 今天武汉的樱花开了，我在东湖边等你"];
    let slot = [
        "您的预约申请已经收到，请到骨伤科室就诊，谢谢您的配合",
        "您的预约申请已经收到，请到神经外科就诊，谢谢您的配合",
    ];
    for ([a, b], named) in [
        (near, "kept with --guard careful"),
        (near, "kept from --similarity 0.894 on: texts as short as these must then be alike by 0.917"),
        (remark, "kept with --remarks keep"),
        (slot, "dropped with --templates fold"),
    ] {
        let (_, otherwise) = why(&[a, b]);
        assert!(otherwise.contains(&named.to_owned()), "{named}: {otherwise:?}");
    }
    let careful = why(&["晚饭雨桐买单，别抢", "晚饭梓涵买单，别抢", "--preset", "careful"]).1;
    assert!(careful.iter().all(|told| !told.contains("--templates")), "{careful:?}");
    let (reason, _) = why(&["每日服用5微克", "每日服用5毫克"]);
    assert!(reason.ends_with("5微克 / 5毫克"), "{reason}");
}

#[test]
fn what_would_change_the_verdict_is_no_riddle() {
    let teams = ["湖人客场取胜", "快船客场取胜"];
    let expected = ["kept at any --similarity", "dropped with --guard off up to --similarity 0.253"];
    assert_eq!(why(&teams).1, expected);
    let dropped = |similarity| why(&[&teams[..], &["--guard", "off", "--similarity", similarity]].concat()).0;
    assert!(dropped("0.253").starts_with("near: ") && dropped("0.254").starts_with("kept: "));
    let (_, otherwise) = why(&["你好", "我好"]);
    assert_eq!(otherwise[0], "kept at any --similarity");
    // Topics alone have no fingerprint.
    for topics in [["#武汉加油#", "#早高峰#"], ["#武汉加油# [心]", "#武汉加油#"]] {
        let (_, otherwise) = why(&topics);
        assert!(otherwise.iter().all(|words| !words.contains("bits")), "{otherwise:?}");
    }
}

#[test]
fn the_order_counts() {
    let start = &LIBRARY[..LIBRARY.find("三楼").unwrap()];
    assert!(why(&[LIBRARY, start]).0.starts_with("near: B is inside A"));
    assert!(why(&[start, LIBRARY]).0.starts_with("kept: "));
}

#[test]
fn settings_that_are_named_change_the_verdict() {
    let spring = ["我在东湖边等你回来看今年开得最好的樱花", "我们都在东湖边等你回来看今年最好的樱花"];
    let masks = ["从明天起本市居民可以出门买菜了，记得带好口罩", "从明天起本市居民可以出门买菜，记得带口罩"];
    let cases = [
        (spring, "hybrid", "--similarity", "0.62"),
        (spring, "hybrid", "--similarity", "0.95"),
        (spring, "minhash", "--similarity", "0.5"),
        (masks, "simhash", "--max-distance", "4"),
        (masks, "simhash", "--max-distance", "8"),
    ];
    for ([a, b], near, option, value) in cases {
        let args = |value| [a, b, "--near", near, option, value];
        let is_kept = |value| explain(&args(value))["verdict"] == "kept";
        let (_, otherwise) = why(&args(value));
        let mut words = otherwise[0].split([' ', ',']);
        let kept_then = words.next() == Some("kept");
        let other = words.skip_while(|word| *word != option).nth(1).unwrap();
        assert_eq!(is_kept(other), kept_then, "{near} {value}: {otherwise:?}");
        assert_ne!(is_kept(value), kept_then, "{near} {value}: {otherwise:?}");
    }
}

#[test]
fn each_engine_explains_itself() {
    let (a, b) = ("我在东湖边等你回来看今年开得最好的樱花", "我们都在东湖边等你回来看今年最好的樱花");
    let simhash = explain(&[a, b, "--near", "simhash"]);
    let distance = &simhash["distance"];
    assert_eq!(simhash["reason"], format!("the fingerprints differ in {distance} bits of 64, and up to 4 are near"));
    let bits = |side: &str| u64::from_str_radix(simhash[side]["fingerprint"].as_str().unwrap(), 16).unwrap();
    assert_eq!(*distance, (bits("a") ^ bits("b")).count_ones());
    let minhash = why(&[a, b, "--near", "minhash", "--similarity", "0.9"]).0;
    assert!(minhash.starts_with("kept: estimated similarity of the shingles 0."), "{minhash}");
    let nothing = why(&["[哈哈]", "[心]", "--near", "minhash"]).0;
    assert_eq!(nothing, "kept: a message of nothing but wrapping is no near repeat");
    let none = why(&["今天天气真好", "//@小王:今天天气真好", "--near", "none"]).0;
    assert_eq!(none, "kept: the canonical forms differ, and there is no near stage (--near none)");
    let raw = why(&["今天天气真好", "今天天氣真好", "--preset", "paper", "--near", "none"]).0;
    assert_eq!(raw, "kept: the texts differ, and there is no near stage (--near none)");
    let paper = |a: &str, b: &str| explain(&[a, b, "--preset", "paper"]);
    assert_eq!((&paper(a, a)["verdict"], &paper(a, a)["otherwise"]), (&json!("exact"), &json!([])));
    // In a filter of 8 bits, some text shares one mark with the first text, but not both.
    let verdict = |b: &str, rule: &str| {
        let bits = ["武汉加油", b, "--preset", "paper", "--near", "none", "--bloom-bits", "8", "--bloom-rule", rule];
        explain(&bits)["verdict"] == "exact"
    };
    assert!((0..20).map(|i| format!("第{i}条")).any(|b| verdict(&b, "any") && !verdict(&b, "all")));
    assert_eq!(
        explain(&["武汉加油", "第0条", "--preset", "paper", "--exact", "paper-trie", "--near", "none"])["verdict"],
        "kept"
    );
    // The pair alone does not show what the filter holds.
    let otherwise = paper(a, "明天下午三点开会")["otherwise"].to_string();
    assert!(otherwise.contains("dropped in a run if the paper's hashes"), "{otherwise}");
}

#[test]
fn the_forms_are_shown() {
    let shown = explain(&["#天气# 新增第三例，不到1,234人", "#天氣# 新增第3例 沒到1234人 @小王"]);
    assert_eq!(
        shown["a"],
        json!({
            "canonical": "#天气# 新增第三例,不到1,234人",
            "body": "新增第三例 不到1,234人",
            "topics": ["天气"],
            "tokens": ["新", "增", "第", "3", "例", "不", "到", "1234", "人"],
            "facts": ["3", "不", "1234"],
            "shingles": ["新增", "增第", "第三", "三例", "例不", "不到", "到1", "1,", ",2", "23", "34", "4人"],
            "fingerprint": shown["a"]["fingerprint"],
        })
    );
    assert_eq!(shown["b"]["facts"], json!(["3", "没", "1234"]));
    assert_eq!(shown["differs"], json!([["不", "没"]]));
    assert_eq!(shown["marked"], "新增第3例 -不-+没+到1234人");
    assert_eq!((&shown["equal"], &shown["similarity"]), (&json!(false), &json!(0.888)));
}

#[test]
fn long_texts_are_cut_in_text_and_whole_in_json() {
    let a = "春夏秋冬四季轮转，日子过得很慢。".repeat(2100);
    let b = format!("{a}完");
    assert!(a.len() > 100_000);
    let shown = text(&[&a, &b]);
    assert!(shown.lines().all(|line| line.chars().count() < 160) && shown.lines().count() < 30, "{shown}");
    assert!(shown.contains("the bodies differ, and of more than 8192 tokens only equal ones are repeats"), "{shown}");
    assert_eq!(explain(&[&a, &b])["differs"], Value::Null);
    assert_eq!(why(&[&a, &format!("//@小王:{a}")]).0, "near: the bodies are equal");
}

#[test]
fn annotated_near_repeats_tell_what_differs() {
    let long = "很".repeat(60).replace("很很", "很远");
    let lines = [
        LIBRARY.to_owned(),
        LIBRARY.replace("城东", "城东新").replace("半，", "半。"),
        LIBRARY.replace("城东", "城东新"),
        format!("//@小王:{LIBRARY}"),
        LIBRARY.to_owned(),
        format!("{LIBRARY} {}", &long[..24]),
        "今天天气真好".to_owned(),
    ]
    .join("\n");
    let run = dedup(&["--explain", "--output", "annotated"], lines.as_bytes());
    let differs: Vec<Value> = run.json().iter().map(|line| line["quchong"]["differs"].clone()).collect();
    let new = json!([["", "新"]]);
    // Kept; the same body twice; no difference; an exact repeat; more text at the end; kept.
    assert_eq!(
        differs,
        [Value::Null, new.clone(), new, json!([]), Value::Null, json!([["", "很远很远很远很远"]]), Value::Null]
    );
    let similarities: Vec<Value> = run.json().iter().map(|line| line["quchong"]["similarity"].clone()).collect();
    assert_eq!(similarities[1], similarities[2], "the same body, the same similarity");

    let plain = dedup(&["--output", "annotated"], lines.as_bytes());
    assert!(!plain.text().contains("differs"));
    for useless in [&["--explain"][..], &["--explain", "--near", "simhash", "--output", "annotated"]] {
        let useless = quchong().arg("dedup").args(useless).output().unwrap();
        assert!(String::from_utf8(useless.stderr).unwrap().contains("--explain: does nothing "));
    }
}

/// An exact repeat of a near repeat names a kept message with another text.
#[test]
fn exact_repeats_of_near_repeats_tell_what_differs() {
    let texts = [
        "今天武汉的樱花开了，我在东湖边等你",
        "今天武汉的樱花开了，我在东湖边等你呀",
        "今天武汉的樱花开了，我在东湖边等你呀",
        "今天武汉的樱花开了，我在东湖边等你",
    ];
    let run = dedup(&["--explain", "--output", "annotated"], texts.join("\n").as_bytes());
    let verdicts: Vec<Value> = run.json().iter().map(|line| line["quchong"].clone()).collect();
    assert_eq!(verdicts[2], json!({"verdict": "exact", "of": 1, "differs": [["", "呀"]]}));
    assert_eq!(verdicts[3], json!({"verdict": "exact", "of": 1}));
}

#[test]
fn few_differences_are_told_and_short() {
    let a: String = (0..12).map(|n| format!("第{n}天我们一起沿着江边的路慢慢走到很远的地方去看落日，")).collect();
    let (mut b, passage) = (a.replace("落日", "夕阳"), "雾".to_owned() + &"里看花水中望月".repeat(7));
    b.insert_str(0, &passage);
    let run = dedup(&["--explain", "--output", "annotated"], format!("{a}\n{b}\n").as_bytes());
    let differs = run.json()[1]["quchong"]["differs"].clone();
    assert_eq!(differs.as_array().unwrap().len(), 8);
    assert_eq!(differs[1], json!(["落日", "夕阳"]));
    let first = differs[0][1].as_str().unwrap();
    assert!(first.starts_with("雾里看花") && first.ends_with('…') && first.chars().count() == 40, "{first}");
}

#[test]
fn differences_do_not_depend_on_threads() {
    let lines: String = (0..3000)
        .map(|n| format!("第{}天我们一起沿着江边的路{}走到很远的地方去看落日{}\n", n % 40, n % 3, n % 7))
        .collect();
    let run = |threads| dedup(&["--explain", "--output", "annotated", "-j", threads], lines.as_bytes()).stdout;
    let one = run("1");
    assert!(one == run("4"));
}
