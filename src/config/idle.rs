//! Explains in words why a setting does nothing with the other settings, and what it needs.

use std::collections::BTreeMap;

use super::settings::When;
use crate::locale::tr;

/// The settings that a command has, and for each setting with fixed words the words that the command takes. If it is empty, the
/// command has the whole table.
pub(crate) type Offers = BTreeMap<&'static str, Vec<&'static str>>;

/// Explains why a setting with the condition `when` does nothing. `value` returns the value in effect of another setting, and
/// `from` where that value comes from, unless it was typed.
pub(super) fn idle(
    when: &When,
    offers: &Offers,
    value: impl Fn(&str) -> String,
    from: impl Fn(&str) -> String,
) -> String {
    let needed = needed(when, offers);
    match (when, needed.len()) {
        (When::Without(other), _) => tr!("cannot be used with --{other}{}; leave one of them out", from(other), other),
        (When::Is(name, _), 0) => tr!("does nothing under --{name} {}{}; leave it out", value(name), from(name), name),
        (When::Is(name, _), _) => {
            tr!("does nothing under --{name} {}{}; it needs {}", value(name), from(name), either(&needed), name)
        }
        (When::BeyondItself, _) => tr!(
            "does nothing beside --window {}{}, which reaches no further; leave one of them out",
            value("window"),
            from("window")
        ),
        (_, 0) => tr!("does nothing here; leave it out"),
        (_, 1) => tr!("does nothing without {}; add it", either(&needed)),
        _ => tr!("does nothing without {}; add one", either(&needed)),
    }
}

/// Returns the conditions of which one must hold, leaving out those that the command cannot fulfil.
fn needed(when: &When, offers: &Offers) -> Vec<String> {
    let has = |name: &str| offers.is_empty() || offers.contains_key(name);
    let takes =
        |name: &str, word: &str| offers.is_empty() || offers.get(name).is_some_and(|words| words.contains(&word));
    match when {
        When::Is(name, words) => {
            let words: Vec<&str> = words.iter().copied().filter(|word| takes(name, word)).collect();
            if words.is_empty() { vec![] } else { vec![format!("--{name} {}", either(&words))] }
        }
        When::With(name) | When::Without(name) if has(name) => vec![format!("--{name}")],
        When::Timed if has("window") => vec![tr!("a --window of time")],
        When::Beyond | When::BeyondItself if has("window") => vec![tr!("a --window beyond --verify-window")],
        When::Any(any) => any.iter().flat_map(|when| needed(when, offers)).collect(),
        _ => vec![],
    }
}

/// Joins words: `a, b or c`; or `a or b, or c` if a word contains an "or" itself.
pub(super) fn either(words: &[impl ToString]) -> String {
    let mut words: Vec<String> = words.iter().map(ToString::to_string).collect();
    let has_or = words.iter().any(|word| word.contains(&tr!(" or ")));
    match (words.pop(), words.is_empty()) {
        (Some(last), false) if has_or => tr!("{}, or {last}", words.join(&tr!(", ")), last),
        (Some(last), false) => tr!("{} or {last}", words.join(&tr!(", ")), last),
        (last, _) => last.unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NEAR_OR_TIMED: When = When::Any(&[When::Is("near", &["hybrid", "simhash", "minhash"]), When::Timed]);

    #[test]
    fn advice_is_what_the_command_can_do() {
        let told = |when: &When, offers: &[(&'static str, &[&'static str])]| {
            let offers = offers.iter().map(|(name, words)| (*name, words.to_vec())).collect();
            idle(when, &offers, |_| "none".to_owned(), |_| String::new())
        };
        assert_eq!(
            told(&NEAR_OR_TIMED, &[]),
            "does nothing without --near hybrid, simhash or minhash, or a --window of time; add one"
        );
        let job = ("near", &["hybrid", "simhash"][..]);
        assert_eq!(told(&NEAR_OR_TIMED, &[job]), "does nothing without --near hybrid or simhash; add it");
        assert_eq!(told(&When::Is("near", &["minhash"]), &[job]), "does nothing under --near none; leave it out");
        assert_eq!(told(&When::With("state"), &[job]), "does nothing here; leave it out");
    }
}
