#!/usr/bin/env python3
"""Load on `quchong serve`: messages a second over one connection in batches, and how long single messages take, sent at a steady rate
by many clients. Prints a table, with the load of the machine before each measurement.

    benches/service.py target/release/quchong POSTS.jsonl [batches|steady] [--sync always]

Posts without ids get their line as one; those that are sent again and again get an id of their own, and a text of their own.
"""
import heapq, http.client, json, os, re, selectors, socket, subprocess, sys, tempfile, time

program, posts, options = sys.argv[1], sys.argv[2], sys.argv[3:]
only = options.pop(0) if options[:1] in (["batches"], ["steady"]) else None
texts = [json.loads(line)["text"] for line in open(posts, encoding="utf-8")]

class Service:
    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory()
        command = [program, "serve", "--state", self.folder.name + "/state", "--listen", ":0", *options]
        self.process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env={**os.environ, "QUCHONG_UI": "en"})
        self.port = int(self.process.stderr.readline().rsplit("127.0.0.1:", 1)[1].split("/")[0])
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.communicate()
        self.folder.cleanup()

    def quick(self):
        """The share of messages that were remembered within 5 ms after their request was read, by the service's own clock."""
        connection = self.connect()
        connection.request("GET", "/metrics")
        samples = dict(line.rsplit(" ", 1) for line in connection.getresponse().read().decode().splitlines() if line[0] != "#")
        return float(samples['quchong_verdict_seconds_bucket{le="0.005"}']) / float(samples["quchong_verdict_seconds_count"])

    def spent(self):
        """Seconds of processor time."""
        times = open(f"/proc/{self.process.pid}/stat").read().rsplit(")", 1)[1].split()[11:13]
        return sum(map(int, times)) / os.sysconf("SC_CLK_TCK")

    def connect(self):
        connection = http.client.HTTPConnection("127.0.0.1", self.port)
        connection.connect()
        connection.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return connection

def ask(connection, body):
    connection.request("POST", "/v1/messages", body)
    answer = connection.getresponse()
    lines = answer.read()
    assert answer.status == 200, (answer.status, lines)
    return lines

def message(number):
    again, at = divmod(number, len(texts))
    text = texts[at] if not again else f"{texts[at]} {again}"
    return json.dumps({"id": number, "text": text}, ensure_ascii=False).encode() + b"\n"

def batches(size, total):
    bodies = [b"".join(map(message, range(at, min(at + size, total)))) for at in range(0, total, size)]
    with Service() as service:
        connection = service.connect()
        begin = time.perf_counter()
        lines = sum(ask(connection, body).count(b"\n") for body in bodies)
        seconds = time.perf_counter() - begin
        assert lines == total
        return total / seconds, service.spent() / total * 1e6

def request(body):
    head = f"POST /v1/messages HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\n\r\n"
    return head.encode() + body

def is_whole(answer):
    head, end, body = answer.partition(b"\r\n\r\n")
    length = re.search(rb"content-length: (\d+)", head.lower())
    return bool(end and length) and len(body) >= int(length[1])

def steady(clients, rate, seconds):
    """Each client sends single messages at its share of the rate, one after the other; times count from when each was due, so that a stall is
    seen. One thread speaks for all clients: a thread for each would measure how Python's threads wait for each other."""
    times, late, step = [], [], clients / rate
    with Service() as service:
        sockets = [service.connect().sock for _ in range(clients)]
        ready = selectors.DefaultSelector()
        begin = time.perf_counter() + 0.5
        due = [(begin + own / rate, own, 0) for own in range(clients)]      # a heap: when, who, which
        waiting = {}                                                        # by client: when its message was due, which, what has come
        for own, sock in enumerate(sockets):
            sock.setblocking(False)
            ready.register(sock, selectors.EVENT_READ, own)
        while due or waiting:
            now = time.perf_counter()
            while due and due[0][0] <= now:
                when, own, nth = heapq.heappop(due)
                sockets[own].sendall(request(message(nth * clients + own)))
                waiting[own] = (when, nth, b"")
                now = time.perf_counter()
                late.append(now - when)
            for key, _ in ready.select(max(0, due[0][0] - time.perf_counter()) if due else None):
                own = key.data
                when, nth, come = waiting[own]
                come += key.fileobj.recv(1 << 16)
                if not is_whole(come):
                    waiting[own] = (when, nth, come)
                    continue
                assert come.startswith(b"HTTP/1.1 200"), come
                del waiting[own]
                times.append(time.perf_counter() - when)
                if (nth + 1) * step < seconds:
                    heapq.heappush(due, (when + step, own, nth + 1))
        seconds, quick, spent = time.perf_counter() - begin, service.quick(), service.spent()
    def share(of, part):
        return sorted(of)[min(len(of) - 1, int(len(of) * part))] * 1e3
    return len(times) / seconds, share(times, 0.5), share(times, 0.99), share(late, 0.99), quick, spent / len(times) * 1e6

def load():
    return f"load {os.getloadavg()[0]:.1f}"

for size in (1, 100, 1000, 5000) if only != "steady" else ():
    before = load()
    done, spent = batches(size, 5000 if size == 1 else 150_000)
    print(f"one connection, batches of {size}: {done:,.0f} posts/s, {spent:.0f} µs of processor time each ({before})", flush=True)
for clients in (4, 20, 200) if only != "batches" else ():
    before = load()
    done, half, most, woke, quick, spent = steady(clients, 2000, 15)
    print(f"{clients} clients, single posts at 2,000/s: {done:,.0f} posts/s, p50 {half:.2f} ms, p99 {most:.2f} ms; "
          f"of these, the client itself was late by p99 {woke:.2f} ms; {quick:.2%} within 5 ms by the service's clock, {spent:.0f} µs of processor time each ({before})", flush=True)
