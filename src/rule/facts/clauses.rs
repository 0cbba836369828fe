//! Compares clauses and the items of lists, which may change places: 请带护照、照片到二楼 / 请带照片、护照到二楼.

use std::cmp::Ordering;
use std::ops::Range;

use super::negation::has_flag;
use crate::rule::gap::Gap;
use crate::text::GistView;
use crate::text::cues::CUES;
use crate::text::lexicon::REFUTATION;
use crate::text::tokens::{Token, character, common_head, common_tail, is_number, is_one_of};

/// Longest list, in items.
const ITEMS: usize = 12;

/// Returns the clauses of A that B does not have, and the clauses of B that A does not have.
pub(super) fn other_clauses(a: GistView<'_>, b: GistView<'_>) -> [Vec<Range<usize>>; 2] {
    let (x, y) = (a.body.list, b.body.list);
    let [of_a, of_b] = [a, b].map(|text| text.clauses().collect::<Vec<_>>());
    let same = |(p, q): &(&Range<usize>, &Range<usize>)| x[(*p).clone()] == y[(*q).clone()];
    // Clauses that are in the same place of both are paired without sorting.
    let first = of_a.iter().zip(&of_b).take_while(same).count();
    let [of_a, of_b] = [&of_a[first..], &of_b[first..]];
    let last = of_a.iter().rev().zip(of_b.iter().rev()).take_while(same).count();
    let [of_a, of_b] = [&of_a[..of_a.len() - last], &of_b[..of_b.len() - last]];
    let [mut p, mut q] = [sorted(x, of_a), sorted(y, of_b)].map(|side| side.into_iter().peekable());
    let mut others = [Vec::new(), Vec::new()];
    while let Some((own, other)) = p.peek().zip(q.peek()) {
        match own.0.cmp(other.0) {
            Ordering::Less => others[0].extend(p.next()),
            Ordering::Greater => others[1].extend(q.next()),
            Ordering::Equal => drop((p.next(), q.next())),
        }
    }
    others[0].extend(p);
    others[1].extend(q);
    others.map(|mut clauses| {
        clauses.sort_unstable_by_key(|(_, start)| *start);
        clauses.into_iter().map(|(clause, start)| start..start + clause.len()).collect()
    })
}

/// Returns clauses with their beginnings, sorted so that equal ones are adjacent.
fn sorted<'t>(list: &'t [Token], clauses: &[Range<usize>]) -> Vec<(&'t [Token], usize)> {
    let mut clauses: Vec<_> = clauses.iter().map(|clause| (&list[clause.clone()], clause.start)).collect();
    clauses.sort_unstable();
    clauses
}

/// Whether B has only clauses of A, perhaps in another order, or the items of a list in another order.
pub(crate) fn has_no_new_clause(a: GistView<'_>, b: GistView<'_>) -> bool {
    let (x, y) = (a.body.list, b.body.list);
    let head = common_head(x, y);
    // B has a token that is nowhere in A, and so in no clause or item of A.
    if y[head..].iter().any(|token| !is_joint(*token) && !x.contains(token)) {
        return false;
    }
    let [of_a, of_b] = [a, b].map(|text| text.clauses().collect::<Vec<_>>());
    if a.body.list.len() != b.body.list.len() || of_a.len() != of_b.len() {
        let [left, of_b] = other_clauses(a, b);
        // 辟谣：今晚有余震 / 今晚有余震.
        return of_b.is_empty() && !left.iter().any(|clause| has_flag(a, clause, REFUTATION));
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
    other_clauses(a, b)[1].is_empty() || are_one_list(a, b, &Gap { a: stretch(&of_a), b: stretch(&of_b) })
}

/// Whether the stretches are one list in another order. The beginning of the first item, and the end of the last one, may belong to the
/// whole list: 请带护照、照片到二楼 / 请带照片、护照到二楼.
fn are_one_list(a: GistView<'_>, b: GistView<'_>, stretches: &Gap) -> bool {
    let (p, q) = (items(a, &stretches.a), items(b, &stretches.b));
    if p.len() != q.len() || !(2..=ITEMS).contains(&p.len()) {
        return false;
    }
    let (x, y) = (a.body.list, b.body.list);
    // 我是租客，房东没… is no list.
    let is_list = |text: GistView<'_>, items: &[Range<usize>]| {
        items.len() > 2 || is_joint(text.body.list[items[1].start - 1]) || separates(text, items[1].start)
    };
    let is_row = |text: GistView<'_>, items: &[Range<usize>]| is_one_row(text, &items[1..]) && is_list(text, items);
    let [of_a, of_b] = [(x, &p), (y, &q)].map(|(list, items)| {
        let items = items.iter().map(|item| &list[item.clone()]);
        items.collect::<Vec<_>>()
    });
    // A list that mixes items and clauses shares no beginning and no end: 半导体、光伏领跌，煤炭走强.
    are_same_items(&of_a, &of_b, is_row(a, &p) && is_row(b, &q))
}

