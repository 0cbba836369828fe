use std::io::Read;

use proptest::collection::vec;
use proptest::prelude::*;

use super::*;

/// Compresses each of `parts` into a member of its own.
fn packed(of: Compression, parts: &[&[u8]]) -> Vec<u8> {
    let mut packer = Packer::new(of);
    for part in parts {
        packer.add(part).unwrap();
        packer.end().unwrap();
    }
    packer.take()
}

/// A reader that returns at most the given number of bytes for each read.
struct Chunks(Vec<u8>, usize);

impl Read for Chunks {
    fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        let length = self.1.min(out.len()).min(self.0.len());
        out[..length].copy_from_slice(&self.0.drain(..length).collect::<Vec<_>>());
        Ok(length)
    }
}

fn unpacked(bytes: Vec<u8>, chunk: usize, room: usize) -> std::io::Result<Vec<u8>> {
    let mut unpacker = Unpacker::new(Box::new(Chunks(bytes, chunk)));
    let (mut all, mut out) = (Vec::new(), vec![0; room]);
    loop {
        match unpacker.read(&mut out)? {
            0 => return Ok(all),
            read => all.extend_from_slice(&out[..read]),
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn what_was_packed_comes_out(
        parts in vec((0_usize..4, vec(any::<u8>(), 0..400), 0_usize..3), 1..5),
        repeats in 1_usize..300, chunk in 1_usize..40, room in 1_usize..3000,
    ) {
        let (mut bytes, mut expected) = (Vec::new(), Vec::new());
        for (of, part, zeros) in parts {
            let part = part.repeat(repeats);
            bytes.extend(packed(Compression::NAMED[of].1, &[&part]));
            bytes.extend(vec![0; zeros]);
            expected.extend(part);
        }
        prop_assert!(unpacked(bytes, chunk, room).unwrap() == expected);
    }

    #[test]
    fn what_is_cut_is_told(of in 0_usize..4, part in vec(any::<u8>(), 0..400), at in any::<prop::sample::Index>()) {
        let bytes = packed(Compression::NAMED[of].1, &[&part]);
        let cut = at.index(bytes.len());
        let read = unpacked(bytes[..cut].to_vec(), 7, 100);
        match Start::of(&bytes[..cut]) {
            Start::Packed(_) => prop_assert!(read.unwrap_err().to_string().contains("breaks off at byte")),
            _ => prop_assert_eq!(read.unwrap(), &bytes[..cut]),
        }
    }

    #[test]
    fn damage_is_told_or_does_not_matter(of in 0_usize..4, part in vec(any::<u8>(), 1..400), at in any::<prop::sample::Index>(), bit in 0_u32..8) {
        let mut bytes = packed(Compression::NAMED[of].1, &[&part]);
        let at = at.index(bytes.len());
        bytes[at] ^= 1_u8 << bit;
        if let (Start::Packed(_), Ok(read)) = (Start::of(&bytes), unpacked(bytes.clone(), 64, 4096)) {
            prop_assert!(read == part, "byte {} of {:?}", at, Compression::NAMED[of]);
        }
    }
}

#[test]
fn plain_text_is_plain() {
    for text in ["", "B", "BZh9", "BZh91AY&S", "P", "P*M", "(", "今天", "\u{1f}\n", "BZh91AY at nine\n"] {
        for chunk in [1, 100] {
            assert_eq!(unpacked(text.into(), chunk, 64).unwrap(), text.as_bytes(), "{text:?}");
        }
        assert_eq!(Compression::of_file(text.as_bytes()), None, "{text:?}");
    }
}

#[test]
fn nothing_packed_is_nothing() {
    for (name, of) in Compression::NAMED {
        let nothing = packed(of, &[b""]);
        assert_eq!(Compression::of_file(&nothing[..]), Some(of));
        assert_eq!(unpacked(nothing, 1, 64).unwrap(), b"", "{name}");
    }
}

#[test]
fn something_behind_is_told() {
    for (name, of) in Compression::NAMED {
        let mut bytes = packed(of, &[b"a\n"]);
        let length = bytes.len();
        bytes.extend(b"b\n");
        let error = unpacked(bytes, 100, 64).unwrap_err().to_string();
        assert_eq!(error, format!("the {name} data is followed by something else at byte {length}; get the file anew"));
    }
}
