//! The repeat rule: is B, read after A, a repeat of A?
//!
//! B repeats A if it tells a reader of A nothing new: 武汉加油 / 武汉加由 is a repeat, 新增7例 / 新增9例 is not. Only the two messages and
//! their order decide. The rule compares their *bodies*: lists of tokens, without topics and wrapping. A token is a character, a number, a
//! word of letters, or a code of letters and digits. n is the number of tokens of the shorter body.
//!
//! [`Later::decide`] asks the questions of this table from the top. The first question that is answered with yes decides. If there is no
//! such question, B is a repeat. A row without a name belongs to the step above it. In the examples A comes first.
//!
//! | step | question (the file in brackets has the details) | a repeat? | example |
//! |---|---|---|---|
//! | topics | Is a body empty? | if both are, and A has all topics of B, or half of them and two | #樱花# / #樱花# 🌸, not #樱花# / #樱花# 好美 |
//! | other topic | Is n ≤ 5, and do both have topics, but none in common? (A remark is about its topic.) | no | #武汉樱花# 加油 / #洛阳牡丹# 加油 |
//! | equal | Are the bodies equal? | yes, unless a sign, link or name differs (`facts/signs.rs`) | but not 血糖≥7 / 血糖≤7 |
//! | long | Does a body have more than 8192 tokens? | no | |
//! | near | Do the two have too little in common (`thresholds.rs`)? | no | 今天下雨了 / 明天要开会 |
//! | passage | Does B add a passage (see below)? A may have more: it was read first. | no | |
//! | template | Is a slot of a template filled with other words (`refill.rs`)? | no | …到骨伤科室就诊，… / …到神经外科就诊，… |
//! | | Are two brief slots filled with other words, or one with another noun (`refill/brief.rs`)? | no | 来吃春风家，小炒猪蹄必点，… / 来吃橙子家，小炒鱿鱼必点，… |
//! | | Do numbers or codes between the same neighbours differ (`numbers.rs`)? | no | 新增7例 / 新增9例, 验证码为HSREL / 验证码为k7wq2 |
//! | | Is there another code or name between the same passages (`refill.rs`)? | no | Dear Mary, your order … / Dear John, your order … |
//! | | Does each short text have only one large number, score or name, and do the two differ (`sole_facts.rs`)? | no | 接种超9亿剂次 / 超15亿剂次接种 |
//! | | Does a short text list other things (`list_items.rs`), or do two entries differ (`list_entries.rs`)? | no | 菜单：烤鸭、炒饭、鱼汤 / 菜单：炒饭、豆腐、蛋饼 |
//! | | A list of numbers in another order is the same. | | 白菜报4元，萝卜报3元 / 萝卜报3元，白菜报4元 |
//! | quote | Is B a clause or more of a longer A (`thresholds.rs`)? | yes | 搬家第一天，我终于学会了砍价，… / 我终于学会了砍价 |
//! | slot | Is a slot in the middle filled with other words (`aligned.rs`)? | no | 请到火车站接我回家 / 请到体育馆接我回家 |
//! | title | Is n < 20, and do 2 tokens or more replace 2 or more (`aligned.rs`)? | no | 美食街今天开幕… / 车展会今天开幕… |
//! | facts | Does a number, sign, unit, word of letters or role differ (`facts.rs`)? | no | 甲公司起诉乙公司 / 乙公司起诉甲公司 |
//! | words | Does a word differ that is a fact (`facts.rs`)? | no | 河南今晚有暴雨，… / 河北今晚有暴雨，… |
//! | | Is a content word replaced, or does B add news (`facts/news.rs`)? | no | …停运 / …停运，无人受伤 |
//! | | Does each text have another member of a class, anywhere in the text (`facts/members_anywhere.rs`)? | no | 补贴截止到什么时候 / 补贴从什么时候开始 |
//! | | Does only B, a title, say what happened after the first report (`facts/members_anywhere.rs`)? | no | 高校食堂饭菜… / 高校回应食堂饭菜… |
//!
//! **A passage** is a run of 12 tokens or more of B that A does not cover (`coverage.rs`), if A covers less than 65 % of B. In a comment
//! on a repost, a run of 8 tokens is enough, whatever A covers. Whole clauses at an end are no passage if they are an advert, filler or
//! polite: …，更多优惠请关注樱花小站公众号.
//!
//! **Retold.** 今晚7点草莓到货，请大家来3号楼自取 / 草莓今晚七点到货啦，大家来3号楼自取吧: B tells A's content in other words. The steps *slot*,
//! *title* and *words* then accept other content words, additional ones, and a number in the place of a word. The condition is that A says
//! everything that B says, with the same roles, numbers and negations (`facts/retold.rs`).
//!
//! **Policies.**
//! - [`Guard::Careful`] takes every content word that differs, is added, or is left out inside a clause for news. It forgives only
//!   characters that sound or look alike, but not after a surname. Another link or `@name` in the same place counts. There are no quotes.
//! - [`Guard::Off`] leaves out the steps *facts* and *words*. In the other steps it ignores signs, numbers, codes, names and lists.
//! - [`Templates::Fold`] leaves out the checks for filled templates, slots and titles.
//! - [`Remarks::Keep`] takes any comment on a repost for a passage.
//!
//! # Measured
//! The lists and thresholds were chosen with the labelled pairs in view, so the rule does worse on other pairs. `benches/RESULTS.md` has
//! the figures, and the effect of each clause. `tests/library/rule.rs` checks the figures.
//!
//! [`Guard::Careful`]: crate::config::Guard::Careful
//! [`Guard::Off`]: crate::config::Guard::Off
//! [`Remarks::Keep`]: crate::config::Remarks::Keep
//! [`Templates::Fold`]: crate::config::Templates::Fold

pub(crate) mod align;
mod aligned;
pub(crate) mod bounds;
pub(crate) mod coverage;
mod decision;
pub(crate) mod difference;
pub(crate) mod equal_bodies;
pub mod facts;
mod first_gap;
pub(crate) mod gap;
pub(crate) mod list_entries;
pub(crate) mod list_items;
pub(crate) mod numbers;
pub(crate) mod refill;
pub(crate) mod sole_facts;
pub(crate) mod thresholds;
mod verify;

pub use bounds::Bounds;
pub use decision::{Decision, Reason};
pub use thresholds::least_covered;
pub use verify::{Later, Verifier};
pub(crate) use verify::{PASSAGE, greet_others};
