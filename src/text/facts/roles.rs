//! Who does what to whom: the same words in another order. 甲公司收购乙公司 / 乙公司收购甲公司 are two messages; clauses and items of a list may move.

use std::ops::Range;

use super::apart::joins;
use super::contrasts::inverted;
use super::negation::says;
use super::slots::{Gap, levelled};
use crate::text::GistView;
use crate::text::lexicon::{REFUTATION, Tag, lexicon};
use crate::text::tokens::{Token, character, is_number, number};

/// Longest stretch between two names that changed places, in tokens.
const BETWEEN: usize = 16;
/// Longest list, in items.
const ITEMS: usize = 12;
/// Between whom something was done to and who did it.
const PASSIVE: Token = '被' as Token;
/// Longest name.
const NAME: usize = 16;
/// Longest noun that changes places across a comma.
const NOUN: usize = 4;

/// The clauses of a text.
fn clauses(text: GistView<'_>) -> Vec<Range<usize>> {
    let (mut found, mut start) = (Vec::new(), 0);
    for end in text.breaks.iter().map(|end| *end as usize).chain([text.body.list.len()]) {
        if end > start {
            found.push(start..end);
        }
        start = start.max(end);
    }
    found
}

/// What two texts say in other clauses: those of A that B has not, and the other way round.
fn other_clauses(a: GistView<'_>, b: GistView<'_>) -> [Vec<Range<usize>>; 2] {
    let (x, y) = (a.body.list, b.body.list);
    let (mut of_a, mut of_b) = (clauses(a), clauses(b));
    of_a.retain(|clause| {
        let same = of_b.iter().position(|other| x[clause.clone()] == y[other.clone()]);
        same.map(|same| of_b.remove(same)).is_none()
    });
    [of_a, of_b]
}

/// Whether B says nothing but clauses of A, perhaps in another order, or the items of a list in another order.
pub(crate) fn only_clauses(a: GistView<'_>, b: GistView<'_>) -> bool {
    let (x, y) = (a.body.list, b.body.list);
    let head = x.iter().zip(y).take_while(|(x, y)| x == y).count();
    // A word that A has nowhere is in no clause of it, and in no item.
    if y[head..].iter().any(|token| !is_joint(*token) && !x.contains(token)) {
        return false;
    }
    let (of_a, of_b) = (clauses(a), clauses(b));
    if a.body.list.len() != b.body.list.len() || of_a.len() != of_b.len() {
        let [left, of_b] = other_clauses(a, b);
        // 辟谣：今晚有余震 / 今晚有余震.
        return of_b.is_empty() && !left.iter().any(|clause| says(a, clause, REFUTATION));
    }
    let same = |(p, q): &(&Range<usize>, &Range<usize>)| a.body.list[(*p).clone()] == b.body.list[(*q).clone()];
    let first = of_a.iter().zip(&of_b).take_while(same).count();
    let last = of_a.iter().rev().zip(of_b.iter().rev()).take(of_a.len() - first).take_while(same).count();
    let end = of_a.len() - last;
    if first == end || says_order(&a.body.list[of_a[first.saturating_sub(1)].start..of_a[end.min(of_a.len() - 1)].end])
    {
        return first == end;
    }
    let stretch = |clauses: &[Range<usize>]| clauses[first].start..clauses[end - 1].end;
    other_clauses(a, b)[1].is_empty() || are_rearranged(a, b, &(stretch(&of_a), stretch(&of_b)))
}

