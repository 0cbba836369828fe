//! What is written, and where.

use super::values::put;
use super::{SETTING, Setting, Value, When};
use crate::config::units::{count, duration};

const OUTPUT: Setting = Setting { group: "Output", ..SETTING };

pub(super) const SETTINGS: &[Setting] = &[
    Setting {
        name: "output",
        value: Value::Word(&[
            ("kept", "Those that are kept, byte for byte"),
            ("dropped", "Those that are dropped, annotated"),
            ("annotated", "All, annotated"),
        ]),
        default: "kept",
        example: "annotated",
        noted: Some(str::to_owned),
        help: "Which records to write; dropped and annotated ones carry a member or column \"quchong\" with the verdict",
        zh: "写出哪些记录；除 `kept` 外都附加成员 `\"quchong\"`",
        ..OUTPUT
    },
    Setting {
        name: "output-file",
        short: Some('o'),
        value: Value::Text("FILE"),
        default: "standard output",
        zh_default: "标准输出",
        example: "kept.jsonl",
        noted: Some(str::to_owned),
        help: "Where to write them; compressed if the name ends in .gz, .zst, .bz2 or .xz, as that of --dropped",
        more: "Rows of Parquet leave as Parquet, but as JSON objects in outputs that are called .jsonl",
        zh: "写到哪里；`.gz`、`.zst`、`.bz2`、`.xz` 则压缩，`--dropped` 亦然",
        ..OUTPUT
    },
    Setting {
        name: "append",
        acts: &[
            When::Any(&[When::With("output-file"), When::With("dropped")]),
            When::Without("resume"),
            When::Without("again"),
        ],
        help: "Add to what -o and --dropped have in them, in place of replacing it",
        zh: "追加在 `-o` 和 `--dropped` 已有内容之后，不覆盖",
        ..OUTPUT
    },
    Setting {
        name: "dropped",
        value: Value::Text("FILE"),
        example: "dropped.jsonl",
        noted: Some(str::to_owned),
        help: "Also write the dropped records, annotated, to this file",
        zh: "另外写出去掉的记录，带标注",
        ..OUTPUT
    },
    Setting {
        name: "explain",
        acts: &[
            When::Is("near", &["hybrid"]),
            When::Any(&[When::Is("output", &["dropped", "annotated"]), When::With("dropped")]),
        ],
        noted: Some(str::to_owned),
        help: "Annotate near repeats found by their texts with \"differs\": up to 8 stretches [\"old\",\"new\"], of the kept body and of \
               this one",
        more: "Keeps the bodies of --verify-window in memory (each its bytes and 40, about 160 bytes for a Weibo post)",
        zh: "由文本判定的近似重复附上 `\"differs\"`；窗口内每条保留的微博约多占 160 字节",
        ..OUTPUT
    },
    Setting {
        name: "keep",
        value: Value::Text("N"),
        default: "1",
        example: "3",
        acts: &[When::Is("exact", &["verified", "trie", "none"]), When::Is("represent", &["first"])],
        read: Some(|config, text| put(&mut config.keep, count(text))),
        tell: |config| Some(config.keep.to_string()),
        range: Some(("1 to 4294967296; more than 1 with --exact verified, trie or none", |config| {
            (1..=1 << 32).contains(&config.keep) && (config.keep == 1 || !config.exact.errs())
        })),
        decides: |_| true,
        help: "Let the first N messages of a cluster through: the kept one, and the first N-1 that repeat it",
        more: "Annotated, a further one that goes through is {\"verdict\":\"kept\",\"of\":ID,\"copy\":2}, and one that is dropped has its \
               \"copy\", too. To act from the 5th copy on, let 4 through. Takes at most 60 bytes for each message that has been repeated; a \
               --state must have been made with it. What repeats an archive (--against) is dropped at once",
        zh: "每个簇放行前 N 条：保留的那条和最先重复它的 N-1 条；判定里有 `\"copy\"`。每条被重复过的至多占 60 字节",
        ..OUTPUT
    },
    Setting {
        name: "recount",
        value: Value::Text("TIME"),
        example: "10m",
        acts: &[
            When::Is("output", &["annotated"]),
            When::Is("exact", &["verified", "trie", "none"]),
            When::Without("represent"),
        ],
        tell: |config| config.recount.then(String::new),
        decides: |_| true,
        noted: Some(|text| duration(text).map_or_else(|_| text.to_owned(), |length| format!("{length}ms"))),
        range: Some(("it with --exact verified, trie or none, which know what is repeated", |config| {
            !config.recount || !config.exact.errs()
        })),
        help: "With `--output annotated`: every so often (30s, 10m, 1h), write for each kept message that has been repeated since a \
               record of its own, {\"quchong\":{\"verdict\":\"recount\",\"of\":ID,\"count\":N,\"exact\":N,\"near\":N}}",
        more: "count is of all, the kept one too. A feed goes by the wall clock; files go by their messages' times (--time-field). \
               What is untold is told at the end, and when the message leaves the --window. A --state must have been made with it. \
               Takes at most 60 bytes for each message that has been repeated",
        zh: "与 `--output annotated` 同用：每隔这么久报告一次保留消息被重复的次数；每条被重复过的至多占 60 字节",
        ..OUTPUT
    },
    Setting {
        name: "summary",
        value: Value::Text("FILE"),
        example: "totals.json",
        help: "Write the totals as JSON to this file",
        zh: "JSON 形式的总计",
        ..OUTPUT
    },
    Setting {
        name: "report",
        value: Value::Text("FILE"),
        example: "report.html",
        help: "Write a page with charts of the whole run to this file: repeats over time (of the messages with --time-field, else by \
               position), by verdict and length, the largest clusters, throughput, the filter",
        more: "It needs no network. Takes at most 8 MB",
        zh: "整个运行的网页：随时间（有 `--time-field` 时，否则按先后）、判定、长度、簇；至多占 8 MB",
        ..OUTPUT
    },
    Setting {
        name: "represent",
        value: Value::Text("WHICH"),
        default: "first",
        example: "longest",
        acts: &[When::Without("state"), When::Without("follow"), When::Without("explain"), When::Without("max-memory")],
        help: "Which message of a cluster is written, byte for byte and at its own place: first, longest, newest, most-frequent, \
               largest:FIELD, smallest:FIELD or listed:FIELD=A,B; the others, dropped, name it",
        more: "longest: the one of most characters. newest: the one with the latest time (--time-field); without times, the last. \
               most-frequent: the first one of the wording that most have. largest and smallest go by a number or a date (RFC 3339, or as \
               Weibo writes it), listed by the order of the list; of equal ones the first is taken, and one without such a value only if \
               none has one. All but `first` read the files twice, and hold about 100 bytes more for each kept message and 40 for each repeat",
        zh: "每个簇保留哪一条：`first`（最先）、`longest`（最长）、`newest`（最新）、`most-frequent`（最常见的写法）、`largest:字段`、`smallest:字段`（数或日期最大、最小）、`listed:字段=甲,乙`（按所列次序）；除 `first` 外文件读两遍，每条保留的消息约占 100 字节，每条重复占 40 字节",
        ..OUTPUT
    },
    Setting {
        name: "quiet",
        short: Some('q'),
        help: "Say nothing on standard error but errors",
        zh: "标准错误上只报错误",
        ..OUTPUT
    },
];
