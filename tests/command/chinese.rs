//! The tool in Chinese: messages for people are Chinese, and what programs read stays the same.
#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

use std::process::{Command, Output};

use serde_json::Value;

use crate::common::{generated, quchong};

fn chinese() -> Command {
    let mut command = quchong();
    command.env_remove("QUCHONG_UI").env("LC_ALL", "zh_CN.UTF-8");
    command
}

fn is_han(c: char) -> bool {
    ('\u{4e00}'..'\u{a000}').contains(&c)
}

/// All commands, with the subcommands of `state` and `tune`.
const COMMANDS: [&str; 26] = [
    "",
    "dedup",
    "check",
    "clusters",
    "explain",
    "normalise",
    "generate",
    "tune",
    "tune bloom",
    "tune paper",
    "evaluate",
    "reproduce",
    "methods",
    "sign",
    "sketch",
    "edges",
    "decide",
    "state",
    "state info",
    "state check",
    "state dump",
    "state repair",
    "state compact",
    "settings",
    "completions",
    "man",
];

/// The length of the longest run of lower-case English words in a line.
fn sentence(line: &str) -> usize {
    let words = line.split([' ', '/']).map(|word| word.trim_end_matches([',', '.', ';', ':']));
    let runs = words.scan(0, |run, word| {
        let is_word = word.len() > 1 && word.bytes().all(|byte| byte.is_ascii_lowercase());
        *run = if is_word { *run + 1 } else { 0 };
        Some(*run)
    });
    runs.max().unwrap_or(0)
}

#[test]
fn help_of_every_command_is_chinese() {
    for command in COMMANDS {
        for help in ["-h", "--help"] {
            let words: Vec<&str> = command.split(' ').filter(|word| !word.is_empty()).chain([help]).collect();
            let help = |columns: &str| {
                let run = chinese().args(&words).env("COLUMNS", columns).output().unwrap();
                assert_eq!(run.status.code(), Some(0), "{words:?}");
                String::from_utf8(run.stdout).unwrap()
            };
            let told = help("10000");
            assert!(told.contains("用法：") && told.contains("选项"), "{words:?}: {told}");
            for line in told.lines().filter(|line| !line.contains("quchong ")) {
                // Lists may hold names of rules and engines.
                let is_list = line.contains("[可选值：") || line.contains("repost mention url");
                assert!(sentence(line) < 3 || is_list, "{words:?}: {line}");
            }
            // Only the long help is checked: it contains the lines of the short one.
            let narrow = if words.contains(&"--help") { help("100") } else { String::new() };
            for line in narrow.lines() {
                let columns: usize = line.chars().map(|c| 1 + usize::from(is_han(c))).sum();
                assert!(columns <= 100 || !line.chars().any(is_han), "{words:?}: {line}");
            }
        }
    }
}

/// Runs the same command in both languages, and returns the outputs with the summaries.
fn both(args: &[&str], input: &[u8]) -> [(Output, Value); 2] {
    ["C", "zh_CN.UTF-8"].map(|locale| {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("in.jsonl"), input).unwrap();
        let output =
            quchong().current_dir(&folder).args(args).env_remove("QUCHONG_UI").env("LC_ALL", locale).output().unwrap();
        let summary = std::fs::read(folder.path().join("totals.json")).unwrap_or_else(|_| b"null".to_vec());
        let mut summary: Value = serde_json::from_slice(&summary).unwrap();
        for measured in ["seconds", "peak_memory_bytes", "state_bytes"] {
            summary.as_object_mut().map(|summary| summary.remove(measured));
        }
        (output, summary)
    })
}

#[test]
fn what_programs_read_is_the_same_in_any_language() {
    let mut input = generated(300);
    input.extend_from_slice(b"{\"text\":1}\nnot JSON\n{\"id\":\"x\"}\n");
    for args in [
        "dedup in.jsonl --seed 1 --output annotated --summary totals.json",
        "dedup in.jsonl --seed 1 --output dropped --explain --summary totals.json",
        "dedup in.jsonl --seed 1 --strict --summary totals.json",
        "dedup in.jsonl --seed 1 --on-error fail --summary totals.json",
        "dedup in.jsonl --field nope --summary totals.json",
        "clusters in.jsonl",
        "normalise 你好",
        "explain --format json 昨日新增病例7例 昨日新增病例9例",
        "settings",
        "methods --format json",
        "man dedup",
        "completions bash",
        "sketch in.jsonl",
        "bogus",
    ] {
        let [(english, totals), (chinese, zongji)] = both(&args.split(' ').collect::<Vec<_>>(), &input);
        assert_eq!(String::from_utf8_lossy(&english.stdout), String::from_utf8_lossy(&chinese.stdout), "{args}");
        assert_eq!(english.status.code(), chinese.status.code(), "{args}");
        assert_eq!(totals, zongji, "{args}");
        let said = String::from_utf8(chinese.stderr).unwrap();
        assert!(!String::from_utf8(english.stderr).unwrap().chars().any(is_han), "{args}");
        assert!(said.lines().all(|line| line.chars().any(is_han)), "{args}: {said}");
    }
}

