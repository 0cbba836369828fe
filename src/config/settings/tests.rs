use std::collections::BTreeSet;

use serde_json::{Map, Value as Json};

use super::*;
use crate::config::{Settings, Span};
use crate::{Result, Spelling};

/// Returns what must be given with a setting for it to have an effect, by the table.
fn beside(setting: &Setting) -> Vec<(&'static str, &'static str)> {
    setting.acts.iter().flat_map(met_by).collect()
}

fn met_by(when: &When) -> Vec<(&'static str, &'static str)> {
    match *when {
        When::Is(name, words) if words.contains(&find(name).unwrap().default) => vec![],
        When::Is(name, words) => vec![(name, words[0])],
        When::With(name) => given(find(name).unwrap()),
        When::Without(_) | When::Beyond | When::BeyondItself => vec![],
        When::Timed => vec![("window", "24h")],
        When::Any(any) if any.iter().any(|when| matches!(when, When::Beyond)) => vec![],
        When::Any(any) => met_by(&any[0]),
    }
}

/// Returns a setting with what it needs.
fn given(setting: &'static Setting) -> Vec<(&'static str, &'static str)> {
    let mut given = beside(setting);
    given.push((setting.name, setting.example));
    given
}

fn config(given: &[(&str, &str)]) -> Result<Config> {
    Settings::of(given)?.config()
}

/// Returns ways to give a setting without the condition `when`.
fn ways_without(setting: &'static Setting, when: &When) -> Vec<Vec<(&'static str, &'static str)>> {
    let but =
        |others: &[&str]| given(setting).into_iter().filter(|(name, _)| !others.contains(name)).collect::<Vec<_>>();
    match *when {
        When::Is(name, words) => {
            let Value::Word(all) = find(name).unwrap().value else { panic!("{name} has no words") };
            let others = all.iter().map(|(word, _)| *word).filter(|word| !words.contains(word));
            others.map(|other| [but(&[name]), vec![(name, other)]].concat()).collect()
        }
        When::With(name) => vec![but(&[name])],
        When::Without(name) => vec![[given(setting), given(find(name).unwrap())].concat()],
        When::Timed => vec![but(&["window"]), [but(&["window"]), vec![("window", "100")]].concat()],
        When::Any(any) if any.iter().all(|when| matches!(when, When::With(_) | When::Timed)) => {
            vec![but(&any.iter().flat_map(met_by).map(|(name, _)| name).collect::<Vec<_>>())]
        }
        When::Any(any) if any.iter().any(|when| matches!(when, When::Beyond)) => {
            vec![[given(setting), vec![("window", "100")]].concat()]
        }
        When::BeyondItself => vec![[given(setting), vec![("window", "100")]].concat()],
        When::Beyond | When::Any(_) => vec![],
    }
}

#[test]
fn each_row_is_whole() {
    let mut names = BTreeSet::new();
    for setting in all() {
        let Setting { name, help, zh, .. } = setting;
        assert!(names.insert(name) && !help.is_empty() && !zh.is_empty(), "{name}");
        assert!(setting.acts.iter().all(|when| !matches!(when, When::Any([]))), "{name}");
        let is_value = !setting.default.contains(' ') && setting.check(setting.default).is_ok();
        assert_eq!(
            !is_value && !setting.default.is_empty(),
            !setting.zh_default.is_empty(),
            "{name}: a default in words has two tongues"
        );
        match setting.value {
            Value::Switch => {
                assert!(setting.example.is_empty() && setting.default.is_empty(), "{name}");
                continue;
            }
            Value::Word(words) => {
                let known = |word: &str| words.iter().any(|(known, told)| *known == word && !told.is_empty());
                assert!(known(setting.default) && known(setting.example), "{name}");
                assert!(words.iter().all(|(word, _)| setting.check(word).is_ok()), "{name}");
                assert!(setting.read.is_none() || setting.check("nothing").is_err(), "{name}");
            }
            Value::Text(_) => setting.check(setting.example).unwrap(),
        }
        assert_ne!(setting.example, setting.default, "{name}");
    }
    assert!(names.len() > 40);
}

#[test]
fn each_setting_decides_something_and_is_told_as_it_is_read() {
    for setting in all().filter(|setting| setting.read.is_some()) {
        let (with, without) = (config(&given(setting)).unwrap(), config(&beside(setting)).unwrap());
        assert_ne!(with, without, "{}", setting.name);
        if let Some(told) = (setting.value_in)(&with) {
            let again = config(&[beside(setting), vec![(setting.name, &told)]].concat()).unwrap();
            assert_eq!(again, with, "{} {told}", setting.name);
        }
        with.validate().unwrap();
    }
}

