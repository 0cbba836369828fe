"""gaoya, rensa and datasketch on the texts that quchong's near stage gets, and what each of them drops.

    pip install rensa datasketch
    cargo build --release --bin quchong --example gaoya
    python3 benches/rivals.py [FILE.jsonl] [LINES]      default: ../shared/data/weibo-dev.jsonl, all lines

Every tool sees the bodies that `quchong normalise` prints and keeps the first of each: P = 128, similarity 0.5, character
bigrams (a body of one character is its own shingle). One thread; the time is from body to verdict. For quchong it is the
whole process from JSONL to JSONL, with --exact none so that all repeats are the near stage's.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from importlib.metadata import version
from pathlib import Path

from datasketch import MinHash, MinHashLSH
from rensa import RMinHash, RMinHashLSH

ROOT = Path(__file__).resolve().parent.parent
QUCHONG = ROOT / "target" / "release" / "quchong"
GAOYA = QUCHONG.parent / "examples" / "gaoya"
P, SIMILARITY = 128, 0.5


def shingles(body):
    text = body.replace(" ", "")
    return {text[i : i + 2] for i in range(max(len(text) - 1, 1))} if text else set()


def sign_datasketch(features):
    signature = MinHash(num_perm=P)
    signature.update_batch([feature.encode() for feature in features])
    return signature


def sign_rensa(features):
    signature = RMinHash(num_perm=P, seed=42)
    signature.update(list(features))
    return signature


def run_rival(name, sign, lsh, bodies):
    """Drops what a band of a kept message equals, as both tools do; `verified` also asks for the estimated similarity."""
    for verified in (False, True):
        index, kept, dropped = lsh(), {}, 0
        started = time.perf_counter()
        for number, body in enumerate(bodies):
            features = shingles(body)
            if not features:
                continue
            signature = sign(features)
            found = index.query(signature)
            if verified:
                found = [of for of in found if kept[of].jaccard(signature) >= SIMILARITY]
            if found:
                dropped += 1
            else:
                index.insert(number, signature)
                kept[number] = signature
        yield f"{name} {version(name)}{', verified' * verified}", dropped, time.perf_counter() - started


def lsh_rensa():
    # 32 bands of 4, as quchong chooses for similarity 0.5; datasketch chooses for itself.
    return RMinHashLSH(threshold=SIMILARITY, num_perm=P, num_bands=32)


def lsh_datasketch():
    return MinHashLSH(threshold=SIMILARITY, num_perm=P)


def run_quchong(lines):
    with tempfile.TemporaryDirectory() as folder:
        source, summary = Path(folder, "posts.jsonl"), Path(folder, "summary.json")
        source.write_text("".join(lines), encoding="utf-8")
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


def main():
    path = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "../shared/data/weibo-dev.jsonl"
    limit = int(sys.argv[2]) if len(sys.argv) > 2 else None
    if not all(file.exists() for file in (path, QUCHONG, GAOYA)):
        sys.exit(f"{path}, {QUCHONG} and {GAOYA} must be there: name a JSONL file, and build both (see above)")
    with open(path, encoding="utf-8") as file:
        lines = file.readlines()[:limit]
    texts = "".join(json.loads(line)["text"].replace("\n", " ") + "\n" for line in lines)
    forms = subprocess.run([QUCHONG, "normalise"], input=texts.encode(), check=True, capture_output=True).stdout
    bodies = [json.loads(form)["body"] for form in forms.splitlines()]
    print(f"{len(bodies)} posts, {os.uname().machine}", flush=True)
    rensa = run_rival("rensa", sign_rensa, lsh_rensa, bodies)
    datasketch = run_rival("datasketch", sign_datasketch, lsh_datasketch, bodies)
    for results in (run_quchong(lines), run_gaoya(bodies), rensa, datasketch):
        for name, dropped, seconds in results:
            print(f"{name:36} {len(bodies) / seconds:10,.0f} posts/s {dropped:8,} dropped", flush=True)


if __name__ == "__main__":
    main()
