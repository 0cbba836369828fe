//! The output: each drop is explained, and every record goes where the options say.
#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

use crate::common::{dedup, quchong};
use serde_json::json;

const INPUT: &str = r#"{"id":"a","text":"今天武汉的樱花开了，我们都在东湖边等你回来"}
{"id":"b","text":"转发微博 //@小王: 今天武汉的樱花开了，我们都在东湖边等你回来 "}
{"id":"c","text":"今天武漢的櫻花開了，我們都在東湖邊等你回來"}
{"text":"今天武汉的樱花开了，我们都在东湖边等你回来！"}
{"id":5,"text":"明天见"}
"#;

#[test]
fn verdicts_name_the_kept_message_and_the_reason() {
    let run = dedup(&["--output", "annotated"], INPUT.as_bytes());
    let verdicts: Vec<_> = run.json().into_iter().map(|line| line["quchong"].clone()).collect();
    assert_eq!(
        verdicts,
        [
            json!({"verdict": "kept"}),
            json!({"verdict": "near", "of": "a", "engine": "overlap", "similarity": 1.0}),
            json!({"verdict": "exact", "of": "a"}),
            json!({"verdict": "near", "of": "a", "engine": "overlap", "similarity": 1.0}),
            json!({"verdict": "kept"}),
        ]
    );
    // Every record as it came, with one more member.
    for (line, annotated) in INPUT.lines().zip(run.text().lines()) {
        assert!(annotated.starts_with(line.strip_suffix('}').unwrap()), "{annotated}");
    }
}

