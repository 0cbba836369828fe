//! How a run works and is watched.

use super::values::whole;
use super::{SETTING, Setting, Value, When};

const OPERATION: Setting = Setting { group: "Operation", ..SETTING };

pub(super) const SETTINGS: &[Setting] = &[
    Setting {
        name: "metrics",
        value: Value::Text("ADDR"),
        example: ":9184",
        help: "Answer Prometheus at http://ADDR/metrics while the run goes on, and GET /healthz; without a host, on loopback only \
               (`:9184`); port 0 is any that is free",
        more: "For all who can reach it: no password, no TLS",
        zh: "在 `http://ADDR/metrics` 供 Prometheus 抓取；`:9184` 只在回环地址上，端口 0 为任一空闲端口",
        ..OPERATION
    },
    Setting {
        name: "metrics-file",
        value: Value::Text("FILE"),
        example: "quchong.prom",
        help: "Write the same to this file every five seconds and at the end, for the textfile collector of node_exporter",
        zh: "同样的内容写进文件，供 node_exporter 的 textfile 收集器使用",
        ..OPERATION
    },
    Setting {
        name: "log-format",
        value: Value::Word(&[
            ("text", "A line that begins with \"quchong: \""),
            ("json", "A JSON object on a line: timestamp, level, message and what else the event has"),
        ]),
        default: "text",
        example: "json",
        help: "How to write on standard error",
        zh: "标准错误的写法",
        ..OPERATION
    },
    Setting {
        name: "threads",
        short: Some('j'),
        value: Value::Text("N"),
        default: "all cores",
        zh_default: "全部核心",
        example: "2",
        help: "Threads for the steps that need no order, 1 to 1024; the output is the same for any number",
        zh: "1 到 1024；输出与线程数无关",
        ..OPERATION
    },
    Setting {
        name: "seed",
        value: Value::Text("N|random"),
        default: "that of --state, else random; 0 under `--exact bloom` and `paper-trie`",
        zh_default: "`--state` 自己的，否则 `random`；`--exact bloom` 和 `paper-trie` 为 `0`",
        example: "7",
        acts: &[When::Is("exact", &["verified", "bloom", "trie", "paper-trie"])],
        // Which number is random is a matter of `fingerprint::seeded`.
        read: Some(|config, text| match text {
            "random" => Ok(()),
            number => {
                config.seed = whole(number).map_err(|_| "write a whole number from 0 to 2^64-1, or `random`")?;
                Ok(())
            }
        }),
        tell: |config| Some(config.seed.to_string()),
        decides: |_| true,
        help: "Key of the exact stage's hashes; the output is the same for any, but for what a filter alone or the paper's trie drops \
               by mistake",
        more: "A random one keeps anybody from making texts that are taken for another",
        zh: "精确阶段散列的密钥；除了单独的过滤器和论文的字典树误丢的以外，输出与它无关",
        ..OPERATION
    },
];
