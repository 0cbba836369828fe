"""gaoya, rensa, datasketch, 1e0ng's simhash and text-dedup on the texts that quchong's near stage gets, and what each drops.

    pip install rensa datasketch simhash; pip install --no-deps text-dedup     (benches/compare.sh installs all of it)
    cargo build --release --bin quchong --example gaoya
    python3 benches/rivals.py [FILE.jsonl] [LINES]      default: ../shared/data/weibo-dev.jsonl, all lines

Every tool sees the bodies that `quchong normalise` prints and keeps the first of each: P = 128, similarity 0.5, character
bigrams (a body of one character is its own shingle); under SimHash 64 bits, distance 4. One thread; the time is from body to
verdict. For quchong it is the whole process from JSONL to JSONL, with --exact none so that all repeats are the near stage's. The
slow ones see the first 20 000 bodies.
"""

import json
import logging
import os
import re
import subprocess
import sys
import tempfile
import time
from importlib.metadata import version
from pathlib import Path

import streamed
from simhash import Simhash, SimhashIndex
from streamed import SIMILARITY

ROOT = Path(__file__).resolve().parent.parent
QUCHONG = ROOT / "target" / "release" / "quchong"
GAOYA = QUCHONG.parent / "examples" / "gaoya"
DISTANCE = 4
SLOW = 20_000


def shingles(body):
    text = body.replace(" ", "")
    return streamed.shingles(text) if text else set()


def run_rival(name, sign, lsh, bodies):
    """By bands alone, and with the estimated similarity asked for."""
    for verified in (False, True):
        index = lsh()
        started = time.perf_counter()
        dropped = streamed.dropped(map(shingles, bodies), sign, index, verified)
        yield f"{name} {version(name)}{', verified' * verified}", dropped, time.perf_counter() - started


def run_simhash(bodies):
    """1e0ng's; its index asks for k + 1 of 64 bits in equal blocks, as ours does."""
    logging.getLogger("simhash").setLevel(logging.ERROR)
    index, dropped = SimhashIndex([], k=DISTANCE), 0
    started = time.perf_counter()
    for number, body in enumerate(bodies):
        features = shingles(body)
        if not features:
            continue
        print_ = Simhash(sorted(features))
        if index.get_near_dups(print_):
            dropped += 1
        else:
            index.add(str(number), print_)
    yield f"simhash {version('simhash')}", dropped, time.perf_counter() - started


def run_text_dedup(bodies):
    """Its command, in which it clusters; the time is that of its own steps, without Python's and the data's loading."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "bodies.jsonl")
        # A text of fewer than five characters ends it.
        long = [body for body in bodies if len(body) >= 5]
        source.write_text("".join(json.dumps({"text": body}) + "\n" for body in long), encoding="utf-8")
        options = f"--path json --split train --column text --ngram 2 --f 64 --bit_diff {DISTANCE} --num_bucket 6 --num_proc 1"
        command = [sys.executable, "-m", "text_dedup.simhash", *options.split(), "--data_files", source]
        command += ["--output", Path(folder, "out"), "--cache_dir", folder]
        environment = {**os.environ, "HF_HUB_OFFLINE": "1", "HF_HOME": folder, "COLUMNS": "200"}
        log = subprocess.run(command, check=True, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    step = {name: float(figure) for name, figure in re.findall(r"(\w+)\s+: ([\d.]+)", log.stdout)}
    seconds = step["SimHashing"] + step["Clustering"] + step["Filtering"]
    yield f"text-dedup {version('text-dedup')}, simhash", int(step["Before"] - step["After"]), seconds


def run_quchong(lines):
    with tempfile.TemporaryDirectory() as folder:
        source, summary = Path(folder, "posts.jsonl"), Path(folder, "summary.json")
        source.write_bytes(b"".join(lines))
        for near in ("hybrid", "minhash", "simhash"):
            options = ["--exact", "none", "--near", near, "-j", "1", "--quiet", "--summary", summary]
            started = time.perf_counter()
            subprocess.run([QUCHONG, "dedup", *options, source], check=True, stdout=subprocess.DEVNULL)
            seconds = time.perf_counter() - started
            yield f"quchong --near {near}", json.loads(summary.read_text())["dropped"]["near"], seconds


def run_gaoya(bodies):
    """It asks for the estimated similarity itself."""
    text = "".join(body + "\n" for body in bodies).encode()
    output = subprocess.run([GAOYA], input=text, check=True, capture_output=True).stdout
    dropped, seconds = output.split()
    yield "gaoya 0.2", int(dropped), float(seconds)


def bodies_of(lines):
    """The bodies that quchong makes of JSONL posts."""
    texts = "".join(json.loads(line)["text"].replace("\n", " ") + "\n" for line in lines)
    forms = subprocess.run([QUCHONG, "normalise"], input=texts.encode(), check=True, capture_output=True).stdout
    return [json.loads(form)["body"] for form in forms.splitlines()]


def quick_tools(lines):
    """(name, bodies, dropped, seconds) of the tools that see all posts, ours first."""
    bodies = bodies_of(lines)
    for results in [run_quchong(lines), run_gaoya(bodies), run_rival("rensa", *streamed.rensa(), bodies)]:
        for name, dropped, seconds in results:
            yield name, len(lines), dropped, seconds


def slow_tools(lines):
    """The same of those that see the first [`SLOW`] posts, and of ours over as many."""
    lines = lines[:SLOW]
    bodies = bodies_of(lines)
    datasketch = run_rival("datasketch", *streamed.datasketch(threshold=SIMILARITY), bodies)
    for results in [run_quchong(lines), datasketch, run_simhash(bodies), run_text_dedup(bodies)]:
        for name, dropped, seconds in results:
            yield name, len(lines), dropped, seconds


def main():
    path = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "../shared/data/weibo-dev.jsonl"
    limit = int(sys.argv[2]) if len(sys.argv) > 2 else None
    if not all(file.exists() for file in (path, QUCHONG, GAOYA)):
        sys.exit(f"{path}, {QUCHONG} and {GAOYA} must be there: name a JSONL file, and build both (see above)")
    with open(path, "rb") as file:
        lines = file.readlines()[:limit]
    print(os.uname().machine, flush=True)
    for name, count, dropped, seconds in [*quick_tools(lines), *slow_tools(lines)]:
        print(f"{name:36} {count / seconds:10,.0f} posts/s {dropped:8,} dropped of {count:,}", flush=True)


if __name__ == "__main__":
    main()
