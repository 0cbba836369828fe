//! The encoded form of a remembered message.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::dedup::{Remembered, Renewal};
use crate::fingerprint::{Digest, Printed};
use crate::reach::Stamp;
use crate::record::{Pos, RecordId};
use crate::text::Gist;
use crate::text::signs::Sign;
use crate::text::tokens::Tokens;

/// An entry in the encoding of the crate `postcard`: numbers have variable length, and each sequence begins with its length.
#[derive(Serialize, Deserialize)]
struct Wire<'a> {
    /// Distance of its position from the first position of the frame.
    after: u64,
    of: Option<u64>,
    exact: bool,
    stamp: Option<Stamp>,
    renewal: Option<Renewal>,
    id: WireId<'a>,
    digest: Option<[u8; 16]>,
    simhash: Option<[u8; 8]>,
    /// Slots of four bytes.
    signature: Option<&'a [u8]>,
    /// A [`WireGist`], encoded separately so that a reader can skip it.
    gist: Option<&'a [u8]>,
    body: Option<&'a str>,
}

#[derive(Serialize, Deserialize)]
enum WireId<'a> {
    /// The position, counted from 1: equals the line number in a single input file.
    Position,
    Number(u64),
    Json(&'a str),
}

#[derive(Serialize, Deserialize)]
struct WireGist<'a> {
    list: Vec<u32>,
    #[serde(borrow)]
    digits: Vec<(u32, &'a str)>,
    spellings: Vec<(u32, u32)>,
    topics: Vec<u64>,
    comments: u32,
    breaks: Vec<u32>,
    signs: Vec<(u32, u64)>,
}

/// Reads an entry from the start of `bytes` and moves `bytes` past it. `first` is the first position of the frame. The gist
/// is decoded only if `whole` returns true for the entry's position.
///
/// # Errors
/// The crate's, if the bytes are not an entry.
pub fn read(bytes: &mut &[u8], first: u64, whole: impl FnOnce(Pos) -> bool) -> postcard::Result<Remembered<'static>> {
    let (wire, rest) = postcard::take_from_bytes::<Wire<'_>>(bytes)?;
    *bytes = rest;
    let pos = Pos(first.checked_add(wire.after).ok_or(postcard::Error::DeserializeBadEncoding)?);
    let gist = wire.gist.filter(|_| whole(pos)).map(|gist| read_gist(gist).map(Box::new)).transpose()?;
    let slots = |bytes: &[u8]| bytes.as_chunks().0.iter().map(|slot| u32::from_le_bytes(*slot)).collect();
    Ok(Remembered {
        pos,
        of: wire.of.map(Pos),
        exact: wire.exact,
        stamp: wire.stamp,
        id: match wire.id {
            WireId::Position => RecordId::Number(pos.0 + 1),
            WireId::Number(number) => RecordId::Number(number),
            WireId::Json(text) => RecordId::of_json(text.to_owned().into()),
        },
        printed: Cow::Owned(Printed {
            digest: wire.digest.map(|digest| Digest(u128::from_le_bytes(digest))),
            simhash: wire.simhash.map(u64::from_le_bytes),
            signature: wire.signature.map(slots),
            gist,
            body: wire.body.map(Into::into),
        }),
        renewal: wire.renewal,
    })
}

/// Appends an entry to `out`. `first` is the first position of the frame.
///
/// # Errors
/// The crate's; no case is known, because a write to memory does not fail.
pub fn write(entry: &Remembered<'_>, first: u64, out: &mut Vec<u8>) -> postcard::Result<()> {
    let Printed { digest, simhash, signature, gist, body } = &*entry.printed;
    let kept = entry.of.is_none();
    let gist = gist.as_deref().filter(|_| kept).map(write_gist).transpose()?;
    let slots = |slots: &[u32]| slots.iter().flat_map(|slot| slot.to_le_bytes()).collect::<Vec<u8>>();
    let signature = signature.as_deref().filter(|_| kept).map(slots);
    let line = match &entry.id {
        line @ (RecordId::Line(_) | RecordId::Record(_)) if kept => line.to_string(),
        _ => String::new(),
    };
    let wire = Wire {
        after: entry.pos.0 - first,
        of: entry.of.map(|of| of.0),
        exact: entry.exact,
        stamp: entry.stamp,
        renewal: entry.renewal,
        id: match &entry.id {
            RecordId::Number(number) if !kept || *number == entry.pos.0 + 1 => WireId::Position,
            RecordId::Number(number) => WireId::Number(*number),
            RecordId::Line(_) | RecordId::Record(_) => WireId::Json(&line),
            RecordId::Json(text) => WireId::Json(text),
        },
        digest: digest.map(|digest| digest.0.to_le_bytes()),
        simhash: simhash.filter(|_| kept).map(u64::to_le_bytes),
        signature: signature.as_deref(),
        gist: gist.as_deref(),
        body: body.as_deref().filter(|_| kept),
    };
    *out = postcard::to_extend(&wire, std::mem::take(out))?;
    Ok(())
}

fn write_gist(gist: &Gist) -> postcard::Result<Vec<u8>> {
    let Gist { body: Tokens { list, digits, spellings }, topics, comment_tokens, breaks, signs, scope } = gist;
    let digits: Vec<(u32, &str)> = digits.iter().map(|(token, digits)| (*token, &**digits)).collect();
    let mut bytes = postcard::to_allocvec(&WireGist {
        list: list.clone(),
        digits,
        spellings: spellings.clone(),
        topics: topics.to_vec(),
        comments: *comment_tokens,
        breaks: breaks.to_vec(),
        signs: signs.iter().map(|(at, sign)| (*at, sign.code())).collect(),
    })?;
    if *scope != 0 {
        bytes.extend(scope.to_le_bytes());
    }
    Ok(bytes)
}

