//! Facts: what must not differ between a message and its repeat. "新增病例9例" is no repeat of "新增病例7例".
//!
//! The search for facts starts from an alignment of the two texts. A *gap* of the alignment is a stretch of one text that another stretch
//! replaces in the other text. A fact that only one text has is no conflict. A fact in the place of another fact is one.
//!
//! **Names.** All files here, and those of the repeat rule, name the two sides alike.
//! - `a` and `b` are the earlier text and the later one, `x` and `y` their tokens.
//! - `p` and `q` are a stretch of each: the two sides of a gap. `r` and `s` are those of another gap.
//! - `i` and `j` are one token, or one word, of each.
//! - `of_a` and `of_b` are what was found in each. A `side` is 0 for A and 1 for B.
//!
//! The [repeat rule](super) looks for facts in two steps. *Facts* goes through the gaps token by token. It finds numbers, signs, links,
//! names after `@`, units, words of letters, works, roles, and 上涨至5元 / 上涨5元. *Words* cuts a gap and its neighbours into words of the
//! [lexicon](crate::text::lexicon). It finds the other rows of the table, and 7点半. Other files find the rest: `rule/list_items.rs` and
//! `rule/list_entries.rs` find other items; `rule/numbers.rs`, `rule/refill.rs` and `rule/sole_facts.rs` find numbers, codes and names between the
//! same neighbours.
//!
//! | conflict | example |
//! |---|---|
//! | [`Conflict::Number`] | 新增7例 / 新增9例; a clause with a masked number (`DIGIT`) / one without; not 76 909 / 76909, 2020年 / 20年 |
//! | [`Conflict::Sign`] | 血糖≥7 / 血糖≤7; ①甲②乙 / ①乙②甲 |
//! | [`Conflict::Link`], [`Conflict::Mention`] | 领券戳 t.cn/A6xq / t.cn/B8mk; 恭喜@甲 @乙 中奖 / 恭喜@丙 @丁 中奖 |
//! | [`Conflict::Unit`] | 5公里 / 5米; 3元 / 3美元 |
//! | [`Conflict::Word`] | iphone / ipad |
//! | [`Conflict::Roles`] | 甲起诉乙 / 乙起诉甲; 生于纽约，住在巴黎 / 生于巴黎，住在纽约; 我是租客，房东没… / 我是房东，租客没…; 您起诉的案件 / 您被起诉的案件 |
//! | [`Conflict::Class`] | 河南发布 / 河北发布; 男足 / 女足; 油价上涨 / 油价下跌; 小熊电饭煲 / 小白熊电饭煲 |
//! | [`Conflict::Item`], [`Conflict::Work`] | 供应烤鸭、炒饭、鱼汤 / 供应炒饭、豆腐、蛋饼; 今晚上演《茶馆》 / 今晚上演《雷雨》 |
//! | [`Conflict::Person`], [`Conflict::Place`] | 张老师 / 李老师; 凤起路 / 凤城路 |
//! | [`Conflict::Negation`] | 可以出门 / 不可以出门; 可小刀，不包邮 / 不刀，包邮; but not 能不能, 未来, 不断 |
//! | [`Conflict::Qualifier`] | 可能停课 / 停课; 将发布 / 发布; 点名 / 再次点名; iPhone 15 Pro / iPhone 15 |
//! | [`Conflict::Rank`], [`Conflict::Refutation`] | 部长 / 副部长; 今晚有余震 / 地震局辟谣：今晚有余震 |
//! | [`Conflict::Correction`] | 已找到 //@甲: 寻人…; 更正：会议改到周四 |
//! | [`Conflict::NumberForWord`] | 七家银行 / 民生银行 |
//!
//! The files, by what each finds, compares or does:
//!
//! | file | |
//! |---|---|
//! | `adverts` | what an editor or an advertiser adds: adverts, a number of its own, keywords |
//! | `bylines` | who wrote, told or wired a text, whose words it quotes, where it was posted |
//! | `clauses` | clauses and the items of lists, which may change places |
//! | `closing` | where the end of a text may be another fill of a template |
//! | `connectives` | 但是, 所以 and the like, and adverts at the end, beside a difference |
//! | `contrasts` | statements that exchange their parts: cause and effect, what is denied and what is affirmed |
//! | `counts` | the numbers of things that both texts count, anywhere in them |
//! | `edits` | classifies each difference: a typo, a fact, other words, more, or less |
//! | `events` | titles that tell of another event: one to come, another time, or who else does it |
//! | `members` | members of a class that exclude each other, and brands, in the same place |
//! | `members_anywhere` | the same, anywhere in the texts, and what happened after the first report |
//! | `named` | names after or before a cue in a single text |
//! | `negation` | what negates a claim or weakens it |
//! | `news` | decides which differences make B another message |
//! | `nouns` | nouns in the place of other nouns |
//! | `number_marks` | marks beside a number, and numbers that stand for something else |
//! | `numeric` | tokens that are numbers, and their values |
//! | `one_sided` | what only one text has, if it is no plain addition |
//! | `person` | another person in the same place |
//! | `places` | another place with a name that no list has |
//! | `retold` | whether B retells A in other words and another order |
//! | `roles` | who does what to whom, for the same words in another order |
//! | `signs` | signs, links and names after `@` in the same place |
//! | `slips` | differences that say nothing: typos, masks, random letters, words said twice |
//! | `slots` | a place where two texts differ, with the words there and around it |
//! | `text_kind` | what kind of text this is: of one subject, or a question |
//! | `titles` | the works that two texts name |
//! | `told_or_remarked` | whether an addition tells a fact or is a personal remark |
//! | `units` | quantities with the same number |
//! | `views` | titles that ask how their readers see the news |
//! | `words` | cuts a stretch of tokens into words |

