//! Signatures of small documents, computed by hand, formula by formula, from lists of words.
#![allow(clippy::unwrap_used, clippy::float_cmp, reason = "a panic is how a test fails")]

use std::collections::{BTreeMap, BTreeSet};

use quchong::methods::checksum::Checksum;
use quchong::methods::{Collection, Reading, Signature, find};

/// The documents, as sentences of words, and the words that are not content words. All computations below use only these lists.
const DOCUMENTS: [&[&[&str]]; 4] = [
    &[
        &["copper", "kettle", "whistles", "in", "the", "kitchen"],
        &["kettle", "copper", "kettle", "morning"],
        &["sailor", "hears", "it"],
        &["rain", "rain", "rain", "morning", "harbour", "lamp"],
        &["harbour", "boats", "sleep"],
        &["lamp", "flickers"],
    ],
    &[&["copper", "rain", "harbour"], &["the", "lamp", "lamp", "sleep"]],
    &[&["copper", "boats", "drift"]],
    &[&["kettle", "sings"], &["copper", "coins"], &["the", "kitchen", "sleep"]],
];
const NO_CONTENT: [&str; 3] = ["in", "the", "it"];

fn texts() -> Vec<String> {
    let sentence = |words: &&[&str]| {
        let (first, rest) = words[0].split_at(1);
        format!("{}{rest} {}.", first.to_uppercase(), words[1..].join(" "))
    };
    DOCUMENTS.iter().map(|sentences| sentences.iter().map(sentence).collect::<Vec<_>>().join(" ")).collect()
}

fn content(document: usize) -> Vec<Vec<&'static str>> {
    let of = |words: &&[&'static str]| words.iter().copied().filter(|word| !NO_CONTENT.contains(word)).collect();
    DOCUMENTS[document].iter().map(of).collect()
}

/// Counts each content word of a document.
fn terms(document: usize) -> BTreeMap<&'static str, f64> {
    let mut terms = BTreeMap::new();
    content(document).concat().into_iter().for_each(|word| *terms.entry(word).or_insert(0.0) += 1.0);
    terms
}

/// Returns the number of documents that have the word, and its number of occurrences in all of them.
fn frequency(word: &str) -> (f64, f64) {
    let counts = (0..DOCUMENTS.len()).filter_map(|document| terms(document).get(word).copied());
    counts.fold((0.0, 0.0), |(df, cf), tf| (df + 1.0, cf + tf))
}

/// Returns the `count` items of largest weight (ties: the first in the alphabet), joined in alphabetical order with blanks.
fn heaviest(count: usize, items: impl IntoIterator<Item = (String, f64)>) -> String {
    let mut items: Vec<(String, f64)> = items.into_iter().collect();
    items.sort_by(|(a, x), (b, y)| y.partial_cmp(x).unwrap().then_with(|| a.cmp(b)));
    let chosen: BTreeSet<String> = items.into_iter().map(|(item, _)| item).take(count).collect();
    chosen.into_iter().collect::<Vec<_>>().join(" ")
}

fn okapi(document: usize, word: &str) -> f64 {
    let length = |document: usize| content(document).concat().len() as f64;
    let mean = (0..DOCUMENTS.len()).map(length).sum::<f64>() / DOCUMENTS.len() as f64;
    let (n, tf, (df, _)) = (DOCUMENTS.len() as f64, terms(document)[word], frequency(word));
    tf / (2.0 * (0.25 + 0.75 * length(document) / mean) + tf) * ((n - df + 0.5) / (df + 0.5)).ln()
}

fn half(document: usize, word: &str) -> f64 {
    0.5 + 0.5 * terms(document)[word] / terms(document).values().copied().fold(0.0, f64::max)
}

