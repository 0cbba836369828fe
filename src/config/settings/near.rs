//! Settings of the near stage: what counts as a near repeat, and how near repeats are found.

use super::output::FINDS;
use super::values::{put, whole, word};
use super::{SETTING, Setting, Value, When};
use crate::config::names::value_of;
use crate::config::units::{count, similarity};
use crate::config::{
    Guard, MAX_DISTANCE, MAX_PERMUTATIONS, MAX_SHINGLE, MAX_WINDOW, NearMode, Preset, Remarks, Rules, Shingle,
    Templates, Weights,
};

const NEAR: Setting = Setting {
    group: "Near stage",
    commands: &["serve", "clusters", "explain", "sketch", "edges"],
    decides: |_| true,
    ..SETTING
};

const HYBRID: When = When::Is("near", &["hybrid"]);
const WITH_SIMHASH: When = When::Is("near", &["hybrid", "simhash"]);
/// Fingerprints decide. Under hybrid they decide only on messages beyond the window of the repeat rule.
const WITH_FINGERPRINTS: When = When::Any(&[When::Is("near", &["simhash", "minhash"]), When::Beyond]);
/// SimHash fingerprints decide, with the same limit under hybrid.
const WITH_SIMHASHES: When = When::Any(&[When::Is("near", &["simhash"]), When::Beyond]);
const WITH_STAGE: When = When::Is("near", &["hybrid", "simhash", "minhash"]);

const MARKUP_WORDS: [(&str, &str); 2] = [("keep", "Messages are plain text"), ("strip", "HTML is taken out of them")];

/// Whether HTML is removed from messages, with the words of `--markup`.
pub(crate) const MARKUP: [(&str, bool); 2] = [("keep", false), ("strip", true)];