#[test]
fn minhash_tells_the_similarity() {
    let folder = tempfile::tempdir().unwrap();
    let dropped = folder.path().join("dropped.jsonl");
    let args = ["--near", "minhash", "--output", "annotated", "--dropped", dropped.to_str().unwrap()];
    // One character of twenty differs, and with it at least two of eleven bigrams on each side.
    let edited = r#"{"id":"e","text":"今天武汉的樱花开了，我们都在东湖边等他回来"}"#;
    let run = dedup(&args, format!("{INPUT}{edited}\n").as_bytes());
    let verdicts: Vec<_> = run.json().into_iter().map(|line| line["quchong"].clone()).collect();
    assert_eq!(verdicts[1], json!({"verdict": "near", "of": "a", "engine": "minhash", "similarity": 1.0}));
    let similarity = verdicts[5]["similarity"].as_f64().unwrap();
    assert!((0.7..0.95).contains(&similarity) && verdicts[5]["of"] == "a", "{}", verdicts[5]);
    assert!(run.text().contains(r#""similarity":1.00}"#), "two decimals: {}", run.text());
    let dropped = std::fs::read_to_string(dropped).unwrap();
    assert!(dropped.lines().last().unwrap().ends_with(&format!(r#""similarity":{similarity:.2}}}}}"#)), "{dropped}");
}

#[test]
fn minhash_leaves_short_and_empty_bodies_alone() {
    // Texts shorter than the shingle are near only if their bodies are equal. Texts without a body are never near.
    let lines = "好\n行\n好！\n顶\n嗯嗯\n嗯嗯!!\n[哈哈]\n[哈哈][哈哈]\n#樱花#\n#樱花##樱花#\n赞\n";
    let run = dedup(&["--near", "minhash", "--shingle", "char:3"], lines.as_bytes());
    assert_eq!(run.text(), "好\n行\n顶\n嗯嗯\n[哈哈]\n[哈哈][哈哈]\n#樱花#\n#樱花##樱花#\n赞\n");
}

#[test]
fn what_is_said_over_and_over_counts_once() {
    let lines =
        "哈哈哈哈哈哈哈哈\n食堂的鱼咸得要命哈哈哈哈哈哈哈哈哈哈哈哈哈哈哈哈哈哈哈哈哈哈\n哈哈哈哈哈哈哈哈哈哈\n";
    let kept = |weights| dedup(&["--near", "simhash", "--weights", weights], lines.as_bytes()).total("/kept");
    assert_eq!((kept("count"), kept("once")), (1, 2));
}

#[test]
fn kept_and_dropped_are_all_there_is() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("dropped.jsonl");
    let dropped_to = ["--dropped", file.to_str().unwrap()];
    for output in ["kept", "dropped", "annotated"] {
        let run = dedup(&[&dropped_to[..], &["--output", output]].concat(), INPUT.as_bytes());
        let beside = std::fs::read_to_string(&file).unwrap();
        assert_eq!(beside.lines().count(), 3);
        match output {
            "kept" => assert_eq!(run.text().lines().count(), 2),
            "dropped" => assert_eq!(run.text(), beside),
            _ => assert!(beside.lines().all(|line| run.text().lines().any(|other| other == line))),
        }
    }
}

#[test]
fn plain_lines_become_objects() {
    let run = dedup(&["--output", "annotated", "--near", "none"], "去\"重\n去\"重 \n".as_bytes());
    assert_eq!(
        run.text(),
        "{\"text\":\"去\\\"重\",\"quchong\":{\"verdict\":\"kept\"}}\n{\"text\":\"去\\\"重 \",\"quchong\":{\"verdict\":\"exact\",\"of\":1}}\n"
    );
}

#[test]
fn annotating_twice_leaves_one_annotation() {
    let once = dedup(&["--output", "annotated"], INPUT.as_bytes());
    let twice = dedup(&["--output", "annotated"], &once.stdout);
    assert_eq!(twice.text(), once.text());
}

#[test]
fn a_member_is_known_however_its_key_is_spelled() {
    let run = dedup(&["--output", "annotated"], b"{\"\\u0071uchong\":1,\"text\":\"a\"}\n{\"text\":  \"\\u4f60\"}\n");
    assert_eq!(
        run.text(),
        "{\"text\":\"a\",\"quchong\":{\"verdict\":\"kept\"}}\n{\"text\":  \"\\u4f60\",\"quchong\":{\"verdict\":\"kept\"}}\n"
    );
}

#[test]
fn a_filter_alone_cannot_name_what_is_repeated_and_says_how_sure_it_is() {
    let run = dedup(&["--exact", "bloom", "--near", "none", "--output", "dropped"], INPUT.as_bytes());
    assert!(run.json().iter().all(|line| line["quchong"]["of"].is_null()), "{}", run.text());
    assert!(run.stderr.contains("Bloom filter:"), "{}", run.stderr);
    let filter = &run.summary["filter"];
    assert_eq!((filter["capacity"].as_u64(), filter["inserted"].as_u64()), (Some(10_000_000), Some(4)));
}

#[test]
fn rounds_are_filters_of_their_own() {
    let run = |rounds| {
        let args = ["--exact", "bloom", "--near", "none", "--bloom-bits", "8000", "--bloom-hashes", "2"];
        dedup(&[&args[..], &["--bloom-rounds", rounds]].concat(), INPUT.as_bytes())
    };
    let (one, three) = (run("1"), run("3"));
    assert_eq!((one.text(), &three.summary["filter"]["bits"]), (three.text(), &24_000.into()));
    assert_eq!(three.summary["filter"]["rounds"], 3);
    let none = run("0");
    assert!(none.code == Some(2) && none.stderr.contains("--bloom-rounds: 0 is out of range"), "{}", none.stderr);
}

#[test]
fn the_paper_s_trie_names_what_is_repeated_and_says_how_many_it_may_have_lost() {
    let args = |exact| ["--near", "none", "--output", "dropped", "--exact", exact];
    let run = dedup(&args("paper-trie"), INPUT.as_bytes());
    assert!(run.stderr.contains("the paper's trie, hash csharp-x86: about 0.0 new messages"), "{}", run.stderr);
    assert_eq!(run.text(), dedup(&args("verified"), INPUT.as_bytes()).text());
    assert!(run.total("/state_bytes/trie") > 0);
}

#[test]
fn an_overfull_filter_warns_once_and_a_verified_one_loses_nothing() {
    let lines: String = (0..2000).map(|i| format!("第{i}条消息\n")).collect();
    let size = ["--near", "none", "--capacity", "100", "--exact"];
    let bloom = dedup(&[&size[..], &["bloom"]].concat(), lines.as_bytes());
    assert_eq!(bloom.stderr.matches("warning: ").count(), 1, "{}", bloom.stderr);
    assert!(bloom.total("/dropped/exact") > 100, "{}", bloom.summary);
    // A stated number of bits holds as many texts as it can, whatever the capacity: −(2000/3)·ln(1 − 0.01^(1/3)).
    let bits = ["--near", "none", "--exact", "bloom", "--bloom-bits", "2000", "--bloom-hashes", "3"];
    let stated = dedup(&bits, lines.as_bytes());
    assert!(stated.stderr.contains("warning: more texts than the 161"), "{}", stated.stderr);
    let verified = dedup(&[&size[..], &["verified"]].concat(), lines.as_bytes());
    assert_eq!((verified.total("/kept"), verified.stderr.matches("warning: ").count()), (2000, 1));
}

#[test]
fn nothing_but_wrapping_is_no_near_repeat() {
    let lines = "😀😀\n😭\n#樱花#\n#武汉#\nhttp://t.cn/a\nhttp://t.cn/b\n@小王\n@小李\n[鼓掌]\n[哈哈]\n";
    assert_eq!(dedup(&[], lines.as_bytes()).text(), lines);
}

#[test]
fn a_short_text_is_a_shingle_of_its_own() {
    let lines = "好\n不\n早安\n晚安\n好的\n";
    assert_eq!(dedup(&[], lines.as_bytes()).text(), lines);
    for shingle in ["word:2", "word:16", "char:3", "char:16"] {
        assert_eq!(dedup(&["--near", "simhash", "--shingle", shingle], lines.as_bytes()).text(), lines, "{shingle}");
    }
}

#[test]
fn raw_is_byte_for_byte() {
    let run = dedup(&["--exact-on", "raw", "--near", "none"], "a\nA\na \na\n".as_bytes());
    assert_eq!(run.text(), "a\nA\na \n");
}

#[test]
fn a_rule_that_is_switched_off_leaves_its_wrapping_on() {
    let lines =
        "#樱花# 今天武汉的樱花开了，我们都在东湖边等你回来\n#武汉# 今天武汉的樱花开了，我们都在东湖边等你回来\n";
    assert_eq!(dedup(&[], lines.as_bytes()).total("/dropped/near"), 1);
    assert_eq!(
        dedup(&["--normalise", "-topic", "--near", "simhash", "--max-distance", "0"], lines.as_bytes()).total("/kept"),
        2
    );
}

/// Rows that are written anew end as the header of their table does. They once ended with LF in every table.
#[test]
fn rows_end_as_the_header_does() {
    let folder = tempfile::tempdir().unwrap();
    for (name, rows) in [("a.csv", "id,text\r\n1,你好\r\n2,你好\r\n3,再见"), ("b.csv", "id,text\n4,明天见\n5,你好\n")]
    {
        std::fs::write(folder.path().join(name), rows).unwrap();
    }
    let run = |args: &[&str]| {
        let args = [&["dedup", "-q", "--dropped", "dropped.csv", "a.csv", "b.csv"], args].concat();
        let output = quchong().current_dir(&folder).args(args).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let dropped = std::fs::read_to_string(folder.path().join("dropped.csv")).unwrap();
        let end = |line: &str| if line.ends_with("\r\n") { "\r\n" } else { "\n" };
        let ends = |text: &str| text.split_inclusive('\n').map(end).collect::<Vec<_>>();
        (ends(&dropped), ends(std::str::from_utf8(&output.stdout).unwrap()))
    };
    assert_eq!(run(&[]), (vec!["\r\n", "\r\n", "\n"], vec!["\r\n", "\r\n", "\r\n", "\n"]));
    assert_eq!(run(&["--output", "annotated"]).1, ["\r\n", "\r\n", "\r\n", "\r\n", "\n", "\n"]);
}

#[test]
fn annotated_output_has_the_records_that_are_dropped_because_of_errors() {
    let input = b"{\"text\":\"a\"}\n{\"text\":null}\n";
    let pass = dedup(&["--output", "annotated"], input);
    let drop = dedup(&["--output", "annotated", "--on-error", "drop"], input);
    assert!(pass.text().contains(r#"{"text":null,"quchong":{"verdict":"error","error":"not-a-string"}}"#));
    assert_eq!(pass.text(), drop.text());
}
