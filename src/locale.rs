//! The language of messages to people.
//!
//! The code writes each message in English, as `tr!("{file}: is a folder", file)`. This English text is also the message's
//! key in the catalogue, `zh.toml`. Only the command line can choose Chinese. In Rust and in Python, `tr!` returns the
//! English text.

#[cfg(any(feature = "cli", feature = "lab"))]
use std::cell::Cell;

#[cfg(any(feature = "cli", feature = "lab"))]
thread_local! {
    /// Whether this thread is currently making text for programs.
    static ENGLISH: Cell<bool> = const { Cell::new(false) };
}

/// Runs `work` with all messages in English, because programs read them.
#[cfg(any(feature = "cli", feature = "lab"))]
pub(crate) fn in_english<T>(work: impl FnOnce() -> T) -> T {
    let before = ENGLISH.replace(true);
    let done = work();
    ENGLISH.set(before);
    done
}

/// Marks an English text that is passed to `tr!` later, as a variable, so that the test of the catalogue finds it. Returns
/// the text unchanged.
#[cfg(feature = "lab")]
pub(crate) const fn later(english: &'static str) -> &'static str {
    english
}

/// A sentence in English for programs, and in the chosen language for people.
#[cfg(feature = "lab")]
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Bilingual {
    /// The English sentence, for programs.
    pub(crate) english: String,
    /// The sentence in the chosen language, for people.
    pub(crate) localised: String,
}

#[cfg(feature = "lab")]
impl Bilingual {
    /// Calls `say` once for each language.
    pub(crate) fn new(say: impl Fn() -> String) -> Self {
        Self { english: in_english(&say), localised: say() }
    }

    /// Appends the text of `say` in both languages.
    pub(crate) fn add(&mut self, say: impl Fn() -> String) {
        let more = Self::new(say);
        self.english += &more.english;
        self.localised += &more.localised;
    }
}

#[cfg(feature = "lab")]
impl serde::Serialize for Bilingual {
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

/// Translates a message to the chosen language.
pub(crate) fn translated(english: &str) -> &str {
    #[cfg(feature = "cli")]
    if let Some(chinese) = catalogue::message(english) {
        return chinese;
    }
    english
}

/// Translates the name of a class to the chosen language.
pub(crate) fn translated_class(english: &str) -> &str {
    #[cfg(feature = "cli")]
    if let Some(chinese) = catalogue::class(english) {
        return chinese;
    }
    english
}

/// Translates a message that depends on a number, choosing the form for one or for more. Chinese has only one form.
pub(crate) fn translated_of<'a>(number: u64, one: &'a str, more: &'a str) -> &'a str {
    match translated(more) {
        found if found == more && number == 1 => translated(one),
        found => found,
    }
}

/// Translates a message to the chosen language and fills in its arguments. The macro of the crate `tr` would look up the
/// language at each of a thousand places, which takes long to compile; here one function looks it up.
macro_rules! tr {
    ("class" => $english:tt) => {
        String::from($crate::locale::translated_class($english))
    };
    ($one:tt | $more:tt % $number:expr $(, $($arguments:tt)*)?) => {{
        let n = $number;
        ::tr::runtime_format!($crate::locale::translated_of(n as u64, $one, $more), $($($arguments)*,)? n = n)
    }};
    ($english:tt $(, $($arguments:tt)*)?) => {
        ::tr::runtime_format!($crate::locale::translated($english) $(, $($arguments)*)?)
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

    /// The messages in English, each with its Chinese translation.
    const ZH: &str = include_str!("locale/zh.toml");
    /// The names of word classes, without the number at their end.
    const CLASSES: &str = include_str!("locale/classes.zh.toml");

    static IS_CHINESE: AtomicBool = AtomicBool::new(false);
    static CATALOGUE: LazyLock<Catalogue> = LazyLock::new(Catalogue::chinese);

    /// Whether messages to people are in Chinese.
    pub(crate) fn is_chinese() -> bool {
        IS_CHINESE.load(Ordering::Relaxed) && !ENGLISH.get()
    }

    /// Makes messages to people Chinese from here on.
    pub(crate) fn speak_chinese() {
        IS_CHINESE.store(true, Ordering::Relaxed);
    }

    /// Makes all messages English from here on, because programs read them.
    pub(crate) fn speak_english() {
        IS_CHINESE.store(false, Ordering::Relaxed);
    }

    /// The Chinese form of a message, if messages to people are in Chinese.
    pub(super) fn message(english: &str) -> Option<&'static str> {
        is_chinese().then(|| CATALOGUE.get(english)).flatten()
    }

    /// The Chinese name of a class, if messages to people are in Chinese.
    pub(super) fn class(english: &str) -> Option<&'static str> {
        is_chinese().then(|| CATALOGUE.class(english)).flatten()
    }

    /// Messages by their English text, and classes by their English names.
    pub(crate) struct Catalogue {
        messages: HashMap<String, String>,
        classes: HashMap<String, String>,
    }

    impl Catalogue {
        /// Loads all Chinese texts. A test parses both files, so that parsing cannot fail here.
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

        /// The Chinese form of an English text, if there is one.
        pub(crate) fn get(&self, english: &str) -> Option<&str> {
            self.messages.get(english).map(String::as_str)
        }

        /// The Chinese name of a class, found without its number: `place pair 2` is looked up as `place pair`.
        pub(crate) fn class(&self, english: &str) -> Option<&str> {
            let name = english.trim_end_matches(|c: char| c.is_ascii_digit());
            self.classes.get(name).map(String::as_str)
        }

        /// All names of classes with their Chinese names.
        #[cfg(test)]
        pub(crate) fn classes(&self) -> impl Iterator<Item = (&str, &str)> {
            self.classes.iter().map(|(english, chinese)| (english.as_str(), chinese.as_str()))
        }

        /// All English texts with their Chinese forms.
        #[cfg(test)]
        pub(crate) fn entries(&self) -> impl Iterator<Item = (&str, &str)> {
            self.messages.iter().map(|(english, chinese)| (english.as_str(), chinese.as_str()))
        }
    }
}
