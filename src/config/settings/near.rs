//! What near repeats are, and how they are found.

use super::values::{put, whole, word};
use super::{SETTING, Setting, Value, When};
use crate::config::names::named;
use crate::config::units::{count, similarity};
use crate::config::{
    Guard, MAX_DISTANCE, MAX_PERMUTATIONS, MAX_SHINGLE, MAX_WINDOW, NearMode, Preset, Remarks, Rules, Shingle,
    Templates, Weights,
};

const NEAR: Setting = Setting { group: "Near stage", decides: |_| true, ..SETTING };

const HYBRID: When = When::Is("near", &["hybrid"]);
const WITH_SIMHASH: When = When::Is("near", &["hybrid", "simhash"]);
const WITH_STAGE: When = When::Is("near", &["hybrid", "simhash", "minhash"]);

const MARKUP_WORDS: [(&str, &str); 2] = [("keep", "Messages are plain text"), ("strip", "HTML is taken out of them")];

/// Whether HTML is taken out of messages, as `--markup` spells it.
pub(crate) const MARKUP: [(&str, bool); 2] = [("keep", false), ("strip", true)];

pub(super) const SETTINGS: &[Setting] = &[
    Setting {
        name: "preset",
        value: Value::Word(&[
            (
                "paper",
                "Gao & Li 2014 to the letter: --exact paper-bloom --bloom-bits 20M --exact-on raw, then the preset simhash with \
                 --normalise raw. Its filter drops new messages: the summary says how many are expected",
            ),
            ("simhash", "The paper's second stage: --near simhash --shingle word:2 --weights count, distance 4"),
            ("weibo", "Weibo posts and reposts: the defaults"),
            ("headline", "Headlines and flashes: --normalise -video,-place,-page"),
            ("sms", "SMS and chat: --normalise -video,-place,-page"),
            ("careful", "Archives and legal holds: --guard careful, --remarks keep"),
        ]),
        default: "weibo",
        example: "paper",
        acts: &[WITH_STAGE],
        // What it comes to goes behind all others: `Settings::config` begins with it.
        read: Some(|_, text| named(&Preset::NAMED, text).map(drop)),
        help: "Options for a kind of texts; simhash: the paper's second stage; paper: the paper to the letter, whose filter drops new \
               messages; options beside it go first",
        zh: "某类文本的一组选项：`weibo` 即默认，`headline` 和 `sms` 不去掉微博页面残留（`--normalise \
             -video,-place,-page`），`simhash` 是论文的第二阶段，`paper` 是论文原样（其过滤器会丢掉新消息），`careful` 用于档案（`--guard careful --remarks keep`）；另写的选项优先",
        ..NEAR
    },
    Setting {
        name: "near",
        value: Value::Word(&[
            ("hybrid", "The texts of the last messages, fingerprints and facts of all older ones"),
            ("simhash", "64-bit fingerprints within a Hamming distance (Gao & Li 2014)"),
            ("minhash", "Signatures of a Jaccard similarity"),
            ("none", "Exact repeats only"),
        ]),
        default: "hybrid",
        example: "simhash",
        read: Some(|config, text| put(&mut config.near, named(&NearMode::NAMED, text))),
        tell: |config| word(&NearMode::NAMED, config.near),
        help: "How near repeats are found: by the texts of the last messages and fingerprints of all older ones; fingerprints alone; \
               MinHash signatures; not at all",
        zh: "近似阶段：最近的消息比较正文，更早的用指纹；只用指纹；MinHash 签名；不用",
        ..NEAR
    },
    Setting {
        name: "similarity",
        value: Value::Text("0..1"),
        default: "0.62; minhash: 0.5",
        zh_default: "0.62；minhash：0.5",
        example: "0.7",
        acts: &[When::Is("near", &["hybrid", "minhash"])],
        read: Some(|config, text| put(&mut config.similarity, similarity(text))),
        tell: |config| Some((f64::from(config.similarity) / 1000.0).to_string()),
        range: Some(("0.001 to 1", |config| (1..=1000).contains(&config.similarity))),
        help: "Least similarity of two near repeats: hybrid, of the texts; minhash, of their shingles (Jaccard)",
        zh: "hybrid：正文相似度下限；minhash：特征的 Jaccard 相似度下限",
        ..NEAR
    },
    Setting {
        name: "guard",
        value: Value::Word(&[
            ("facts", "A message with another fact is no repeat"),
            ("careful", "Nor is one with another content word, where it is no plain typo"),
            ("off", "Facts do not count"),
        ]),
        default: "facts",
        example: "off",
        acts: &[HYBRID, When::Is("templates", &["keep"])],
        read: Some(|config, text| put(&mut config.guard, named(&Guard::NAMED, text))),
        tell: |config| word(&Guard::NAMED, config.guard),
        help: "hybrid: whether a message with another number, unit, place, name, opposite or negation is no repeat",
        zh: "hybrid：数字、单位、地名、人名、反义或否定不同的是否不算重复；`careful`：任何实词不同都不算重复",
        ..NEAR
    },
    Setting {
        name: "remarks",
        value: Value::Word(&[
            ("fold", "A short one makes no other message"),
            ("keep", "Each one makes another message"),
        ]),
        default: "fold",
        example: "keep",
        acts: &[HYBRID],
        read: Some(|config, text| put(&mut config.remarks, named(&Remarks::NAMED, text))),
        tell: |config| word(&Remarks::NAMED, config.remarks),
        help: "hybrid: whether a remark of one's own on a message that is passed on makes another message",
        zh: "hybrid：转发时自己加的短评是否算另一条",
        ..NEAR
    },
    Setting {
        name: "templates",
        value: Value::Word(&[
            ("keep", "Another filling is another message"),
            ("fold", "It is a repeat: facts do not count"),
        ]),
        default: "keep",
        example: "fold",
        acts: &[HYBRID],
        read: Some(|config, text| put(&mut config.templates, named(&Templates::NAMED, text))),
        tell: |config| word(&Templates::NAMED, config.templates),
        help: "hybrid: whether one template with another filling is another message",
        zh: "hybrid：同一模板换了内容是否算另一条；`fold`：不看事实",
        ..NEAR
    },
    Setting {
        name: "verify-window",
        value: Value::Text("N"),
        default: "200k",
        example: "10k",
        acts: &[HYBRID],
        read: Some(|config, text| put(&mut config.verify_window, count(text))),
        tell: |config| Some(config.verify_window.to_string()),
        range: Some(("1 to 33554432", |config| (1..=MAX_WINDOW).contains(&config.verify_window))),
        help: "hybrid: messages back to which texts are compared; older ones are known by their fingerprints",
        zh: "hybrid：往回多少条消息比较正文",
        ..NEAR
    },
    Setting {
        name: "max-distance",
        value: Value::Text("BITS"),
        default: "4",
        example: "3",
        acts: &[WITH_SIMHASH],
        read: Some(|config, text| put(&mut config.max_distance, whole(text))),
        tell: |config| Some(config.max_distance.to_string()),
        range: Some(("0 to 12", |config| config.max_distance <= MAX_DISTANCE)),
        help: "simhash, and hybrid beyond the window: largest Hamming distance of two near repeats' fingerprints; the paper's \"< 5\"; 0 \
               to 12",
        zh: "simhash，以及 hybrid 的窗口之外：论文的“< 5”；0 到 12",
        ..NEAR
    },
    Setting {
        name: "shingle",
        value: Value::Text("word:W|char:N"),
        default: "char:2",
        example: "char:3",
        acts: &[WITH_STAGE],
        read: Some(|config, text| put(&mut config.shingle, Shingle::parse(text))),
        tell: |config| Some(config.shingle.to_string()),
        range: Some(("lengths of 1 to 16", |config| {
            let (Shingle::Words(length) | Shingle::Chars(length)) = config.shingle;
            (1..=MAX_SHINGLE).contains(&length)
        })),
        help: "What a fingerprint is made of: consecutive words (as the paper; loads jieba's dictionary) or characters",
        zh: "指纹由什么构成；按词（论文）要载入 jieba 词典",
        ..NEAR
    },
    Setting {
        name: "weights",
        value: Value::Word(&[
            ("count", "As often as it occurs (Gao & Li 2014)"),
            ("once", "Once: saves messages that say one thing over and over"),
        ]),
        default: "once",
        example: "count",
        acts: &[WITH_SIMHASH],
        read: Some(|config, text| put(&mut config.weights, named(&Weights::NAMED, text))),
        tell: |config| word(&Weights::NAMED, config.weights),
        help: "simhash, hybrid: what a shingle weighs that a message has several times",
        more: "count takes posts for repeats that have only their 哈哈哈哈哈哈 in common",
        zh: "simhash、hybrid：消息中多次出现的特征计几次；`count` 会把只有“哈哈哈哈哈哈”相同的帖子当成重复",
        ..NEAR
    },
    Setting {
        name: "permutations",
        value: Value::Text("P"),
        default: "128",
        example: "64",
        acts: &[When::Is("near", &["minhash"])],
        read: Some(|config, text| put(&mut config.permutations, whole(text))),
        tell: |config| Some(config.permutations.to_string()),
        range: Some(("16 to 1024", |config| (16..=MAX_PERMUTATIONS).contains(&config.permutations))),
        help: "minhash: slots of a signature, 16 to 1024; four times as many halve the error of the similarity",
        zh: "minhash：签名的槽数，16 到 1024",
        ..NEAR
    },
    Setting {
        name: "normalise",
        value: Value::Text("RULES"),
        default: "all",
        example: "-topic",
        acts: &[WITH_STAGE],
        read: Some(|config, text| put(&mut config.rules, Rules::named(text))),
        tell: |config| Some(config.rules.to_string()),
        range: Some(("raw with --near simhash or minhash; the rule reads the canonical form", |config| {
            config.rules != Rules::RAW || !matches!(config.near, NearMode::Hybrid)
        })),
        help: "Wrapping to take off before comparing: all, none, or names with commas: repost, mention, url, emoticon, emoji, topic, \
               video, place, page, punctuation; `-topic` leaves one on; raw: fingerprints of the text as it came, width and case and all",
        zh: "去掉哪些包装：`repost mention url emoticon emoji topic video place page punctuation`；`-topic` 表示保留该项；`raw` 表示按原文取指纹，宽度大小写都算",
        ..NEAR
    },
    Setting {
        name: "markup",
        value: Value::Word(&MARKUP_WORDS),
        default: "keep",
        example: "strip",
        read: Some(|config, text| put(&mut config.html, named(&MARKUP, text))),
        tell: |config| word(&MARKUP, config.html),
        help: "strip: messages are HTML; tags and comments are taken out and entities become characters before either stage",
        more: "What is kept leaves as it came. In plain text `a<b` begins a tag, too",
        zh: "`strip`：消息是 HTML，两个阶段之前先去掉标签和注释，实体还原成字符",
        ..NEAR
    },
];
