//! The methods that five papers compare, one file each: what a method keeps of a document, and when two documents are alike.
//!
//! ```text
//! texts ─[read]─▶ Collection ─[signer]─▶ Signature of each document ─[pairs]─▶ which documents are alike
//! ```
//! [`CATALOGUE`] lists them; `quchong methods`, `quchong sign`, the rows of `quchong evaluate` and the tests are made from it. A method
//! defines only how a [`Document`] is signed, given the [`Collection`]. The comparison of two [signatures](Signature) follows from their
//! kind ([`Alike`]), and so does the search for candidates ([`pairs`]). Both are written once for each kind.
//!
//! # How to add a method
//! 1. Write `src/methods/NAME.rs` with a `pub(super) const ROW: Method`. Its documentation has the headings *What it keeps*, *How it is
//!    made*, *When two are alike*, *Known weakness* and *Reference*, which `quchong methods` prints.
//! 2. Add the line `NAME: ROW;` to `catalogue!` below.
//! 3. Run `cargo test --test command methods`: the method must satisfy the table of cases in `data/methods-cases.jsonl`. Add a signature
//!    computed by hand there, and bless the snapshot.
//!
//! # What they find
//! See [`results`].
//!
//! # Which words
//! The methods of Zelenkov & Segalovich, Chala & Popadenko and Sharapova sign the *content words*, which leave out stop words and
//! insignificant words (`Document::content`). Zelenkov & Segalovich say once that words of three letters or fewer are left out, and once
//! (A12) that words of three or more count. We use the second rule for all methods, because many content words of Russian and English have
//! three letters (`дом`, `cat`).
//!
//! Kosinov's profiles count every word. There, a word is a run of letters and digits (`don't` is two words), while the other methods use
//! the word boundaries of UAX #29 (`don't` is one). Words are compared in their [canonical form](crate::text::normalise): case, width and
//! traditional script do not matter. A document without anything to sign has no signature and is alike to no other.
//!
//! # Numbers
//! Weights that contain logarithms are ranked in steps of 2^-32 (`words::top`), so that the last bit of a platform's logarithm does not
//! decide a signature.

pub mod checksum;
pub(crate) mod collection;
pub mod pairs;
pub(crate) mod records;
pub mod results;
pub(crate) mod signature;
mod words;

use crate::error::{Error, Result};
#[cfg(feature = "cli")]
use crate::locale::later;
use crate::locale::tr;
pub use collection::{Choices, Collection, Document, Reading};
pub use signature::{Alike, Signature};

/// The paper that describes a method.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Paper {
    /// Gao & Li 2014, *Research on method to detect reduplicative Chinese short texts*.
    GaoLi,
    /// Zelenkov & Segalovich 2007, *Comparative analysis of near-duplicate detection methods of Web documents*.
    Zelenkov,
    /// Chala & Popadenko 2013, "3+2".
    Chala,
    /// Kosinov, *Use of statistical parameters in similar documents detection*.
    Kosinov,
    /// Sharapova, *Detection of full duplicates of texts*.
    Sharapova,
    /// Broder 1997, *On the resemblance and containment of documents*.
    Broder,
    /// No paper: a method of this program.
    Product,
}

impl Paper {
    /// Returns its authors, and its year if known.
    pub fn name(self) -> &'static str {
        match self {
            Self::GaoLi => "Gao & Li 2014",
            Self::Zelenkov => "Zelenkov & Segalovich 2007",
            Self::Chala => "Chala & Popadenko 2013",
            Self::Kosinov => "Kosinov",
            Self::Sharapova => "Sharapova",
            Self::Broder => "Broder 1997",
            Self::Product => "quchong",
        }
    }
}

/// Signs the documents of a collection; `None` for a document that has nothing to sign.
pub(crate) type Signer<'c> = Box<dyn Fn(&Document) -> Option<Signature> + Sync + 'c>;

/// A method of the catalogue.
#[derive(Debug)]
pub struct Method {
    /// Its name for `--method` and `--engine`; case does not matter.
    pub id: &'static str,
    /// Its title.
    pub title: &'static str,
    /// The paper that describes it.
    pub paper: Paper,
    /// When two signatures are alike.
    pub alike: Alike,
    /// Takes what signing needs from a collection, once, and returns the function that signs its documents.
    pub(crate) signer: for<'c> fn(&'c Collection) -> Signer<'c>,
}

