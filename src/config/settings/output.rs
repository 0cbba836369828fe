//! Settings of the output: what is written, and where.

use super::values::put;
use super::{SETTING, Setting, Value, WITH_FIELDS, When};
use crate::config::units::{count, duration};

/// The condition that some stage finds repeats.
pub(super) const FINDS: When = When::Any(&[
    When::Is("exact", &["verified", "bloom", "trie", "paper-bloom", "paper-trie"]),
    When::Is("near", &["hybrid", "simhash", "minhash"]),
]);

/// The condition that some stage finds repeats and can name the earlier message. A filter alone cannot name one.
const FINDS_NAMED: When = When::Any(&[
    When::Is("exact", &["verified", "trie", "paper-trie"]),
    When::Is("near", &["hybrid", "simhash", "minhash"]),
]);

const OUTPUT: Setting = Setting { group: "Output", ..SETTING };

pub(super) const SETTINGS: &[Setting] = &[
    Setting {
        name: "output",
        value: Value::Word(&[
            ("kept", "Kept records, byte for byte"),
            ("dropped", "Dropped records, annotated"),
            ("annotated", "All records, annotated"),
        ]),
        default: "kept",
        example: "annotated",
        noted: Some(str::to_owned),
        help: "Which records to write. Dropped and annotated records have the verdict in \"quchong\"",
        zh: "写出哪些记录：保留的、丢弃的，或全部；后两种附有判定 `\"quchong\"`",
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
        help: "Write these records to FILE. It is compressed if its name ends in .gz, .zst, .bz2 or .xz; so is the file of --dropped",
        more: "Rows of Parquet are written as Parquet, or as JSON objects if the name ends in .jsonl",
        zh: "写到此文件；扩展名为 `.gz`、`.zst`、`.bz2`、`.xz` 时压缩，`--dropped` 也一样",
        zh_more: "Parquet 的行写成 Parquet；文件名以 .jsonl 结尾时写成 JSON 对象",
        ..OUTPUT
    },
    Setting {
        name: "append",
        acts: &[
            When::Any(&[When::With("output-file"), When::With("dropped")]),
            When::Without("resume"),
            When::Without("again"),
        ],
        help: "Add to -o and --dropped instead of replacing them",
        zh: "追加到 `-o` 和 `--dropped` 的已有内容之后，而不是覆盖",
        ..OUTPUT
    },
    Setting {
        name: "dropped",
        value: Value::Text("FILE"),
        example: "dropped.jsonl",
        noted: Some(str::to_owned),
        help: "Also write the dropped records, annotated, to FILE",
        zh: "另把丢弃的记录写到此文件，附有判定",
        ..OUTPUT
    },
    Setting {
        name: "explain",
        acts: &[
            When::Is("near", &["hybrid"]),
            When::Any(&[When::Is("output", &["dropped", "annotated"]), When::With("dropped")]),
        ],
        noted: Some(str::to_owned),
        help: "Add \"differs\" to near repeats that were found by comparing texts, and to exact repeats of such: up to 8 places that differ, each as [\"kept body\",\"this body\"]",
        more: "Keeps the bodies of the messages within --verify-window in memory. Each takes 40 bytes more than its text, about 160 bytes for a Weibo post",
        zh: "凭文本判定的近似重复，以及与这种重复相同的精确重复，附上 `\"differs\"`：最多八处不同，每处写 `[\"保留的\",\"这一条的\"]`。`--verify-window` 之内每条保留的微博约多占 160 字节",
        zh_more: "为此要把 --verify-window 之内保留的消息留在内存里，每条比它的正文多占 40 字节",
        ..OUTPUT
    },
    Setting {
        name: "keep",
        commands: &["serve"],
        value: Value::Text("N"),
        default: "1",
        example: "3",
        acts: &[When::Is("exact", &["verified", "trie", "none"]), FINDS, When::Without("represent")],
        read: Some(|config, text| put(&mut config.keep, count(text))),
        value_in: |config| Some(config.keep.to_string()),
        range: Some(("1 to 4294967296, and more than 1 only with --exact verified, trie or none", |config| {
            (1..=1 << 32).contains(&config.keep) && (config.keep == 1 || !config.exact.errs())
        })),
        decides: |_| true,
        help: "Keep the first N messages of a cluster: the first message, and the first N-1 that repeat it",
        more: "The verdict of a repeat says which copy it is: {\"verdict\":\"kept\",\"of\":ID,\"copy\":2}, or \"copy\":4 of one that is dropped. To act from the 5th copy on, keep 4. A message that repeats one of --against is always dropped. A --state must have been made with this option. Takes at most 60 bytes for each repeated message",
        zh: "每个簇保留前 N 条：最先的一条，和最先重复它的 N-1 条；重复的判定用 `\"copy\"` 注明是第几条；每条有重复的消息至多占 60 字节",
        zh_more: "重复的判定写作 {\"verdict\":\"kept\",\"of\":ID,\"copy\":2}；丢弃的一条写作 \"copy\":4。如果要从第 5 次起处理，就保留 4 条。与 --against 的存档重复的，一律丢弃。建立 --state 时就要给出这个选项",
        ..OUTPUT
    },
    Setting {
        name: "recount",
        value: Value::Text("TIME"),
        example: "10m",
        acts: &[
            When::Is("output", &["annotated"]),
            When::Is("exact", &["verified", "trie", "none"]),
            FINDS,
            When::Without("represent"),
        ],
        value_in: |config| config.recount.then(String::new),
        decides: |_| true,
        noted: Some(|text| duration(text).map_or_else(|_| text.to_owned(), |length| format!("{length}ms"))),
        range: Some(("it with --exact verified, trie or none, which know what is repeated", |config| {
            !config.recount || !config.exact.errs()
        })),
        help: "With `--output annotated`: every TIME (30s, 10m, 1h), report each kept message that was repeated since its last report, as {\"quchong\":{\"verdict\":\"recount\",\"of\":ID,\"count\":N,\"exact\":N,\"near\":N}}",
        more: "count includes the kept message. A feed goes by the wall clock, files by their messages' times (--time-field). The rest is reported at the end, and when a message leaves the --window. A --state must have been made with this option. Takes at most 60 bytes for each repeated message",
        zh: "与 `--output annotated` 同用：每隔这段时间（30s、10m、1h），报告此间又有重复的保留消息及其次数，写作 `{\"quchong\":{\"verdict\":\"recount\",\"of\":ID,\"count\":N,\"exact\":N,\"near\":N}}`；每条有重复的消息至多占 60 字节",
        zh_more: "count 包括保留的那一条。读数据流时按系统时钟报告，文件按消息自身的时间（--time-field）。其余的在结束时报告；消息移出 --window 时也报告。建立 --state 时就要给出这个选项",
        ..OUTPUT
    },
    Setting {
        name: "summary",
        value: Value::Text("FILE"),
        example: "totals.json",
        help: "Write the totals to FILE, as JSON",
        zh: "把总计以 JSON 写到此文件",
        ..OUTPUT
    },
    Setting {
        name: "report",
        value: Value::Text("FILE"),
        example: "report.html",
        help: "Write a page about the run to FILE: repeats over time (of the messages with --time-field, else by position), by verdict and by length, the largest clusters, throughput, the filter",
        more: "The page needs no network. Takes at most 8 MB of memory",
        zh: "把这次运行的报告写成网页，存到此文件：重复随时间的变化（有 `--time-field` 时按消息时间，否则按先后）、按判定和长度的分布、最大的簇、吞吐、过滤器；至多占 8 MB 内存",
        zh_more: "网页不需要联网",
        ..OUTPUT
    },
    Setting {
        name: "represent",
        value: Value::Text("WHICH"),
        default: "first",
        example: "largest:likes",
        formats: WITH_FIELDS,
        acts: &[
            FINDS_NAMED,
            When::Without("state"),
            When::Without("follow"),
            When::Without("explain"),
            When::Without("max-memory"),
        ],
        help: "Which message of a cluster is kept, byte for byte and at its own place: first, longest, newest, most-frequent, largest:FIELD, smallest:FIELD or listed:FIELD=A,B. The others are dropped and name it",
        more: "longest: the one with most characters. newest: the one with the latest time (--time-field); of equal times and without times, the last. most-frequent: the first one of the most frequent wording. largest and smallest compare numbers or dates (RFC 3339, or as Weibo writes them); listed takes the value that comes first in the list. If otherwise several are best, the first of them is kept. A message without a value is kept only if no message of its cluster has one. All but `first` read the files twice, and take about 100 bytes more for each kept message and 64 for each repeat",
        zh: "每个簇保留哪一条：`first`（最先）、`longest`（字数最多）、`newest`（时间最晚）、`most-frequent`（最常见的写法）、`largest:字段`、`smallest:字段`（数或日期最大、最小）、`listed:字段=甲,乙`（按所列次序）；除 `first` 外，文件要读两遍，每条保留的消息另占约 100 字节，每条重复另占 64 字节",
        zh_more: "newest 按 --time-field 的时间；时间相同或没有时间，取最后一条。most-frequent 取最常见写法的第一条。largest 和 smallest 比较数或日期（RFC 3339，或微博的写法）；listed 取列表中最靠前的值。仍不止一条时，保留最先的一条。没有值的消息，只有同簇的消息都没有值时才保留",
        ..OUTPUT
    },
    Setting {
        name: "quiet",
        short: Some('q'),
        help: "Print on standard error only errors, and warnings of misspelt settings and of messages that are or may be lost",
        zh: "标准错误上只输出错误，以及消息可能丢失、设置写错的警告",
        ..OUTPUT
    },
    Setting {
        name: "color",
        value: Value::Word(&[
            ("auto", "On a terminal, unless NO_COLOR is set; with CLICOLOR_FORCE in a pipe, too"),
            ("always", "Everywhere"),
            ("never", "Nowhere"),
        ]),
        default: "auto",
        example: "never",
        help: "When messages, differences and tables have colours",
        zh: "何时给消息、差异和表格上色",
        ..OUTPUT
    },
    Setting {
        name: "progress",
        value: Value::Word(&[("auto", "If standard error is a terminal"), ("never", "Nowhere; `-q` hides it, too")]),
        default: "auto",
        example: "never",
        help: "When a bar on standard error shows how far the work is",
        zh: "何时在标准错误上显示进度条",
        ..OUTPUT
    },
];
