//! The condition of the engine by its definition: it looks for all passages of one body in the other.

use std::cell::OnceCell;
use std::ops::Range;

use crate::hash::HashSet;
use crate::rule::bounds::{Bounds, COMMENT, LONG, LONGEST, QUOTED, RUN, few_counts};
use crate::rule::facts::{Count, counts_differ, may_be_one, named};
use crate::rule::numbers::{numbers, renumbered};
use crate::rule::refill::{Passage, before, behind, counts_at_end, is_code, refilled_briefly};
use crate::rule::sole_facts::{only, other_only};

/// A body with the parts that the definition compares.
pub(super) struct Defined<'a> {
    pub(super) tokens: &'a [u32],
    bigrams: HashSet<&'a [u32]>,
    runs: HashSet<&'a [u32]>,
    counts: Box<[Count]>,
    stretches: OnceCell<Vec<Stretch<'a>>>,
    codes: OnceCell<Vec<(Range<usize>, [Passage; 2])>>,
}

/// A stretch of a body, and the shortest passages before and after it that occur in the body once. If the stretch goes to the end: the run
/// before it, and an empty passage.
type Stretch<'a> = (Range<usize>, [&'a [u32]; 2]);

impl<'a> Defined<'a> {
    pub(super) fn new(tokens: &'a [u32]) -> Self {
        let [bigrams, runs] = [2, RUN].map(|length| tokens.windows(length).collect());
        Self { tokens, bigrams, runs, counts: few_counts(tokens), stretches: OnceCell::new(), codes: OnceCell::new() }
    }

    /// Where a slot at its end may begin: in the middle for some lengths, anywhere for the others.
    pub(super) fn ending(&self) -> usize {
        let length = self.tokens.len();
        if length.is_multiple_of(5) { length / 2 } else { 0 }
    }

    /// Whether letters at its end may be random: so in one body of four.
    pub(super) fn ends_freely(&self) -> bool {
        self.tokens.len().is_multiple_of(4)
    }

    /// How many tokens are a comment: a third for some lengths, none for the others.
    pub(super) fn commented(&self) -> usize {
        let length = self.tokens.len();
        if length >= LONG && length.is_multiple_of(3) { length / 3 } else { 0 }
    }

    /// All stretches that are codes, and the passages around them.
    fn codes(&self) -> &[(Range<usize>, [Passage; 2])] {
        self.codes.get_or_init(|| {
            let body = self.tokens;
            let befores: Vec<_> = (0..body.len()).map(|start| first(body, start)).collect();
            let behinds: Vec<_> = (0..=body.len()).map(|end| behind(body, end)).collect();
            let all = (0..body.len()).flat_map(|start| (start + 1..=body.len()).map(move |end| start..end));
            let codes = all.filter(|at| is_code(body, at));
            codes.filter_map(|at| Some((at.clone(), [befores[at.start]?, behinds[at.end]?]))).collect()
        })
    }

    /// Which tokens another body covers: those in a bigram that the other body has too.
    fn covered(&self, other: &Defined) -> Vec<bool> {
        let by = |from: usize| self.tokens.get(from..from + 2).is_some_and(|pair| other.bigrams.contains(pair));
        (0..self.tokens.len()).map(|at| (at > 0 && by(at - 1)) || by(at)).collect()
    }

    /// How many tokens are in runs that another body has too.
    fn in_runs(&self, other: &Defined) -> usize {
        let begins = |from: usize| self.tokens.get(from..from + RUN).is_some_and(|run| other.runs.contains(run));
        (0..self.tokens.len()).filter(|at| (at.saturating_sub(RUN - 1)..=*at).any(begins)).count()
    }

    /// The stretches of 3 to 20 tokens that have such passages, and those up to the end, with nothing after them.
    fn stretches(&self) -> &[Stretch<'a>] {
        self.stretches.get_or_init(|| {
            let (body, last) = (self.tokens, self.tokens.len().saturating_sub(2));
            let times = |passage: &[u32]| body.windows(passage.len()).filter(|own| *own == passage).count();
            let lone = |passages: &mut dyn Iterator<Item = Range<usize>>| {
                passages.filter_map(|passage| body.get(passage)).find(|passage| times(passage) == 1)
            };
            let before =
                |start| lone(&mut (2..=4).filter(|length| *length <= start).map(|length| start - length..start));
            let behind: Vec<_> = (0..=last).map(|end| lone(&mut (2..=4).map(|length| end..end + length))).collect();
            let mut stretches = Vec::new();
            for start in 2..body.len() {
                let run = start.checked_sub(RUN).map(|from| &body[from..start]).filter(|run| times(run) == 1);
                if let Some(run) = run.filter(|_| start + 3 <= body.len()) {
                    stretches.push((start..body.len(), [run, &[]]));
                }
                let Some(before) = before(start) else { continue };
                let ends = start + 3..=last.min(start + 20);
                stretches.extend(ends.filter_map(|end| Some((start..end, [before, (*behind.get(end)?)?]))));
            }
            stretches
        })
    }
}