mod adverts;
mod bylines;
mod clauses;
mod closing;
mod connectives;
mod contrasts;
mod counts;
mod edits;
mod events;
mod members;
mod members_anywhere;
mod named;
mod negation;
mod news;
mod nouns;
mod number_marks;
mod numeric;
mod one_sided;
mod person;
mod places;
mod retold;
mod roles;
mod signs;
mod slips;
mod slots;
mod text_kind;
mod titles;
mod told_or_remarked;
mod units;
mod views;
mod words;

use std::cell::LazyCell;
use std::collections::BTreeMap;
use std::ops::Range;

use crate::hash::{HashMap, HashSet};
use crate::rule::gap::Gap;
use crate::text::GistView;
use crate::text::tokens::{Token, View, is_large, is_number, is_word};
pub(crate) use adverts::is_advert;
pub(crate) use bylines::{is_credited, other_agencies};
pub(crate) use clauses::{has_no_new_clause, is_quoted};
pub(crate) use closing::ending;
pub(crate) use contrasts::denied_otherwise;
pub(crate) use counts::{Count, YEAR, are_scores, counts, counts_differ, has_numbers};
pub(crate) use edits::{Difference, Edit, differences};
pub(crate) use events::other_actor;
pub(crate) use members_anywhere::{another_member, another_place, followed_up};
pub(crate) use named::{NAMED, familiar, is_closed, is_named, is_surname, may_be_one, named};
pub(crate) use news::{News, is_question, news, say_the_same, up_to_fact};
pub(crate) use numeric::value;
use numeric::{are_one_year, is_numeric};
pub(crate) use person::is_another;
pub(crate) use retold::{Telling, is_retold, may_be_retold, telling};
pub(crate) use roles::{exchanged, reranked, suffered, swapped};
pub(crate) use signs::{WAYS, referred, signs_differ};
pub(crate) use slips::{ends_freely, is_announced, is_mask, is_masked, is_noise, is_one_alike, is_said};
pub(crate) use slots::AROUND;
use slots::levelled;
pub(crate) use text_kind::ONE_SUBJECT_BELOW;
pub(crate) use titles::other_title;
use units::quantities_differ;

