//! Digests of gists. Equal gists have equal digests, so the window finds the known answer for a gist that came before.

use crate::fingerprint::Digest;
use crate::text::Gist;
use crate::text::tokens::Tokens;

/// Most gists take no more than this many bytes in [`digest`].
const FEW_BYTES: usize = 1 << 9;

/// Returns the digest of a gist by a keyed `hash`. Only equal gists have the same digest.
pub(crate) fn digest(gist: &Gist, hash: impl FnOnce(&[u8]) -> Digest) -> Digest {
    let Gist { body: Tokens { list, digits, spellings }, topics, comment_tokens, breaks, signs, scope } = gist;
    let lengths = [topics.len(), digits.len(), spellings.len(), signs.len(), breaks.len()].map(|length| length as u64);
    let longs = [*scope, u64::from(*comment_tokens)].into_iter().chain(lengths);
    let longs = longs.chain(topics.iter().copied());
    let longs = longs.chain(digits.iter().map(|(_, digits)| digits.len() as u64));
    let longs = longs.chain(spellings.iter().map(|(token, further)| u64::from(*token) << 32 | u64::from(*further)));
    let longs = longs.chain(signs.iter().flat_map(|(at, sign)| [u64::from(*at), sign.code()]));
    let size_of_longs = 8 * (2 + lengths.len() + topics.len() + digits.len() + spellings.len() + 2 * signs.len());
    let size_of_digits = digits.iter().map(|(_, digits)| digits.len()).sum::<usize>();
    let size = size_of_longs + 4 * (breaks.len() + list.len()) + size_of_digits;
    let (mut few, mut many) = ([0; FEW_BYTES], Vec::new());
    let bytes = if size <= FEW_BYTES {
        &mut few[..size]
    } else {
        many.resize(size, 0);
        &mut many[..]
    };
    let (of_longs, others) = bytes.split_at_mut(size_of_longs);
    let (of_shorts, mut of_digits) = others.split_at_mut(others.len() - size_of_digits);
    of_longs.as_chunks_mut().0.iter_mut().zip(longs).for_each(|(to, number)| *to = number.to_le_bytes());
    let (of_breaks, of_list) = of_shorts.as_chunks_mut().0.split_at_mut(breaks.len());
    of_breaks.iter_mut().zip(breaks).for_each(|(to, number)| *to = number.to_le_bytes());
    of_list.iter_mut().zip(list).for_each(|(to, number)| *to = number.to_le_bytes());
    for (_, digits) in digits {
        let (own, others) = of_digits.split_at_mut(digits.len());
        own.copy_from_slice(digits.as_bytes());
        of_digits = others;
    }
    hash(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;
    use crate::text::{Analyser, Clean};

    #[test]
    fn all_of_a_gist_counts() {
        let (analyser, mut clean) = (Analyser::new(&Config::default()), Clean::default());
        let long = "春夏秋冬，东西南北".repeat(100);
        let digest = |gist: &Gist, key: u64| digest(gist, |bytes| Digest::keyed(bytes, key));
        let texts = [
            "血糖≥7,血压",
            "血糖≤7,血压",
            "血糖≤7 血压",
            "#甲#血糖≤7,血压",
            "血糖≤7,血脂",
            &long,
            &long[3..],
            "单号9988776655443322",
            "单号9988776655443323",
        ];
        let mut gists: Vec<Gist> = Vec::new();
        for text in texts {
            analyser.analyse(text, &mut clean);
            gists.push(clean.gist());
        }
        gists.push(Gist { scope: 7, ..gists[0].clone() });
        gists.push(Gist { comment_tokens: 2, ..gists[0].clone() });
        for (at, gist) in gists.iter().enumerate() {
            assert_eq!(digest(gist, 3), digest(&gist.clone(), 3));
            assert_ne!(digest(gist, 3), digest(gist, 4));
            assert!(gists[..at].iter().all(|other| digest(other, 3) != digest(gist, 3)), "{gist:?}");
        }
    }
}
