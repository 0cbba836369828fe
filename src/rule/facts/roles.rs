//! Compares who does what to whom, for the same words in another order: 甲公司收购乙公司 / 乙公司收购甲公司 are two messages.

use std::ops::Range;

use super::clauses::{is_joint, other_clauses, separates};
use super::contrasts::{caused_otherwise, in_another_order, inverted};
use super::one_sided::joins;
use super::slots::levelled;
use crate::rule::gap::Gap;
use crate::text::GistView;
use crate::text::cues::CUES;
use crate::text::lexicon::{Tag, lexicon};
use crate::text::tokens::{Token, character, common_ends, common_head, common_tail, is_number, number};

/// Longest stretch between two names that change places, in tokens.
const LONGEST_BETWEEN: usize = 16;
/// Comes between the object of an action and the one who acts.
pub(super) const PASSIVE: Token = '被' as Token;
/// Longest name, in tokens.
const LONGEST_NAME: usize = 16;
/// Longest noun that changes places across a comma, in tokens.
const LONGEST_NOUN: usize = 4;

/// Returns a clause in which two names or nouns changed places: 甲公司收购乙公司 / 乙公司收购甲公司. Clauses and list items may move.
pub(crate) fn swapped(a: GistView<'_>, b: GistView<'_>) -> Option<Gap> {
    let (x, y) = (a.body.list, b.body.list);
    let [left, of_b] = other_clauses(a, b);
    let has = |list: &[Token]| list.contains(&PASSIVE);
    let is_passive = has(x) != has(y);
    let found = left.into_iter().find_map(|p| {
        let differ = |q: &&Range<usize>| {
            let (x, y) = (&x[p.clone()], &y[(*q).clone()]);
            x.len() == y.len() && changed_places(x, y) || is_passive && (turns_passive(x, y) || turns_passive(y, x))
        };
        let q = of_b.iter().find(differ)?;
        Some(Gap { a: p, b: q.clone() })
    });
    found.or_else(|| inverted(a, b)).or_else(|| caused_otherwise(a, b)).or_else(|| in_another_order(a, b))
}

/// Whether the clauses are X m Y and Y m X between common ends, where m says what one does to the other. A doubled word that moved counts,
/// too: 天天不能吃 / 不能天天吃, 仅仅退款不退货 / 退款不仅仅退货.
fn changed_places(x: &[Token], y: &[Token]) -> bool {
    let (head, tail) = common_ends(x, y);
    let (before, behind) = (&x[..head], &x[x.len() - tail..]);
    let (x, y) = (&x[head..x.len() - tail], &y[head..y.len() - tail]);
    (1..x.len().min(LONGEST_NAME + 1)).any(|first| {
        (1..(x.len() - first).min(LONGEST_NAME + 1)).any(|last| {
            let between = x.len() - first - last;
            let (of_x, of_y) = (&x[first..first + between], &y[last..last + between]);
            (1..=LONGEST_BETWEEN).contains(&between)
                && x[..first] == y[last + between..]
                && x[first + between..] == y[..last]
                && of_x == of_y
                && !joins(of_x)
                && !joins_alike(before, of_x, behind)
        })
    })
}

/// Whether the words between two things join them, besides what both things begin or end with: 银行和 of 招商银行和建设银行哪个好.
fn joins_alike(before: &[Token], between: &[Token], behind: &[Token]) -> bool {
    let end = common_head(between, behind);
    let between = &between[end..];
    let beginning = common_tail(before, between);
    let rest = &between[..between.len() - beginning];
    !rest.is_empty() && joins(rest)
}

/// Whether one clause says that H does V to W, and the other that H 被 W V: 我们绝杀了对手 / 我们被对手绝杀. But 对手被我们绝杀 says the same as the
/// first.
fn turns_passive(active: &[Token], passive: &[Token]) -> bool {
    let Some(head) = passive.iter().position(|token| *token == PASSIVE) else { return false };
    let done = |token: &&Token| character(**token) != Some('了');
    let plain = |side: &[Token]| -> Vec<Token> { side.iter().filter(done).copied().collect() };
    if head == 0 || active.len() <= head || active[..head] != passive[..head] || active.len() > 2 * LONGEST_BETWEEN {
        return false;
    }
    let (did, suffered) = (plain(&active[head..]), plain(&passive[head + 1..]));
    let tail = common_tail(&did, &suffered);
    let (did, suffered) = (&did[..did.len() - tail], &suffered[..suffered.len() - tail]);
    // 狗咬伤了保安 / 狗被保安打伤: another verb does not matter, because the one who acts is another.
    let is_brief = |verb: &[Token]| matches!(verb.len(), 1 | 2);
    (1..did.len()).any(|first| {
        let (verb, who) = did.split_at(first);
        let other = suffered.strip_prefix(who);
        other.is_some_and(|other| other == verb || who.len() > 1 && is_brief(verb) && is_brief(other))
    })
}

