"""The wheel beside rensa, datasketch, 1e0ng's simhash and text-dedup, in one process on the same posts.

    pip install rensa datasketch simhash pyarrow quchong-*.whl; pip install --no-deps text-dedup    (benches/compare.sh has the rest)
    python3 python/bench.py [FILE.jsonl] [LINES]      default: ../shared/data/weibo-dev.jsonl, all lines

The rivals, and what each of them does, are those of benches/rivals.py. They get bodies, which were made before; the wheel gets the
posts and makes the bodies itself. text-dedup clusters in a process of its own, and says itself how long its steps took. The slow
ones see the first 20 000 only. Prints a table of medians over rounds in each of which every tool has its turn: some 25 minutes.
"""

import json
import sys
import time
from functools import partial
from itertools import islice
from pathlib import Path
from statistics import median

import pyarrow as pa
import quchong
from simhash import Simhash

ROOT = Path(__file__).resolve().parent.parent
ROUNDS = 5

sys.path.append(str(ROOT / "benches"))
import rivals  # noqa: E402
import streamed  # noqa: E402


def run_batch(name, options, texts):
    dedup = quchong.Deduplicator(**options)
    started = time.perf_counter()
    verdicts = dedup.judge_batch(texts)
    seconds = time.perf_counter() - started
    yield f"quchong {name}", len(verdicts) - sum(verdicts.kept), seconds


def run_single(name, options, texts):
    dedup = quchong.Deduplicator(**options)
    started = time.perf_counter()
    dropped = sum(not dedup.judge(text).kept for text in texts)
    yield f"quchong {name}", dropped, time.perf_counter() - started


def run_prints(name, fingerprint, texts):
    """Nothing but fingerprints, one by one."""
    started = time.perf_counter()
    for text in texts:
        fingerprint(text)
    yield name, None, time.perf_counter() - started


def print_simhash(body):
    return Simhash(sorted(rivals.shingles(body)))


def runs(texts, slow):
    """(what it is compared with, run) of each tool over posts; the first run of a group is that which others are compared with."""
    bodies = [quchong.normalise(text).body for text in texts]
    near = {"exact": "none", "threads": 1}
    yield "fingerprints", partial(run_prints, "quchong.simhash()", quchong.simhash, texts)
    if slow:
        yield "fingerprints", partial(run_prints, f"simhash {rivals.version('simhash')}, Simhash()", print_simhash, bodies)
    yield "simhash", partial(run_batch, "near='simhash'", {"near": "simhash", **near}, texts)
    if slow:
        yield "simhash", partial(rivals.run_simhash, bodies)
        yield "simhash", partial(rivals.run_text_dedup, bodies)
    yield "minhash", partial(run_batch, "near='minhash'", {"near": "minhash", **near}, texts)
    yield "minhash", partial(rivals.run_rival, "rensa", *streamed.rensa(), bodies)
    if slow:
        yield "minhash", partial(rivals.run_rival, "datasketch", *streamed.datasketch(threshold=streamed.SIMILARITY), bodies)
    yield "default", partial(run_batch, "default, 1 thread", {"threads": 1}, texts)
    yield "default", partial(run_batch, "default, all cores", {}, texts)
    yield "default", partial(run_batch, "default, all cores, from pyarrow", {}, pa.array(texts))
    yield "default", partial(run_single, "default, judge() one by one", {}, texts)


def measured(texts, slow):
    """{(group, name): (median of seconds, dropped)}; what is dropped is the same in all rounds."""
    all_runs, seconds, dropped = list(runs(texts, slow)), {}, {}
    for number in range(ROUNDS):
        for group, run in all_runs:
            for name, count, took in run():
                seconds.setdefault((group, name), []).append(took)
                if dropped.setdefault((group, name), count) != count:
                    raise RuntimeError(f"{name} drops {dropped[group, name]} and then {count}")
        print(f"{len(texts):,} posts, round {number + 1} of {ROUNDS}", file=sys.stderr, flush=True)
    return {key: (median(seconds[key]), dropped[key]) for key in seconds}


def cells(key, count, results):
    """Throughput, time over that of the first of its group, and what it drops."""
    if key not in results:
        return "| – | – | – "
    seconds, dropped = results[key]
    first = next(taken for (group, _), (taken, _) in results.items() if group == key[0])
    shown = "–" if dropped is None else f"{dropped:,}"
    return f"| {count / seconds:,.0f} | {seconds / first:.2f} | {shown} "


def main():
    path = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "../shared/data/weibo-dev.jsonl"
    limit = int(sys.argv[2]) if len(sys.argv) > 2 else None
    if not path.exists():
        sys.exit(f"{path} must be there: name a JSONL file of posts")
    with path.open("rb") as file:
        texts = [json.loads(line)["text"] for line in islice(file, limit)]
    few = texts[: rivals.SLOW]
    both = measured(few, slow=True), measured(texts, slow=False)
    print(f"| | {len(few):,} posts: posts/s | time, quchong's = 1 | dropped | {len(texts):,}: posts/s | time | dropped |")
    print("|---|---:|---:|---:|---:|---:|---:|")
    for key in both[0]:
        print(f"| {key[1]} {cells(key, len(few), both[0])}{cells(key, len(texts), both[1])}|")


if __name__ == "__main__":
    main()