/// Declares the file of each method, and lists the methods and the files' sources, whose documentation `quchong methods` prints.
macro_rules! catalogue {
    ($($module:ident: $($row:ident),+;)+) => {
        $(mod $module;)+

        /// Every method, in the order of the papers.
        pub const CATALOGUE: &[&Method] = &[$($(&$module::$row),+),+];

        const SOURCES: &[(&[&Method], &str)] =
            &[$((&[$(&$module::$row),+], include_str!(concat!(stringify!($module), ".rs")))),+];
    };
}

catalogue! {
    a0_md5: ROW;
    a1_tf: ROW;
    a2_tf_idf: ROW;
    a3_tf_ridf: ROW;
    a4_long_sent: ROW;
    a5_heavy_sent: ROW;
    a6_megashingles: FUNCTIONS_36, FUNCTIONS_84;
    a7_lex_rand: ROW, I_MATCH;
    a8_log_shingles: ROW;
    a9_descr_words: ROW, SHARE;
    a10_opt_freq: ROW;
    a11_decomposition: ROW;
    a12_three_five: ROW;
    three_two: N2, N3;
    k1: ROW;
    k2: ROW;
    k3: ROW, WORDS, SENTENCES;
    k4: ROW, ROUNDED, TRIMMED_20, TRIMMED_35, SENTENCES, CONTENT;
    k5: ROW;
    k6: ROW;
    sharapova: ROW;
    gao_li_simhash: ROW;
    gao_li_bloom: ROW;
    gao_li_trie: ROW, X64;
    minhash: ROW;
    presets: WEIBO, HEADLINE, SMS, SIMHASH;
}

/// The headings in the documentation of each method.
#[cfg(feature = "cli")]
pub(crate) const HEADINGS: [&str; 5] = [
    later("What it keeps"),
    later("How it is made"),
    later("When two are alike"),
    later("Known weakness"),
    later("Reference"),
];

impl Method {
    /// Returns the documentation of the method's file under a heading, without its links; empty if there is no such heading.
    pub fn docs(&self, heading: &str) -> String {
        let source = SOURCES.iter().find(|(rows, _)| rows.iter().any(|row| row.id == self.id));
        let docs = source.into_iter().flat_map(|(_, source)| source.lines()).map_while(|line| line.strip_prefix("//!"));
        let mut lines = docs.map(str::trim).skip_while(|line| line.strip_prefix("# ") != Some(heading)).skip(1);
        let own: Vec<&str> = lines.by_ref().take_while(|line| !line.starts_with("# ")).collect();
        without_links(own.join(" ").trim())
    }

    /// Signs every document of a collection.
    pub fn sign(&self, collection: &Collection) -> Vec<Option<Signature>> {
        collection.documents.iter().map((self.signer)(collection)).collect()
    }
}

/// Returns a text with the names of its rustdoc links, but without their targets: [`rule`](crate::rule).
fn without_links(text: &str) -> String {
    let mut parts = text.split("](crate");
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        if let Some(open) = plain.rfind('[') {
            plain.remove(open);
        }
        plain += part.split_once(')').map_or(part, |(_, behind)| behind);
    }
    plain
}

/// Finds the method of this name.
///
/// # Errors
/// [`Error::Config`] for `option`, naming the unknown method and all known ones.
///
/// ```
/// let method = quchong::methods::find("method", "a4")?;
/// assert_eq!(method.id, "A4");
/// assert!(quchong::methods::find("method", "A99").is_err());
/// # Ok::<(), quchong::Error>(())
/// ```
pub fn find(option: &'static str, name: &str) -> Result<&'static Method> {
    CATALOGUE.iter().copied().find(|method| method.id.eq_ignore_ascii_case(name)).ok_or_else(|| {
        let known: Vec<&str> = CATALOGUE.iter().map(|method| method.id).collect();
        Error::config(option, tr!("no method is called `{name}`; there are {}", known.join(&tr!(", ")), name))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_method_is_documented_and_has_a_name_of_its_own() {
        for (n, method) in CATALOGUE.iter().enumerate() {
            assert!(CATALOGUE[..n].iter().all(|other| !other.id.eq_ignore_ascii_case(method.id)), "{}", method.id);
            assert!(find("--method", &method.id.to_lowercase()).is_ok_and(|found| found.id == method.id));
            for heading in HEADINGS {
                let docs = method.docs(heading);
                assert!(!docs.is_empty() && !docs.contains("]("), "{}, `{heading}`: {docs}", method.id);
            }
        }
        assert!(find("--method", "A99").unwrap_err().to_string().contains("A1, A2"));
    }
}
