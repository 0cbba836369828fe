"""Latency of `quchong dedup` in a pipe: the first message of a process, one message after another, and messages at a fixed rate.

    cargo build --release
    python3 benches/latency.py [FILE.jsonl] [LIVE] [RATE]     default: ../shared/data/weibo-dev.jsonl, 250 000 messages, 5000/s

The clock runs from the write of a message to the arrival of its verdict (`--output annotated`: each message has one). One after another:
a message is sent when its predecessor has its verdict. At a rate: messages are sent on a schedule, and one that is sent late because
its predecessor was slow counts from when it was due. `cat` beside it shows what the pipes, this program and the machine take.
"""

import subprocess
import sys
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
QUCHONG = ROOT / "target" / "release" / "quchong"
SECONDS = 2
# Messages that are sent one after another.
ALONE = 20_000
CAT = ("cat",)
SHARES = (0.5, 0.99, 0.999)


def start(options, command=None):
    command = command or [QUCHONG, "dedup", "--quiet", "--output", "annotated", "--format", "jsonl", *options]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)


def first(line, options=()):
    """Seconds from the start of a process to its first verdict."""
    started = time.perf_counter()
    process = start(options)
    process.stdin.write(line)
    process.stdout.read(1)
    seconds = time.perf_counter() - started
    process.stdin.close()
    process.stdout.read()
    process.wait()
    return seconds


def seen(lines, live, command=None):
    """A process that has seen `live` messages, and its output."""
    process = start((), command)
    output = open(process.stdout.fileno(), "rb", buffering=1 << 16, closefd=False)
    for at in range(0, live, 100):
        process.stdin.write(b"".join(lines[at : at + 100]))
        for _ in lines[at : at + 100]:
            output.readline()
    return process, output


def alone(lines, live, command=None):
    """Seconds of each message sent to a process that has seen `live` messages, when the message before has its verdict."""
    process, output = seen(lines, live, command)
    latencies = []
    for line in lines[live : live + ALONE]:
        sent = time.perf_counter()
        process.stdin.write(line)
        output.readline()
        latencies.append(time.perf_counter() - sent)
    process.stdin.close()
    process.wait()
    return latencies


def at_rate(lines, live, rate, command=None):
    """Seconds of each message sent at `rate` per second to a process that has seen `live` messages; the first was idle before."""
    process, output = seen(lines, live, command)
    time.sleep(0.5)
    some, latencies = lines[live : live + SECONDS * rate], []
    started = time.perf_counter() + 0.01

    def send():
        # On schedule, whatever has been answered; sleeping, since the process needs the other core.
        for number, line in enumerate(some):
            time.sleep(max(0, started + number / rate - time.perf_counter()))
            process.stdin.write(line)

    # Neither thread waits the usual 5 ms for the other.
    sys.setswitchinterval(1e-4)
    sender = threading.Thread(target=send)
    sender.start()
    for number in range(len(some)):
        output.readline()
        latencies.append(time.perf_counter() - (started + number / rate))
    sender.join()
    process.stdin.close()
    process.wait()
    return latencies


def share(latencies, part):
    return sorted(latencies)[min(int(len(latencies) * part), len(latencies) - 1)]


def main():
    path = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "../shared/data/weibo-dev.jsonl"
    live = int(sys.argv[2]) if len(sys.argv) > 2 else 250_000
    rate = int(sys.argv[3]) if len(sys.argv) > 3 else 5000
    with open(path, "rb") as file:
        lines = file.readlines()
    tell = lambda latencies: ", ".join(f"p{part * 100:g} {share(latencies, part) * 1e3:.2f} ms" for part in SHARES)
    firsts = [first(lines[0]) for _ in range(9)]
    print(f"first message of a process: {share(firsts, 0.5) * 1e3:.1f} ms")
    for name, command in (("quchong", None), ("cat", CAT)):
        print(f"{name}, one after another: {tell(alone(lines, live, command))}")
        latencies = at_rate(lines, live, rate, command)
        print(f"{name}, after a pause: {latencies[0] * 1e3:.2f} ms; at {rate} messages/s: {tell(latencies)}")


if __name__ == "__main__":
    main()
