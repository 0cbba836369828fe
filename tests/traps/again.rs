//! The same finished command run again replaces no good output.

use super::{Place, records};

const ARGS: [&str; 7] = ["dedup", "-q", "in.jsonl", "--state", "state", "-o", "out.jsonl"];

#[test]
fn a_finished_run_is_not_run_again_by_mistake() {
    let input = records(3000);
    let place = Place::new().with("in.jsonl", &input);
    assert_eq!(place.run(&ARGS).code, Some(0));
    assert_eq!(place.text("out.jsonl"), input);
    let run = place.run(&ARGS);
    assert_eq!(run.code, Some(2), "{} records are left", place.text("out.jsonl").lines().count());
    assert_eq!(place.text("out.jsonl"), input);
    for said in ["in.jsonl", "out.jsonl", "--resume", "--append", "--again"] {
        assert!(run.said.contains(said), "{said}: {}", run.said);
    }
    assert_eq!(run.said.lines().count(), 1);
    // Nor if another file came between, or it has grown since, or it is one of several.
    let place =
        place.with("other.jsonl", records(3010).lines().skip(3000).map(|l| l.to_owned() + "\n").collect::<String>());
    let other = ["dedup", "-q", "other.jsonl", "--state", "state", "-o", "other.out"];
    assert_eq!(place.run(&other).code, Some(0));
    assert_eq!(place.text("other.out").lines().count(), 10);
    let place = place.with("in.jsonl", input.clone() + "{\"id\":5000,\"text\":\"新来的一条\"}\n");
    assert_eq!(place.run(&ARGS).code, Some(2));
    assert_eq!(place.run(&[&ARGS[..], &["other.jsonl"]].concat()).code, Some(2));
    assert_eq!(place.run(&other).code, Some(2));
    // Each way out works.
    assert_eq!(place.run(&[&ARGS[..], &["--append"]].concat()).code, Some(0));
    assert_eq!(place.text("out.jsonl"), input.clone() + "{\"id\":5000,\"text\":\"新来的一条\"}\n");
    let elsewhere: Vec<&str> = ARGS.iter().map(|arg| if *arg == "out.jsonl" { "new.jsonl" } else { arg }).collect();
    let run = place.run(&elsewhere);
    assert_eq!((run.code, place.text("new.jsonl").as_str()), (Some(0), ""));
    assert!(run.said.contains("read in.jsonl to its end"), "{}", run.said);
    assert_eq!(place.run(&[&ARGS[..], &["--resume"]].concat()).code, Some(2), "the last run had another output");
    assert_eq!(place.run(&[&ARGS[..], &["--again"]].concat()).code, Some(0));
    assert_eq!(place.text("out.jsonl"), "");
}

#[test]
fn another_file_of_the_same_name_is_read() {
    let place = Place::new().with("in.jsonl", records(20));
    assert_eq!(place.run(&ARGS).code, Some(0));
    let next: String = records(40).lines().skip(20).map(|line| line.to_owned() + "\n").collect();
    let place = place.with("in.jsonl", &next);
    assert_eq!(place.run(&ARGS).code, Some(0));
    assert_eq!(place.text("out.jsonl"), next);
}

#[test]
fn what_is_added_begins_behind_what_is_there() {
    let place = Place::new().with("in.jsonl", "{\"text\":\"早上好\"}").with("out.jsonl", "{\"text\":\"旧\"}");
    let append = ["dedup", "-q", "in.jsonl", "-o", "out.jsonl", "--append"];
    assert_eq!(place.run(&append).code, Some(0));
    assert_eq!(place.text("out.jsonl"), "{\"text\":\"旧\"}\n{\"text\":\"早上好\"}");
    // Packed outputs get one more member.
    let packed = ["dedup", "-q", "in.jsonl", "-o", "out.gz", "--append"];
    assert_eq!((place.run(&packed).code, place.run(&packed).code), (Some(0), Some(0)));
    let place = place.with("all.txt", "").with("in.csv", "id,text\n1,好\n");
    let run = place.run(&["dedup", "-q", "out.gz", "-f", "jsonl", "--output", "dropped"]);
    assert_eq!(run.out.lines().count(), 1, "{} {}", run.out, run.said);
    // A run that broke off goes on behind its own part.
    let run = place.run(&["dedup", "-q", "in.csv", "-o", "out.csv", "--append"]);
    assert!(run.code == Some(2) && run.said.contains("--append"), "{}", run.said);
}