/// Returns the first place where two numbered lists have the same items in another order: 1.甲 2.乙 / 1.乙 2.甲. In a numbered list the order
/// counts.
pub(crate) fn reranked(a: GistView<'_>, b: GistView<'_>) -> Option<Gap> {
    let (p, q) = (numbered(a), numbered(b));
    if p.len() != q.len() || p.len() < 2 {
        return None;
    }
    let items = |text: GistView<'_>, items: &[Range<usize>]| -> Vec<Vec<Token>> {
        items.iter().map(|item| text.body.list[item.clone()].to_vec()).collect()
    };
    let (mut x, mut y) = (items(a, &p), items(b, &q));
    let at = x.iter().zip(&y).position(|(x, y)| x != y)?;
    x.sort_unstable();
    y.sort_unstable();
    (x == y).then(|| Gap { a: p[at].clone(), b: q[at].clone() })
}

/// Returns the items of a list that is numbered from 1 on, each up to the end of its clause. The number before each item ends a clause.
fn numbered(text: GistView<'_>) -> Vec<Range<usize>> {
    let (list, mut items) = (text.body.list, Vec::<Range<usize>>::new());
    let mut ends = text.clause_ends().peekable();
    while let Some(start) = ends.next() {
        let end = ends.peek().copied().unwrap_or(list.len());
        let Some(marker) = start.checked_sub(1).filter(|at| is_number(list[*at])) else { continue };
        // The tokens lack a number that begins the text, so the first item has no marker.
        if items.is_empty() && list[marker] == number(2) {
            let first = text.clause_ends().find(|at| *at > 0).unwrap_or(marker);
            items.push(0..first.min(marker));
        }
        if list[marker] == number(items.len() as u32 + 1) {
            let is_marker = |end: usize| end < list.len() && end > start + 1 && is_number(list[end - 1]);
            items.push(start..if is_marker(end) { end - 1 } else { end });
        }
    }
    items
}

/// Returns the first place where a person and a relative or friend of that person changed places: 我室友考上了，我没考上 / 我考上了，我室友没考上.
fn belonging(a: GistView<'_>, b: GistView<'_>, gaps: &[Gap]) -> Option<Gap> {
    let whose = |list: &[Token], at: usize| {
        let before = list[..at].last().and_then(|token| character(*token));
        before.filter(|c| "我你他她".contains(*c))
    };
    let is_somebody = |word: &[Token]| lexicon().get(word).is_some_and(|entry| entry.tag() == Tag::Noun);
    // Whether the words of a gap in the text with tokens `x` moved to another gap in the text with tokens `y`.
    let moved = |x: &[Token], Gap { a: p, b: q }: &Gap, y: &[Token], Gap { a: r, b: s }: &Gap| {
        q.is_empty()
            && r.is_empty()
            && !p.is_empty()
            && x[p.clone()] == y[s.clone()]
            && whose(x, p.start).is_some()
            && whose(x, p.start) == whose(y, s.start)
            && is_somebody(&x[p.clone()])
    };
    let (x, y) = (a.body.list, b.body.list);
    let is_moved = |gap: &Gap, other: &Gap| moved(x, gap, y, other) || moved(y, &gap.turned(), x, &other.turned());
    gaps.iter().find(|gap| gaps.iter().any(|other| is_moved(gap, other))).cloned()
}