/// Returns the text whose checksum the signature is.
fn preimage(id: &str, document: usize) -> String {
    let n = DOCUMENTS.len() as f64;
    let words = |weight: &dyn Fn(&str) -> f64| {
        heaviest(6, terms(document).keys().map(|word| ((*word).to_owned(), weight(word))))
    };
    let sentences = |weight: &dyn Fn(&[&str]) -> f64| {
        let all = content(document).into_iter().map(|words| (words.join(" "), weight(&words)));
        heaviest(2, all)
    };
    let all: Vec<&str> = DOCUMENTS[document].concat();
    let counted = |number: &dyn Fn(usize) -> String| {
        let distinct: BTreeSet<&str> = all.iter().copied().collect();
        let count = |word: &&str| all.iter().filter(|other| *other == word).count();
        distinct.iter().map(|word| format!("{word}–{}", number(count(word)))).collect::<Vec<_>>().join(" ")
    };
    match id {
        "A1" => words(&|word| terms(document)[word]),
        "A2" => words(&|word| okapi(document, word)),
        "A3" => words(&|word| {
            let (df, cf) = frequency(word);
            half(document, word) * (-(df / n).ln() + (1.0 - (-cf / n).exp()).ln())
        }),
        "A4" => sentences(&|words| words.len() as f64),
        "A5" => sentences(&|words| words.iter().map(|word| okapi(document, word)).sum()),
        "A10" => words(&|word| {
            let idf = -(frequency(word).0 / n).ln();
            half(document, word) * if idf < 11.5 { (idf / 11.5).sqrt() } else { 11.5 / idf }
        }),
        "K1" => {
            // Full stops and blanks. Each sentence but the first comes after a blank.
            let stops = DOCUMENTS[document].len();
            format!("{stops} 0 0 0 0 0 0 0 0 0 {}", all.len() - 1)
        }
        "K2" => {
            let mut lengths = BTreeMap::new();
            all.iter().for_each(|word| *lengths.entry(word.len()).or_insert(0) += 1);
            lengths.iter().map(|(length, count)| format!("{length}–{count}")).collect::<Vec<_>>().join(" ")
        }
        "K3" => {
            let letters = all.concat().len() as f64;
            let (words, sentences) = (all.len(), DOCUMENTS[document].len());
            let mean = words as f64 / sentences as f64;
            format!("{:.2}–{mean:.2}–{words}–{sentences}", letters / words as f64)
        }
        "K4" => counted(&|count| count.to_string()),
        "K4-rounded" => {
            let most = all.iter().map(|word| all.iter().filter(|other| *other == word).count()).max().unwrap();
            counted(&|count| format!("{:.1}", count as f64 / most as f64))
        }
        "K5" => all.iter().map(|word| word.len().to_string()).collect::<Vec<_>>().join(" "),
        "K6" => ["K1", "K2", "K3", "K4", "K5"].map(|id| preimage(id, document)).join("\n"),
        // Words that occur in two or three documents (4^0.1 = 1.15 to 4^0.8 = 3.03), if the text has three of them.
        "I-Match" => {
            let middle = |word: &&str| (1.15..=3.03).contains(&frequency(word).0);
            terms(document).keys().copied().filter(middle).collect::<Vec<_>>().join(" ")
        }
        _ => panic!("{id}"),
    }
}

fn signatures(id: &str) -> Vec<Option<Signature>> {
    let texts = texts();
    find("test", id).unwrap().sign(&Collection::read(texts.iter().map(String::as_str), Reading::default()))
}

#[test]
fn digests_are_those_of_the_formulas() {
    for (hash, ids) in [
        (Checksum::crc32 as fn(&[u8]) -> Checksum, &["A1", "A2", "A3", "A4", "A5", "A10"][..]),
        (Checksum::md5, &["K1", "K2", "K3", "K4", "K4-rounded", "K5", "K6"]),
        (Checksum::sha1, &["I-Match"]),
    ] {
        for id in ids {
            for (document, signature) in signatures(id).into_iter().enumerate() {
                let preimage = preimage(id, document);
                let is_signed = *id != "I-Match" || preimage.split(' ').count() >= 3;
                let expected = is_signed.then(|| Signature::Digest(hash(preimage.as_bytes())));
                assert_eq!(signature, expected, "{id} of document {document}: {preimage}");
            }
        }
    }
    // The formulas themselves, computed by hand. In the first document, rain and kettle occur three times, and so on.
    assert_eq!(preimage("A1", 0), "copper harbour kettle lamp morning rain");
    assert_eq!(preimage("A4", 0), "copper kettle whistles kitchen rain rain rain morning harbour lamp");
    assert_eq!(preimage("K2", 2), "5–2 6–1");
    assert_eq!(preimage("K3", 2), "5.33–3.00–3–1");
    assert_eq!(preimage("I-Match", 3), "kettle kitchen sleep");
    let md5 = Checksum::md5("武汉的樱花,开了".as_bytes());
    let collection = Collection::read(["武漢的櫻花，開了"], Reading::default());
    assert_eq!(find("test", "A0").unwrap().sign(&collection), [Some(Signature::Digest(md5))]);
}

