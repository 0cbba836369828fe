//! What a service answers, and what it reports at its end.
#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

use std::io::Write;
use std::net::Shutdown;

use super::served::{Served, message, receive, request};
use crate::common::place::Place;

/// A client that closes its sending side still gets its answer. It once got none, although its message was remembered.
#[test]
fn who_sends_no_more_gets_its_answer() {
    let served = Served::new(&Place::new(b""), &[]);
    let mut stream = served.tcp();
    stream.write_all(&request(&message(1, "今天武汉的樱花开了"), "")).unwrap();
    stream.shutdown(Shutdown::Write).unwrap();
    let (status, _, body) = receive(&mut stream).unwrap();
    assert_eq!((status, body.as_str()), (200, "{\"id\":1,\"verdict\":\"kept\"}\n"));
}

#[test]
fn conflicts_are_told_at_the_end() {
    let served = Served::new(&Place::new(b""), &[]);
    served.post(&message(1, "今天武汉的樱花开了"));
    assert_eq!(served.post(&message(1, "明天一起去看电影吧"))[0]["error"], "conflict");
    let (_, said) = served.stop("-TERM");
    assert!(said.contains("their ids came before with other texts: 1\n"), "{said}");
}

/// An id may have 256 bytes; quotation marks, and the backslashes of escapes, do not count.
#[test]
fn an_id_may_have_256_bytes() {
    let served = Served::new(&Place::new(b""), &[]);
    let ask = |id: &str| served.post(&format!("{{\"id\":\"{id}\",\"text\":\"今天武汉的樱花开了\"}}\n"))[0].clone();
    for id in ["a".repeat(256), "\\u0061".repeat(256), "\\\"".repeat(256)] {
        assert_ne!(ask(&id)["verdict"], "error", "{id}");
    }
    for id in ["a".repeat(257), "\\u0061".repeat(257)] {
        let answer = ask(&id);
        assert!(answer["reason"].as_str().unwrap().contains("more than 256 bytes"), "{answer}");
    }
}
