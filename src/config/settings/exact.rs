//! What exact repeats are, and how they are found.

use super::values::{put, whole, word};
use super::{SETTING, Setting, Value, When};
use crate::config::names::named;
use crate::config::units::count;
use crate::config::{BloomRule, BloomSize, Config, ExactMode, ExactOn, MAX_ROUNDS, PAPER_ROUNDS, TrieHash};

const EXACT: Setting = Setting { group: "Exact stage", ..SETTING };

/// Only where it decides alone does the filter's size decide what is kept.
const DECIDES_ALONE: fn(&Config) -> bool = |config| config.exact.is_filter_alone();

const WITH_FILTER: When = When::Is("exact", &["verified", "bloom"]);
const WITH_ANY_FILTER: When = When::Is("exact", &["verified", "bloom", "paper-bloom"]);

pub(super) const SETTINGS: &[Setting] = &[
    Setting {
        name: "exact",
        value: Value::Word(&[
            ("verified", "Filter and trie: nothing is lost"),
            ("bloom", "Filter alone: bounded memory, a stated share of unique messages is lost"),
            ("trie", "Trie alone: nothing is lost"),
            (
                "paper-bloom",
                "Gao & Li's filter of BKDR and AP hashes, for comparison only: a repeat is what has any mark set, so that it loses most \
                 unique messages once it is full of them",
            ),
            (
                "paper-trie",
                "Gao & Li's trie of 32-bit hashes, for comparison only: loses 129 of a million unique messages and 12 925 of ten \
                 million, of a signed hash twice as many, takes 600 bytes each",
            ),
            ("none", "Not at all"),
        ]),
        default: "verified",
        example: "trie",
        read: Some(|config, text| put(&mut config.exact, named(&ExactMode::NAMED, text))),
        tell: |config| word(&ExactMode::NAMED, config.exact),
        decides: |_| true,
        help: "How exact repeats are found: filter and trie; filter alone; trie alone; the paper's filter or its trie, which lose \
               messages; not at all",
        zh: "过滤器加 trie；只用过滤器；只用 trie；论文的过滤器或论文的 trie（都会丢消息）；不用精确阶段",
        ..EXACT
    },
    Setting {
        name: "exact-on",
        value: Value::Word(&[
            ("canonical", "The canonical form: width, case, blanks and script do not count"),
            ("raw", "The text as it came, byte for byte"),
        ]),
        default: "canonical",
        example: "raw",
        acts: &[When::Is("exact", &["verified", "bloom", "trie", "paper-bloom", "paper-trie"])],
        read: Some(|config, text| put(&mut config.exact_on, named(&ExactOn::NAMED, text))),
        tell: |config| word(&ExactOn::NAMED, config.exact_on),
        decides: |_| true,
        help: "What equal means: the canonical form (width, case, blanks, script do not count) or the raw text",
        zh: "“相同”指什么",
        ..EXACT
    },
    Setting {
        name: "capacity",
        alias: Some("bloom-capacity"),
        value: Value::Text("N"),
        default: "10M",
        example: "1e6",
        acts: &[WITH_FILTER],
        read: Some(|config, text| put(&mut config.capacity, count(text))),
        tell: |config| Some(config.capacity.to_string()),
        range: Some(("1 to 4294967296", |config| (1..=1 << 32).contains(&config.capacity))),
        decides: DECIDES_ALONE,
        help: "Distinct messages expected, which size the Bloom filter; more cost time, under `--exact bloom` messages",
        zh: "预计的不同消息数；超出时变慢，在 `--exact bloom` 下会丢消息",
        ..EXACT
    },
    Setting {
        name: "bloom-error",
        value: Value::Text("RATE"),
        default: "1e-6; 1e-2 where the trie verifies",
        zh_default: "1e-6；核实时 1e-2",
        example: "1e-3",
        acts: &[WITH_FILTER, When::Without("bloom-bits")],
        read: Some(|config, text| {
            let rate = text.parse().map_err(|_| "write a rate, 1e-6 for example".to_owned())?;
            config.bloom = BloomSize::Error(Some(rate));
            Ok(())
        }),
        tell: |config| match config.bloom {
            BloomSize::Error(error) => error.map(|error| error.to_string()),
            BloomSize::Bits { .. } => None,
        },
        range: Some(("a rate between 0 and 1, for example 1e-6", |config| match config.bloom {
            BloomSize::Error(Some(error)) => error > 0.0 && error < 1.0,
            _ => true,
        })),
        decides: DECIDES_ALONE,
        help: "False-positive rate of the Bloom filter (all rounds together) at --capacity; its bits for a text stand in two cache lines",
        zh: "在 `--capacity` 处的误判率；此时每条文本的位集中在两个缓存行里",
        ..EXACT
    },
    Setting {
        name: "bloom-bits",
        value: Value::Text("N"),
        example: "800",
        acts: &[WITH_ANY_FILTER],
        read: Some(|config, text| {
            config.bloom = BloomSize::Bits { bits: count(text)?, hashes: None };
            Ok(())
        }),
        tell: |config| match config.bloom {
            BloomSize::Bits { bits, .. } => Some(bits.to_string()),
            BloomSize::Error(_) => None,
        },
        range: Some(("8 to 1099511627776", |config| match config.bloom {
            BloomSize::Bits { bits, .. } => (8..=1 << 40).contains(&bits),
            BloomSize::Error(_) => true,
        })),
        decides: DECIDES_ALONE,
        help: "Bits of the Bloom filter (of each round), in place of --bloom-error: the standard filter, as `tune bloom` measures it; of \
               the paper's filter, 20 million without this",
        zh: "指定大小的标准过滤器（每一轮），代替 `--bloom-error`，即 `tune bloom` 所测的那种；论文的过滤器不指定时为 2000 万位",
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
        tell: |config| match config.bloom {
            BloomSize::Bits { hashes, .. } => hashes.map(|hashes| hashes.to_string()),
            BloomSize::Error(_) => None,
        },
        range: Some(("1 to 64", |config| match config.bloom {
            BloomSize::Bits { hashes: Some(hashes), .. } => (1..=64).contains(&hashes),
            _ => true,
        })),
        decides: DECIDES_ALONE,
        help: "Hash functions of the Bloom filter of --bloom-bits",
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
        tell: |config| Some(config.bloom_rounds.to_string()),
        range: Some(("1 to 16; of the paper's filter 1 or 2", |config| {
            let most = if config.exact == ExactMode::PaperBloom { PAPER_ROUNDS } else { MAX_ROUNDS };
            (1..=most).contains(&config.bloom_rounds)
        })),
        decides: DECIDES_ALONE,
        help: "Bloom filters asked one after another, each with another seed; a repeat is what all hold",
        more: "Errs as often as one filter with the same bits altogether, and is slower",
        zh: "用 N 个种子各异的过滤器，全部命中才算重复；总位数相同时，单个过滤器同样准确而且更快",
        ..EXACT
    },
    Setting {
        name: "bloom-rule",
        value: Value::Word(&[
            ("any", "Any mark is set, and marks are set only if none was (Gao & Li 2014)"),
            ("all", "All marks are set, and they are set in any case (Bloom 1970)"),
        ]),
        default: "any",
        example: "all",
        acts: &[When::Is("exact", &["paper-bloom"])],
        read: Some(|config, text| put(&mut config.bloom_rule, named(&BloomRule::NAMED, text))),
        tell: |config| word(&BloomRule::NAMED, config.bloom_rule),
        decides: |config| config.exact == ExactMode::PaperBloom,
        help: "When the paper's filter takes a message for a repeat: any of its marks is set, or all are",
        zh: "论文的过滤器何时判为重复：任一标记已置（论文原样），或全部已置（标准规则）",
        ..EXACT
    },
    Setting {
        name: "trie-hash",
        value: Value::Word(&[
            ("csharp-x86", "String.GetHashCode of .NET 4 in 32 bits, signed: v and -v have one square"),
            ("csharp-x64", "The same in 64 bits"),
            ("csharp-x86-unsigned", "That of 32 bits, read without a sign"),
            ("csharp-x64-unsigned", "That of 64 bits, read without a sign"),
            ("keyed", "A part of the keyed digest"),
        ]),
        default: "csharp-x86",
        example: "csharp-x64",
        acts: &[When::Is("exact", &["paper-trie"])],
        read: Some(|config, text| put(&mut config.trie_hash, named(&TrieHash::NAMED, text))),
        tell: |config| word(&TrieHash::NAMED, config.trie_hash),
        decides: |config| config.exact == ExactMode::PaperTrie,
        help: "The hash whose square is a path in the paper's trie: that of C# in Visual Studio 2010, as the paper has it, or an even one",
        zh: "论文的 trie 所平方的散列：论文所用的 Visual Studio 2010 C# 内置散列（32 位或 64 位程序，有符号或无符号），或均匀的散列",
        ..EXACT
    },
];