/// Whether the stretches are one list in another order. What its first item begins with, and its last one ends with, may belong to the
/// whole of it: 请带护照、照片到二楼 / 请带照片、护照到二楼.
fn are_rearranged(a: GistView<'_>, b: GistView<'_>, stretches: &Gap) -> bool {
    let (p, q) = (items(a, &stretches.0), items(b, &stretches.1));
    if p.len() != q.len() || !(2..=ITEMS).contains(&p.len()) {
        return false;
    }
    let (x, y, end) = (a.body.list, b.body.list, p.len() - 1);
    // Items and clauses share nothing: 半导体、光伏领跌，煤炭走强.
    let alike = |pairs: &mut dyn Iterator<Item = (&Token, &Token)>| pairs.take_while(|(x, y)| x == y).count();
    let (first, last) = (&x[p[0].clone()], &x[p[end].clone()]);
    // 我是租客，房东没… is no list.
    let is_list = |text: GistView<'_>, items: &[Range<usize>]| {
        items.len() > 2 || is_joint(text.body.list[items[1].start - 1]) || separates(text, items[1].start)
    };
    let is_row = |text: GistView<'_>, items: &[Range<usize>]| is_one_row(text, &items[1..]) && is_list(text, items);
    let (head, tail) = match is_row(a, &p) && is_row(b, &q) {
        true => (
            alike(&mut first.iter().zip(&y[q[0].clone()])),
            alike(&mut last.iter().rev().zip(y[q[end].clone()].iter().rev())),
        ),
        false => (0, 0),
    };
    let sorted = |list: &[Token], items: &[Range<usize>], head: usize, tail: usize| -> Vec<Vec<Token>> {
        let item = |(at, item): (usize, &Range<usize>)| {
            let (before, after) = (if at == 0 { head } else { 0 }, if at == end { tail } else { 0 });
            list[item.start + before..item.end - after].to_vec()
        };
        let mut items: Vec<_> = items.iter().enumerate().map(item).collect();
        items.sort_unstable();
        items
    };
    (0..=head).any(|head| (0..=tail).any(|tail| sorted(x, &p, head, tail) == sorted(y, &q, head, tail)))
}

/// Whether 、 stands before a token.
fn separates(text: GistView<'_>, at: usize) -> bool {
    text.signs.iter().any(|(place, sign)| *place as usize == at && sign.is_separator())
}

/// Whether 、 stands before all of these items, or before none. 和 may stand before any.
fn is_one_row(text: GistView<'_>, items: &[Range<usize>]) -> bool {
    let mut marks =
        items.iter().filter(|item| !is_joint(text.body.list[item.start - 1])).map(|item| separates(text, item.start));
    marks.next().is_none_or(|first| marks.all(|mark| mark == first))
}

/// Whether it stands between the items of a list.
pub(super) fn is_joint(token: Token) -> bool {
    character(token).is_some_and(|c| "和与及".contains(c))
}

/// The items of a stretch: what stands between the ends of clauses, and 和.
fn items(text: GistView<'_>, stretch: &Range<usize>) -> Vec<Range<usize>> {
    let list = text.body.list;
    let (mut found, mut start) = (Vec::new(), stretch.start);
    for at in stretch.clone() {
        // …，还看了电影.
        let joined = is_joint(list[at]) || character(list[at]) == Some('还') && text.breaks_at(at);
        if (joined || text.breaks_at(at)) && at > start {
            found.push(start..at);
            start = at + usize::from(joined);
        }
    }
    found.push(start..stretch.end);
    found
}

/// Whether it tells an order, or a cause: 甲、乙分获冠亚军, 因为下雨，堵车了.
fn says_order(list: &[Token]) -> bool {
    const WORDS: [[char; 2]; 14] = [
        ['分', '别'],
        ['分', '获'],
        ['分', '列'],
        ['分', '居'],
        ['依', '次'],
        ['先', '后'],
        ['排', '名'],
        ['名', '次'],
        ['顺', '序'],
        ['路', '线'],
        ['前', '三'],
        ['前', '十'],
        ['因', '为'],
        ['由', '于'],
    ];
    let is = |token: Token, c: char| character(token) == Some(c);
    let is_one = |(at, two): (usize, &[Token])| {
        let is_word = || WORDS.iter().any(|word| is(two[0], word[0]) && is(two[1], word[1]));
        // 检查前三天 is a time.
        let is_time =
            || list.get(at + 2).and_then(|token| character(*token)).is_some_and(|c| "天日周月年个小分".contains(c));
        (is_word() || is(two[0], '前') && is_number(two[1])) && !(is(two[0], '前') && is_time())
    };
    list.windows(2).enumerate().any(is_one)
}

/// Whether B is a stretch of A that begins and ends with clauses. B has no topic, and A refutes nothing.
pub(crate) fn is_quoted(a: GistView<'_>, b: GistView<'_>) -> bool {
    let (x, y) = (a.body.list, b.body.list);
    let mut starts = a.breaks.iter().map(|at| *at as usize).chain([0]);
    b.topics.is_empty()
        && starts.any(|at| x[at..].starts_with(y) && a.ends_clause(at + y.len()))
        && !says(a, &(0..x.len()), REFUTATION)
}