#[test]
fn a_log_for_programs_is_english_but_for_texts() {
    let input = b"{\"text\":1}\n{\"text\":\"a\"}\n";
    let [(english, _), (chinese, _)] = both(&["dedup", "in.jsonl", "--log-format", "json"], input);
    let messages = |output: Output| -> Vec<String> {
        let said = String::from_utf8(output.stderr).unwrap();
        let message = |line: &str| serde_json::from_str::<Value>(line).unwrap()["message"].as_str().unwrap().to_owned();
        // Rates and times differ.
        said.lines().map(message).map(|message| message.split("; ").next().unwrap().to_owned()).collect()
    };
    let [english, chinese] = [english, chinese].map(messages);
    assert_eq!(english, chinese);
    assert!(english.len() > 1 && english.iter().all(|message| message.is_ascii()), "{english:?}");
}

#[test]
fn the_option_goes_before_the_variable_and_that_before_the_locale() {
    let told = |args: &[&str], named: &str, locale: &str| {
        let run = quchong().args(args).env("QUCHONG_UI", named).env("LC_ALL", locale).output().unwrap();
        String::from_utf8(run.stderr).unwrap().chars().any(is_han)
    };
    assert!(!told(&["bogus"], "", "C") && told(&["bogus"], "", "zh_CN.UTF-8"));
    assert!(told(&["bogus"], "zh", "C") && !told(&["bogus"], "en", "zh_CN.UTF-8"));
    assert!(told(&["--ui", "zh", "bogus"], "en", "C") && !told(&["dedup", "--bogus", "--ui=en"], "zh", "C"));
    // Neither the country nor the case of the letters matters.
    for (word, is_chinese) in
        [("zh_CN", true), ("ZH", true), ("zh-Hans", true), ("zh_CN.UTF-8", true), ("en_US", false)]
    {
        assert_eq!(told(&["bogus"], word, if is_chinese { "C" } else { "zh_CN" }), is_chinese, "{word}");
        assert_eq!(told(&["--ui", word, "bogus"], if is_chinese { "en" } else { "zh" }, "C"), is_chinese, "{word}");
    }
    let run = quchong().args(["--ui", "chinese", "settings"]).output().unwrap();
    let said = String::from_utf8(run.stderr).unwrap();
    assert!(run.status.code() == Some(2) && said.contains("--ui chinese: there is no such value; write one of en, zh"));
    let run = quchong().args(["settings"]).env("QUCHONG_UI", "fr").output().unwrap();
    let said = String::from_utf8(run.stderr).unwrap();
    assert_eq!(
        (run.status.code(), said.as_str()),
        (Some(2), "quchong: error: QUCHONG_UI fr: there is no such language; write en or zh\n")
    );
}

/// Words that a report may hold beside Chinese: names of engines and files, options and their values, measures and formulas, a title.
const NAMES: &str = "quchong dedup evaluate tune reproduce posts pairs jsonl feed txt default simhash char word count none exact minhash weibo headline sms \
    careful paper bloom trie verified rule all any xxh bkdr ap canonical preset generate seed tp fp fn tn ms max mod log sqrt ln \
    tf df dl avg cf opt idf decomposition shingle megashingle supershingle multiply shift kind src sign reflow near verify \
    detection of full duplicates texts cz";

/// The English words of a text that are not names. A word with a capital belongs to the name of a paper or method, and a word after two
/// dashes is an option.
fn english(text: &str, methods: &[&str]) -> Vec<String> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || "-_.*^+".contains(c);
    let words = text.split(|c: char| !is_part(c)).filter(|word| !word.starts_with("--") && !methods.contains(word));
    let parts = words.flat_map(|word| word.split(|c: char| !c.is_ascii_alphabetic()));
    let is_bare = |word: &&str| word.len() > 1 && word.bytes().all(|byte| byte.is_ascii_lowercase());
    parts.filter(is_bare).filter(|word| !NAMES.split(' ').any(|name| name == *word)).map(str::to_owned).collect()
}