/// Whether `a` fills a slot of `b` with something else. A stretch of `b` and a stretch of `a` must be between the same passages and about
/// as long. `a` must cover no token of `b`'s stretch, except perhaps the first and the last, which do not count. Two stretches of three
/// tokens must not have the middle token in common. A stretch at the end must begin at `ending` or later, after a run. Then `a` must not
/// cover its last token either, and three uncovered characters of it must not be in `a`'s stretch.
fn refilled(a: &Defined, b: &Defined) -> bool {
    let covered = b.covered(a);
    let ends = |at: &Range<usize>| usize::from(covered[at.start]) + usize::from(covered[at.end - 1]);
    let is_foreign = |at: &Range<usize>| {
        let last = if at.end == covered.len() { at.end } else { at.end - 1 };
        !covered[at.start + 1..last].contains(&true)
    };
    let is_end = |at: &Range<usize>| at.end == covered.len();
    let may_be_one = |(at, _): &&Stretch| is_foreign(at) && !(is_end(at) && at.start < b.ending());
    b.stretches().iter().filter(may_be_one).any(|(at, around)| {
        a.stretches().iter().filter(|(_, other)| other == around).any(|(other, _)| {
            let bare = at.clone().filter(|at| !covered[*at]);
            let counted = bare.filter(|at| counts_at_end(b.tokens[*at]));
            let foreign = counted.filter(|at| !a.tokens[other.clone()].contains(&b.tokens[*at])).count();
            if is_end(at) && foreign < 3 {
                return false;
            }
            let first = usize::from(covered[at.start]);
            let centre = |body: &Defined, at: &Range<usize>| body.tokens[at.start + first + 1];
            let (own, theirs) = (at.len() - ends(at), other.len().saturating_sub(ends(at)));
            if !is_end(at) && (own, theirs) == (3, 3) && centre(a, other) == centre(b, at) {
                return false;
            }
            own.min(theirs) >= 3 && own.max(theirs) <= 2 * own.min(theirs) + 1
        })
    })
}

/// The passage before a slot. If the slot begins at the first or second token, all that is before it.
fn first(body: &[u32], start: usize) -> Option<Passage> {
    if start < 2 { Some([u32::MAX, start as u32, body[..start].iter().sum(), 0]) } else { before(body, start) }
}

/// Whether a code of b, of which a covers no token, is between the same passages as a code of a that has other words.
fn recoded(a: &Defined, b: &Defined) -> bool {
    if a.codes().is_empty() || b.codes().is_empty() {
        return false;
    }
    let covered = b.covered(a);
    // The words in their order, and the same words sorted.
    let words = |body: &Defined, at: &Range<usize>| {
        let words = body.tokens[at.clone()].to_vec();
        let mut sorted = words.clone();
        sorted.sort_unstable();
        (words, sorted)
    };
    let are_one = |x: &Range<usize>, y: &Range<usize>| {
        let ((x, p), (y, q)) = (words(a, x), words(b, y));
        x.first() == y.first() || x.last() == y.last() || p == q
    };
    let is_bare = |(at, _): &&(Range<usize>, _)| !covered[at.clone()].contains(&true);
    b.codes()
        .iter()
        .filter(is_bare)
        .any(|(at, around)| a.codes().iter().any(|(other, theirs)| theirs == around && !are_one(other, at)))
}

/// Whether a covers no token of some stretch of the comment of b.
fn commented(a: &Defined, b: &Defined) -> bool {
    b.commented() >= COMMENT && b.covered(a)[..b.commented()].windows(COMMENT).any(|part| !part.contains(&true))
}

/// Whether a name of b is between the same passages as a name of a, and the two cannot be the same.
fn renamed(a: &Defined, b: &Defined) -> bool {
    let (x, y) = (a.tokens, b.tokens);
    let around = |body: &[u32], at: &Range<usize>| first(body, at.start).zip(behind(body, at.end));
    named(y, 0..y.len()).any(|at| {
        let is_other =
            |other: &Range<usize>| around(x, other) == around(y, &at) && !may_be_one(&x[other.clone()], &y[at.clone()]);
        around(y, &at).is_some() && named(x, 0..x.len()).any(|other| is_other(&other))
    })
}

/// Whether both have the same tokens in any order, and no more than 24.
fn rearranged(x: &[u32], y: &[u32]) -> bool {
    let sorted = |body: &[u32]| {
        let mut body = body.to_vec();
        body.sort_unstable();
        body
    };
    (LONG..25).contains(&y.len()) && sorted(x) == sorted(y)
}

/// The condition as the documentation of [`Bounds`] states it.
pub(super) fn possible(a: &Defined, b: &Defined, bounds: &Bounds) -> bool {
    let (x, y) = (a.tokens, b.tokens);
    if x.len().max(y.len()) > LONGEST && x != y {
        return false;
    }
    if bounds.counts
        && (counts_differ(&a.counts, &b.counts).is_some()
            || renumbered(x, y, &numbers(y), || b.ends_freely()).is_some()
            || other_only(x, y, &only(y).collect::<Vec<_>>()).is_some())
    {
        return false;
    }
    if bounds.counts && (renamed(a, b) || recoded(a, b)) {
        return false;
    }
    if (bounds.counts || bounds.slots) && commented(a, b) {
        return false;
    }
    if x.len().min(y.len()) >= LONG {
        let one_run = bounds.counts && y.len() < 25 && b.in_runs(a) > 0;
        let is_near = b.in_runs(a) * 1000 >= bounds.runs as usize * y.len() || one_run || rearranged(x, y);
        let is_refilled = || refilled(a, b) || refilled_briefly(x, y, b.covered(a).into_iter()).is_some();
        return is_near && !(bounds.slots && is_refilled());
    }
    let is_quoted = x.len() >= LONG && QUOTED.contains(&y.len()) && x.windows(y.len()).any(|part| part == y);
    let covered = |own: &Defined, other: &Defined| own.covered(other).into_iter().filter(|is| *is).count();
    let least = covered(a, b).min(covered(b, a));
    bounds.quotes && is_quoted || least > 0 && 2 * least * 1000 >= bounds.short as usize * (x.len() + y.len())
}
