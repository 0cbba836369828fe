//! Load on `quchong serve`: messages per second over one connection in batches, and the time of single messages that many clients send at
//! a steady rate.
//!
//! ```text
//! cargo bench --bench service -- POSTS.jsonl                      batches, then a steady rate
//! cargo bench --bench service -- POSTS.jsonl --sync always        options of `serve`
//! ```
//! Each message has an id of its own. Times count from the moment when a message was due, so stalls are included. The delay of the client
//! itself is printed, too. Client and service share the machine.
#![allow(
    clippy::expect_used,
    clippy::print_stdout,
    missing_docs,
    reason = "a bench may panic, and tells what it measured"
)]

use std::fs;
use std::io::{BufRead, BufReader, ErrorKind};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;
use tokio::net::TcpStream;
use tokio::time::sleep;

/// Batch sizes, each with the number of messages to send.
const BATCHES: [(usize, usize); 4] = [(1, 5_000), (100, 150_000), (1_000, 150_000), (5_000, 150_000)];
/// Numbers of clients that send single messages.
const CLIENTS: [usize; 3] = [4, 20, 200];
/// Messages per second, of all clients together.
const RATE: f64 = 2_000.0;
/// Seconds of sending at that rate.
const TIME: f64 = 15.0;

/// A running service with the folder of its state.
struct Service {
    child: Child,
    port: u16,
    _folder: tempfile::TempDir,
}

