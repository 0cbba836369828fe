//! What bounds the memory.

use super::values::{put, word};
use super::{SETTING, Setting, TIME_FIELD, Value, WITH_FIELDS, When};
use crate::config::names::named;
use crate::config::units::{duration, length, size, window};
use crate::config::{MAX_TIME, OnFull, Span};

const MEMORY: Setting = Setting { group: "Memory", ..SETTING };

pub(super) const SETTINGS: &[Setting] = &[
    Setting {
        name: "window",
        value: Value::Text("N|TIME"),
        default: "as far as the input goes",
        zh_default: "与输入一样长",
        example: "24h",
        acts: &[When::Any(&[
            When::Is("exact", &["verified", "bloom", "trie", "paper-bloom", "paper-trie"]),
            When::Is("near", &["hybrid", "simhash", "minhash"]),
        ])],
        read: Some(|config, text| window(text).map(|read| config.window = Some(read))),
        tell: |config| {
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
        help: "How far back a message can repeat another: so many messages (1e6), or so much event time (90s, 30m, 24h, 7d)",
        more: "Without it, memory grows with the input",
        zh: "一条消息能重复多早的消息：`1e6` 条，或 `90s`、`30m`、`24h`、`7d`",
        ..MEMORY
    },
    Setting {
        name: "time-field",
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
        help: "With `--window TIME`: where a message's time stands; RFC 3339, seconds or milliseconds since 1970, or as Weibo writes it",
        more: "Without such a window, what the lag among the --metrics is told by, and the --report's time",
        zh: "`--window TIME`：消息的时间；没有时间窗口时，用来计算延迟和 `--report` 的时间",
        ..MEMORY
    },
    Setting {
        name: "lateness",
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
        tell: |config| match config.window {
            Some(Span::Time { lateness, .. }) => Some(length(lateness)),
            _ => None,
        },
        range: Some((
            "0s to 36600d",
            |config| !matches!(config.window, Some(Span::Time { lateness, .. }) if lateness > MAX_TIME),
        )),
        decides: |_| true,
        help: "With `--window TIME`: how far messages may come behind the latest one and be taken at their own time",
        zh: "`--window TIME`：消息可以比最新的晚到多久",
        ..MEMORY
    },
    Setting {
        name: "max-memory",
        value: Value::Text("SIZE"),
        example: "2GB",
        read: Some(|config, text| size(text).map(|read| config.max_memory = Some(read))),
        tell: |config| config.max_memory.map(|bytes| bytes.to_string()),
        help: "Bytes that the process may take (2GB, 512MiB); what is remembered is measured. Too little for the options is refused",
        zh: "进程可占多少字节：`2GB`、`512MiB`；少于选项所需则拒绝",
        ..MEMORY
    },
    Setting {
        name: "on-full",
        value: Value::Word(&[
            ("expire-oldest", "The oldest messages are forgotten"),
            ("stop", "The run ends with exit code 2"),
        ]),
        default: "expire-oldest",
        example: "stop",
        acts: &[When::With("max-memory")],
        read: Some(|config, text| put(&mut config.on_full, named(&OnFull::NAMED, text))),
        tell: |config| word(&OnFull::NAMED, config.on_full),
        help: "What happens when --max-memory is not enough",
        zh: "满了怎么办",
        ..MEMORY
    },
];