/// The default that the table names for a setting is in effect without it.
#[test]
fn defaults_are_those_that_are_told() {
    let mut told = 0;
    for setting in all().filter(|setting| setting.read.is_some() && setting.check(setting.default).is_ok()) {
        if let Some(default) = (setting.value_in)(&Config::default()) {
            let mut given = Config::default();
            (setting.read.unwrap())(&mut given, setting.default).unwrap();
            assert_eq!((setting.value_in)(&given), Some(default), "{}", setting.name);
            told += 1;
        }
    }
    assert!(told > 15, "{told}");
}

/// The stub of the Python module has the words of the table.
#[test]
fn words_in_python_are_those_of_the_table() {
    let stub = concat!(env!("CARGO_MANIFEST_DIR"), "/python/package/quchong/_quchong.pyi");
    let stub = std::fs::read_to_string(stub).unwrap();
    let mut compared = 0;
    for setting in all().filter(|setting| setting.read.is_some()) {
        let start = format!("    {}: ", setting.member());
        let Some(line) = stub.lines().find_map(|line| line.strip_prefix(&start)) else { continue };
        let Value::Word(words) = setting.value else { continue };
        let mut in_stub: Vec<&str> = line.split('"').skip(1).step_by(2).collect();
        let mut words: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
        in_stub.sort_unstable();
        words.sort_unstable();
        assert_eq!(in_stub, words, "{}", setting.name);
        compared += 1;
    }
    assert!(compared > 10, "{compared}");
}

#[test]
fn every_member_of_a_configuration_is_a_setting() {
    let members =
        |config: &Config| -> Map<String, Json> { serde_json::to_value(config).unwrap().as_object().unwrap().clone() };
    let default = members(&Config::default());
    let mut set = BTreeSet::from(["remember_ids", "explain", "recount"].map(str::to_owned));
    for setting in all().filter(|setting| setting.read.is_some()) {
        let config = members(&config(&given(setting)).unwrap());
        set.extend(config.into_iter().filter(|(name, value)| default[name] != *value).map(|(name, _)| name));
    }
    assert_eq!(set.into_iter().collect::<Vec<_>>(), default.into_iter().map(|(name, _)| name).collect::<Vec<_>>());
}

#[test]
fn what_would_do_nothing_is_refused() {
    let mut refused = 0;
    for setting in all() {
        config(&given(setting)).unwrap();
        for way in setting.acts.iter().flat_map(|when| ways_without(setting, when)) {
            let error = config(&way).unwrap_err().spelled(Spelling::Flag);
            let names = way.iter().any(|(name, _)| error.starts_with(&format!("--{name}: ")));
            assert!(names && (error.contains("does nothing") || error.contains("cannot be used")), "{way:?}: {error}");
            refused += 1;
        }
    }
    assert!(refused > 40, "{refused}");
    // A default word is no contradiction.
    config(&[("represent", "first"), ("state", "seen")]).unwrap();
    let careful = config(&[("preset", "careful"), ("near", "simhash")]).unwrap_err().to_string();
    assert!(careful.starts_with("preset: careful does nothing under near simhash"), "{careful}");
    let careful = config(&[("preset", "careful"), ("templates", "fold")]).unwrap_err().to_string();
    assert!(careful.starts_with("preset: careful does nothing under templates fold"), "{careful}");
    let told = |given: &[(&str, &str)]| config(given).unwrap_err().to_string();
    assert_eq!(told(&[("bloom-hashes", "3")]), "bloom_hashes: does nothing without bloom_bits; add it");
    let guard = "guard: does nothing under near simhash; it needs near hybrid";
    assert_eq!(told(&[("near", "simhash"), ("guard", "off")]), guard);
    assert_eq!(
        told(&[("near", "simhahs")]),
        "near: nothing is called `simhahs`; there are hybrid, simhash, minhash, none"
    );
}