pub(super) const SETTINGS: &[Setting] = &[
    Setting {
        name: "preset",
        value: Value::Word(&[
            (
                "paper",
                "Gao & Li 2014 to the letter: --exact paper-bloom --bloom-bits 20M --exact-on raw, and the preset simhash with --normalise raw. Its filter drops new messages; the summary says how many to expect",
            ),
            ("simhash", "The paper's second stage: --near simhash --shingle word:2 --weights count --max-distance 4"),
            ("weibo", "Weibo posts and reposts: the defaults"),
            ("headline", "Headlines and news flashes: --normalise -video,-place,-page"),
            ("sms", "SMS and chat: --normalise -video,-place,-page"),
            ("careful", "Archives and legal holds: --guard careful --remarks keep"),
        ]),
        default: "weibo",
        example: "paper",
        acts: &[When::Any(&[WITH_STAGE, When::Is("exact", &["paper-bloom", "paper-trie"])])],
        // A preset has the lowest priority, so it is not read here: `Settings::config` begins with it.
        read: Some(|_, text| value_of(&Preset::NAMED, text).map(drop)),
        help: "Options for one kind of text. An option that is given as well takes precedence",
        zh: "某一类文本的一组选项；另外写出的选项优先",
        ..NEAR
    },
    Setting {
        name: "near",
        value: Value::Word(&[
            ("hybrid", "Within --verify-window compare texts; beyond it fingerprints, numbers and negations"),
            ("simhash", "SimHash fingerprints of 64 bits that differ in at most --max-distance bits (Gao & Li 2014)"),
            ("minhash", "MinHash signatures with an estimated Jaccard similarity of at least --similarity"),
            ("none", "Exact repeats only"),
        ]),
        default: "hybrid",
        example: "simhash",
        read: Some(|config, text| put(&mut config.near, value_of(&NearMode::NAMED, text))),
        value_in: |config| word(&NearMode::NAMED, config.near),
        help: "How near repeats are found",
        zh: "怎样查找近似重复",
        ..NEAR
    },
    Setting {
        name: "similarity",
        value: Value::Text("0.001..1"),
        default: "0.62; minhash: 0.5",
        zh_default: "0.62；minhash：0.5",
        example: "0.7",
        acts: &[When::Is("near", &["hybrid", "minhash"])],
        read: Some(|config, text| put(&mut config.similarity, similarity(text))),
        value_in: |config| Some((f64::from(config.similarity) / 1000.0).to_string()),
        range: Some(("0.001 to 1", |config| (1..=1000).contains(&config.similarity))),
        help: "Least similarity of two near repeats. hybrid: of their texts; minhash: of their shingles (Jaccard)",
        zh: "近似重复的最低相似度。hybrid：正文的相似度；minhash：分片（shingle）的 Jaccard 相似度",
        ..NEAR
    },
    Setting {
        name: "guard",
        value: Value::Word(&[
            ("facts", "A message with a different fact is kept"),
            (
                "careful",
                "A message with a different link, mention or content word is kept, too, unless the word is a typo that sounds or looks alike",
            ),
            ("off", "Facts do not count"),
        ]),
        default: "facts",
        example: "off",
        acts: &[HYBRID, When::Is("templates", &["keep"])],
        read: Some(|config, text| put(&mut config.guard, value_of(&Guard::NAMED, text))),
        value_in: |config| word(&Guard::NAMED, config.guard),
        help: "hybrid: whether a message with a different fact (number, unit, place, name, opposite, negation) is kept",
        zh: "hybrid：事实不同（数字、单位、地名、人名、反义、否定）的消息是否保留；`careful`：链接、@ 的人或别的实词不同也保留",
        ..NEAR
    },
    Setting {
        name: "remarks",
        value: Value::Word(&[
            ("fold", "A repost with a short remark is dropped as a repeat"),
            ("keep", "A repost with a remark is kept, however short the remark is"),
        ]),
        default: "fold",
        example: "keep",
        acts: &[HYBRID],
        read: Some(|config, text| put(&mut config.remarks, value_of(&Remarks::NAMED, text))),
        value_in: |config| word(&Remarks::NAMED, config.remarks),
        help: "hybrid: a repost with a remark of one's own: `fold` drops it as a repeat if the remark is short, `keep` keeps it",
        zh: "hybrid：转发时自己加了评论的消息：`fold`，评论很短就算重复；`keep`，评论再短也保留",
        ..NEAR
    },
    Setting {
        name: "templates",
        value: Value::Word(&[
            ("keep", "Each message of a template is kept"),
            ("fold", "Only the first message of a template is kept; facts do not count"),
        ]),
        default: "keep",
        example: "fold",
        acts: &[HYBRID],
        read: Some(|config, text| put(&mut config.templates, value_of(&Templates::NAMED, text))),
        value_in: |config| word(&Templates::NAMED, config.templates),
        help: "hybrid: messages from one template with other words filled in: `keep` keeps each, `fold` drops all but the first",
        zh: "hybrid：同一模板填入不同内容的消息：`keep` 每条都保留，`fold` 只保留第一条",
        ..NEAR
    },
    Setting {
        name: "verify-window",
        commands: &["serve", "clusters", "sketch", "edges"],
        value: Value::Text("N"),
        default: "200k",
        example: "10k",
        acts: &[HYBRID, When::BeyondItself],
        read: Some(|config, text| put(&mut config.verify_window, count(text))),
        value_in: |config| Some(config.verify_window.to_string()),
        range: Some(("1 to 33554432", |config| (1..=MAX_WINDOW).contains(&config.verify_window))),
        help: "hybrid: a message is compared with the texts of the last N messages, and with older messages by fingerprints",
        zh: "hybrid：往回多少条消息比较正文；更早的比较指纹",
        ..NEAR
    },
    Setting {
        name: "max-distance",
        value: Value::Text("BITS"),
        default: "4",
        example: "3",
        acts: &[WITH_SIMHASH, WITH_SIMHASHES],
        read: Some(|config, text| put(&mut config.max_distance, whole(text))),
        value_in: |config| Some(config.max_distance.to_string()),
        range: Some(("0 to 12", |config| config.max_distance <= MAX_DISTANCE)),
        help: "Largest Hamming distance of near repeats' fingerprints, 0 to 12: under simhash, and under hybrid beyond --verify-window. The paper's \"< 5\" is 4",
        zh: "近似重复的指纹之间最大的汉明距离，0 到 12：用于 simhash，以及 hybrid 下相隔超过 `--verify-window` 的消息；论文的“< 5”即 4",
        ..NEAR
    },
    Setting {
        name: "shingle",
        value: Value::Text("word:W|char:N"),
        default: "char:2",
        example: "char:3",
        acts: &[WITH_STAGE, WITH_FINGERPRINTS],
        read: Some(|config, text| put(&mut config.shingle, Shingle::parse(text))),
        value_in: |config| Some(config.shingle.to_string()),
        range: Some(("lengths of 1 to 16", |config| {
            let (Shingle::Words(length) | Shingle::Chars(length)) = config.shingle;
            (1..=MAX_SHINGLE).contains(&length)
        })),
        help: "What a fingerprint is made of: runs of characters, or of words as in the paper (loads jieba's dictionary)",
        zh: "指纹由什么构成：连续的若干字，或如论文取连续的若干词（要载入 jieba 词典）",
        ..NEAR
    },
    Setting {
        name: "weights",
        value: Value::Word(&[("count", "As often as it occurs (Gao & Li 2014)"), ("once", "Once")]),
        default: "once",
        example: "count",
        acts: &[WITH_SIMHASH, WITH_SIMHASHES],
        read: Some(|config, text| put(&mut config.weights, value_of(&Weights::NAMED, text))),
        value_in: |config| word(&Weights::NAMED, config.weights),
        help: "simhash, hybrid: how often a shingle counts if a message has it several times",
        more: "With count, posts that share nothing but a long 哈哈哈哈哈哈 are near repeats",
        zh: "simhash、hybrid：消息中多次出现的分片计几次；`count` 会把只有一长串“哈哈哈哈哈哈”相同的帖子当成重复",
        ..NEAR
    },
    Setting {
        name: "permutations",
        commands: &["serve", "clusters", "explain"],
        value: Value::Text("P"),
        default: "128",
        example: "64",
        acts: &[When::Is("near", &["minhash"])],
        read: Some(|config, text| put(&mut config.permutations, whole(text))),
        value_in: |config| Some(config.permutations.to_string()),
        range: Some(("16 to 1024", |config| (16..=MAX_PERMUTATIONS).contains(&config.permutations))),
        help: "minhash: slots of a signature, 16 to 1024. Four times as many halve the error of the similarity",
        zh: "minhash：签名的槽数，16 到 1024；槽数增至四倍，相似度的误差减半",
        ..NEAR
    },
    Setting {
        name: "normalise",
        value: Value::Text("RULES"),
        default: "all",
        example: "-topic",
        acts: &[WITH_STAGE],
        read: Some(|config, text| put(&mut config.rules, Rules::read(text))),
        value_in: |config| Some(config.rules.to_string()),
        range: Some(("other rules, or --near simhash or minhash: hybrid compares canonical texts", |config| {
            config.rules != Rules::RAW || !matches!(config.near, NearMode::Hybrid)
        })),
        help: "Wrapping to remove before near comparison: all, none, or names joined by commas (repost, mention, url, emoticon, emoji, topic, video, place, page, civility, punctuation). `-topic` leaves topics in the text; `raw` makes fingerprints of the original text",
        zh: "近似比较之前去掉哪些包装：`all`、`none`，或以逗号连接的名称（`repost mention url emoticon emoji topic video place page civility punctuation`）；`-topic` 表示保留该项；`raw` 表示按原文取指纹",
        ..NEAR
    },
    Setting {
        name: "markup",
        value: Value::Word(&MARKUP_WORDS),
        default: "keep",
        example: "strip",
        acts: &[FINDS],
        read: Some(|config, text| put(&mut config.html, value_of(&MARKUP, text))),
        value_in: |config| word(&MARKUP, config.html),
        help: "Whether messages are HTML",
        more: "Kept messages are written as they came. In plain text `a<b` begins a tag, too",
        zh: "消息是否为 HTML；`strip`：两个阶段之前先除去标签和注释，实体还原成字符",
        zh_more: "保留的消息原样写出。纯文本里的 `a<b` 也会被当作标签",
        ..NEAR
    },
];
