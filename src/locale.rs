//! The language in which a person is told what happens.
//!
//! A message stands in English at its place, as `tr!("{file}: is a folder", file)`. That text is its key in the catalogue, `zh.toml`.
//! Only the command line chooses another language. In Rust and in Python, `tr!` says what stands there.

#[cfg(any(feature = "cli", feature = "lab"))]
use std::cell::Cell;

#[cfg(any(feature = "cli", feature = "lab"))]
thread_local! {
    /// Whether this thread says something for programs.
    static ENGLISH: Cell<bool> = const { Cell::new(false) };
}

/// Does some work whose words are for programs, in English.
#[cfg(any(feature = "cli", feature = "lab"))]
pub(crate) fn in_english<T>(work: impl FnOnce() -> T) -> T {
    let before = ENGLISH.replace(true);
    let done = work();
    ENGLISH.set(before);
    done
}

/// A text that `tr!` is handed as a variable, where it is shown: marked for the test of the catalogue.
#[cfg(feature = "lab")]
pub(crate) const fn later(english: &'static str) -> &'static str {
    english
}

/// A sentence that programs get in English, and people in their language.
#[cfg(feature = "lab")]
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Said {
    /// For programs.
    pub(crate) english: String,
    /// For people.
    pub(crate) told: String,
}

#[cfg(feature = "lab")]
impl Said {
    /// What `say` says, in both.
    pub(crate) fn new(say: impl Fn() -> String) -> Self {
        Self { english: in_english(&say), told: say() }
    }

    /// Adds what `say` says.
    pub(crate) fn add(&mut self, say: impl Fn() -> String) {
        let more = Self::new(say);
        self.english += &more.english;
        self.told += &more.told;
    }
}

#[cfg(feature = "lab")]
impl serde::Serialize for Said {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.english)
    }
}

/// Columns that a text takes on a terminal: a Chinese character takes two.
pub(crate) fn columns(text: &str) -> usize {
    text.chars().map(|c| if c < '\u{1100}' || ('\u{2010}'..'\u{2e80}').contains(&c) { 1 } else { 2 }).sum()
}

#[cfg(all(feature = "cli", test))]
pub(crate) use catalogue::Catalogue;
#[cfg(feature = "cli")]
pub(crate) use catalogue::{is_chinese, speak_chinese, speak_english};

/// A message in the language of people.
pub(crate) fn told(english: &str) -> &str {
    #[cfg(feature = "cli")]
    if let Some(chinese) = catalogue::message(english) {
        return chinese;
    }
    english
}

/// The name of a class in the language of people.
pub(crate) fn told_class(english: &str) -> &str {
    #[cfg(feature = "cli")]
    if let Some(chinese) = catalogue::class(english) {
        return chinese;
    }
    english
}

/// The form of a message for a number, in the language of people. Chinese has one for all.
pub(crate) fn told_of<'a>(number: u64, one: &'a str, more: &'a str) -> &'a str {
    match told(more) {
        found if found == more && number == 1 => told(one),
        found => found,
    }
}

/// A message with its arguments, in the language of people. One place asks for the language: the macro of the crate `tr` asks at
/// each of a thousand places, and compiling that takes long.
macro_rules! tr {
    ("class" => $english:tt) => {
        String::from($crate::locale::told_class($english))
    };
    ($one:tt | $more:tt % $number:expr $(, $($arguments:tt)*)?) => {{
        let n = $number;
        ::tr::runtime_format!($crate::locale::told_of(n as u64, $one, $more), $($($arguments)*,)? n = n)
    }};
    ($english:tt $(, $($arguments:tt)*)?) => {
        ::tr::runtime_format!($crate::locale::told($english) $(, $($arguments)*)?)
    };
}
pub(crate) use tr;

#[cfg(feature = "cli")]
mod catalogue {
    use std::collections::HashMap;
    use std::sync::LazyLock;
    use std::sync::atomic::{AtomicBool, Ordering};

    use toml::de::{DeTable, DeValue};

    use super::ENGLISH;

    /// Messages in English, and what they are in Chinese.
    const ZH: &str = include_str!("locale/zh.toml");
    /// The names of word classes, without the number at their end.
    const CLASSES: &str = include_str!("locale/classes.zh.toml");

    static IS_CHINESE: AtomicBool = AtomicBool::new(false);
    static CATALOGUE: LazyLock<Catalogue> = LazyLock::new(Catalogue::chinese);

    /// Whether people are told in Chinese.
    pub(crate) fn is_chinese() -> bool {
        IS_CHINESE.load(Ordering::Relaxed) && !ENGLISH.get()
    }

    /// Tells people in Chinese from here on.
    pub(crate) fn speak_chinese() {
        IS_CHINESE.store(true, Ordering::Relaxed);
    }

    /// Tells in English from here on: programs read what is told.
    pub(crate) fn speak_english() {
        IS_CHINESE.store(false, Ordering::Relaxed);
    }

    /// The Chinese of a message, if people are told in Chinese.
    pub(super) fn message(english: &str) -> Option<&'static str> {
        is_chinese().then(|| CATALOGUE.get(english)).flatten()
    }

    /// The Chinese of the name of a class, if people are told in Chinese.
    pub(super) fn class(english: &str) -> Option<&'static str> {
        is_chinese().then(|| CATALOGUE.class(english)).flatten()
    }

    /// Messages by their English text, and classes by their English names.
    pub(crate) struct Catalogue {
        messages: HashMap<String, String>,
        classes: HashMap<String, String>,
    }

    impl Catalogue {
        /// All that is known in Chinese. A test reads it whole, so that nothing in it can be wrong here.
        pub(crate) fn chinese() -> Self {
            let read = |file| {
                let table = DeTable::parse(file).map(toml::Spanned::into_inner).unwrap_or_default();
                let entries = table.into_iter().filter_map(|(english, chinese)| match chinese.into_inner() {
                    DeValue::String(chinese) => Some((english.into_inner().into_owned(), chinese.into_owned())),
                    _ => None,
                });
                entries.collect()
            };
            Self { messages: read(ZH), classes: read(CLASSES) }
        }

        /// The Chinese of an English text, if it has one.
        pub(crate) fn get(&self, english: &str) -> Option<&str> {
            self.messages.get(english).map(String::as_str)
        }

        /// The Chinese of the name of a class: `place pair 2` is a place pair.
        pub(crate) fn class(&self, english: &str) -> Option<&str> {
            let name = english.trim_end_matches(|c: char| c.is_ascii_digit());
            self.classes.get(name).map(String::as_str)
        }

        /// The names of classes with their Chinese.
        #[cfg(test)]
        pub(crate) fn classes(&self) -> impl Iterator<Item = (&str, &str)> {
            self.classes.iter().map(|(english, chinese)| (english.as_str(), chinese.as_str()))
        }

        /// All texts with their Chinese.
        #[cfg(test)]
        pub(crate) fn entries(&self) -> impl Iterator<Item = (&str, &str)> {
            self.messages.iter().map(|(english, chinese)| (english.as_str(), chinese.as_str()))
        }
    }
}
