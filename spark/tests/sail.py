"""A job on Sail gives the verdicts of one process. Prints EQUAL with counts for each case; fails at the first difference.

    python spark/tests/sail.py [POSTS]         all cases, the largest over so many posts (200 000)
    python spark/tests/sail.py workers [POSTS] two workers
"""

import shutil
import stat
import sys
import tempfile
from pathlib import Path

import numpy
from common import binary, by_one_process, compare, cut_small, of_job, posts, q, sail, split

SIMHASH = ["--near=simhash"]


def job(spark, folder: Path, options=SIMHASH, **settings):
    return q.Job(spark, settings.pop("binary", binary()), str(folder / "work"), options, quiet=True, **settings)


def files(spark, folder: Path, name: str, lines, parts: int, options=SIMHASH, **settings):
    names = split(folder / name, lines, parts)
    window = settings.get("window")
    one = by_one_process(lines, options if window is None else [*options, f"--window={window}"])
    doing = job(spark, folder, options, **settings)
    sketches, _ = q.sketch_files(doing, names, "text")
    counts = q.batch(doing, sketches, str(folder / "verdicts"), True)
    compare(name, one, of_job(spark, str(folder / "verdicts")))
    assert counts["in"] == len(lines), counts


def table(spark, folder: Path, lines, options):
    """Rows of a table, in no order, positions far apart; one without text."""
    import json

    texts = [json.loads(line)["text"] for line in lines] + [None]
    rows = [(pos * 1000 + 7, text) for pos, text in enumerate(texts)]
    spark.createDataFrame(rows[::-1], "pos long, text string").write.mode("overwrite").parquet(str(folder / "table"))
    doing = job(spark, folder, options)
    q.batch(doing, q.sketch_rows(doing, spark.read.parquet(str(folder / "table"))), str(folder / "verdicts"), True)
    one = by_one_process([*lines, b'{"text":null}\n'], options)
    compare(f"table {' '.join(options)}", one, of_job(spark, str(folder / "verdicts")))