/// Two names or nouns of a clause that changed places: 甲公司收购乙公司 / 乙公司收购甲公司. Clauses and list items may move.
pub(crate) fn swapped(a: GistView<'_>, b: GistView<'_>) -> Option<Gap> {
    let (x, y) = (a.body.list, b.body.list);
    let [left, of_b] = other_clauses(a, b);
    let has = |list: &[Token]| list.contains(&PASSIVE);
    let is_passive = has(x) != has(y);
    let found = left.into_iter().find_map(|p| {
        let differ = |q: &&Range<usize>| {
            let (x, y) = (&x[p.clone()], &y[(*q).clone()]);
            x.len() == y.len() && changed_places(x, y) || is_passive && (is_turned(x, y) || is_turned(y, x))
        };
        let q = of_b.iter().find(differ)?;
        Some((p, q.clone()))
    });
    found.or_else(|| inverted(a, b))
}

/// Whether the clauses are X m Y and Y m X between equal ends, where m says what the one does to the other.
fn changed_places(x: &[Token], y: &[Token]) -> bool {
    let head = x.iter().zip(y).take_while(|(x, y)| x == y).count();
    let tail = x[head..].iter().rev().zip(y[head..].iter().rev()).take_while(|(x, y)| x == y).count();
    let (x, y) = (&x[head..x.len() - tail], &y[head..y.len() - tail]);
    (1..x.len().min(NAME + 1)).any(|first| {
        (1..(x.len() - first).min(NAME + 1)).any(|last| {
            let between = x.len() - first - last;
            let (of_x, of_y) = (&x[first..first + between], &y[last..last + between]);
            (1..=BETWEEN).contains(&between)
                && x[..first] == y[last + between..]
                && x[first + between..] == y[..last]
                && of_x == of_y
                && !joins(of_x)
        })
    })
}

/// Whether the one clause says that H does V to W, and the other that H 被 W V: 我们绝杀了对手 / 我们被对手绝杀. 对手被我们绝杀 says the same
/// as the first.
fn is_turned(active: &[Token], passive: &[Token]) -> bool {
    let Some(head) = passive.iter().position(|token| *token == PASSIVE) else { return false };
    let done = |token: &&Token| character(**token) != Some('了');
    let plain = |side: &[Token]| -> Vec<Token> { side.iter().filter(done).copied().collect() };
    if head == 0 || active.len() <= head || active[..head] != passive[..head] || active.len() > 2 * BETWEEN {
        return false;
    }
    let (did, suffered) = (plain(&active[head..]), plain(&passive[head + 1..]));
    let tail = did.iter().rev().zip(suffered.iter().rev()).take_while(|(x, y)| x == y).count();
    let (did, suffered) = (&did[..did.len() - tail], &suffered[..suffered.len() - tail]);
    // 狗咬伤了保安 / 狗被保安打伤: by whom it is done tells enough.
    let is_brief = |verb: &[Token]| matches!(verb.len(), 1 | 2);
    (1..did.len()).any(|first| {
        let (verb, who) = did.split_at(first);
        let other = suffered.strip_prefix(who);
        other.is_some_and(|other| other == verb || who.len() > 1 && is_brief(verb) && is_brief(other))
    })
}

/// The first place where items of two numbered lists stand in another order: 1.甲 2.乙 / 1.乙 2.甲. Who numbers them means the order.
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
    (x == y).then(|| (p[at].clone(), q[at].clone()))
}