/// "3+5" and "3+2" of the first document. Its sentences have 4, 4, 2, 6, 3 and 2 content words.
#[test]
fn records_are_those_of_the_rules() {
    let crc = |text: &str| Checksum::crc32(text.as_bytes());
    let rising = |texts: &[&str]| {
        let mut checksums: Vec<Checksum> = texts.iter().map(|text| crc(text)).collect();
        checksums.sort_unstable();
        checksums
    };
    let records = |id: &str| match signatures(id).swap_remove(0) {
        Some(Signature::Records(records)) => records,
        other => panic!("{other:?}"),
    };
    let longest = crc("rain rain rain morning harbour lamp");
    let four = rising(&["copper kettle whistles kitchen", "kettle copper kettle morning"]);
    let three_five = records("A12");
    assert_eq!((three_five.length, three_five.count), (21, 6));
    assert_eq!(three_five.sentences, [longest, four[0], four[1]]);
    // Words of eight letters: whistles, flickers; of seven: kitchen, morning, harbour.
    let mut words = rising(&["whistles", "flickers"]);
    words.extend(rising(&["kitchen", "morning", "harbour"]));
    assert_eq!(three_five.words, words);

    // Words that occur three times: kettle, rain; twice: harbour, morning, copper, lamp; once, the longest: flickers, whistles, kitchen,
    // sailor.
    let three_two = records("3+2-N2");
    // Dictionary words by sentence: rain, morning, harbour and lamp; copper, kettle, whistles and kitchen; kettle, copper and morning. The
    // two sentences with four are ordered by their lengths in words. The longest of the others have three and two words.
    let rest = rising(&["sailor hears", "lamp flickers"]);
    let chosen = [longest, crc("copper kettle whistles kitchen"), crc("kettle copper kettle morning")];
    assert_eq!(three_two.sentences, [&chosen[..], &[crc("harbour boats sleep"), rest[0]]].concat());
    // kettle, rain and harbour (the longest and first of the words that occur twice), then the longest other words.
    let mut words = vec![crc("kettle"), crc("rain"), crc("harbour")];
    words.extend(rising(&["whistles", "flickers"]));
    assert_eq!(three_two.words, words);
    assert_eq!(records("3+2-N3"), three_two);
}

/// The shingles of the second document's content words: copper rain harbour lamp lamp sleep.
#[test]
fn sketches_are_those_of_their_shingles() {
    use quchong::fingerprint::minhash::Orders;
    use quchong::text::shingle::{shingles, word};
    let words: Vec<u64> = content(1).concat().into_iter().map(word).collect();
    let of = |words: &[u64], length: usize| {
        let mut out = Vec::new();
        words.windows(length).for_each(|window| shingles(window, length, &mut out));
        out
    };
    for (id, functions) in [("A6-36", 36), ("A6-84", 84)] {
        let minima = Orders::new(functions).sign(&of(&words, 5)).unwrap();
        let supers: Vec<Checksum> = (0..6)
            .map(|group| Checksum::of_numbers(minima[functions / 6 * group..][..functions / 6].to_vec()))
            .collect();
        let mut expected = Vec::new();
        for a in 0..6 {
            (a + 1..6).for_each(|b| expected.push(Some(Checksum::of_both(&supers[a], &supers[b]))));
        }
        assert_eq!(expected.len(), 15);
        assert_eq!(signatures(id)[1], Some(Signature::Slots(expected)), "{id}");
    }
    // Wrapped around, six words begin six shingles.
    let wrapped = of(&[&words[..], &words[..4]].concat(), 5);
    let sample: BTreeSet<u64> = (0..64)
        .filter_map(|power| wrapped.iter().copied().filter(|shingle| shingle % (1 << power) == 0).min())
        .collect();
    assert_eq!(wrapped.len(), 6);
    assert_eq!(signatures("A8")[1], Some(Signature::Digest(Checksum::of_numbers(sample))));
    // A bit is set if more than half of the word pairs have it.
    let all: Vec<u64> = DOCUMENTS[1].concat().into_iter().map(word).collect();
    let pairs = of(&all, 2);
    let has = |bit: u32| 2 * pairs.iter().filter(|pair| *pair >> bit & 1 == 1).count() > pairs.len();
    let expected = (0..64).filter(|bit| has(*bit)).fold(0, |bits, bit| bits | 1 << bit);
    assert_eq!(signatures("SimHash")[1], Some(Signature::Fingerprint(expected)));
    // A randomised lexicon lacks words of the whole one and adds none.
    let Some(Signature::Slots(lexicons)) = signatures("A7").swap_remove(0) else { panic!() };
    let Some(Signature::Digest(whole)) = signatures("I-Match").swap_remove(0) else { panic!() };
    assert_eq!((lexicons.len(), lexicons[0]), (11, Some(whole)));
    assert!(lexicons[1..].iter().any(|digest| *digest != Some(whole)));
}

