//! What a repair of a damaged state saves, and what it says of the rest.

#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

use std::fs;

use crate::common::place::{Place, input};

#[test]
fn what_a_repair_lost_is_told_once() {
    let place = Place::new(&input(20_000, 16));
    fs::write(place.path("few.jsonl"), input(20, 17)).unwrap();
    let args = ["dedup", "--state", "state", "--window", "15000", "-o", "out.jsonl"];
    place.succeed(&[&args[..], &["in.jsonl"]].concat());
    let segments: Vec<_> = place.state_files().into_iter().filter(|file| file.extension().is_some()).collect();
    assert!(segments.len() >= 3, "{segments:?}");
    fs::remove_file(&segments[1]).unwrap();
    let name = segments[1].file_name().unwrap().to_str().unwrap();
    let refused = place.refused(&["state", "check", "state"]);
    assert!(refused.contains(&format!("{name}: byte 0: it is not there")), "{refused}");
    let repaired = place.run(&["state", "repair", "state"]);
    let [said, told] = [repaired.stderr, repaired.stdout].map(|bytes| String::from_utf8(bytes).unwrap());
    assert!(said.contains(&format!("{name}: byte 0: it is not there")), "{said}");
    let lost: u64 = told.split("lost: ").nth(1).unwrap().split(' ').next().unwrap().parse().unwrap();
    assert!(told.contains("1 place could not be read") && lost > 1000, "{told}");
    for (more, tells) in [(["few.jsonl", "--again"], true), (["few.jsonl", "--resume"], false)] {
        let said = String::from_utf8(place.run(&[&args[..], &more].concat()).stderr).unwrap();
        let told =
            format!("the state was repaired: 1 place could not be read; no longer known: {lost} of 20000 messages;");
        assert_eq!(said.matches(&told).count(), usize::from(tells), "{said}");
    }
    // The rewritten log has no gap.
    assert!(String::from_utf8(place.succeed(&["state", "repair", "state"])).unwrap().ends_with("messages are known\n"));
}

/// A repair of a cut log does not say that nothing is lost, because HEAD does not know how many messages there were.
#[test]
fn a_repair_of_a_cut_log_does_not_say_that_nothing_is_lost() {
    let place = Place::new(&input(6000, 16));
    let args = ["dedup", "-q", "--state", "state", "-o", "out.jsonl", "in.jsonl"];
    place.succeed(&args);
    let log = place.path("state/00000001.log");
    let whole = fs::read(&log).unwrap();
    fs::write(&log, &whole[..whole.len() - 10]).unwrap();
    let repaired = place.run(&["state", "repair", "state"]);
    let told = String::from_utf8(repaired.stdout).unwrap();
    assert!(told.contains("2 places could not be read, lost: those after byte ") && !told.contains(" 0 of"), "{told}");
    assert!(told.ends_with(" of 00000001.log, whose number is unknown\n"), "{told}");
    let said = String::from_utf8(place.run(&[&args[..], &["--abandon", "--again"]].concat()).stderr).unwrap();
    assert!(said.contains("no longer known: those after byte "), "{said}");
}

/// Damaged settings are restored from their copy, because no message can be used without the settings.
#[test]
fn damaged_settings_are_taken_from_their_copy() {
    let place = Place::new(&input(6000, 16));
    place.succeed(&["dedup", "-q", "--state", "state", "-o", "out.jsonl", "in.jsonl"]);
    let [log, copy] = ["state/00000001.log", "state/SETTINGS"].map(|name| place.path(name));
    let [whole, settings] = [&log, &copy].map(|file| fs::read(file).unwrap());
    assert!(whole.starts_with(&settings));
    let known = place.succeed(&["state", "dump", "state"]);
    // Damage in the segment number, the length, the checksum and the settings.
    for at in [12, 20, 24, 40] {
        let mut broken = whole.clone();
        broken[at] ^= 1;
        fs::write(&log, &broken).unwrap();
        let refused = place.refused(&["state", "check", "state"]);
        assert!(
            refused.contains("00000001.log: byte ") && refused.contains("; `quchong state repair state`"),
            "{refused}"
        );
        let head = fs::read(place.path("state/HEAD")).unwrap();
        let told = String::from_utf8(place.succeed(&["state", "repair", "state"])).unwrap();
        assert!(told.ends_with("1 place could not be read, lost: 0 of 6,000 messages\n"), "{told}");
        assert_eq!(place.succeed(&["state", "dump", "state"]), known, "{at}");
        place.state_files().iter().for_each(|file| fs::remove_file(file).unwrap());
        fs::write(place.path("state/HEAD"), head).unwrap();
        fs::write(&copy, &settings).unwrap();
    }
    // A run writes the copy if an earlier version has not.
    fs::write(&log, &whole).unwrap();
    fs::remove_file(&copy).unwrap();
    place.succeed(&["dedup", "-q", "--state", "state", "--again", "-o", "more.jsonl", "in.jsonl"]);
    assert_eq!(fs::read(&copy).unwrap(), settings);
}

/// `check`, a run and `repair` agree about a state that cannot be repaired, and no advice leads to another refusal.
#[test]
fn what_cannot_be_repaired_is_not_sent_to_a_repair() {
    let place = Place::new(&input(6000, 16));
    place.succeed(&["dedup", "-q", "--state", "state", "-o", "out.jsonl", "in.jsonl"]);
    let log = place.path("state/00000001.log");
    let whole = fs::read(&log).unwrap();
    let mut broken = whole.clone();
    broken[40] ^= 1;
    let no_settings = "but not the settings that they were judged by";
    let cases = [(&broken[..], no_settings), (&whole[..0], "nothing of a state is left here")];
    let cuts = [1, 10, 100].map(|end| (&whole[..end], "nothing of a state is left here"));
    fs::remove_file(place.path("state/SETTINGS")).unwrap();
    for (bytes, reason) in cases.into_iter().chain(cuts) {
        fs::write(&log, bytes).unwrap();
        for args in [
            &["state", "check", "state"][..],
            &["state", "repair", "state"],
            &["dedup", "--state", "state", "in.jsonl"],
        ] {
            let refused = place.refused(args);
            assert!(
                refused.contains(reason) && refused.contains("put a copy of the folder back"),
                "{args:?}: {refused}"
            );
            assert!(!refused.contains("`quchong state repair"), "{args:?}: {refused}");
        }
        assert_eq!(fs::read(&log).unwrap(), bytes);
    }
}
