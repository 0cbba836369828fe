//! The clients of the guide, each killed as often as its service: no message is lost, and none comes twice.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::print_stderr, reason = "a panic is how a test fails; what is skipped is told")]

use std::fs;
use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use super::served::Served;
use crate::common::PATIENCE;
use crate::common::place::{Place, input};
use oorandom::Rand64;

/// A process that does not outlive its test.
struct Killed(Child);

impl Drop for Killed {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Finds a Python that has a module. Returns `None`, with a message, if there is none.
fn python(module: &str) -> Option<&'static str> {
    let has = |python: &&str| {
        let import = Command::new(python).args(["-c", &format!("import {module}")]).stderr(Stdio::null()).status();
        import.is_ok_and(|status| status.success())
    };
    // Debian's own Python has Debian's packages, even if another one comes first in the path.
    let found = ["python3", "/usr/bin/python3"].into_iter().find(has);
    if found.is_none() {
        eprintln!("skipped: there is no Python with {module} (Debian: python3-redis, python3-confluent-kafka)");
    }
    found
}

/// A free port.
fn port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

fn example(python: &str, name: &str, place: &Place) -> Command {
    let mut command = Command::new(python);
    command.arg(format!("{}/examples/{name}", env!("CARGO_MANIFEST_DIR"))).current_dir(&place.folder);
    command
}

/// Kills a client and its service at random, and then lets them work until the output equals what one run keeps.
fn killed_at_random(place: &Place, mut client: Command, written: impl Fn() -> Vec<u8>) {
    let expected = place.succeed(&["dedup", "-q", "in.jsonl"]);
    // The service always comes back at the same address.
    let address = format!("127.0.0.1:{}", port());
    let listen = format!("{address},unix:socket");
    let serve = || Served::of(&mut place.command(&["serve", "--state", "state", "--listen", &listen]));
    client.env("QUCHONG_SERVICE", &address).stdout(Stdio::null());
    let mut random = Rand64::new(3);
    let (mut service, mut asking) = (serve(), Killed(client.spawn().unwrap()));
    for _ in 0..10 {
        std::thread::sleep(Duration::from_millis(random.rand_range(20..400)));
        if random.rand_range(0..2) == 0 {
            drop(service);
            service = serve();
        } else {
            drop(asking);
            asking = Killed(client.spawn().unwrap());
        }
    }
    let settles = || {
        let start = Instant::now();
        while written() != expected {
            assert!(start.elapsed() < PATIENCE, "{} of {} bytes", written().len(), expected.len());
            std::thread::sleep(Duration::from_millis(50));
        }
    };
    settles();
    // Duplicates may come late, so one more client runs: it finds nothing left to write, except perhaps the last batch again, in its
    // place.
    drop(asking);
    let asking = Killed(client.spawn().unwrap());
    std::thread::sleep(Duration::from_secs(1));
    settles();
    drop(asking);
}

#[test]
fn of_a_file() {
    let Some(python) = python("json") else { return };
    let place = Place::new(&input(10_000, 2));
    let mut client = example(python, "service_client.py", &place);
    client.args(["in.jsonl", "kept.jsonl"]);
    killed_at_random(&place, client, || fs::read(place.path("kept.jsonl")).unwrap_or_default());
}