/// The kind of fact that differs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Conflict {
    /// Another number in the same place, or of the same thing counted.
    Number,
    /// The same number with another unit.
    Unit,
    /// Another member of a class, or the opposite. Holds the group of the class in the lexicon.
    Class(u16),
    /// 不, 没, 未 or 非 on one side only.
    Negation,
    /// 副 or 前 before a title, on one side only.
    Rank,
    /// 辟谣 or 不实 on one side only.
    Refutation,
    /// A remark on a repost says that the text is wrong, or over (已找到), or a text begins with 更正.
    Correction,
    /// 可能, 部分, 零下 or Pro on one side only; 上涨至5元 / 上涨5元.
    Qualifier,
    /// Another sign, ≥ / ≤. Holds the sign of the earlier message and that of the later one.
    Sign(&'static str, &'static str),
    /// Another link, if the link is what matters.
    Link,
    /// Another name after `@`, if the name is what matters.
    Mention,
    /// A number in the place of a word, or a word in the place of a number.
    NumberForWord,
    /// Another person.
    Person,
    /// Another place: 凤起路 / 凤城路.
    Place,
    /// Other items of a list.
    Item,
    /// Another work: 《茶馆》 / 《雷雨》.
    Work,
    /// Two names or nouns changed places, or one of them has another role.
    Roles,
    /// A Latin (Greek, Cyrillic) word in the place of another one.
    Word,
}

impl Conflict {
    /// Returns the name of this kind of conflict in the output.
    pub fn name(self) -> &'static str {
        match self {
            Self::Number => "number",
            Self::Unit => "unit",
            Self::Class(group) => crate::text::lexicon::lexicon().name(group),
            Self::Negation => "negation",
            Self::Rank => "rank",
            Self::Refutation => "refutation",
            Self::Correction => "correction",
            Self::Qualifier => "qualifier",
            Self::Sign(..) => "sign",
            Self::Link => "link",
            Self::Mention => "mention",
            Self::NumberForWord => "number and word",
            Self::Person => "person",
            Self::Place => "place",
            Self::Item => "item",
            Self::Work => "work",
            Self::Roles => "roles",
            Self::Word => "word",
        }
    }
}

/// The number of tokens before a number by which it is recognised in another place.
const MOVED: usize = 3;

/// Returns the first conflict of facts in a gap of an alignment of `a` and `b`.
pub(crate) fn conflict(a: GistView<'_>, b: GistView<'_>, gap: &Gap) -> Option<Conflict> {
    let (a_side, b_side) =
        (Side { tokens: a.body, range: gap.a.clone() }, Side { tokens: b.body, range: gap.b.clone() });
    if slips::masks_differ(a_side.inside(), b_side.inside()) {
        return Some(Conflict::Number);
    }
    if numbers_differ(&a_side, &b_side) {
        let are_names = person::are_names([a.body.list, b.body.list], gap);
        return Some(if are_names { Conflict::Person } else { Conflict::Number });
    }
    if let Some(conflict) = quantities_differ(&a_side, &b_side) {
        return Some(conflict);
    }
    (words_differ(&a_side, &b_side) && !slips::may_be_random(a, b, gap)).then_some(Conflict::Word)
}

/// One text's side of a gap.
struct Side<'a> {
    tokens: View<'a>,
    range: Range<usize>,
}

impl<'a> Side<'a> {
    fn inside(&self) -> &'a [Token] {
        &self.tokens.list[self.range.clone()]
    }

    fn at(&self, at: Option<usize>) -> Option<Token> {
        self.tokens.list.get(at?).copied()
    }

    fn before(&self, at: usize) -> Option<Token> {
        self.at(at.checked_sub(1))
    }

    fn after(&self, at: usize) -> Option<Token> {
        self.at(at.checked_add(1))
    }

    /// The places of the numbers in the gap. A single Chinese numeral counts as a number, too.
    fn numbers(&self) -> impl Iterator<Item = usize> + '_ {
        self.range.clone().filter(|&at| is_numeric(self.tokens.list[at]))
    }

    fn digits(&self) -> String {
        let mut digits = String::new();
        self.inside().iter().for_each(|&token| self.tokens.digits_into(token, &mut digits));
        digits
    }
}

