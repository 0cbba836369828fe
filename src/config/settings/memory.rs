//! Settings that limit the memory.

use super::output::FINDS;
use super::values::{put, word};
use super::{SETTING, Setting, TIME_FIELD, Value, WITH_FIELDS, When};
use crate::config::names::value_of;
use crate::config::units::{duration, length, size, window};
use crate::config::{MAX_TIME, OnFull, Span};

const MEMORY: Setting = Setting { group: "Memory", ..SETTING };

pub(super) const SETTINGS: &[Setting] = &[
    Setting {
        name: "window",
        commands: &["serve", "sketch"],
        value: Value::Text("N|TIME"),
        default: "unlimited",
        zh_default: "不限",
        example: "24h",
        acts: &[FINDS],
        read: Some(|config, text| window(text).map(|read| config.window = Some(read))),
        value_in: |config| {
            config.window.map(|window| match window {
                Span::Messages(messages) => messages.to_string(),
                Span::Time { length: time, .. } => length(time),
            })
        },
        range: Some(("1 to 1099511627776 messages, or 1ms to 36600d", |config| match config.window {
            Some(Span::Messages(length)) => (1..=1 << 40).contains(&length),
            Some(Span::Time { length, .. }) => (1..=MAX_TIME).contains(&length),
            None => true,
        })),
        decides: |_| true,
        help: "How far back a message can repeat another: a number of messages (1e6), or a length of time by the messages' own times (90s, 30m, 24h, 7d)",
        more: "Without it, memory grows with the input",
        zh: "往回看多远：只与这个范围内的消息比较。可写若干条（`1e6`），或按消息自身时间的一段时长（`90s`、`30m`、`24h`、`7d`）；不设则内存随输入增长",
        ..MEMORY
    },
    Setting {
        name: "time-field",
        commands: &["serve"],
        value: Value::Text("PATH"),
        default: TIME_FIELD,
        example: "at",
        acts: &[When::Any(&[
            When::Timed,
            When::With("metrics"),
            When::With("metrics-file"),
            When::With("report"),
            When::With("recount"),
            When::Is("represent", &["newest"]),
        ])],
        formats: WITH_FIELDS,
        noted: Some(str::to_owned),
        help: "Field with the message's time: RFC 3339, 2026/11/22 8:00 or 2026年11月22日 8:00, seconds, milliseconds or microseconds since 1970, RFC 2822 as in RSS, or Weibo's own format. A time without an offset is UTC. It is for `--window TIME`, and without such a window for `--represent newest`, --recount, --report, --metrics and --metrics-file",
        zh: "消息时间所在的字段，用于 `--window TIME`：RFC 3339、2026/11/22 8:00 或 2026年11月22日 8:00、1970 年以来的秒、毫秒或微秒，RSS 用的 RFC 2822，或微博的格式，没写时区的按 UTC；没有时间窗口时用于 `--represent newest`、`--recount`、`--report`、`--metrics` 和 `--metrics-file`",
        ..MEMORY
    },
    Setting {
        name: "lateness",
        commands: &["serve"],
        value: Value::Text("TIME"),
        default: "0s",
        example: "1m",
        acts: &[When::Timed],
        read: Some(|config, text| {
            let read = duration(text)?;
            if let Some(Span::Time { lateness, .. }) = &mut config.window {
                *lateness = read;
            }
            Ok(())
        }),
        value_in: |config| match config.window {
            Some(Span::Time { lateness, .. }) => Some(length(lateness)),
            _ => None,
        },
        range: Some((
            "0s to 36600d",
            |config| !matches!(config.window, Some(Span::Time { lateness, .. }) if lateness > MAX_TIME),
        )),
        decides: |_| true,
        help: "With `--window TIME`: how far behind the latest message a message may be and still be judged at its own time",
        zh: "与 `--window TIME` 同用：消息最多可以比最新的一条早多少，仍按自己的时间判定",
        ..MEMORY
    },
    Setting {
        name: "refresh",
        commands: &["serve"],
        acts: &[When::With("window"), When::Is("exact", &["verified", "trie", "none"]), FINDS],
        read: Some(|config, _| {
            config.refresh = true;
            Ok(())
        }),
        value_in: |config| config.refresh.then(String::new),
        range: Some(("it with --window, and with --exact verified, trie or none", |config| {
            !config.refresh || config.window.is_some() && !config.exact.errs()
        })),
        decides: |_| true,
        help: "With `--window`: each repeat restarts the window of its cluster. A message of the cluster is kept again only after a silence as long as the window",
        more: "The length of the silence is exact to a sixteenth of the window. Repeats are still compared with the kept message of the cluster. A --state must have been made with this option. Doubles the memory for the messages in the window",
        zh: "与 `--window` 同用：重复会使它所属的簇重新计时，一个窗口的时间里没有再出现，之后才又保留一条。计时精确到窗口的十六分之一；之后的消息仍只与保留的那条比较；窗口内的消息占两份内存",
        zh_more: "建立 --state 时就要给出这个选项",
        ..MEMORY
    },
    Setting {
        name: "max-memory",
        value: Value::Text("SIZE"),
        example: "2GB",
        acts: &[FINDS],
        read: Some(|config, text| size(text).map(|read| config.max_memory = Some(read))),
        value_in: |config| config.max_memory.map(|bytes| bytes.to_string()),
        help: "Memory that the process may take (2GB, 512MiB). A limit that is too small for the options is refused",
        zh: "进程最多占用多少内存（`2GB`、`512MiB`）；上限不够用时拒绝运行",
        ..MEMORY
    },
    Setting {
        name: "on-full",
        value: Value::Word(&[
            ("expire-oldest", "Forget the oldest messages"),
            ("stop", "End the run with exit code 2"),
        ]),
        default: "expire-oldest",
        example: "stop",
        acts: &[When::With("max-memory")],
        read: Some(|config, text| put(&mut config.on_full, value_of(&OnFull::NAMED, text))),
        value_in: |config| word(&OnFull::NAMED, config.on_full),
        help: "What to do when --max-memory is reached",
        zh: "达到 `--max-memory` 时怎么办",
        ..MEMORY
    },
];