/// The items of a list that is numbered from 1 on, each up to the end of its clause: a number ends a clause before each.
fn numbered(text: GistView<'_>) -> Vec<Range<usize>> {
    let (list, mut items) = (text.body.list, Vec::<Range<usize>>::new());
    let mut ends = text.breaks.iter().map(|at| *at as usize).peekable();
    while let Some(start) = ends.next() {
        let end = ends.peek().copied().unwrap_or(list.len());
        let Some(marker) = start.checked_sub(1).filter(|at| is_number(list[*at])) else { continue };
        // The number that a text begins with is taken off.
        if items.is_empty() && list[marker] == number(2) {
            let first = text.breaks.iter().map(|at| *at as usize).find(|at| *at > 0).unwrap_or(marker);
            items.push(0..first.min(marker));
        }
        if list[marker] == number(items.len() as u32 + 1) {
            let is_marker = |end: usize| end < list.len() && end > start + 1 && is_number(list[end - 1]);
            items.push(start..if is_marker(end) { end - 1 } else { end });
        }
    }
    items
}

/// The first place where who speaks, and somebody of theirs, changed places: 我室友考上了，我没考上 / 我考上了，我室友没考上.
fn belonging(a: GistView<'_>, b: GistView<'_>, gaps: &[Gap]) -> Option<Gap> {
    let whose = |list: &[Token], at: usize| {
        let before = list[..at].last().and_then(|token| character(*token));
        before.filter(|c| "我你他她".contains(*c))
    };
    let is_somebody = |word: &[Token]| lexicon().get(word).is_some_and(|entry| entry.tag() == Tag::Noun);
    let moved =
        |x: &[Token], (p, q): (&Range<usize>, &Range<usize>), y: &[Token], (r, s): (&Range<usize>, &Range<usize>)| {
            q.is_empty()
                && r.is_empty()
                && !p.is_empty()
                && x[p.clone()] == y[s.clone()]
                && whose(x, p.start).is_some()
                && whose(x, p.start) == whose(y, s.start)
                && is_somebody(&x[p.clone()])
        };
    let (x, y) = (a.body.list, b.body.list);
    let found =
        gaps.iter().find(|(p, q)| gaps.iter().any(|(r, s)| moved(x, (p, q), y, (r, s)) || moved(y, (q, p), x, (s, r))));
    found.cloned()
}

/// Two stretches of these gaps that stand in each other's place, perhaps clauses apart: 生于纽约，住在巴黎 / 生于巴黎，住在纽约. The first
/// of the two places.
pub(crate) fn exchanged(a: GistView<'_>, b: GistView<'_>, gaps: &[Gap]) -> Option<Gap> {
    let (x, y) = (a.body.list, b.body.list);
    let says = |stretch: &[Token]| !stretch.iter().all(|token| particle(*token));
    let mut exchanges = gaps.iter().enumerate().filter(|(at, (p, q))| {
        let (of_a, of_b) = (&x[p.clone()], &y[q.clone()]);
        let back = |(r, s): &Gap| x[r.clone()] == *of_b && y[s.clone()] == *of_a && !joins(&x[p.end..r.start]);
        says(of_a) && says(of_b) && gaps[at + 1..].iter().any(back) && levelled(of_a) != levelled(of_b)
    });
    exchanges
        .next()
        .map(|(_, place)| place.clone())
        .or_else(|| turned(a, b, gaps))
        .or_else(|| belonging(a, b, gaps))
        .or_else(|| crossed(a, b, gaps))
}

/// Two nouns, one at the end of a clause and one at the beginning of the next, that stand in each other's place: 我是租客，房东没… /
/// 我是房东，租客没…. Items of a list may do so.
fn crossed(a: GistView<'_>, b: GistView<'_>, gaps: &[Gap]) -> Option<Gap> {
    let (x, y) = (a.body.list, b.body.list);
    let is_noun = |word: &[Token]| lexicon().get(word).is_some_and(|entry| entry.tag().is_noun());
    let says = |word: &[Token]| !word.iter().any(|token| particle(*token));
    let is_comma = |text: GistView<'_>, at: usize| text.breaks_at(at) && !separates(text, at);
    let is_one = |two: &&[Gap]| match two {
        [(p, q), (r, s)] => {
            let (between, of_b) = (p.end..r.start, q.end..s.start);
            let a_first = q.is_empty() && r.is_empty() && x[p.clone()] == y[s.clone()];
            let b_first = p.is_empty() && s.is_empty() && y[q.clone()] == x[r.clone()];
            let (a_comma, b_comma) = if a_first { (p.end, s.start) } else { (r.start, q.end) };
            // 车主，房主，法人 is a list.
            let goes_on = |text: GistView<'_>, at: usize| !text.breaks_at(at);
            let (of_x, of_y) = if a_first { (r.end, s.end) } else { (r.end, s.start) };
            let (moved, passed) = (if a_first { &x[p.clone()] } else { &y[q.clone()] }, &x[between]);
            (2..=NOUN).contains(&passed.len())
                && (a_first || b_first)
                && passed == &y[of_b]
                && (2..=NOUN).contains(&moved.len())
                && (is_noun(moved) || is_noun(passed))
                && says(moved)
                && says(passed)
                && goes_on(a, of_x)
                && goes_on(b, of_y)
                && is_comma(a, a_comma)
                && is_comma(b, b_comma)
        }
        _ => false,
    };
    gaps.windows(2).find(is_one).map(|two| two[0].clone())
}