/// Whether a number on one side is in the place of another number on the other side.
fn numbers_differ(a: &Side<'_>, b: &Side<'_>) -> bool {
    if b.numbers().next().is_none() {
        return false;
    }
    let values = [a, b].map(|side| side.numbers().map(|at| value(side.tokens.list[at])).collect::<HashSet<_>>());
    let lacks = |values: &HashSet<Token>, token: Token| !values.contains(&value(token));
    let elsewhere = LazyCell::new(|| places_of_numbers(a.tokens.list));
    let is_moved = |at: usize| is_moved(b, at, a, elsewhere.get(&b.tokens.list[at]).map_or(&[], Vec::as_slice));
    let is_news = |at: &usize| lacks(&values[0], b.tokens.list[*at]) && !is_moved(*at);
    let other: Vec<usize> = b.numbers().filter(is_news).collect();
    if other.is_empty() || a.digits() == b.digits() && !a.digits().is_empty() {
        return false;
    }
    let levels = [a, b].map(|side| levelled(side.inside()));
    let [own, of_b] = levels.each_ref().map(|list| list.iter().filter(|token| is_number(**token)));
    if own.eq(of_b) {
        return false;
    }
    let own: Vec<usize> = a.numbers().filter(|&at| lacks(&values[1], a.tokens.list[at])).collect();
    any_in_one_place((a, &own), (b, &other), |i, j| !are_one_year(a, i, b, j))
}

/// Whether a word of letters on one side is in the place of another word on the other side.
fn words_differ(a: &Side<'_>, b: &Side<'_>) -> bool {
    let words = |side: &Side<'_>, other: &Side<'_>| {
        let list = side.tokens.list;
        let mut places = side.range.clone().filter(|&at| is_word(list[at])).peekable();
        places.peek()?;
        let other: HashSet<Token> = other.inside().iter().copied().collect();
        let is_news = |at: &usize| !other.contains(&list[*at]) && !is_mask(&list[*at..=*at]);
        Some(places.filter(is_news).collect::<Vec<_>>())
    };
    let (Some(x), Some(y)) = (words(a, b), words(b, a)) else { return false };
    any_in_one_place((a, &x), (b, &y), |_, _| true)
}

/// Maps each number of a text to its places.
fn places_of_numbers(list: &[Token]) -> HashMap<Token, Vec<usize>> {
    let mut places: HashMap<Token, Vec<usize>> = HashMap::default();
    let numbers = list.iter().enumerate().filter(|(_, token)| is_numeric(**token));
    numbers.for_each(|(at, token)| places.entry(*token).or_default().push(at));
    places
}

/// Maps a token and the token after it to the first place of the two.
type FirstPlaces = BTreeMap<[Option<Token>; 2], usize>;

/// Whether a place of `own` in A matches a place of `other` in B, and `counts` accepts the two. Two places match if they have the same
/// neighbour before or after them, or if both have a small number at the end of the text: 屠龙刀14 / 倚天剑7. `counts` may depend only on the
/// tokens at the two places and on the tokens after these.
fn any_in_one_place(
    (a, own): (&Side<'_>, &[usize]),
    (b, other): (&Side<'_>, &[usize]),
    counts: impl Fn(usize, usize) -> bool,
) -> bool {
    let is_small = |token| is_number(token) && !is_large(token);
    let ends = |side: &Side<'_>, at| side.after(at).is_none() && side.at(Some(at)).is_some_and(is_small);
    // The places of A by the token before them, and by the token after them.
    let mut beside: [HashMap<Token, FirstPlaces>; 2] = Default::default();
    for &i in own {
        let neighbours = [a.before(i), a.after(i)];
        for (beside, neighbour) in beside.iter_mut().zip(neighbours) {
            let Some(neighbour) = neighbour else { continue };
            beside.entry(neighbour).or_default().entry([a.at(Some(i)), a.after(i)]).or_insert(i);
        }
    }
    let last = own.last().filter(|at| ends(a, **at));
    other.iter().any(|&j| {
        let neighbours = [b.before(j), b.after(j)];
        let alike = beside.iter().zip(neighbours).filter_map(|(beside, neighbour)| beside.get(&neighbour?));
        let mut alike = alike.flat_map(BTreeMap::values).chain(last.filter(|_| ends(b, j)));
        alike.any(|&i| counts(i, j))
    })
}

/// Whether a number of `b` is also at one of these places of `a`, between the same neighbours: 增3例 may be the count of another city,
/// 圳新增3例 is not.
fn is_moved(b: &Side<'_>, at: usize, a: &Side<'_>, places: &[usize]) -> bool {
    places.iter().any(|&i| {
        let before = |back| a.at(i.checked_sub(back)) == b.at(at.checked_sub(back));
        a.after(i) == b.after(at) && (1..=MOVED).all(before)
    })
}

#[cfg(test)]
mod tests;