/// Returns the first of two gaps with each other's words, perhaps clauses apart: 生于纽约，住在巴黎 / 生于巴黎，住在纽约. Also finds the other ways
/// in which words may exchange their roles.
pub(crate) fn exchanged(a: GistView<'_>, b: GistView<'_>, gaps: &[Gap]) -> Option<Gap> {
    let (x, y) = (a.body.list, b.body.list);
    let says = |stretch: &[Token]| !stretch.iter().all(|token| is_empty_word(*token));
    let mut exchanges = gaps.iter().enumerate().filter(|(at, gap)| {
        let [of_a, of_b] = gap.of(x, y);
        let back = |other: &Gap| other.of(x, y) == [of_b, of_a] && !joins(&x[gap.a.end..other.a.start]);
        says(of_a) && says(of_b) && gaps[at + 1..].iter().any(back) && levelled(of_a) != levelled(of_b)
    });
    exchanges
        .next()
        .map(|(_, place)| place.clone())
        .or_else(|| turned(a, b, gaps))
        .or_else(|| belonging(a, b, gaps))
        .or_else(|| crossed(a, b, gaps))
}

/// Returns the first gap of two nouns that changed places, one at the end of a clause and one at the beginning of the next: 我是租客，房东没… /
/// 我是房东，租客没…. Items of a list may change places.
fn crossed(a: GistView<'_>, b: GistView<'_>, gaps: &[Gap]) -> Option<Gap> {
    let (x, y) = (a.body.list, b.body.list);
    let is_noun = |word: &[Token]| lexicon().get(word).is_some_and(|entry| entry.tag().is_noun());
    let says = |word: &[Token]| !word.iter().any(|token| is_empty_word(*token));
    let is_comma = |text: GistView<'_>, at: usize| text.breaks_at(at) && !separates(text, at);
    let is_one = |two: &&[Gap]| match two {
        [Gap { a: p, b: q }, Gap { a: r, b: s }] => {
            let (between, of_b) = (p.end..r.start, q.end..s.start);
            let a_first = q.is_empty() && r.is_empty() && x[p.clone()] == y[s.clone()];
            let b_first = p.is_empty() && s.is_empty() && y[q.clone()] == x[r.clone()];
            let (a_comma, b_comma) = if a_first { (p.end, s.start) } else { (r.start, q.end) };
            let (of_x, of_y) = if a_first { (r.end, s.end) } else { (r.end, s.start) };
            let (moved, passed) = (if a_first { &x[p.clone()] } else { &y[q.clone()] }, &x[between]);
            let fits = |word: &[Token]| (2..=LONGEST_NOUN).contains(&word.len()) && says(word);
            let are_nouns = || fits(moved) && fits(passed) && (is_noun(moved) || is_noun(passed));
            // 车主，房主，法人 is a list.
            let go_on = || !a.breaks_at(of_x) && !b.breaks_at(of_y);
            let have_commas = || is_comma(a, a_comma) && is_comma(b, b_comma);
            (a_first || b_first) && passed == &y[of_b] && are_nouns() && go_on() && have_commas()
        }
        _ => false,
    };
    gaps.windows(2).find(is_one).map(|two| two[0].clone())
}

