"""The wheel beside rensa, datasketch, 1e0ng's simhash and text-dedup, in one process on the same posts.

    pip install rensa datasketch simhash quchong-*.whl; pip install --no-deps text-dedup    (benches/compare.sh has the rest)
    python3 python/bench.py [FILE.jsonl] [LINES]      default: ../shared/data/weibo-dev.jsonl, 100 000 lines

The rivals are those of benches/rivals.py: they get bodies, which were made before; the wheel gets the posts and makes the bodies
itself. text-dedup clusters in a process of its own, and says itself how long its steps took.
"""

import importlib.util
import json
import sys
import time
from itertools import islice
from pathlib import Path

import pyarrow as pa
import quchong

ROOT = Path(__file__).resolve().parent.parent


def rivals():
    """benches/rivals.py as a module."""
    spec = importlib.util.spec_from_file_location("rivals", ROOT / "benches" / "rivals.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def run_wheel(texts):
    """(name, dropped, seconds) of the wheel; the first three compare with the rivals, as --exact none and one thread."""
    runs = [
        ("near='simhash'", {"near": "simhash", "exact": "none", "threads": 1}, texts),
        ("near='minhash'", {"near": "minhash", "exact": "none", "threads": 1}, texts),
        ("near='hybrid'", {"exact": "none", "threads": 1}, texts),
        ("default, 1 thread", {"threads": 1}, texts),
        ("default, all cores", {}, texts),
        ("default, pyarrow", {}, pa.array(texts)),
    ]
    for name, options, given in runs:
        dedup = quchong.Deduplicator(**options)
        started = time.perf_counter()
        verdicts = dedup.judge_batch(given)
        yield f"quchong {name}", len(verdicts) - sum(verdicts.kept), time.perf_counter() - started
    dedup = quchong.Deduplicator()
    started = time.perf_counter()
    dropped = sum(not dedup.judge(text).kept for text in texts)
    yield "quchong default, judge()", dropped, time.perf_counter() - started
    started = time.perf_counter()
    pa.array(texts).to_pylist()
    yield "(pyarrow's to_pylist alone)", 0, time.perf_counter() - started


def main():
    path = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "../shared/data/weibo-dev.jsonl"
    limit = int(sys.argv[2]) if len(sys.argv) > 2 else 100_000
    others = rivals()
    with path.open("rb") as file:
        lines = list(islice(file, limit))
    texts = [json.loads(line)["text"] for line in lines]
    bodies = [quchong.normalise(text).body for text in texts]
    slow = bodies[: others.SLOW]
    for count, results in [
        (len(texts), run_wheel(texts)),
        (len(bodies), others.run_rival("rensa", others.sign_rensa, others.lsh_rensa, bodies)),
        (len(slow), others.run_rival("datasketch", others.sign_datasketch, others.lsh_datasketch, slow)),
        (len(slow), others.run_simhash(slow)),
        (len(slow), others.run_text_dedup(slow)),
    ]:
        for name, dropped, seconds in results:
            print(f"{name:36} {count / seconds:10,.0f} posts/s {dropped:8,} dropped of {count:,}", flush=True)


if __name__ == "__main__":
    main()
