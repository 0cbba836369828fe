//! Settings of the state, which is kept across runs.

use super::{SETTING, Setting, Value, WITH_FIELDS, When};

const STATE: Setting = Setting { group: "State", acts: &[When::With("state")], ..SETTING };

pub(super) const SETTINGS: &[Setting] = &[
    Setting {
        name: "state",
        value: Value::Text("DIR"),
        example: "state",
        acts: &[],
        help: "Folder for the remembered messages. Later runs with the same folder know them, also after a crash",
        zh: "记录见过哪些消息的目录；下次运行用同一个目录，就还记得，崩溃之后也一样",
        ..STATE
    },
    Setting {
        name: "resume",
        help: "Finish the interrupted run of --state: go on reading where it was, and continue -o and --dropped. The result is that of a run that was not interrupted",
        more: "Inputs, outputs and what is in --against must be the same",
        zh: "完成 `--state` 中被打断的上一次运行：从断点接着读，接着写 `-o` 和 `--dropped`，结果与未被打断时相同；输入、输出和 `--against` 的内容须与上次一致",
        ..STATE
    },
    Setting {
        name: "abandon",
        acts: &[When::With("state"), When::Without("resume")],
        help: "Give up the interrupted run of --state and begin a new one. What that run kept is not written again: neither what its output has, nor what it had not written yet",
        zh: "放弃 `--state` 中被打断的上一次运行，另起一次。那次保留的消息不会再写出：已写进它的输出的不重写，还没写出的就丢了",
        ..STATE
    },
    Setting {
        name: "again",
        acts: &[When::With("state"), When::Without("resume")],
        help: "Replace -o and --dropped although --state knows messages of earlier runs. Those are not written again, so the new output may be almost empty",
        zh: "即使 `--state` 已记得先前运行的消息，也覆盖 `-o` 和 `--dropped`；已见过的消息不会再写，新的输出可能几乎是空的",
        ..STATE
    },
    Setting {
        name: "seq-field",
        value: Value::Text("PATH"),
        example: "n",
        formats: WITH_FIELDS,
        noted: Some(str::to_owned),
        help: "Field with a number that rises from record to record in the feed. If a number is not above the last one that an earlier run recorded, and the text is known, the record is skipped and counted. So a feed can be sent again from any point. Without --window and --max-memory, a new text is judged whatever its number",
        more: "Under --window and --max-memory, which forget texts, a record whose text is not known is skipped, too. A number that is ahead by more than a hundred times the largest step so far is recorded only once 100 records in a row continue from it (3 if no number was recorded before)",
        zh: "逐条递增的编号在哪里：编号不大于上次运行最后记下的编号、文本也见过的记录，跳过并计数；没有 `--window` 和 `--max-memory` 时，新的文本无论编号如何都照常判定。编号突然跳得很远时先不记，等后面一百条都接着它才记下（尚未记过编号时为三条）",
        zh_more: "在 --window 和 --max-memory 之下，旧的文本会被忘记：编号不大于那个编号而文本已不记得的记录，也跳过",
        ..STATE
    },
    Setting {
        name: "sync",
        value: Value::Word(&[
            ("always", "After each batch: a power failure loses nothing that was answered"),
            ("interval", "Every second: a power failure loses that second"),
            ("none", "When a segment of 64 MiB is full, and at the end of the run"),
        ]),
        default: "interval",
        example: "always",
        help: "When the remembered messages must be on disk. With any of the three, a killed process loses nothing; a power failure may lose messages",
        zh: "何时把记住的消息落盘。三种都不怕进程被杀；断电时可能丢消息",
        ..STATE
    },
];
