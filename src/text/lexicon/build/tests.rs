use super::*;
use crate::text::lexicon::{BYTES, lexicon};

/// The folder of the lists.
fn folder() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/data/lexicon"))
}

#[test]
fn the_file_is_made_of_the_lists() {
    let made = build(folder()).unwrap();
    assert!(made == BYTES, "data/lexicon.bin is older than data/lexicon/*.txt: run `cargo run --example lexicon`");
}

/// The two words of each line of opposites that has a place for them in its test sentence, and the sentence.
#[test]
fn opposites_are_opposites() {
    let list = Lists::read(folder()).unwrap().opposites;
    let mut seen = 0;
    for (line, [x, y]) in list.lines().map(|line| line.text).zip(opposites(&list).unwrap()) {
        let (_, sentence) = line.split_once('|').unwrap();
        assert!(sentence.contains(x), "{line}");
        let (x, y) = (lexicon().get(&tokens(x)), lexicon().get(&tokens(y)));
        let conflict = x.zip(y).map(|(x, y)| lexicon().conflict(x, y));
        assert!(conflict.is_none_or(|found| found.is_some()), "synonyms, too, or one member of a class: {line}");
        seen += usize::from(conflict.is_some());
    }
    assert!(seen > 2000, "{seen}");
}

/// Returns the error of a list with this text, if all other lists are empty.
fn wrong(name: &str, text: &str) -> String {
    let list = |of| List { name: of, text: if of == name { text.to_owned() } else { String::new() } };
    let lists = Lists {
        classes: list("classes"),
        opposites: list("opposites"),
        synonyms: list("synonyms"),
        negation: list("negation"),
        filler: list("filler"),
        lookalikes: list("lookalikes"),
        names: list("names"),
        words: list("words"),
        sounds: list("sounds"),
    };
    lists.build().err().map(|error| error.to_string()).unwrap_or_default()
}

#[test]
fn what_a_list_does_not_know_is_refused() {
    for (name, text, place) in [
        ("negation", "[prefix]\n非\n[idoim] # A slip.\n不断", "negation.txt:4: [idoim]: the list has no such section"),
        ("filler", "据悉", "filler.txt:1: []: the list has no such section"),
        ("names", "[surname]\n王\n[clue_before]\n恭喜", "names.txt:4: [clue_before]: the list has no such section"),
        ("words", "[nuon 9]\n银行", "words.txt:2: [nuon 9]: name a part of speech"),
        ("words", "[noun]\n银行", "words.txt:2: [noun]: name a part of speech"),
        ("words", "[noun 32]\n银行", "words.txt:2: [noun 32]: name a part of speech"),
        ("classes", "[colour]\n红\n甲乙丙丁戊己庚辛壬癸子丑", "classes.txt:3: [colour]: "),
        ("classes", "红", "classes.txt:1: []: name a class"),
        ("classes", "[colour good]\n红", "classes.txt:2: [colour good]: name a class"),
        ("classes", "[a_brand goods]\n小熊\n[a_brand]\n大熊", "classes.txt:4: [a_brand]: name a class"),
        ("synonyms", "电脑 甲乙丙丁戊己庚辛壬癸子", "synonyms.txt:1: []: 甲乙丙丁戊己庚辛壬癸子 has 11 tokens"),
        ("lookalikes", "未末\n[shapes", "lookalikes.txt:2: []: end the heading"),
        ("opposites", "加息 降息 | 央行加息\n加息 | 央行加息", "opposites.txt:2: []: write two words"),
        ("opposites", "加息 降息", "opposites.txt:1: []: write two words"),
        ("sounds", "a 啊\nba", "sounds.txt:2: []: write a syllable"),
    ] {
        let told = wrong(name, text);
        assert!(told.starts_with(place), "{text}: {told:?}");
    }
    assert_eq!(wrong("negation", "[prefix]\n非 未"), "");
    assert_eq!(wrong("classes", "[sign_char]\n+\n-"), "", "a sign has no token");
    let none = build(Path::new("no/such/folder")).unwrap_err().to_string();
    assert!(none.starts_with("classes.txt: "), "{none}");
}
