//! Finds what tells apart texts with equal bodies: 领券戳 t.cn/A6xq and 领券戳 t.cn/B8mk have the same body, 领券戳.
//!
//! Thousands of messages may differ in nothing else. So an index can look up what [`Verifier`](super::verify::Verifier) compares in them:
//! the links and names that [`referred`] returns, and the topics of [remarks](REMARK).

use super::bounds::REMARK;
use crate::config::Policy;
use crate::rule::facts::{WAYS, referred};
use crate::text::GistView;

/// A property that tells a text apart from others with an equal body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Property {
    /// The key of the property. The property can tell two texts apart only if both have this key.
    pub(crate) key: u64,
    /// The values of the property. If two texts have no value in common, neither repeats the other.
    pub(crate) values: Vec<u64>,
}

/// A text with more links and names is compared directly: in the index each place would have a copy of them all.
const MOST_REFERENCES: usize = 64;
/// The lowest bit of a property's kind in its key and values. The bits below tell apart those of one kind.
const KIND: u32 = 60;
const TOPICS: u64 = 2;

/// Returns all properties that tell a text apart from others with an equal body.
pub(crate) fn distinguishing_properties(text: GistView<'_>, policy: Policy) -> Vec<Property> {
    let mut all = Vec::new();
    if !text.topics.is_empty() && (1..=REMARK).contains(&text.body.list.len()) {
        all.push(Property { key: TOPICS << KIND, values: text.topics.to_vec() });
    }
    if text.signs.is_empty() || !policy.has_facts() {
        return all;
    }
    let references: Vec<_> = referred(text, policy.is_careful()).take(MOST_REFERENCES + 1).collect();
    if references.len() > MOST_REFERENCES {
        return all;
    }
    for one in &references {
        let kind = (one.kind as u64) << KIND;
        for way in (0..WAYS).filter(|way| one.ways[*way]) {
            let key = kind | (u64::from(one.at) * WAYS as u64 + way as u64);
            let same = references.iter().filter(|other| other.kind == one.kind);
            if all.iter().all(|known: &Property| known.key != key) {
                all.push(Property { key, values: same.map(|other| kind | other.which).collect() });
            }
        }
    }
    all
}
