//! Finds the fact that differs, for `explain` and `"reason"`.

use super::{Later, Verifier};
use crate::rule::align::{SingleMatches, gaps};
use crate::rule::aligned::{Aligned, there};
use crate::rule::bounds::LONGEST;
use crate::rule::decision::{Reason, Refusal};
use crate::rule::facts::{self, Conflict, Difference, Edit};
use crate::text::GistView;

impl Later<'_> {
    /// Returns the first fact that differs, even if the texts are not alike. Afterwards [`place`](Later::place) returns its place.
    pub(crate) fn fact(&mut self, a: GistView<'_>) -> Option<Conflict> {
        let Verifier { aligner, gaps: found, policy, .. } = &mut *self.verifier;
        let b = self.b;
        let (x, y) = (a.body.list, b.body.list);
        if x.is_empty() || y.is_empty() || x.len().max(y.len()) > LONGEST {
            return None;
        }
        let matches = aligner.align(x, y);
        gaps(matches, (x.len(), y.len()), SingleMatches::Keep, found);
        let by_numbers = found.iter().find_map(|gap| Some((gap.clone(), facts::conflict(a, b, gap)?)));
        let fact = |difference: Difference| match difference.edit {
            Edit::Fact(conflict) => Some((difference.place, conflict)),
            _ => None,
        };
        let by_words = facts::differences(a, b, found, false).find_map(fact);
        let by_signs = facts::signs_differ(a, b, there(matches), false);
        let by_roles = facts::swapped(a, b).map(|place| (place, Conflict::Roles));
        let by_rule = Aligned::new(a, b, matches, *policy).facts(found).err().and_then(|refusal| match refusal {
            Refusal { reason: Reason::Fact(conflict), place: Some(place) } => Some((place, conflict)),
            _ => None,
        });
        let all = [by_numbers, by_signs, by_words, by_roles, by_rule];
        let (first, conflict) = all.into_iter().flatten().min_by_key(|(place, _)| (place.a.start, place.b.start))?;
        self.place = Some(first);
        Some(conflict)
    }
}
