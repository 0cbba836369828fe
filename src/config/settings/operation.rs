//! Settings of the operation: how a run works and is watched.

use super::values::whole;
use super::{SETTING, Setting, Value, When};
use crate::locale::tr;

const OPERATION: Setting = Setting { group: "Operation", ..SETTING };

pub(super) const SETTINGS: &[Setting] = &[
    Setting {
        name: "config",
        value: Value::Text("FILE"),
        example: "quchong.toml",
        help: "Read settings from a TOML file, under the names of these options: `similarity = 0.6`, `window = \"24h\"`, `quiet = true`. The command line takes precedence over the environment (QUCHONG_SIMILARITY), the environment over the file, the file over the preset",
        more: "Names of files in it are relative to the folder that the program runs in. An empty variable counts as not set. `quchong check` shows which settings hold and where each comes from",
        zh: "从 TOML 文件读取设置，键名就是这些选项名：`similarity = 0.6`、`window = \"24h\"`、`quiet = true`。优先次序：命令行、环境变量（QUCHONG_SIMILARITY）、文件、预设",
        zh_more: "文件里写的文件名相对于程序运行的目录。值为空的环境变量等于没有设置。`quchong check` 列出每项设置的值和出处",
        ..OPERATION
    },
    Setting {
        name: "metrics",
        value: Value::Text("ADDR"),
        example: ":9184",
        help: "Serve metrics for Prometheus at http://ADDR/metrics during the run, and /healthz. Without a host, as in `:9184`, on loopback only; port 0 picks a free one",
        more: "Whoever can reach the address can read them: there is no password and no TLS",
        zh: "运行期间在 `http://ADDR/metrics` 供 Prometheus 抓取，另有 `/healthz`；不写主机（`:9184`）则只在回环地址上，端口 0 表示任一空闲端口",
        zh_more: "没有密码，也没有 TLS：能连到这个地址的人都能读",
        ..OPERATION
    },
    Setting {
        name: "metrics-file",
        value: Value::Text("FILE"),
        example: "quchong.prom",
        help: "Write the same metrics to FILE every five seconds and at the end, for the textfile collector of node_exporter",
        zh: "把同样的指标每五秒以及结束时写入文件，供 node_exporter 的 textfile 收集器使用",
        ..OPERATION
    },
    Setting {
        name: "log-format",
        value: Value::Word(&[
            ("text", "A line that begins with \"quchong: \""),
            ("json", "A JSON object on a line: timestamp, level, message and its fields"),
        ]),
        default: "text",
        example: "json",
        help: "Format of messages on standard error",
        zh: "标准错误上消息的格式：文本行，或每行一个 JSON 对象",
        ..OPERATION
    },
    Setting {
        name: "threads",
        short: Some('j'),
        value: Value::Text("N"),
        default: "all cores",
        zh_default: "全部核心",
        example: "2",
        help: "Number of threads, 1 to 1024. Apart from measured times, the output is the same for any number",
        zh: "线程数，1 到 1024；除测得的时间外，输出与线程数无关",
        ..OPERATION
    },
    Setting {
        name: "seed",
        commands: &["serve", "sketch"],
        value: Value::Text("N|random"),
        default: "that of --state, else random; 0 under `--exact bloom`, `paper-trie` and `--max-memory`",
        zh_default: "`--state` 自己的，否则 `random`；`--exact bloom`、`paper-trie` 和 `--max-memory` 为 `0`",
        example: "7",
        acts: &[When::Is("exact", &["verified", "bloom", "trie", "paper-trie"])],
        // `fingerprint::seeded` chooses the number for `random`.
        read: Some(|config, text| match text {
            "random" => Ok(()),
            number => {
                config.seed = whole(number).map_err(|_| tr!("write a whole number from 0 to 2^64-1, or `random`"))?;
                Ok(())
            }
        }),
        value_in: |config| Some(config.seed.to_string()),
        decides: |_| true,
        help: "Key of the exact stage's hashes. The output is the same for any key, except for the messages that a filter alone or the paper's trie drops by mistake, and that a memory limit forgets",
        more: "A random key keeps anybody from making a text that is taken for another",
        zh: "精确阶段散列的密钥；输出与它无关，只有单独使用的过滤器和论文的字典树误丢哪些消息、内存限制忘掉哪些消息除外",
        zh_more: "密钥随机时，谁也无法造出会被误认的文本",
        ..OPERATION
    },
];
