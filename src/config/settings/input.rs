//! Settings of the input: what is read, and how.

use super::output::FINDS;
use super::{ID_FIELD, SETTING, Setting, Value, WITH_FIELDS, When};
use crate::config::units::size;

const INPUT: Setting = Setting { group: "Input", ..SETTING };

pub(super) const SETTINGS: &[Setting] = &[
    Setting {
        name: "files-from",
        value: Value::Text("FILE"),
        example: "list.txt",
        help: "Also read the files that FILE lists, after those on the command line: one name a line, or NUL between names; `-`: standard input",
        zh: "再读取 FILE 中列出的文件，排在命令行给出的文件之后；每行一个文件名，含 NUL 时以 NUL 分隔；`-` 表示标准输入",
        ..INPUT
    },
    Setting {
        name: "format",
        short: Some('f'),
        value: Value::Word(&[
            ("auto", "By the extension, else by the content"),
            ("lines", "Each line is a message"),
            ("jsonl", "Each line is a JSON object with the message in a field"),
            ("csv", "Rows with fields separated by commas"),
            ("tsv", "Rows with fields separated by tabs"),
            ("parquet", "Rows of Parquet, from files only"),
        ]),
        default: "auto",
        example: "jsonl",
        noted: Some(str::to_owned),
        help: "Format of the input. `auto` goes by the extension (`.jsonl`, `.csv.gz`), else by the content: `PAR1` at both ends is Parquet, a `{` at the beginning is JSONL, all else is plain lines",
        more: "gz, zst, bz2 and xz are recognised by their content",
        zh: "输入格式。`auto` 先看扩展名（`.jsonl`、`.csv.gz`），再看内容：首尾都是 `PAR1` 就是 Parquet，以 `{` 开头就是 JSONL，其余都是纯文本行",
        zh_more: "gz、zst、bz2、xz 压缩由内容识别",
        ..INPUT
    },
    Setting {
        name: "against",
        value: Value::Text("PATH[,PATH…]"),
        example: "archive",
        acts: &[When::Is("exact", &["verified", "bloom", "trie", "none"]), FINDS, When::Without("max-memory")],
        noted: Some(str::to_owned),
        help: "Also drop messages that repeat a message of an archive: the folder of a --state, or files, which are read first. Several with commas, or the option again. The archive is only read",
        more: "Each message is compared with the whole archive, as if it came right behind it; --window does not apply. The verdict names the archive's message: {\"against\":\"archive\",\"id\":7}. Another run may write to the folder meanwhile; this run sees it as it was at the start. To remember what this run keeps, give it a --state of its own. Takes as much memory as the run that made the archive",
        zh: "与存档里的消息重复的也丢弃。存档可以是 `--state` 的目录，也可以是文件（先读完）；有几个就用逗号分隔。存档只读；判定写作 `{\"against\":\"archive\",\"id\":7}`",
        zh_more: "每条消息都与整个存档比较，如同紧接在存档之后；--window 对存档不起作用。另一个运行可以同时写这个目录，本次看到的是开始时的样子。要记住本次保留的消息，请另给一个 --state。所占内存与建立该存档的运行一样多",
        ..INPUT
    },
    Setting {
        name: "encoding",
        value: Value::Text("NAME"),
        default: "auto",
        example: "gb18030",
        formats: &["lines", "jsonl", "csv", "tsv"],
        noted: Some(str::to_owned),
        help: "Encoding of the input: utf-8, gb18030, big5, utf-16, utf-16le, utf-16be, utf-32, windows-1251, koi8-r, ibm866, or another label of the WHATWG Encoding Standard. A byte-order mark takes precedence",
        more: "auto reads UTF-8; at the first line that is not valid, it guesses the encoding from 4 KiB. It recognises UTF-16 without a mark by the zero bytes in its first line",
        zh: "输入的编码：`utf-8`、`gb18030`、`big5`、`utf-16`、`utf-16le`、`utf-16be`、`utf-32`、`windows-1251`、`koi8-r`、`ibm866`，或 WHATWG 编码标准中的其他名称；有字节序标记时以标记为准",
        zh_more: "auto 先按 UTF-8 读，遇到第一行无效的，就用 4 KiB 推断编码。没有字节序标记的 UTF-16 凭第一行里的零字节识别",
        ..INPUT
    },
    Setting {
        name: "no-header",
        formats: &["csv", "tsv"],
        noted: Some(str::to_owned),
        help: "CSV, TSV: the first row is a message, not the names of columns; `--field 2` then means the second column",
        zh: "CSV、TSV：第一行是消息，不是列名；这时 `--field 2` 表示第二列",
        ..INPUT
    },
    Setting {
        name: "field",
        value: Value::Text("PATH[,PATH…]"),
        default: "text",
        example: "user.text",
        formats: WITH_FIELDS,
        noted: Some(str::to_owned),
        help: "Where the message is. JSONL: a name, a dotted path (`user.text`) or a JSON pointer (`/user/text`); CSV, TSV: the name of a column, or its number from 1; Parquet: the name of a column, or a path into it. Several with commas (`title,text`) are one message, in this order",
        more: "The parts are joined by a line end, which counts as a space. In JSONL a part that is null is left out, and a part that is missing is an error. The summary of dedup counts messages of which a part is null or empty. A JSON pointer can name a field with a comma in its name",
        zh: "消息所在的字段。JSONL：字段名、点分路径（`user.text`）或 JSON 指针（`/user/text`）；CSV、TSV：列名或从 1 起的列号；Parquet：列名或列内路径。用逗号给出多个字段（`title,text`）时，按所写次序连成一条消息；缺一部分（null 或空）的消息会计数",
        zh_more: "各部分用换行连接，换行算作空格。JSONL 中为 null 的部分略去，缺少字段则报错。字段名里有逗号时，请用 JSON 指针",
        ..INPUT
    },
    Setting {
        name: "scope",
        commands: &["serve", "clusters", "explain"],
        value: Value::Text("FIELD[,FIELD…]"),
        example: "author",
        acts: &[When::Is("exact", &["verified", "bloom", "trie", "none"]), FINDS],
        formats: WITH_FIELDS,
        read: Some(|config, text| {
            config.scope = text.to_owned();
            Ok(())
        }),
        value_in: |config| Some(config.scope.clone()).filter(|scope| !scope.is_empty()),
        range: Some(("one to eight names of fields, with commas: author,channel", |config| {
            let names = || config.scope.split(',');
            config.scope.is_empty() || names().count() <= 8 && !names().any(str::is_empty)
        })),
        decides: |_| true,
        help: "Messages repeat each other only if they have the same value in this field (author, channel, day), or in all of these fields",
        more: "A record without such a field, or with null or an empty text there, has the value \"none\": such records repeat only each other, and are counted. An object or a list there is an error. A --window and --verify-window count the messages of all scopes. Memory does not grow with the number of scopes",
        zh: "只有这些字段（作者、频道、日期）的值都相同的消息才互为重复。没有该字段（或为 null）的消息自成一组，并会计数；窗口按全部消息计",
        zh_more: "值为空文本也算没有；值是对象或列表则报错。内存不随组数增长",
        ..INPUT
    },
    Setting {
        name: "on-error",
        value: Value::Word(&[
            ("pass", "Count them as kept: they stay in the output, untouched unless it is annotated"),
            ("drop", "Leave them out; list them among the dropped records, if those are written"),
            ("fail", "End the run with exit code 2"),
        ]),
        default: "pass",
        example: "fail",
        noted: Some(str::to_owned),
        help: "What to do with records that cannot be judged (wrong encoding, broken JSON, no such field, not a string, too long)",
        zh: "无法判定的记录怎么处理（编码不对、JSON 损坏、没有该字段、不是字符串、过长）：原样写出、剔除，或终止运行",
        ..INPUT
    },
    Setting {
        name: "strict",
        acts: &[When::Is("on-error", &["pass", "drop"])],
        help: "Exit with code 3 if any record could not be judged; by default, only if most could not",
        zh: "只要有一条记录无法判定，退出码就是 3；默认是多数无法判定时才如此",
        ..INPUT
    },
    Setting {
        name: "max-line",
        value: Value::Text("BYTES"),
        default: "16MiB",
        example: "1MiB",
        noted: Some(|text| size(text).map_or_else(|_| text.to_owned(), |bytes| bytes.to_string())),
        help: "Longest line that is judged. A longer line is never held in memory whole",
        zh: "参与判定的最长行；更长的行不判定，也不会整行放进内存",
        ..INPUT
    },
    Setting {
        name: "id-field",
        value: Value::Text("PATH"),
        default: ID_FIELD,
        example: "mid",
        acts: &[When::Any(&[
            When::Is("output", &["dropped", "annotated"]),
            When::With("dropped"),
            When::With("report"),
            When::With("state"),
        ])],
        formats: WITH_FIELDS,
        noted: Some(str::to_owned),
        help: "Field with the id, by which verdicts name a record. A record without an id is named by its line, `{\"line\":17}`, and with several inputs by its file as well. Under --state, or if a file is named twice, lines are not unique: it is then named by its number among all records, `{\"record\":17}`. A line of a single plain-text file is named `17`",
        zh: "判定中引用的 id；没有则用行号 `{\"line\":17}`（多个文件时另有文件名）；行号不唯一时（有 `--state`，或同一文件给了两次）用它在全部记录中的序号 `{\"record\":17}`；只有一个纯文本文件时，它的行是 `17`",
        ..INPUT
    },
    Setting {
        name: "follow",
        acts: &[When::Without("resume")],
        help: "Keep reading the file as it grows, across log rotation, until the run is stopped. Reading starts at the first record; with --state, where the last run stopped",
        more: "A table or a compressed file is read from its beginning in each run",
        zh: "持续读取增长中的文件，日志轮转后接着读，直到运行被停止；从第一条记录读起，有 `--state` 时从上次停下的地方接着读",
        zh_more: "表格和压缩文件每次运行都从头读起",
        ..INPUT
    },
];