def hot_band(spark, folder: Path, count=20_000):
    """Fingerprints that share a band, each near some others: against each compared with each."""
    random = numpy.random.default_rng(11)
    centres = random.integers(0, 1 << 48, count // 4, dtype=numpy.uint64)
    flips = numpy.uint64(1) << random.integers(0, 48, (3, count), dtype=numpy.uint64)
    simhashes = centres[random.integers(0, len(centres), count)] ^ flips[0] ^ flips[1] ^ flips[2]
    one, kept = [], []
    for pos, simhash in enumerate(simhashes):
        distances = numpy.bitwise_count(simhashes[kept] ^ simhash)
        near = numpy.flatnonzero(distances <= 4)
        if len(near):
            one.append(("near", kept[near[0]], int(distances[near[0]]), None))
        else:
            kept.append(pos)
            one.append(("kept", None, None, None))
    rows = [(pos, None, int(simhash), None, None) for pos, simhash in enumerate(simhashes)]
    for settings in ({}, {"one_task_edges": 0}):
        q.batch(job(spark, folder, **settings), spark.createDataFrame(rows, q.SKETCH), str(folder / "verdicts"), True)
        compare(f"hot band {settings or ''}", one, of_job(spark, str(folder / "verdicts")))


def hybrid(spark, folder: Path, lines, few):
    """The default. What is old enough for fingerprints decides, too, where the window is small."""
    files(spark, folder, "hybrid, 3 files", lines, 3, [])
    files(spark, folder, "headlines, 1 file, 1 partition", few, 1, ["--preset=headline"], partitions=1)
    with cut_small(3000):
        small = ["--verify-window=1000"]
        files(spark, folder, "hybrid, a window of 1000, 17 files", few, 17, small, tables_at_once=2)
        files(spark, folder, "the same in many chunks", few, 3, small, one_task_edges=100)
        table(spark, folder, few, small)
        files(spark, folder, "hybrid, no exact stage", few[:5000], 2, [*small, "--exact=none", "--guard=off"])


def windows(spark, folder: Path, lines):
    """A text is kept again once what it repeats has left the window. What stands between two messages is counted, message or not."""
    files(spark, folder, "window of 5000", lines, 3, [], window=5000)
    gaps = [gap for line in lines[:5000] for gap in (line, b"\n", b'{"text":3}\n')]
    files(spark, folder, "window of 4000, half of it no messages", gaps, 2, ["--verify-window=500"], window="4k")
    with cut_small(3000):
        small = ["--verify-window=1000"]
        files(spark, folder, "window of 5000 beyond that of texts, in chunks", lines, 3, small, window=5000, one_task_edges=100)
        files(spark, folder, "window of 700 within that of texts", lines, 2, ["--exact=none"], window=700, one_task_edges=100)
        files(spark, folder, "simhash, window of 2000, in chunks", lines, 3, window=2000, one_task_edges=100)
        files(spark, folder, "exact repeats only, window of 1000", lines, 3, ["--near=none"], window=1000, one_task_edges=100)


def failing(spark, folder: Path, lines):
    """A binary that fails in a task fails the job: loudly, and without verdicts."""
    names = split(folder / "failing", lines, 2)
    for command, body, *options in [
        ("sketch", f'case "$*" in *--first-pos*) {binary()} "$@" | head -n 9; exit 1;; esac'),
        ("sketch", 'case "$*" in *--first-pos*) exit 0;; esac'),
        ("sketch", f'case "$*" in *--first-pos*) {binary()} "$@" | head -n 9; exit;; esac'),
        ("edges", 'case "$*" in *--masks*) ;; *) exit 0;; esac'),
        ("edges", 'case "$*" in *--masks*) ;; *) head -c 9 > /dev/null; exit 1;; esac'),
        ("edges", 'case "$*" in *--from*) head -c 9 > /dev/null; exit 1;; esac', "--verify-window=100"),
        ("decide", "exit 1"),
        ("decide", "kill -9 $$"),
    ]:
        program = folder / f"quchong-{len(list(folder.iterdir()))}"
        program.write_text(f'#!/bin/sh\nif [ "$1" = {command} ]; then {body}; fi\nexec {binary()} "$@"\n')
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
        output = folder / "none"
        try:
            doing = job(spark, folder, options or SIMHASH, binary=str(program))
            q.batch(doing, q.sketch_files(doing, names, "text")[0], str(output))
        except Exception as error:
            assert "exit code" in str(error), error
        else:
            raise AssertionError(f"{command} failed, and the job did not")
        assert not output.exists()
    print("LOUD: a binary that fails in sketch, edges or decide, or answers too little, fails the job", flush=True)


def refused(spark, folder: Path):
    for options, told in [
        (["--near=minhash"], "--near: minhash"),
        ([*SIMHASH, "--exact=bloom"], "--exact: bloom, paper-bloom"),
        ([*SIMHASH, "--exact=paper-trie"], "--exact: bloom, paper-bloom and paper-trie"),
    ]:
        try:
            job(spark, folder, options)
        except q.Refused as refusal:
            assert told in str(refusal), refusal
        else:
            raise AssertionError(f"{options} was not refused")
    print("REFUSED: minhash, bloom, paper-trie", flush=True)


def main():
    workers = "workers" in sys.argv
    numbers = [int(argument) for argument in sys.argv[1:] if argument.isdigit()]
    lines = posts(numbers[0] if numbers else 200_000)
    few = lines[:20_000]
    folder = Path(tempfile.mkdtemp())
    try:
        with sail(2 if workers else 0) as spark:
            if workers:
                files(spark, folder, "two workers", lines, 4, partitions=4)
                # A group is larger than a message between workers may be.
                files(spark, folder, "hybrid, two workers", lines, 4, [], partitions=4)
                files(spark, folder, "two workers, windows", few, 4, ["--verify-window=5000"], partitions=4, window=8000)
                return
            hybrid(spark, folder, lines, few)
            windows(spark, folder, few)
            files(spark, folder, "SimHash, 3 files", lines, 3)
            files(spark, folder, "simhash, 1 file, 1 partition", few, 1, ["--preset=simhash"], partitions=1)
            files(spark, folder, "17 files, 8 partitions", few, 17, partitions=8)
            files(spark, folder, "rounds, tables by two", few, 2, one_task_edges=0, tables_at_once=2)
            files(spark, folder, "exact repeats only", few, 3, ["--near=none", "--exact-on=raw"])
            table(spark, folder, few, SIMHASH)
            hot_band(spark, folder)
            failing(spark, folder, few[:1000])
            refused(spark, folder)
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
