"""A job on Spark itself, two executors, gives the verdicts of one process, also when one is killed in the middle.

    python spark/tests/local_cluster.py [POSTS]     5 000 posts; needs Java 17 or later
"""

import os
import shutil
import signal
import stat
import sys
import tempfile
import threading
import time
from pathlib import Path

import pyarrow as pa
from common import binary, by_one_process, compare, cut_small, of_job, posts, q, split
from pyspark.sql import SparkSession

SIMHASH, HYBRID = ["--near=simhash"], ["--verify-window=500"]


def descendants(parent: int) -> list[int]:
    """Processes that this one started, and those that they did."""
    parents = {}
    for folder in Path("/proc").iterdir():
        try:
            parents[int(folder.name)] = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
        except (ValueError, OSError):
            continue
    found = [parent]
    for process in found:
        found += [child for child, of in parents.items() if of == process]
    return found[1:]


def executors() -> list[int]:
    def is_one(process: int) -> bool:
        try:
            return b"CoarseGrainedExecutorBackend" in Path(f"/proc/{process}/cmdline").read_bytes()
        except OSError:
            return False

    # Of the launcher and the program that it becomes, the program: the one that has no such child.
    found = [process for process in descendants(os.getpid()) if is_one(process)]
    return [process for process in found if not any(is_one(child) for child in descendants(process))]


def where(program: str):
    """A function for mapInArrow: where a task finds the binary."""
    return lambda batches: (pa.record_batch({"place": [q.executable(program)]}) for batch in batches if batch.num_rows)


def main():
    lines = posts(int(sys.argv[1]) if len(sys.argv) > 1 else 5000)
    folder = Path(tempfile.mkdtemp())
    slow = folder / "quchong-slow"
    # Slow enough for an executor to be killed while it works.
    slow.write_text(f'#!/bin/sh\ncase "$*" in *--masks*) ;; *pos*|edges*|decide*) sleep 2;; esac\nexec {binary()} "$@"\n')
    slow.chmod(slow.stat().st_mode | stat.S_IXUSR)
    spark = SparkSession.builder.master("local-cluster[2,1,1024]").config("spark.ui.enabled", "false").getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    try:
        names = split(folder / "in", lines, 3)
        for name, program, inputs, options, window, killed_in in [
            ("Spark, two executors", binary(), [f"file://{folder}/in"], SIMHASH, None, ()),
            ("Spark, an executor killed twice", str(slow), names, SIMHASH, None, ("sketches", "edges/0")),
            ("Spark, hybrid, an executor killed twice", str(slow), names, HYBRID, None, ("edges/texts", "decided/0")),
            ("Spark, a window, an executor killed", str(slow), names, HYBRID, 1200, ("edges/texts",)),
        ]:
            work, killed = folder / f"work-{len(list(folder.iterdir()))}", []

            def kill():
                for stage in killed_in:
                    while not list(work.glob(f"*/{stage}/_temporary")):
                        time.sleep(0.05)
                    time.sleep(1)
                    killed.append(executors()[0])
                    os.kill(killed[-1], signal.SIGKILL)

            threading.Thread(target=kill, daemon=True).start()
            job = q.Job(spark, program, str(work), options, partitions=4, quiet=True, window=window)
            place = spark.range(1).mapInArrow(where(program), "place string").first().place
            assert place != program, "the binary was not shipped"
            with cut_small(1000):
                q.batch(job, q.sketch_files(job, inputs, "text")[0], str(folder / "verdicts"), True)
            assert len(killed) == len(killed_in), killed
            one = by_one_process(lines, options if window is None else [*options, f"--window={window}"])
            compare(name, one, of_job(spark, str(folder / "verdicts")))
    finally:
        spark.stop()
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