/// Resets every value of a configuration that has no effect to its default. This states the conditions of the table a second time,
/// directly.
fn effective(config: &Config) -> Config {
    use crate::config::{ExactMode as Exact, NearMode as Near, Templates};
    let (plain, mut config) = (Config::default(), config.clone());
    let is_short = matches!(config.window, Some(Span::Messages(most)) if most <= config.verify_window);
    if config.near == Near::None {
        config = Config { rules: plain.rules, shingle: plain.shingle, ..config };
    }
    if config.near != Near::Hybrid || is_short {
        config.verify_window = plain.verify_window;
    }
    if config.near == Near::Hybrid && is_short {
        config.shingle = plain.shingle;
    }
    if !(config.near == Near::SimHash || config.near == Near::Hybrid && !is_short) {
        config = Config { max_distance: plain.max_distance, weights: plain.weights, ..config };
    }
    if config.near != Near::Hybrid {
        config = Config { guard: plain.guard, remarks: plain.remarks, templates: plain.templates, ..config };
    }
    if config.templates == Templates::Fold {
        config.guard = plain.guard;
    }
    if matches!(config.near, Near::SimHash | Near::None) {
        config.similarity = plain.similarity;
    }
    if config.near != Near::MinHash {
        config.permutations = plain.permutations;
    }
    if !matches!(config.exact, Exact::Verified | Exact::Bloom | Exact::PaperBloom) {
        config = Config { bloom: plain.bloom, bloom_rounds: plain.bloom_rounds, ..config };
    }
    if !matches!(config.exact, Exact::Verified | Exact::Bloom) {
        config.capacity = plain.capacity;
    }
    if config.exact != Exact::PaperBloom {
        config.bloom_rule = plain.bloom_rule;
    }
    if config.exact != Exact::PaperTrie {
        config.trie_hash = plain.trie_hash;
    }
    if config.exact == Exact::None {
        config.exact_on = plain.exact_on;
    }
    if matches!(config.exact, Exact::None | Exact::PaperBloom) {
        config.seed = plain.seed;
    }
    if (config.exact, config.near) == (Exact::None, Near::None) {
        return Config { exact: config.exact, near: config.near, ..plain };
    }
    config
}

/// Under each pair of stages a setting either changes something or is refused.
#[test]
fn no_setting_does_nothing_under_any_stages() {
    let words = |name: &str| match find(name).unwrap().value {
        Value::Word(words) => words.iter().map(|(word, _)| *word).collect::<Vec<_>>(),
        _ => vec![],
    };
    let windows = [vec![], vec![("window", "100")], vec![("window", "1e6")]];
    let all_stages =
        words("exact").into_iter().flat_map(|exact| words("near").into_iter().map(move |near| (exact, near)));
    let mut acted = 0;
    for ((exact, near), window) in all_stages.flat_map(|stages| windows.iter().map(move |window| (stages, window))) {
        let base = [vec![("exact", exact), ("near", near)], window.clone()].concat();
        if config(&base).is_err() {
            continue;
        }
        let is_in_base = |name: &str| base.iter().any(|(of_base, _)| *of_base == name);
        for setting in all().filter(|setting| !is_in_base(setting.name)) {
            let beside: Vec<_> = beside(setting).into_iter().filter(|(name, _)| !is_in_base(name)).collect();
            let without = [base.clone(), beside].concat();
            let with = config(&[without.clone(), vec![(setting.name, setting.example)]].concat());
            let finds = exact != "none" || near != "none";
            let (told, name) = (format!("{base:?} {}: {with:?}", setting.name), setting.name);
            match (&with, setting.read) {
                (Ok(with), Some(_)) => {
                    let without = config(&without).unwrap_or_default();
                    // A window may be as long as the input, whose length is unknown.
                    assert_ne!(effective(with), effective(&without), "{told}");
                    acted += 1;
                }
                (Err(_), Some(_)) => {}
                // Among the other settings, these depend on the stages.
                (with, None) => {
                    let acts = match name {
                        "explain" => near == "hybrid",
                        "represent" => near != "none" || ["verified", "trie", "paper-trie"].contains(&exact),
                        "recount" => finds && ["verified", "trie", "none"].contains(&exact),
                        "time-field" => window.is_empty() && finds,
                        "against" => finds && !exact.starts_with("paper"),
                        _ => true,
                    };
                    assert_eq!(with.is_ok(), acts, "{told}");
                }
            }
        }
    }
    assert!(acted > 800, "{acted}");
}

