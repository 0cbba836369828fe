//! The product's presets, judged pair by pair.
//!
//! # What it keeps
//! The digest of the canonical form, and the tokens, topics and facts of the body. The preset `simhash` keeps the digest and the SimHash
//! fingerprint.
//!
//! # How it is made
//! As `quchong dedup --preset NAME` does it: the wrapping is removed, the body is split into tokens, and each number is one token.
//!
//! # When two are alike
//! The canonical forms are equal, or the later message repeats the earlier one by the repeat rule at the preset's similarity. For
//! `simhash`: the Hamming distance of the fingerprints is below 5. In a stream, fewer messages are dropped, because a message can only
//! repeat one that was kept.
//!
//! # Known weakness
//! The rule asks whether a reader has read the text before. A text with another number or name is no repeat, however similar it is. So,
//! measured by similarity alone, the rule misses the pairs that it is designed to keep apart.
//!
//! # Reference
//! [`rule`](crate::rule) and its measurements; for `simhash`, Gao & Li 2014. Their own pipeline, the preset `paper`, cannot be judged on
//! two texts alone, because it drops by the state of its filter.

use super::checksum::Checksum;
use super::{Alike, Method, Paper, Signature, Signer};
use crate::config::Preset;
use crate::fingerprint::Printer;
use crate::locale::later;
use crate::text::Clean;
use crate::text::normalise::canonical;

pub(super) const WEIBO: Method = row(Preset::Weibo, "quchong-weibo", later("preset weibo, the default"));
pub(super) const HEADLINE: Method = row(Preset::Headline, "quchong-headline", later("preset headline"));
pub(super) const SMS: Method = row(Preset::Sms, "quchong-sms", later("preset sms"));

pub(super) const SIMHASH: Method = Method {
    id: "quchong-simhash",
    title: later("preset simhash"),
    paper: Paper::Product,
    alike: Alike::Members(OF_SIMHASH, 1),
    signer: |collection| Signature::of_members(OF_SIMHASH, collection),
};

const OF_SIMHASH: &[&Method] = &[
    &Method {
        id: "exact",
        title: later("digest of the canonical form"),
        paper: Paper::Product,
        alike: Alike::Equal,
        signer: |_| {
            Box::new(|document| {
                let text = canonical(&document.original);
                (!text.is_empty()).then(|| Signature::Digest(Checksum::md5(text.as_bytes())))
            })
        },
    },
    &Method {
        id: "simhash",
        title: later("fingerprint of the preset simhash"),
        paper: Paper::Product,
        alike: Alike::Distance(4),
        signer: |_| {
            let printer = Printer::new(&Preset::Simhash.config());
            Box::new(move |document| {
                printer.print_text(&document.original, &mut Clean::default()).simhash.map(Signature::Fingerprint)
            })
        },
    },
];

const fn row(preset: Preset, id: &'static str, title: &'static str) -> Method {
    let signer = match preset {
        Preset::Headline => |_: &_| signer(Preset::Headline),
        Preset::Sms => |_: &_| signer(Preset::Sms),
        Preset::Careful => |_: &_| signer(Preset::Careful),
        Preset::Weibo | Preset::Paper | Preset::Simhash => |_: &_| signer(Preset::Weibo),
    };
    Method { id, title, paper: Paper::Product, alike: Alike::RepeatRule(preset), signer }
}

fn signer<'c>(preset: Preset) -> Signer<'c> {
    let printer = Printer::new(&preset.config());
    Box::new(move |document| {
        let printed = printer.print_text(&document.original, &mut Clean::default());
        (printed.digest.is_some() || printed.gist.is_some()).then(|| Signature::Printed(Box::new(printed)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::Comparer;
    use crate::generate::{Generator, Recipe};
    use crate::methods::{Collection, Reading};

    #[test]
    fn pairs_are_judged_as_the_product_judges_them() {
        let options = Recipe { repeats: 600, decoys: 100, ..Recipe::default() };
        let posts: Vec<String> = Generator::new(9, options).unwrap().take(80).map(|post| post.text).collect();
        let collection = Collection::read(posts.iter().map(String::as_str), Reading::default());
        let presets = [Preset::Weibo, Preset::Headline, Preset::Sms, Preset::Simhash];
        for (method, preset) in [WEIBO, HEADLINE, SMS, SIMHASH].iter().zip(presets) {
            let signatures = method.sign(&collection);
            let mut comparer = Comparer::new(&preset.config()).unwrap();
            for (b, later) in posts.iter().enumerate() {
                for (a, earlier) in posts[..b].iter().enumerate() {
                    let both = signatures[a].as_ref().zip(signatures[b].as_ref());
                    let alike = both.is_some_and(|(a, b)| method.alike.alike(a, b));
                    let expected = !comparer.compare(earlier, later).verdict.is_kept();
                    assert_eq!(alike, expected, "{}\n{earlier}\n{later}", method.id);
                }
            }
        }
    }
}