/// The visible text of a page, without its markup and style, and without the texts of pairs.
fn shown(page: &str) -> String {
    let body = page.split("</style>").nth(1).unwrap();
    let mut parts = body.split("<p dir=\"auto\">");
    let body = parts.next().unwrap_or_default().to_owned()
        + &parts.map(|part| part.split_once("</p>").map_or("", |(_, rest)| rest)).collect::<String>();
    let text = body.split('<').map(|part| part.split_once('>').map_or("", |(_, text)| text)).collect::<Vec<_>>();
    text.join("\n").replace("&amp;", "&").replace("&gt;", ">")
}

#[test]
fn reports_are_chinese_and_so_are_their_pages() {
    are_chinese(&[
        "evaluate pairs.jsonl --sweep distance=2..4 --html page.html",
        "evaluate posts.jsonl --truth edits --sample 20 --engine default --html page.html",
        "evaluate posts.jsonl --truth cluster:id --sample 20 --engine default",
        "evaluate posts.jsonl --truth pooled:0.8 --sample 60 --engine catalogue --html page.html",
        "evaluate posts.jsonl --truth levenshtein:0.85 --sample 60 --least-words 5 --truth-on raw --engine a4",
        "tune bloom --generate 500 --bits 1e4,2e4 --hashes 1,2 --probes 1000 --capacity 100k --all --html page.html",
        "reproduce posts.jsonl --sample 30 --replicates 5 --html page.html",
        "methods",
    ]);
}

#[test]
#[ignore = "the same of reports that take seconds; .ci/run runs it"]
fn long_reports_are_chinese_too() {
    are_chinese(&[
        "tune bloom --generate 500 --bits 1e4 --hashes 2 --hash bkdr-ap --rule any --capacity 1e9 --target-error 1e-6",
        "tune paper feed.txt --html page.html",
        "reproduce posts.jsonl --sample 60 --replicates 20 --html page.html",
    ]);
}

fn are_chinese(commands: &[&str]) {
    let folder = tempfile::tempdir().unwrap();
    let posts = std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/data/posts.jsonl")).unwrap();
    std::fs::write(folder.path().join("posts.jsonl"), posts).unwrap();
    let pairs = r#"{"a":"昨日新增7例","b":"昨日新增9例","label":0,"kind":"x"}
{"a":"今天武汉的樱花开了","b":"转发微博 //@小王: 今天武汉的樱花开了","label":1,"kind":"y"}
{"a":"今天武汉的樱花开了，我在等你","b":"今天武汉的樱花谢了，我在等你","label":2,"kind":"y"}
"#;
    std::fs::write(folder.path().join("pairs.jsonl"), pairs).unwrap();
    let feed: String = (0..50_000).map(|i| format!("第{i}条消息\n")).collect();
    std::fs::write(folder.path().join("feed.txt"), feed).unwrap();
    let methods = chinese().args(["methods", "--format", "json"]).output().unwrap();
    let methods: Vec<Value> = serde_json::from_slice(&methods.stdout).unwrap();
    let names: Vec<&str> = methods.iter().map(|method| method["method"].as_str().unwrap()).collect();
    let all = format!("methods {}", names.join(" "));
    for args in commands.iter().chain([&all.as_str()]) {
        let words: Vec<&str> = args.split(' ').collect();
        let run = chinese().current_dir(&folder).args(&words).output().unwrap();
        assert_eq!(run.status.code(), Some(0), "{args}: {}", String::from_utf8_lossy(&run.stderr));
        let report = String::from_utf8(run.stdout).unwrap();
        assert!(report.chars().filter(|c| is_han(*c)).count() > 100, "{args}: {report}");
        let found = english(&report, &names);
        assert!(found.is_empty(), "{args}: {found:?}\n{report}");
        for heading in report.lines().filter(|line| line.starts_with("## ")) {
            assert!(heading.chars().any(is_han), "{args}: {heading}");
        }
        if args.contains("page.html") {
            let page = std::fs::read_to_string(folder.path().join("page.html")).unwrap();
            let found = english(&shown(&page), &names);
            assert!(page.contains("lang=\"zh\"") && found.is_empty(), "{args}: {found:?}");
            // With edits as truth, no engine is the best.
            assert_eq!(page.contains("class=\"headline\""), !args.contains("edits"), "{args}");
        }
    }
}