/// Descriptors are the words of two or more documents. Each takes the lowest threshold that has no document near it.
#[test]
fn descriptors_are_bits() {
    // Number of documents: copper 4, sleep 3, boats, harbour, kettle, kitchen, lamp, rain 2. Relative frequencies are 1, 1/3, 2/3 or 1/2.
    // All words have a free threshold below these, so each word of the list is above its own. Bits are in order of document counts, then
    // alphabetical.
    let bits = ["copper", "sleep", "boats", "harbour", "kettle", "kitchen", "lamp", "rain"];
    for (document, signature) in signatures("A9").into_iter().enumerate() {
        let mut vector = [0_u8; 500];
        let terms = terms(document);
        let set = (0..bits.len()).filter(|bit| terms.contains_key(bits[*bit]));
        set.clone().for_each(|bit| vector[bit / 8] |= 1 << (bit % 8));
        let expected = (set.count() >= 3).then(|| Signature::Digest(Checksum::md5(&vector)));
        assert_eq!(signature, expected, "document {document}");
    }
}

/// Gao & Li's hashes, computed by simple loops.
#[test]
fn marks_are_those_of_the_papers_hashes() {
    let text = texts()[2].to_lowercase();
    let bkdr = text.bytes().fold(0_u32, |hash, byte| hash.wrapping_mul(131).wrapping_add(byte.into()));
    let mut ap = 0_u32;
    for (i, byte) in text.bytes().enumerate() {
        ap ^= if i % 2 == 0 { ap << 7 ^ u32::from(byte) ^ ap >> 3 } else { !(ap << 11 ^ u32::from(byte) ^ ap >> 5) };
    }
    let marks = [bkdr, ap].map(|hash| Some(Checksum::number(hash % 50_000)));
    assert_eq!(signatures("Bloom")[2], Some(Signature::Slots(marks.to_vec())));
    // .NET 4 in 64 bits adds the characters to two sums in turn. The square does not depend on the sign.
    let mut sums = [5381_i32; 2];
    text.encode_utf16()
        .enumerate()
        .for_each(|(at, unit)| sums[at % 2] = sums[at % 2].wrapping_mul(33) ^ i32::from(unit));
    let hash = sums[0].wrapping_add(sums[1].wrapping_mul(1_566_083_941));
    assert_eq!(signatures("Trie-x64")[2], Some(Signature::Digest(Checksum::number(hash.unsigned_abs()))));
    // Microsoft's documentation prints 536991770 and -842352705 as the 32-bit values.
    for (text, code) in [("abc", 536_991_770), ("a", 842_352_705)] {
        let collection = Collection::read([text], Reading::default());
        let signed = find("--method", "Trie").unwrap().sign(&collection).remove(0);
        assert_eq!(signed, Some(Signature::Digest(Checksum::number(code))), "{text}");
    }
}

/// Kosinov's words are runs of letters and digits. Tests each profile and variant.
#[test]
fn profiles_are_of_runs_of_letters_and_digits() {
    let text = "Don't pay 3.14! Pay 2, pay.";
    let collection = Collection::read([text], Reading::default());
    // Runs: don t pay 3 14 | pay 2 pay. They have 17 characters. 20 % of the six distinct words is one word and 35 % is two; the last of
    // the rare ones are left out.
    let profiles = [
        ("K2", "1–3 2–1 3–4"),
        ("K3", "2.13–4.00–8–2"),
        ("K3-words", "2.13–8"),
        ("K3-sentences", "4.00–2"),
        ("K4", "14–1 2–1 3–1 don–1 pay–3 t–1"),
        ("K4-20", "14–1 2–1 3–1 don–1 pay–3"),
        ("K4-35", "14–1 2–1 3–1 pay–3"),
        ("K4-sentences", "don't pay 3.14–1 pay 2 pay–1"),
        ("K4-content", "3.14–1 pay–3"),
        ("K5", "3 1 3 1 2 3 1 3"),
    ];
    for (id, profile) in profiles {
        let signed = find("--method", id).unwrap().sign(&collection).remove(0);
        assert_eq!(signed, Some(Signature::Digest(Checksum::md5(profile.as_bytes()))), "{id}");
    }
}

/// At least 0.85 of the bits that are set in either vector must be set in both.
#[test]
fn descriptors_are_compared_by_share() {
    use quchong::methods::Alike;
    let bits = |range: std::ops::Range<u32>| Signature::Bits(range.collect());
    let alike = |a: &Signature, b: &Signature| Alike::Bits(850).alike(a, b);
    assert!(alike(&bits(0..20), &bits(3..20)), "17 of 20");
    assert!(!alike(&bits(0..20), &bits(4..20)) && !alike(&bits(0..20), &bits(3..21)));
    // The words of the other test, by their bit numbers: copper, sleep, harbour, lamp, rain.
    assert_eq!(signatures("A9-share")[1], Some(Signature::Bits(vec![0, 1, 3, 6, 7])));
}