/// Whether two lists have the same items. If they `share` ends, a common beginning of the two first items, and a common end of the two last
/// ones, may belong to the whole lists.
fn are_same_items(of_a: &[&[Token]], of_b: &[&[Token]], share: bool) -> bool {
    let ends = |items: &[&[Token]]| [items[0].len(), items[items.len() - 1].len()];
    let ([x, x_end], [y, y_end]) = (ends(of_a), ends(of_b));
    let last = of_a.len() - 1;
    let (head, tail) =
        if share { (common_head(of_a[0], of_b[0]), common_tail(of_a[last], of_b[last])) } else { (0, 0) };
    let are_same = |head: usize, tail: usize| trimmed_items(of_a, head, tail) == trimmed_items(of_b, head, tail);
    // How much of the first and last item to cut off. Either the rest is a middle item of the other list, so its length is known. Or the
    // first and the last item changed places, and one cut determines the other.
    let middle = |items: &[&[Token]], whole: usize| -> Vec<usize> {
        items[1..last].iter().filter_map(|item| whole.checked_sub(item.len())).collect()
    };
    let cuts = |most: usize, own: Vec<usize>, other: Vec<usize>| -> Vec<usize> {
        [0].into_iter().chain(own).chain(other).filter(|cut| *cut <= most).collect()
    };
    let heads = cuts(head, middle(of_b, x), middle(of_a, y));
    let tails = cuts(tail, middle(of_b, x_end), middle(of_a, y_end));
    let crossed = |head: usize| {
        let tail = (y_end + head).checked_sub(x).filter(|cut| *cut <= tail)?;
        let is_one = of_a[0][head..] == of_b[last][..y_end - tail] && of_b[0][head..] == of_a[last][..x_end - tail];
        is_one.then_some(tail)
    };
    heads.iter().any(|head| tails.iter().any(|tail| are_same(*head, *tail)))
        || (0..=head).any(|head| crossed(head).is_some_and(|tail| are_same(head, tail)))
}

/// Returns the items, sorted, without `head` tokens of the first and `tail` tokens of the last.
fn trimmed_items<'t>(items: &[&'t [Token]], head: usize, tail: usize) -> Vec<&'t [Token]> {
    let mut items = items.to_vec();
    items[0] = &items[0][head..];
    let last = items.len() - 1;
    items[last] = &items[last][..items[last].len() - tail];
    items.sort_unstable();
    items
}

/// Whether 、 comes before a token.
pub(super) fn separates(text: GistView<'_>, at: usize) -> bool {
    text.signs.iter().any(|(place, sign)| *place as usize == at && sign.is_separator())
}

/// Whether 、 comes before all of these items, or before none. Items after 和 do not count.
fn is_one_row(text: GistView<'_>, items: &[Range<usize>]) -> bool {
    let mut marks =
        items.iter().filter(|item| !is_joint(text.body.list[item.start - 1])).map(|item| separates(text, item.start));
    marks.next().is_none_or(|first| marks.all(|mark| mark == first))
}

/// Whether a token joins the items of a list.
pub(super) fn is_joint(token: Token) -> bool {
    CUES.joint.has_code(token)
}

/// Returns the items of a stretch: it is cut at the ends of clauses, and at 和.
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

/// Whether a stretch tells an order or a cause: 甲、乙分获冠亚军, 因为下雨，堵车了.
fn says_order(list: &[Token]) -> bool {
    let is = |token: Token, c: char| character(token) == Some(c);
    let is_one = |(at, two): (usize, &[Token])| {
        let is_word = || CUES.order.starting(two).is_some();
        // 前三天 of 检查前三天 is a time.
        let is_time = || list.get(at + 2).is_some_and(|token| is_one_of(*token, "天日周月年个小分"));
        (is_word() || is(two[0], '前') && is_number(two[1])) && !(is(two[0], '前') && is_time())
    };
    list.windows(2).enumerate().any(is_one)
}

/// Whether B is a stretch of A that begins and ends with clauses. B has no topic, and A refutes nothing.
pub(crate) fn is_quoted(a: GistView<'_>, b: GistView<'_>) -> bool {
    let (x, y) = (a.body.list, b.body.list);
    let mut starts = a.clause_ends().chain([0]);
    b.topics.is_empty()
        && starts.any(|at| x[at..].starts_with(y) && a.ends_clause(at + y.len()))
        && !has_flag(a, &(0..x.len()), REFUTATION)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn items_are_the_same_whatever_belongs_to_the_whole(
            a in prop::collection::vec(prop::collection::vec(0_u32..3, 1..5), 2..5),
            moves in any::<prop::sample::Index>(),
            ends in (prop::collection::vec(0_u32..3, 0..3), prop::collection::vec(0_u32..3, 0..3)),
            other in prop::option::weighted(0.2, 0_u32..3),
        ) {
            let mut b = a.clone();
            b.rotate_left(moves.index(a.len()));
            b.swap(0, moves.index(a.len()));
            b[0].extend(other);
            let whole = |mut items: Vec<Vec<Token>>| {
                items[0].splice(0..0, ends.0.iter().copied());
                if let Some(last) = items.last_mut() {
                    last.extend(&ends.1);
                }
                items
            };
            let (a, b) = (whole(a), whole(b));
            let [of_a, of_b] = [&a, &b].map(|items| items.iter().map(Vec::as_slice).collect::<Vec<_>>());
            let last = a.len() - 1;
            let head = common_head(&a[0], &b[0]);
            let tail = common_tail(&a[last], &b[last]);
            let are_same = |head: usize, tail: usize| trimmed_items(&of_a, head, tail) == trimmed_items(&of_b, head, tail);
            let expected = (0..=head).any(|head| (0..=tail).any(|tail| are_same(head, tail)));
            prop_assert_eq!(are_same_items(&of_a, &of_b, true), expected);
            prop_assert_eq!(are_same_items(&of_a, &of_b, false), are_same(0, 0));
        }
    }
}
