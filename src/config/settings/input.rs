//! What is read, and how.

use super::{ID_FIELD, SETTING, Setting, Value, WITH_FIELDS, When};
use crate::config::units::size;

const INPUT: Setting = Setting { group: "Input", ..SETTING };

pub(super) const SETTINGS: &[Setting] = &[
    Setting {
        name: "files-from",
        value: Value::Text("FILE"),
        example: "list.txt",
        help: "Also read the files that are named in this one, behind those of the command line; one a line, or ended by NUL; \
               `-`: standard input",
        zh: "再读此文件列出的文件，排在命令行给出的之后；文件名以换行分隔，若有 NUL 则以 NUL 分隔；`-`：标准输入",
        ..INPUT
    },
    Setting {
        name: "format",
        short: Some('f'),
        value: Value::Word(&[
            ("auto", "By the extension, else by the content"),
            ("lines", "Each line is a message"),
            ("jsonl", "Each line is a JSON object with the message in a field"),
            ("csv", "Rows, fields separated by commas"),
            ("tsv", "Rows, fields separated by tabs"),
            ("parquet", "Rows of Parquet, in files only"),
        ]),
        default: "auto",
        example: "jsonl",
        noted: Some(str::to_owned),
        help: "How records stand in the input; `auto` goes by the extension (`.jsonl`, `.csv.gz`), else by the content: `PAR1` at \
               both ends, or the first byte that is no blank",
        more: "What is compressed (gz, zst, bz2, xz) is known by its content",
        zh: "`.jsonl`、`.ndjson`、`.json`、`.csv`、`.tsv`、`.parquet`、`.txt` 按扩展名（`.csv.gz` 亦可），其他输入按内容：首尾都是 \
             `PAR1`，否则看第一个非空白字节",
        ..INPUT
    },
    Setting {
        name: "against",
        value: Value::Text("PATH[,PATH…]"),
        example: "archive",
        acts: &[When::Without("max-memory")],
        noted: Some(str::to_owned),
        help: "Drop what repeats a message of an archive, too: the folder of a --state, or files that are read first, as the inputs are; \
               several with commas, or the option again. Nothing is written there",
        more: "Each message is held against all that the archive has, as the next one behind it, whatever --window says; verdicts name the \
               archive's message, {\"against\":\"archive\",\"id\":7}. A folder may be written to meanwhile; it counts as it was at the start. \
               To have what is kept remembered for later runs, name a --state of its own. Takes the memory that the archive's own run took",
        zh: "与档案重复的也去掉：`--state` 的文件夹，或先读的文件；可给多个，用逗号分隔。档案只读，判定写成 `{\"against\":\"archive\",\"id\":7}`",
        ..INPUT
    },
    Setting {
        name: "encoding",
        value: Value::Text("NAME"),
        default: "auto",
        example: "gb18030",
        formats: &["lines", "jsonl", "csv", "tsv"],
        noted: Some(str::to_owned),
        help: "Encoding of the input: utf-8, gb18030, big5, utf-16, utf-16le, utf-16be, windows-1251, koi8-r, ibm866, or another \
               label of the WHATWG Encoding Standard; a byte-order mark goes first",
        more: "auto takes each input for UTF-8 until its lines show otherwise, and then goes by 4 KiB of it; UTF-16 without a mark is \
               known by the zeros of its first line, if it has some",
        zh: "`utf-8 gb18030 big5 utf-16 utf-16le utf-16be windows-1251 koi8-r ibm866`，或 WHATWG 标准中的其他名称；字节序标记优先",
        ..INPUT
    },
    Setting {
        name: "no-header",
        formats: &["csv", "tsv"],
        noted: Some(str::to_owned),
        help: "CSV, TSV: the first row is a message, not the names of columns; `--field 2` is then a column by its number",
        zh: "CSV、TSV：第一行就是消息；`--field 2` 是第二列",
        ..INPUT
    },
    Setting {
        name: "field",
        value: Value::Text("PATH[,PATH…]"),
        default: "text",
        example: "user.text",
        formats: WITH_FIELDS,
        noted: Some(str::to_owned),
        help: "Where the message stands. JSONL: a name, a dotted path (`user.text`) or a JSON pointer (`/user/text`); CSV, TSV: the \
               name of a column, or its number from 1; Parquet: the name of a column, or a path into it. Several with commas (title,text) \
               are one message, in this order",
        more: "A line end stands between them, which counts as a blank. In JSONL a field that is null is left out, and one that is not \
               there is an error. A JSON pointer can name what has a comma in it",
        zh: "消息所在；用逗号可给多个字段（`title,text`），按次序连成一条。JSONL：`a.b` 或 `/a/b` 进入内层；CSV、TSV：列名或列号；Parquet：列名或其内层路径",
        ..INPUT
    },
    Setting {
        name: "scope",
        value: Value::Text("FIELD[,FIELD…]"),
        example: "author",
        acts: &[When::Is("exact", &["verified", "bloom", "trie", "none"])],
        formats: WITH_FIELDS,
        read: Some(|config, text| {
            config.scope = text.to_owned();
            Ok(())
        }),
        tell: |config| Some(config.scope.clone()).filter(|scope| !scope.is_empty()),
        range: Some(("one to eight names of fields, with commas: author,channel", |config| {
            let names = || config.scope.split(',');
            config.scope.is_empty() || names().count() <= 8 && !names().any(str::is_empty)
        })),
        decides: |_| true,
        help: "Messages repeat each other only within the same value of this field (author, channel, day), or of all these fields",
        more: "Each field is a string, a number, true or false; a record that lacks one cannot be judged. A --window and --verify-window \
               count the messages of all scopes. Nothing is kept for each scope; but where one text stands in very many of them, as those \
               of a flood, hybrid compares it with each of them within --verify-window",
        zh: "只有这些字段（作者、频道、日期）的值都相同的消息才互为重复；窗口按全部消息计",
        ..INPUT
    },
    Setting {
        name: "on-error",
        value: Value::Word(&[
            ("pass", "They go through untouched, where records go through"),
            ("drop", "They are left out, and stand among the dropped, where there are any"),
            ("fail", "The run ends with exit code 2"),
        ]),
        default: "pass",
        example: "fail",
        noted: Some(str::to_owned),
        help: "What becomes of records that cannot be judged (not in the encoding, not JSON, no such field, not a string, too long)",
        zh: "无法判定的记录怎么办",
        ..INPUT
    },
    Setting {
        name: "strict",
        acts: &[When::Is("on-error", &["pass", "drop"])],
        help: "End with exit code 3 if any record could not be judged, not only if most could not",
        zh: "任何一条记录无法判断时退出码即为 3，不只是多数时",
        ..INPUT
    },
    Setting {
        name: "max-line",
        value: Value::Text("BYTES"),
        default: "16MiB",
        example: "1MiB",
        noted: Some(|text| size(text).map_or_else(|_| text.to_owned(), |bytes| bytes.to_string())),
        help: "Longest line that is judged; longer ones are never held in memory whole",
        zh: "更长的行不判定，也不会整行放进内存",
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
        help: "Where the id stands that verdicts name; a record without one goes by its line, `{\"line\":17}` (with its \
               file among several), or where lines are not unique, under --state or if a file is named twice, by its number among all \
               records, `{\"record\":17}`; lines of plain text go by `17`, `\"a.txt:17\"` or `{\"record\":17}`",
        zh: "判定中引用的 id；没有则用行号 `{\"line\":17}`（多个文件时另有文件名）；行号不唯一时（有 `--state`，或同一文件给了两次）用它在全部记录中的序号 `{\"record\":17}`；纯文本的行是 `17`、`\"a.txt:17\"` 或 `{\"record\":17}`",
        ..INPUT
    },
    Setting {
        name: "follow",
        acts: &[When::Without("resume")],
        help: "Read the file on as it grows, and as another takes its name (log rotation), until the run is stopped",
        more: "Each run begins with the file's first record: under --state, --seq-field skips those that are remembered, which would \
               else be repeats of themselves",
        zh: "文件增长时、以及另一个文件接替其名时（日志轮转）继续读，直到运行被停止；每次运行都从文件的第一条记录开始",
        ..INPUT
    },
];