/// A client refuses a feed that has been replaced by another, instead of going on in the middle of it.
#[test]
fn of_another_file_than_it_had_begun_with() {
    let Some(python) = python("json") else { return };
    let place = Place::new(&input(100, 2));
    let served = Served::new(&place, &[]);
    let client = || {
        let mut client = example(python, "service_client.py", &place);
        client.args(["in.jsonl", "kept.jsonl"]).env("QUCHONG_SERVICE", served.address()).output().unwrap()
    };
    for _ in 0..2 {
        assert_eq!(client().status.code(), Some(0));
    }
    let kept = fs::read(place.path("kept.jsonl")).unwrap();
    // A shorter feed, and a feed with lines as long as those that were read.
    let mut other = fs::read(place.path("in.jsonl")).unwrap();
    other.iter_mut().filter(|byte| **byte == b'1').for_each(|byte| *byte = b'7');
    for feed in ["{\"id\":1,\"text\":\"另一份\"}\n".as_bytes(), &other] {
        fs::write(place.path("in.jsonl"), feed).unwrap();
        let output = client();
        let told = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.code() == Some(2) && told.contains("in.jsonl: is not what was read up to"), "{told}");
        assert_eq!(fs::read(place.path("kept.jsonl")).unwrap(), kept);
    }
    // A last line without an end may be incomplete.
    fs::remove_file(place.path("kept.jsonl")).unwrap();
    fs::remove_file(place.path("kept.jsonl.offsets")).unwrap();
    fs::write(place.path("in.jsonl"), "{\"id\":\"a\",\"text\":\"又一份\"}\n{\"id\":\"b\",\"text\":\"没写完\"}")
        .unwrap();
    let output = client();
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.code() == Some(0) && told.contains("its last line has no end, and was not sent"), "{told}");
}

#[test]
fn of_a_redis_stream() {
    let Some(python) = python("redis") else { return };
    let place = Place::new(&input(10_000, 4));
    let port = port().to_string();
    let mut server = Command::new("redis-server");
    server.args(["--port", &port, "--bind", "127.0.0.1", "--save", ""]).current_dir(&place.folder);
    let Ok(server) = server.stdout(Stdio::null()).spawn() else {
        return eprintln!("skipped: there is no redis-server (Debian: redis-server)");
    };
    let _server = Killed(server);
    let url = format!("redis://127.0.0.1:{port}");
    let script = |script: &str| {
        let start = format!("import redis, sys, time\nstore = redis.Redis.from_url('{url}')\n{script}");
        let output = Command::new(python).args(["-c", &start]).current_dir(&place.folder).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        output.stdout
    };
    script(
        "
while True:
    try: store.ping(); break
    except redis.ConnectionError: time.sleep(0.1)
adding = store.pipeline(transaction=False)
# What no parser reads, and what is longer than a request.
adding.xadd('posts', {'json': '[' * 200000})
adding.xadd('posts', {'json': '{\"text\":\"' + '长' * 2000000 + '\"}'})
for line in open('in.jsonl', 'rb'): adding.xadd('posts', {'json': line.rstrip(b'\\n')})
adding.execute()",
    );
    let mut client = example(python, "redis_streams.py", &place);
    client.args(["posts", "kept"]).env("REDIS_URL", &url);
    let kept = "for _, fields in store.xrange('kept'): sys.stdout.buffer.write(fields[b'json'] + b'\\n')";
    killed_at_random(&place, client, || script(kept));
    assert_eq!(script("print(store.xpending('posts', 'quchong')['pending'], store.xlen('kept:errors'))"), b"0 2\n");
}

/// The broker is the mock that comes with librdkafka for tests.
#[test]
fn of_a_kafka_topic() {
    let Some(python) = python("confluent_kafka") else { return };
    let place = Place::new(&input(10_000, 5));
    let broker = "
import sys
from confluent_kafka import Producer
producer = Producer({'test.mock.num.brokers': 1, 'bootstrap.servers': 'none'})
producer.produce('posts', value=b'[' * 200000, partition=0)
for line in open('in.jsonl', 'rb'):
    producer.produce('posts', value=line.rstrip(b'\\n'), partition=0)
producer.flush(30)
(broker,) = producer.list_topics('posts', timeout=10).brokers.values()
print(f'{broker.host}:{broker.port}', flush=True)
sys.stdin.read()";
    let mut broker = Command::new(python)
        .args(["-c", broker])
        .current_dir(&place.folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut address = String::new();
    BufReader::new(broker.stdout.take().unwrap()).read_line(&mut address).unwrap();
    let _broker = Killed(broker);
    let mut client = example(python, "kafka.py", &place);
    client.args([address.trim(), "posts", "kept.jsonl"]);
    killed_at_random(&place, client, || fs::read(place.path("kept.jsonl")).unwrap_or_default());
}