#[cfg(feature = "cli")]
#[test]
fn a_refusal_names_what_was_typed_and_where_the_rest_stands() {
    let told = |given: &[(&str, &str)], places: &[(&'static str, &str)]| {
        let mut settings = Settings::of(given).unwrap();
        places.iter().for_each(|(name, place)| settings.set_origin(name, (*place).to_owned()));
        settings.config().map_err(|error| error.spelled(Spelling::Flag))
    };
    let refused = |given, places| told(given, places).unwrap_err();
    assert_eq!(
        refused(&[("preset", "paper"), ("keep", "2")], &[]),
        "--keep: does nothing under --exact paper-bloom (from --preset paper); it needs --exact verified, trie or none"
    );
    assert_eq!(
        refused(&[("templates", "fold"), ("guard", "off")], &[("templates", "QUCHONG_TEMPLATES")]),
        "--guard: does nothing under --templates fold (from QUCHONG_TEMPLATES); it needs --templates keep"
    );
    assert_eq!(
        refused(&[("represent", "longest"), ("keep", "2")], &[("represent", "a.toml:3"), ("keep", "QUCHONG_KEEP")]),
        "--keep: cannot be used with --represent (from a.toml:3); leave one of them out"
    );
    // A file or a variable may state a default that has no effect, but no other value.
    for (given, name) in [
        ([("guard", "facts"), ("templates", "fold")], "guard"),
        ([("guard", "facts"), ("near", "none")], "guard"),
        ([("remarks", "fold"), ("near", "simhash")], "remarks"),
    ] {
        assert!(told(&given, &[(name, "a.toml:1")]).is_ok(), "{given:?}");
        assert!(told(&given, &[]).is_err(), "{given:?}");
    }
    assert!(told(&[("remarks", "keep"), ("near", "simhash")], &[("remarks", "a.toml:1")]).is_err());
    let mut of_file = Settings::of(&[("field", "text")]).unwrap();
    assert!(of_file.refuse_formats(&["lines"]).is_err());
    of_file.set_origin("field", "a.toml:1".to_owned());
    assert!(of_file.refuse_formats(&["lines"]).is_ok() && of_file.idle_in("lines").is_none());
}

#[cfg(feature = "cli")]
#[test]
fn what_does_nothing_in_a_format_is_refused() {
    for setting in all() {
        for format in ["lines", "jsonl", "csv", "tsv", "parquet"] {
            let refused = Settings::of(&given(setting)).unwrap().refuse_formats(&[format]);
            let acts = given(setting).iter().all(|(name, _)| {
                let formats = find(name).unwrap().formats;
                formats.is_empty() || formats.contains(&format)
            });
            assert_eq!(refused.is_ok(), acts, "{} in {format}: {refused:?}", setting.name);
        }
    }
}

#[test]
fn what_is_given_goes_before_the_preset() {
    use crate::config::Preset;
    assert_eq!(config(&[]).unwrap(), Config::default());
    assert_eq!(config(&[("preset", "paper")]).unwrap(), Preset::Paper.config());
    let given = config(&[("preset", "paper"), ("max-distance", "3")]).unwrap();
    assert_eq!(given, Config { max_distance: 3, ..Preset::Paper.config() });
    let given = config(&[("preset", "simhash"), ("max-distance", "3"), ("capacity", "1e6")]).unwrap();
    assert_eq!(given, Config { max_distance: 3, capacity: 1_000_000, ..Preset::Simhash.config() });
    // The preset's exact stage works without a near stage.
    let exact_only = config(&[("preset", "paper"), ("near", "none")]).unwrap();
    assert_eq!(
        (exact_only.exact, exact_only.near),
        (crate::config::ExactMode::PaperBloom, crate::config::NearMode::None)
    );
    // An engine other than the preset's has its own similarity.
    assert_eq!(config(&[("preset", "sms"), ("near", "minhash")]).unwrap().similarity, 500);
    assert_eq!(config(&[("preset", "sms"), ("near", "hybrid")]).unwrap().similarity, 620);
}

#[test]
fn ranges_are_those_that_are_told() {
    let out = |name: &str, value: &str| {
        let given = [beside(find(name).unwrap()), vec![(find(name).unwrap().name, value)]].concat();
        config(&given).unwrap().validate().map_err(|error| error.to_string())
    };
    for (name, values, wrong) in [
        ("max-distance", &["0", "12"][..], &["13"][..]),
        ("verify-window", &["1", "33554432"], &["0", "33554433"]),
        ("similarity", &["0.001", "1"], &["0"]),
        ("permutations", &["16", "1024"], &["15", "1025"]),
        ("capacity", &["1", "4294967296"], &["0", "4294967297"]),
        ("bloom-rounds", &["1", "16"], &["0", "17"]),
        ("bloom-bits", &["8", "1099511627776"], &["7", "1099511627777"]),
        ("bloom-hashes", &["1", "64"], &["0", "65"]),
        ("bloom-error", &["0.999", "1e-9"], &["0", "1", "-1", "nan"]),
        ("window", &["1", "1099511627776", "1ms", "36600d"], &["0", "1099511627777", "0s", "36601d"]),
        ("lateness", &["0s", "36600d"], &["36601d"]),
        ("shingle", &["word:1", "char:16"], &["word:0", "char:17"]),
    ] {
        values.iter().for_each(|value| assert_eq!(out(name, value), Ok(()), "{name} {value}"));
        for value in wrong {
            let error = out(name, value).unwrap_err();
            let told = format!("is out of range; use {}", find(name).unwrap().range.unwrap().0);
            assert!(error.starts_with(&name.replace('-', "_")) && error.ends_with(&told), "{name} {value}: {error}");
        }
    }
}