fn read_gist(bytes: &[u8]) -> postcard::Result<Gist> {
    let (wire, rest) = postcard::take_from_bytes(bytes)?;
    let WireGist { list, digits, spellings, topics, comments, breaks, signs } = wire;
    // The scope is left out if it is 0.
    let scope = rest.first_chunk().map_or(0, |scope| u64::from_le_bytes(*scope));
    let digits = digits.into_iter().map(|(token, digits)| (token, digits.into())).collect();
    let signs = signs.into_iter().map(|(at, code)| (at, Sign::from_code(code))).collect();
    Ok(Gist {
        body: Tokens { list, digits, spellings },
        topics: topics.into(),
        comment_tokens: comments,
        breaks: breaks.into(),
        signs,
        scope,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Config, NearMode};
    use crate::fingerprint::Printer;
    use crate::text::Clean;

    #[test]
    fn entries_come_back_as_they_went_in() {
        let texts = ["今天武汉新增3.14例→ #樱花# hello", "转发 //@小王: 好", "", "[哭]", "12345678901234567890 例"];
        let (mut bytes, mut entries) = (Vec::new(), Vec::new());
        for near in [NearMode::Hybrid, NearMode::SimHash, NearMode::MinHash, NearMode::None] {
            let printer = Printer::new(&Config { explain: true, ..Config::of(near) });
            for text in texts {
                let printed = printer.print_text(text, &mut Clean::default());
                let at = 100 + entries.len() as u64;
                let ids = [
                    RecordId::Number(at + 1),
                    RecordId::Number(3),
                    RecordId::from("id"),
                    RecordId::Json("-1.5".into()),
                ];
                let leap = Some((Pos(at), -5)).filter(|_| at.is_multiple_of(8));
                let stamp =
                    Some(Stamp { time: at as i64 - 200, clock: i64::MAX, leap }).filter(|_| at.is_multiple_of(2));
                let id = ids[entries.len() % 4].clone();
                entries.push(Remembered {
                    pos: Pos(at),
                    of: None,
                    exact: false,
                    stamp,
                    id,
                    printed: Cow::Owned(printed),
                    renewal: None,
                });
            }
        }
        for entry in &entries {
            write(entry, 100, &mut bytes).unwrap();
        }
        let mut rest = &bytes[..];
        for entry in &entries {
            assert_eq!(&read(&mut rest, 100, |_| true).unwrap(), entry);
        }
        assert!(rest.is_empty());
        // A near repeat needs only its digest; an entry that is too old for the repeat rule needs no gist.
        let repeat = Remembered { of: Some(Pos(3)), ..entries[0].clone() };
        bytes.clear();
        write(&repeat, 0, &mut bytes).unwrap();
        assert!(bytes.len() <= 41, "{}", bytes.len());
        let known = read(&mut &bytes[..], 0, |_| true).unwrap();
        assert_eq!(
            (known.of, known.exact, known.printed.digest, known.printed.gist.clone()),
            (repeat.of, false, repeat.printed.digest, None)
        );
        // An exact repeat needs only the message that it repeats.
        let exact = Remembered { exact: true, printed: Cow::Owned(Printed::default()), ..repeat };
        bytes.clear();
        write(&exact, 0, &mut bytes).unwrap();
        assert!(bytes.len() <= 25, "{}", bytes.len());
        let known = read(&mut &bytes[..], 0, |_| true).unwrap();
        assert_eq!((known.of, known.exact, known.printed.into_owned()), (exact.of, true, Printed::default()));
        bytes.clear();
        write(&entries[0], 0, &mut bytes).unwrap();
        let old = read(&mut &bytes[..], 0, |_| false).unwrap().printed;
        assert_eq!((old.simhash, old.gist.clone()), (entries[0].printed.simhash, None));
        assert!((0..bytes.len()).all(|end| read(&mut &bytes[..end], 0, |_| true).is_err()));
    }

    /// The fingerprints of a text and their encoding are part of every state. If this test fails, states that were written
    /// earlier can no longer be used: raise [`ALGORITHM`](crate::fingerprint::ALGORITHM) or the version of the format, and
    /// put the new checksum here.
    #[test]
    fn what_is_written_down_of_a_text_does_not_change() {
        let posts = include_str!("../../data/posts.jsonl");
        let mut bytes = Vec::new();
        for near in [NearMode::Hybrid, NearMode::SimHash, NearMode::MinHash] {
            let printer = Printer::new(&Config::of(near));
            for (line, pos) in posts.lines().zip(0..) {
                let post: serde_json::Value = serde_json::from_str(line).unwrap();
                let printed = printer.print_text(post["text"].as_str().unwrap(), &mut Clean::default());
                let id = RecordId::Number(pos + 1);
                let printed = Cow::Owned(printed);
                let message =
                    Remembered { pos: Pos(pos), of: None, exact: false, stamp: None, id, printed, renewal: None };
                write(&message, 0, &mut bytes).unwrap();
            }
        }
        let sum = crate::hash::XxHash3_64::oneshot(&bytes);
        assert_eq!(
            (crate::fingerprint::ALGORITHM, super::super::frame::VERSION, sum),
            (43, 4, 14_676_277_338_812_962_851)
        );
    }
}