/// Returns the first of two gaps with equal words between them that exchange roles. One of these must hold:
/// - In one clause, what one text has in the first gap, the other has in the second, with its parts exchanged: 我欠对方 / 对方欠我.
/// - In one clause, a name moved to the other role: 用罗德里换下乌戈 / 用蒂亚戈换下罗德里.
/// - In two clauses, two subjects changed places, or two objects: 司机死亡，乘客… / 乘客死亡，司机…; 喝牛奶，少喝咖啡 / 喝咖啡，少喝牛奶.
fn turned(a: GistView<'_>, b: GistView<'_>, gaps: &[Gap]) -> Option<Gap> {
    let (x, y) = (a.body.list, b.body.list);
    let is_whole = |text: GistView<'_>, clause: Range<usize>| !text.breaks_in(clause.start + 1..clause.end);
    let is_turn = |x: &[Token], y: &[Token]| {
        let turns = |first: usize| x[first..] == y[..y.len() - first] && x[..first] == y[y.len() - first..];
        let may_turn = x != y && x.len() == y.len() && x.len() <= LONGEST_NAME;
        may_turn && !x.iter().any(|token| is_joint(*token)) && (1..x.len()).any(turns)
    };
    let says = |words: &[Token]| words.len() > 1 && !words.iter().all(|token| is_empty_word(*token));
    let is_shift = |before: &[Token], behind: &[Token]| {
        let is_one = |between: usize| {
            let (other, rest) = (&before[..before.len() - between], &behind[between..]);
            let is_same = before.ends_with(&behind[..between]);
            is_same && says(other) && says(rest) && !other.iter().any(|token| rest.contains(token))
        };
        before.len().max(behind.len()) <= LONGEST_NAME && (1..before.len().min(behind.len())).any(is_one)
    };
    let is_role = |before: &[Token], behind: &[Token]| is_turn(before, behind) || is_shift(before, behind);
    let is_one = |two: &&[Gap]| match two {
        [Gap { a: p, b: q }, Gap { a: r, b: s }] => {
            let before_it = r.start - p.end <= LONGEST_NAME && s.start - q.end == r.start - p.end;
            let a_first = q.is_empty() && r.is_empty() && is_role(&x[p.clone()], &y[s.clone()]);
            let b_first = p.is_empty() && s.is_empty() && is_role(&y[q.clone()], &x[r.clone()]);
            let in_one = is_whole(a, p.start..r.end) && is_whole(b, q.start..s.end);
            let across = || {
                let objects = || objects_cross((a, p), (b, s)) || objects_cross((b, q), (a, r));
                crosses((a, p), (b, s)) || crosses((b, q), (a, r)) || objects()
            };
            before_it && (in_one && (a_first || b_first) || across())
        }
        _ => false,
    };
    gaps.windows(2).find(is_one).map(|two| two[0].clone())
}

/// Whether a stretch is a subject and a verb, and the other stretch is that verb, a comma and the subject: 司机死亡，乘客… / 乘客死亡，司机….
fn crosses((a, p): (GistView<'_>, &Range<usize>), (b, s): (GistView<'_>, &Range<usize>)) -> bool {
    let (x, y) = (&a.body.list[p.clone()], &b.body.list[s.clone()]);
    let is_one = |subject: usize| {
        let comma = s.end - subject;
        let is_turn = x[..subject] == y[y.len() - subject..] && x[subject..] == y[..y.len() - subject];
        is_turn && !a.breaks_at(p.start + subject) && a.breaks_at(p.end) && b.breaks_at(comma) && !separates(b, comma)
    };
    x.len() == y.len() && x.len() <= LONGEST_NAME && x != y && (2..x.len()).any(is_one)
}

/// Whether a stretch is an object, a comma and what is before the next object, and the other stretch is a comma and the same in the other
/// order: 每天喝牛奶，少喝咖啡 / 每天喝咖啡，少喝牛奶. If the same is before both objects, they are a list.
fn objects_cross((a, p): (GistView<'_>, &Range<usize>), (b, s): (GistView<'_>, &Range<usize>)) -> bool {
    let (x, y) = (&a.body.list[p.clone()], &b.body.list[s.clone()]);
    let is_one = |object: usize| {
        let is_turn = x[..object] == y[y.len() - object..] && x[object..] == y[..y.len() - object];
        // 既懂技术，又懂管理.
        let also = usize::from(CUES.also.has_code(x[object]) && object + 1 < x.len());
        let is_list = || a.body.list[..p.start].ends_with(&x[object + also..]);
        is_turn && a.breaks_at(p.start + object) && b.breaks_at(s.start) && !separates(b, s.start) && !is_list()
    };
    x.len() == y.len() && x.len() <= LONGEST_NAME && x != y && (1..x.len()).any(is_one)
}

/// Returns the 被 that only one text has, if it turns the roles: 您起诉的案件 / 您被起诉的案件, 公司起诉员工 / 公司被起诉员工. The verb is one of what people do to each
/// other. 列入名录 / 被列入名录 says the same.
pub(crate) fn suffered(a: GistView<'_>, b: GistView<'_>, gaps: &[Gap]) -> Option<Gap> {
    let is_one = |gap: &&Gap| {
        let Some((side, at)) = gap.one_sided() else { return false };
        let list = [a, b][side].body.list;
        list[at.clone()] == [PASSIVE] && CUES.done_to.starting(&list[at.end..]).is_some()
    };
    gaps.iter().find(is_one).cloned()
}

/// Whether a token says nothing by itself.
fn is_empty_word(token: Token) -> bool {
    CUES.empty.has_code(token)
}
