//! Cue words: they tell what kind of thing stands beside them, or what they are themselves.
//!
//! In 领券戳 t.cn/A6xq the word 领券 says that the link is what matters. In 恭喜@小鱼儿 the word 恭喜 says the same of the name. The words are the
//! sections of `data/lexicon/cues.txt`, as they are spelled in the canonical form.

use std::sync::LazyLock;

use super::common_chars::CharSet;

/// The list.
pub(crate) static LIST: &str = include_str!("../../data/lexicon/cues.txt");

/// The words of one section.
pub(super) struct Words {
    words: Vec<&'static str>,
    /// What they begin with.
    first: CharSet,
}

impl Words {
    fn of(name: &str) -> Self {
        let (mut words, mut is_here) = (Vec::<&str>::new(), false);
        for line in LIST.lines().map(|line| line.split('#').next().unwrap_or_default().trim()) {
            match line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
                Some(section) => is_here = section == name,
                None if is_here => words.extend(line.split_whitespace()),
                None => {}
            }
        }
        let first: String = words.iter().filter_map(|word| word.chars().next()).collect();
        Self { words, first: CharSet::of(&first) }
    }

    /// The word that the text ends with, taken off.
    pub(super) fn off<'t>(&self, text: &'t str) -> Option<&'t str> {
        self.words.iter().find_map(|word| text.strip_suffix(word))
    }

    /// Whether the text ends with one of them.
    pub(super) fn ends(&self, text: &str) -> bool {
        self.off(text).is_some()
    }

    /// Whether one of them begins with the character: of single characters, whether it is one.
    pub(super) fn has(&self, c: char) -> bool {
        self.first.has(c.into())
    }

    /// Whether the text begins with one of them.
    pub(super) fn begins(&self, text: &str) -> bool {
        let first = text.chars().next();
        first.is_some_and(|c| self.has(c)) && self.words.iter().any(|word| text.starts_with(word))
    }

    /// Whether the text is one of them.
    pub(super) fn is(&self, text: &str) -> bool {
        self.words.contains(&text)
    }

    /// Whether the text has one of them.
    pub(super) fn within(&self, text: &str) -> bool {
        text.char_indices().any(|(at, _)| self.begins(&text[at..]))
    }
}

/// All sections.
pub(super) struct Cues {
    pub(super) asked: Words,
    pub(super) at: Words,
    pub(super) call: Words,
    pub(super) act: Words,
    pub(super) more: Words,
    pub(super) given: Words,
    pub(super) row: Words,
    pub(super) addressed: Words,
    pub(super) credit: Words,
    pub(super) did: Words,
    pub(super) shared: Words,
    pub(super) stance: Words,
    pub(super) counted: Words,
    pub(super) spoken: Words,
    pub(super) signer: Words,
    pub(super) byline: Words,
    pub(super) teller: Words,
    pub(super) heading: Words,
    pub(super) serial: Words,
    pub(super) urge: Words,
    pub(super) opt_out: Words,
    pub(super) connective: Words,
    pub(super) listing: Words,
    pub(super) warning: Words,
    pub(super) reporter: Words,
    pub(super) pointer: Words,
    pub(super) invite: Words,
    pub(super) front: Words,
    pub(super) aside: Words,
    pub(super) light: Words,
    pub(super) light_word: Words,
    pub(super) particle: Words,
}

/// The words that the program carries.
pub(super) static CUES: LazyLock<Cues> = LazyLock::new(|| Cues {
    asked: Words::of("asked"),
    at: Words::of("at"),
    call: Words::of("call"),
    act: Words::of("act"),
    more: Words::of("more"),
    given: Words::of("given"),
    row: Words::of("row"),
    addressed: Words::of("addressed"),
    credit: Words::of("credit"),
    did: Words::of("did"),
    shared: Words::of("shared"),
    stance: Words::of("stance"),
    counted: Words::of("counted"),
    spoken: Words::of("spoken"),
    signer: Words::of("signer"),
    byline: Words::of("byline"),
    teller: Words::of("teller"),
    heading: Words::of("heading"),
    serial: Words::of("serial"),
    urge: Words::of("urge"),
    opt_out: Words::of("opt_out"),
    connective: Words::of("connective"),
    listing: Words::of("listing"),
    warning: Words::of("warning"),
    reporter: Words::of("reporter"),
    pointer: Words::of("pointer"),
    invite: Words::of("invite"),
    front: Words::of("front"),
    aside: Words::of("aside"),
    light: Words::of("light"),
    light_word: Words::of("light_word"),
    particle: Words::of("particle"),
});

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::normalise::canonical;

    #[test]
    fn words_are_spelled_as_they_are_compared() {
        let all = &*CUES;
        let sections = [
            &all.asked,
            &all.at,
            &all.call,
            &all.act,
            &all.more,
            &all.given,
            &all.row,
            &all.addressed,
            &all.credit,
            &all.did,
            &all.shared,
            &all.stance,
            &all.counted,
            &all.byline,
            &all.teller,
            &all.heading,
            &all.serial,
            &all.urge,
            &all.opt_out,
            &all.connective,
            &all.listing,
            &all.warning,
            &all.reporter,
            &all.pointer,
            &all.invite,
            &all.front,
            &all.aside,
            &all.light,
            &all.light_word,
            &all.particle,
            &all.spoken,
            &all.signer,
        ];
        for section in sections {
            assert!(!section.words.is_empty());
            section.words.iter().for_each(|word| assert_eq!(canonical(word), **word));
        }
        assert!(all.act.within("快来报名吧") && !all.act.within("快来看吧"));
    }
}