/// What goes before a word of a clause in the one text and behind it in the other, the other way round: 我欠对方 / 对方欠我. Or the word
/// has the other role, and somebody else its own: 用罗德里换下乌戈 / 用蒂亚戈换下罗德里. The place before.
fn turned(a: GistView<'_>, b: GistView<'_>, gaps: &[Gap]) -> Option<Gap> {
    let (x, y) = (a.body.list, b.body.list);
    let is_whole = |text: GistView<'_>, clause: Range<usize>| {
        !text.breaks.iter().any(|at| (clause.start + 1..clause.end).contains(&(*at as usize)))
    };
    let is_turn = |x: &[Token], y: &[Token]| {
        let turns = |first: usize| x[first..] == y[..y.len() - first] && x[..first] == y[y.len() - first..];
        x != y
            && x.len() == y.len()
            && x.len() <= NAME
            && !x.iter().any(|token| is_joint(*token))
            && (1..x.len()).any(turns)
    };
    let says = |words: &[Token]| words.len() > 1 && !words.iter().all(|token| particle(*token));
    let is_shift = |before: &[Token], behind: &[Token]| {
        let is_one = |between: usize| {
            let (other, rest) = (&before[..before.len() - between], &behind[between..]);
            let is_same = before.ends_with(&behind[..between]);
            is_same && says(other) && says(rest) && !other.iter().any(|token| rest.contains(token))
        };
        before.len().max(behind.len()) <= NAME && (1..before.len().min(behind.len())).any(is_one)
    };
    let is_role = |before: &[Token], behind: &[Token]| is_turn(before, behind) || is_shift(before, behind);
    let is_one = |two: &&[Gap]| match two {
        [(p, q), (r, s)] => {
            let before_it = r.start - p.end <= NAME && s.start - q.end == r.start - p.end;
            let a_first = q.is_empty() && r.is_empty() && is_role(&x[p.clone()], &y[s.clone()]);
            let b_first = p.is_empty() && s.is_empty() && is_role(&y[q.clone()], &x[r.clone()]);
            let in_one = is_whole(a, p.start..r.end) && is_whole(b, q.start..s.end);
            let across = || crosses((a, p), (b, s)) || crosses((b, q), (a, r));
            before_it && (in_one && (a_first || b_first) || across())
        }
        _ => false,
    };
    gaps.windows(2).find(is_one).map(|two| two[0].clone())
}

/// Whether a stretch is a subject and a verb, and the other one that verb, a comma and the subject: 司机死亡，乘客… / 乘客死亡，司机….
fn crosses((a, p): (GistView<'_>, &Range<usize>), (b, s): (GistView<'_>, &Range<usize>)) -> bool {
    let (x, y) = (&a.body.list[p.clone()], &b.body.list[s.clone()]);
    let is_one = |subject: usize| {
        let comma = s.end - subject;
        let is_turn = x[..subject] == y[y.len() - subject..] && x[subject..] == y[..y.len() - subject];
        is_turn && !a.breaks_at(p.start + subject) && a.breaks_at(p.end) && b.breaks_at(comma) && !separates(b, comma)
    };
    x.len() == y.len() && x.len() <= NAME && x != y && (2..x.len()).any(is_one)
}

/// Whether it is a word that says nothing by itself.
fn particle(token: Token) -> bool {
    character(token).is_some_and(|c| "和与及跟或以对的了是在也都就要应会可能将已".contains(c))
}
