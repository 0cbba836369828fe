//! What is kept across runs.

use super::{SETTING, Setting, Value, WITH_FIELDS, When};

const STATE: Setting = Setting { group: "State", acts: &[When::With("state")], ..SETTING };

pub(super) const SETTINGS: &[Setting] = &[
    Setting {
        name: "state",
        value: Value::Text("DIR"),
        example: "state",
        acts: &[],
        help: "Folder that keeps what is remembered: a later run with the same one goes on from there, whatever happened to this one",
        zh: "跨运行保存所记住的",
        ..STATE
    },
    Setting {
        name: "resume",
        help: "Go on with the last run of --state: files are read on from where it was, -o and --dropped are continued, so that they \
               end as if nothing had happened",
        more: "Inputs and outputs must be the same",
        zh: "接着做 `--state` 的上一次运行，输入和输出须相同",
        ..STATE
    },
    Setting {
        name: "abandon",
        acts: &[When::With("state"), When::Without("resume")],
        help: "Give the last run of --state up, if it was over files and did not come to its end: what it kept and had not written is \
               lost",
        zh: "放弃 `--state` 中断的上一次运行，另起一次",
        ..STATE
    },
    Setting {
        name: "again",
        acts: &[When::With("state"), When::Without("resume")],
        help: "Replace what is in -o and --dropped, though --state knows messages of earlier runs, which are not written once more: \
               an input that was read before is replaced by next to nothing",
        zh: "即使 `--state` 已记得先前运行的消息，也覆盖 `-o` 和 `--dropped` 中已有的内容（已见过的消息不会再写）",
        ..STATE
    },
    Setting {
        name: "seq-field",
        value: Value::Text("PATH"),
        example: "n",
        formats: WITH_FIELDS,
        noted: Some(str::to_owned),
        help: "Where the number of a record in the feed stands, which rises: records up to the last one that an earlier run noted are \
               passed over and counted, so that a feed may send again what it does not know to have been answered; a number that is \
               more than a hundred times the largest step ahead is not noted before a hundred records go on from it (where none was \
               noted yet, three)",
        zh: "逐条递增的编号在哪里：到最后记下的编号为止的记录跳过并计数；编号若比上一条多出最大步长的百倍以上，要到其后一百条都接着它才记下（尚未记过编号时为三条）",
        ..STATE
    },
    Setting {
        name: "sync",
        value: Value::Word(&[
            ("always", "After each batch that was read: a power failure costs nothing that was answered"),
            ("interval", "Every second: a power failure costs that second"),
            ("none", "At the end"),
        ]),
        default: "interval",
        example: "always",
        help: "When what is remembered must be on disk; a killed process loses nothing under any of them",
        zh: "所记住的何时必须落盘；进程被杀与此无关",
        ..STATE
    },
];
