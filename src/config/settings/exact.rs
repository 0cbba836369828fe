//! Settings of the exact stage: what counts as an exact repeat, and how exact repeats are found.

use super::values::{put, whole, word};
use super::{SETTING, Setting, Value, When};
use crate::config::names::value_of;
use crate::config::units::count;
use crate::config::{BloomRule, BloomSize, Config, ExactMode, ExactOn, MAX_ROUNDS, PAPER_ROUNDS, TrieHash};
use crate::locale::tr;

const EXACT: Setting = Setting { group: "Exact stage", commands: &["serve"], ..SETTING };

/// The size of a filter decides which messages are kept only if the filter decides alone.
const DECIDES_ALONE: fn(&Config) -> bool = |config| config.exact.is_filter_alone();

const WITH_FILTER: When = When::Is("exact", &["verified", "bloom"]);
const WITH_ANY_FILTER: When = When::Is("exact", &["verified", "bloom", "paper-bloom"]);

pub(super) const SETTINGS: &[Setting] = &[
    Setting {
        name: "exact",
        commands: &["serve", "explain", "sketch"],
        value: Value::Word(&[
            ("verified", "Bloom filter, confirmed by a trie: drops no new message"),
            ("bloom", "Bloom filter alone: fixed memory; drops a stated share of new messages by mistake"),
            ("trie", "Trie alone: drops no new message"),
            (
                "paper-bloom",
                "Gao & Li's filter of BKDR and AP hashes, for comparison: drops most new messages once it is full",
            ),
            (
                "paper-trie",
                "Gao & Li's trie of 32-bit hashes, for comparison: drops some new messages, and takes 600 bytes for each",
            ),
            ("none", "No exact stage"),
        ]),
        default: "verified",
        example: "trie",
        read: Some(|config, text| put(&mut config.exact, value_of(&ExactMode::NAMED, text))),
        value_in: |config| word(&ExactMode::NAMED, config.exact),
        decides: |_| true,
        help: "How exact repeats are found",
        zh: "怎样查找精确重复",
        ..EXACT
    },
    Setting {
        name: "exact-on",
        commands: &["serve", "explain", "sketch"],
        value: Value::Word(&[
            ("canonical", "The canonical form: width, case, script, and the number and kind of spaces do not count"),
            ("raw", "The text as it came, byte for byte"),
        ]),
        default: "canonical",
        example: "raw",
        acts: &[When::Is("exact", &["verified", "bloom", "trie", "paper-bloom", "paper-trie"])],
        read: Some(|config, text| put(&mut config.exact_on, value_of(&ExactOn::NAMED, text))),
        value_in: |config| word(&ExactOn::NAMED, config.exact_on),
        decides: |_| true,
        help: "What counts as equal",
        zh: "什么算相同",
        ..EXACT
    },
    Setting {
        name: "capacity",
        value: Value::Text("N"),
        default: "10M",
        example: "1e6",
        acts: &[WITH_FILTER],
        read: Some(|config, text| put(&mut config.capacity, count(text))),
        value_in: |config| Some(config.capacity.to_string()),
        range: Some(("1 to 4294967296", |config| (1..=1 << 32).contains(&config.capacity))),
        decides: DECIDES_ALONE,
        help: "Number of distinct messages to expect; it sets the size of the Bloom filter. If more come, quchong gets slower, and under `--exact bloom` it drops more new messages by mistake",
        zh: "预计的不同消息数，决定布隆过滤器的大小；超出后变慢，在 `--exact bloom` 下则会误丢消息",
        ..EXACT
    },
    Setting {
        name: "bloom-error",
        value: Value::Text("RATE"),
        default: "1e-6; 1e-2 where the trie verifies",
        zh_default: "1e-6；有字典树核实时 1e-2",
        example: "1e-3",
        acts: &[WITH_FILTER, When::Without("bloom-bits")],
        read: Some(|config, text| {
            let rate = text.parse().map_err(|_| tr!("write a rate, 1e-6 for example"))?;
            config.bloom = BloomSize::Error(Some(rate));
            Ok(())
        }),
        value_in: |config| match config.bloom {
            BloomSize::Error(error) => error.map(|error| error.to_string()),
            BloomSize::Bits { .. } => None,
        },
        range: Some(("a rate between 0 and 1, for example 1e-6", |config| match config.bloom {
            BloomSize::Error(Some(error)) => error > 0.0 && error < 1.0,
            _ => true,
        })),
        decides: DECIDES_ALONE,
        help: "False-positive rate of the Bloom filter at --capacity, all rounds together",
        zh: "布隆过滤器装满 `--capacity` 条时的误判率（各轮合计）",
        ..EXACT
    },
    Setting {
        name: "bloom-bits",
        commands: &["serve", "explain"],
        value: Value::Text("N"),
        example: "800",
        acts: &[WITH_ANY_FILTER],
        read: Some(|config, text| {
            config.bloom = BloomSize::Bits { bits: count(text)?, hashes: None };
            Ok(())
        }),
        value_in: |config| match config.bloom {
            BloomSize::Bits { bits, .. } => Some(bits.to_string()),
            BloomSize::Error(_) => None,
        },
        range: Some(("8 to 1099511627776", |config| match config.bloom {
            BloomSize::Bits { bits, .. } => (8..=1 << 40).contains(&bits),
            BloomSize::Error(_) => true,
        })),
        decides: DECIDES_ALONE,
        help: "Size of the Bloom filter in bits (of each round), in place of --bloom-error. `tune bloom` recommends one; the paper's filter has 20 million unless told otherwise",
        zh: "布隆过滤器的位数（每一轮），代替 `--bloom-error`，可由 `tune bloom` 推荐；论文的过滤器默认 2000 万位",
        ..EXACT
    },
    Setting {
        name: "bloom-hashes",
        value: Value::Text("K"),
        default: "the best number for --bloom-bits and --capacity",
        zh_default: "按 `--bloom-bits` 和 `--capacity` 最佳",
        example: "3",
        acts: &[WITH_FILTER, When::With("bloom-bits")],
        read: Some(|config, text| {
            let read = whole(text)?;
            if let BloomSize::Bits { hashes, .. } = &mut config.bloom {
                *hashes = Some(read);
            }
            Ok(())
        }),
        value_in: |config| match config.bloom {
            BloomSize::Bits { hashes, .. } => hashes.map(|hashes| hashes.to_string()),
            BloomSize::Error(_) => None,
        },
        range: Some(("1 to 64", |config| match config.bloom {
            BloomSize::Bits { hashes: Some(hashes), .. } => (1..=64).contains(&hashes),
            _ => true,
        })),
        decides: DECIDES_ALONE,
        help: "Number of hash functions of the filter of --bloom-bits",
        zh: "`--bloom-bits` 的过滤器用几个散列函数",
        ..EXACT
    },
    Setting {
        name: "bloom-rounds",
        value: Value::Text("N"),
        default: "1",
        example: "2",
        acts: &[WITH_ANY_FILTER],
        read: Some(|config, text| put(&mut config.bloom_rounds, whole(text))),
        value_in: |config| Some(config.bloom_rounds.to_string()),
        range: Some(("1 to 16; of the paper's filter 1 or 2", |config| {
            let most = if config.exact == ExactMode::PaperBloom { PAPER_ROUNDS } else { MAX_ROUNDS };
            (1..=most).contains(&config.bloom_rounds)
        })),
        decides: DECIDES_ALONE,
        help: "Number of Bloom filters that are asked in turn, each with its own seed. A message is a repeat if all of them hold it",
        more: "One filter with the same bits altogether errs as often and is faster",
        zh: "依次查询几个种子各异的过滤器，全部命中才算重复；总位数相同时，单个过滤器同样准确而且更快",
        ..EXACT
    },
    Setting {
        name: "bloom-rule",
        commands: &["serve", "explain"],
        value: Value::Word(&[
            ("any", "If any of its bits is set; it sets its bits only if none was (Gao & Li 2014)"),
            ("all", "If all of its bits are set; it sets its bits in any case (Bloom 1970)"),
        ]),
        default: "any",
        example: "all",
        acts: &[When::Is("exact", &["paper-bloom"])],
        read: Some(|config, text| put(&mut config.bloom_rule, value_of(&BloomRule::NAMED, text))),
        value_in: |config| word(&BloomRule::NAMED, config.bloom_rule),
        decides: |config| config.exact == ExactMode::PaperBloom,
        help: "When the paper's filter takes a message for a repeat",
        zh: "论文的过滤器何时判为重复",
        ..EXACT
    },
    Setting {
        name: "trie-hash",
        commands: &["serve", "explain"],
        value: Value::Word(&[
            ("csharp-x86", "String.GetHashCode of .NET 4 in a 32-bit program, signed: v and -v have one square"),
            ("csharp-x64", "The same in a 64-bit program"),
            ("csharp-x86-unsigned", "That of a 32-bit program, read without a sign"),
            ("csharp-x64-unsigned", "That of a 64-bit program, read without a sign"),
            ("keyed", "Part of the keyed digest, which is uniformly distributed"),
        ]),
        default: "csharp-x86",
        example: "csharp-x64",
        acts: &[When::Is("exact", &["paper-trie"])],
        read: Some(|config, text| put(&mut config.trie_hash, value_of(&TrieHash::NAMED, text))),
        value_in: |config| word(&TrieHash::NAMED, config.trie_hash),
        decides: |config| config.exact == ExactMode::PaperTrie,
        help: "Hash whose square gives the digits in the paper's trie",
        zh: "论文的字典树所用的散列（取平方后的各位数字）：Visual Studio 2010 的 C# 内置散列（32 位或 64 位程序，有符号或无符号），或均匀的散列",
        ..EXACT
    },
];