#[test]
fn a_misjudged_pair_is_explained_in_the_language_of_the_page() {
    let folder = tempfile::tempdir().unwrap();
    let pair = r#"{"a":"昨日新增7例，累计83例","b":"昨日新增9例，累计83例","label":1}"#;
    std::fs::write(folder.path().join("pairs.jsonl"), pair).unwrap();
    for (ui, reason) in [("zh", "事实不同（数字）：7 / 9"), ("en", "a fact differs (number): 7 / 9")] {
        let args = ["--ui", ui, "evaluate", "pairs.jsonl", "--engine", "default", "--html", "page.html"];
        assert!(quchong().current_dir(&folder).args(args).output().unwrap().status.success());
        let page = std::fs::read_to_string(folder.path().join("page.html")).unwrap();
        assert!(page.contains(reason), "{ui}: {page}");
    }
}

#[test]
fn what_programs_read_of_a_report_is_the_same_in_any_language() {
    let outputs = |args: &str| {
        ["en", "zh"].map(|ui| {
            let folder = tempfile::tempdir().unwrap();
            std::fs::write(folder.path().join("in.jsonl"), generated(300)).unwrap();
            let words = args.split(' ');
            let run = quchong().current_dir(&folder).args(words).env("QUCHONG_UI", ui).output().unwrap();
            assert_eq!(run.status.code(), Some(0), "{args}: {}", String::from_utf8_lossy(&run.stderr));
            let written =
                ["out.json", "out.csv"].map(|name| std::fs::read(folder.path().join(name)).unwrap_or_default());
            (String::from_utf8(run.stdout).unwrap(), written.map(|text| String::from_utf8(text).unwrap()))
        })
    };
    for args in [
        "evaluate in.jsonl --truth edits --sample 20 --engine default --engine a4 --format json",
        "evaluate in.jsonl --truth edits --sample 20 --engine default --engine a4 --format csv",
        "evaluate in.jsonl --truth indel:0.8 --engine catalogue --sample 50 --pairs out.json --format json",
        "reproduce in.jsonl --sample 40 --replicates 5 --format json --json out.json",
    ] {
        let [english, chinese] = outputs(args);
        assert_eq!(english, chinese, "{args}");
        assert!(english.0.len() > 500, "{args}");
    }
    // Times differ, words do not.
    let words = |text: &String| text.replace(|c: char| c.is_ascii_digit() || ".-+e ".contains(c), "");
    let tuned = outputs("tune bloom --generate 500 --bits 1e4 --hashes 2 --probes 1000 --json out.json --csv out.csv");
    let [english, chinese] = tuned.map(|(_, written)| written.each_ref().map(words));
    assert_eq!(english, chinese);
    assert!(english.iter().all(|text| text.len() > 100), "{english:?}");
}

#[test]
fn a_fact_is_named_in_chinese_and_an_empty_side_is_told() {
    let explained = |ui: &str, [a, b]: [&str; 2], more: &[&str]| {
        let run = quchong().args(["--ui", ui, "explain", a, b]).args(more).output().unwrap();
        String::from_utf8(run.stdout).unwrap()
    };
    let places = ["河南省教育厅发布重要通知", "河北省教育厅发布重要通知"];
    let qualified = ["今日气温零下，注意保暖，减少外出时间", "今日气温，注意保暖，减少外出时间"];
    for (pair, english, chinese) in [
        (places, "a fact differs (province): 河南省 / 河北省", "事实不同（省份）：河南省 / 河北省"),
        (qualified, "a fact differs (qualifier): 零下 / (none)", "事实不同（限定词）：零下 / （无）"),
    ] {
        let [told, zongji] = ["en", "zh"].map(|ui| explained(ui, pair, &[]));
        assert!(told.contains(english) && zongji.contains(chinese), "{told}\n{zongji}");
        let [told, zongji] = ["en", "zh"].map(|ui| explained(ui, pair, &["--format", "json"]));
        assert_eq!(told, zongji);
        assert!(told.contains(english), "{told}");
    }
}

#[test]
fn lists_are_parted_as_chinese_parts_them() {
    let run = chinese().args(["dedup", "--near", "bogus"]).output().unwrap();
    let said = String::from_utf8(run.stderr).unwrap();
    assert!(said.contains("可写 hybrid、simhash、minhash、none"), "{said}");
    let run = chinese().args(["completions", "bogus"]).output().unwrap();
    let said = String::from_utf8(run.stderr).unwrap();
    assert!(said.contains("没有这个 shell；可写 bash、"), "{said}");
}
