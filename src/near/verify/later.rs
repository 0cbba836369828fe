//! What can be asked of a message once it was read.

use super::{Alike, Verifier};
use crate::config::SIMILARITY;
use crate::near::align::{Gap, gaps};
use crate::near::aligned::there;
use crate::near::bounds::LONGEST;
use crate::near::decision::Decision;
use crate::text::GistView;
use crate::text::facts::{self, Conflict, Difference, Edit};

/// The later message of pairs, as a [`Verifier`] has read it.
#[derive(Debug)]
pub struct Later<'v> {
    pub(super) verifier: &'v mut Verifier,
    pub(super) b: GistView<'v>,
}

impl Later<'_> {
    /// Whether it repeats the earlier message `a`.
    pub fn decide(&mut self, a: GistView<'_>) -> Decision {
        self.verifier.place = None;
        self.verifier.judge(a, self.b).unwrap_or_else(|refusal| {
            self.verifier.place = refusal.place;
            Decision::No(refusal.reason)
        })
    }

    /// How alike the earlier message `a` and this one are; 0 without a body.
    pub(crate) fn alike(&mut self, a: GistView<'_>) -> Alike {
        self.verifier.alike(a, self.b)
    }

    /// Which tokens of the two messages made the last decision a no; `None` where the whole messages did.
    pub(crate) fn place(&self) -> Option<&Gap> {
        self.verifier.place.as_ref()
    }

    /// The first fact that differs, also where the texts are not alike; [`place`](Self::place) says where.
    pub(crate) fn fact(&mut self, a: GistView<'_>) -> Option<Conflict> {
        let Verifier { aligner, gaps: found, place, .. } = &mut *self.verifier;
        let b = self.b;
        let (x, y) = (a.body.list, b.body.list);
        if x.is_empty() || y.is_empty() || x.len().max(y.len()) > LONGEST {
            return None;
        }
        gaps(aligner.align(x, y), (x.len(), y.len()), true, found);
        let by_numbers = found.iter().find_map(|gap| Some((gap.clone(), facts::conflict(a, b, gap)?)));
        let fact = |difference: Difference| match difference.edit {
            Edit::Fact(conflict) => Some((difference.place, conflict)),
            _ => None,
        };
        let by_words = || facts::differences(a, b, found, false).find_map(fact);
        let matches = aligner.align(x, y);
        let by_signs = facts::signs_differ(a, b, there(matches), false);
        let by_roles = facts::swapped(a, b).map(|place| (place, Conflict::Roles));
        let all = [by_numbers, by_signs, by_words(), by_roles];
        let (first, conflict) = all.into_iter().flatten().min_by_key(|(place, _)| (place.a.start, place.b.start))?;
        *place = Some(first);
        Some(conflict)
    }

    /// The similarity that the bodies of the last decision need, in thousandths, at this setting.
    pub(crate) fn needed(&self) -> u32 {
        let Verifier { policy, threshold, .. } = &self.verifier;
        1000 - (1000 - policy.similarity.min(1000)) * (1000 - threshold) / (1000 - SIMILARITY)
    }
}