impl Service {
    fn new(options: &[String]) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let mut child = Command::new(env!("CARGO_BIN_EXE_quchong"))
            .args(["serve", "--listen", ":0", "--state"])
            .arg(folder.path().join("state"))
            .args(options)
            .env("QUCHONG_UI", "en")
            .stderr(Stdio::piped())
            .spawn()
            .expect("a service");
        let mut lines = BufReader::new(child.stderr.take().expect("a pipe")).lines();
        let first = lines.next().expect("a line").expect("UTF-8");
        let port = first.split_once("127.0.0.1:").and_then(|(_, rest)| rest.split('/').next()?.parse().ok());
        std::thread::spawn(move || lines.for_each(drop));
        Self { child, port: port.expect("the first line names the port"), _folder: folder }
    }

    async fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(("127.0.0.1", self.port)).await.expect("a connection");
        stream.set_nodelay(true).expect("a socket");
        stream
    }

    /// Returns the service's seconds of processor time.
    fn spent(&self) -> f64 {
        let stat =
            fs::read_to_string(Path::new("/proc").join(self.child.id().to_string()).join("stat")).unwrap_or_default();
        let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split(' ').collect();
        let ticks = |at: usize| fields.get(at).and_then(|ticks| ticks.parse::<f64>().ok()).unwrap_or(f64::NAN);
        (ticks(12) + ticks(13)) / 100.0
    }

    /// Returns the share of messages that were remembered within 5 ms after their request was read, by the service's own clock.
    async fn quick(&self) -> f64 {
        let mut stream = self.connect().await;
        let text = ask(&mut stream, b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n").await;
        let value = |name: &str| {
            let line = text.lines().find_map(|line| line.strip_prefix(name)).expect("a sample");
            line.trim().parse::<f64>().expect("a number")
        };
        value("quchong_verdict_seconds_bucket{le=\"0.005\"}") / value("quchong_verdict_seconds_count")
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Sends a request and returns the body of the answer.
async fn ask(stream: &mut TcpStream, mut request: &[u8]) -> String {
    while !request.is_empty() {
        stream.writable().await.expect("a connection");
        match stream.try_write(request) {
            Ok(written) => request = &request[written..],
            Err(error) => assert_eq!(error.kind(), ErrorKind::WouldBlock),
        }
    }
    let (mut come, mut piece, mut whole) = (Vec::new(), [0; 1 << 16], usize::MAX);
    let mut begin = 0;
    while come.len() < whole {
        stream.readable().await.expect("a connection");
        match stream.try_read(&mut piece) {
            Ok(0) => break,
            Ok(read) => come.extend_from_slice(&piece[..read]),
            Err(error) => assert_eq!(error.kind(), ErrorKind::WouldBlock),
        }
        if whole == usize::MAX
            && let Some(end) = come.windows(4).position(|bytes| bytes == b"\r\n\r\n")
        {
            let head = String::from_utf8_lossy(&come[..end]).to_ascii_lowercase();
            assert!(head.starts_with("http/1.1 200"), "{head}");
            let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")?.parse::<usize>().ok());
            begin = end + 4;
            whole = begin + length.expect("a length");
        }
    }
    assert_eq!(come.len(), whole, "an answer broke off");
    String::from_utf8_lossy(&come[begin..]).into_owned()
}

/// Makes a request with `count` messages, starting with number `first`.
fn request(texts: &[String], first: usize, count: usize) -> Vec<u8> {
    let message = |number: usize| {
        let (again, text) = (number / texts.len(), &texts[number % texts.len()]);
        let text = if again == 0 { text.clone() } else { format!("{text} {again}") };
        serde_json::json!({"id": number, "text": text}).to_string() + "\n"
    };
    let body: String = (first..first + count).map(message).collect();
    let head = format!("POST /v1/messages HTTP/1.1\r\nHost: localhost\r\nContent-Length: {}\r\n\r\n", body.len());
    (head + &body).into_bytes()
}

async fn batches(texts: &[String], options: &[String], size: usize, total: usize) {
    let requests: Vec<_> = (0..total).step_by(size).map(|first| request(texts, first, size)).collect();
    let service = Service::new(options);
    let mut stream = service.connect().await;
    let begin = Instant::now();
    let mut answered = 0;
    for request in &requests {
        answered += ask(&mut stream, request).await.lines().count();
    }
    let seconds = begin.elapsed().as_secs_f64();
    assert_eq!(answered, total);
    let (posts, spent) = (total as f64 / seconds, service.spent() / total as f64 * 1e6);
    println!("one connection, batches of {size}: {posts:.0} posts/s, {spent:.0} µs of processor time each");
}

async fn steady(texts: &[String], options: &[String], clients: usize) {
    let service = Service::new(options);
    let each = (TIME * RATE) as usize / clients;
    let mut tasks = Vec::new();
    let begin = Instant::now() + Duration::from_millis(500);
    for own in 0..clients {
        let mut stream = service.connect().await;
        let requests: Vec<_> = (0..each).map(|nth| request(texts, nth * clients + own, 1)).collect();
        tasks.push(tokio::spawn(async move {
            let mut times = Vec::new();
            for (nth, request) in requests.iter().enumerate() {
                let due = begin + Duration::from_secs_f64((nth * clients + own) as f64 / RATE);
                sleep(due.saturating_duration_since(Instant::now())).await;
                let late = due.elapsed();
                ask(&mut stream, request).await;
                times.push((due.elapsed(), late));
            }
            times
        }));
    }
    let (mut times, mut late) = (Vec::new(), Vec::new());
    for task in tasks {
        for (time, own) in task.await.expect("a client") {
            times.push(time);
            late.push(own);
        }
    }
    let posts = times.len() as f64 / begin.elapsed().as_secs_f64();
    let share = |of: &mut [Duration], part: f64| {
        of.sort_unstable();
        of[((of.len() as f64 * part) as usize).min(of.len() - 1)].as_secs_f64() * 1e3
    };
    let (half, most, own) = (share(&mut times, 0.5), share(&mut times, 0.99), share(&mut late, 0.99));
    let (quick, spent) = (service.quick().await * 100.0, service.spent() / times.len() as f64 * 1e6);
    println!(
        "{clients} clients, single posts at {RATE}/s: {posts:.0} posts/s, p50 {half:.2} ms, p99 {most:.2} ms; of this the client \
         itself p99 {own:.2} ms; {quick:.2} % within 5 ms by the service's clock, {spent:.0} µs of processor time each"
    );
}

fn main() {
    let mut arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    if arguments.is_empty() {
        println!("name a file of posts, as JSON lines");
        return;
    }
    let posts = fs::read_to_string(arguments.remove(0)).expect("the file of posts");
    let text = |line: &str| Some(serde_json::from_str::<Value>(line).ok()?.get("text")?.as_str()?.to_owned());
    let texts: Vec<String> = posts.lines().filter_map(text).collect();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        for (size, total) in BATCHES {
            batches(&texts, &arguments, size, total).await;
        }
        for clients in CLIENTS {
            steady(&texts, &arguments, clients).await;
        }
    });
}
