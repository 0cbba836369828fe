"""How the time of a job on Sail grows with posts and with threads, beside one process. Prints Markdown.

    python spark/tests/scaling.py [OPTION...]   25 000 to 200 000 posts in eight files, one and two threads; options as of quchong dedup
"""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from common import binary, posts, q, sail, split

SIZES = [25_000, 50_000, 100_000, 200_000]


def seconds(options: list[str], names: list[str], folder: Path) -> float:
    """Of a job whose server is up."""
    with sail() as spark:
        job = q.Job(spark, binary(), str(folder / "work"), options, quiet=True)
        start = time.monotonic()
        q.batch(job, q.sketch_files(job, names, "text")[0], str(folder / "verdicts"))
        return time.monotonic() - start


def main():
    options, names = ([argument for argument in sys.argv[1:] if argument.startswith("--") == named] for named in (True, False))
    if names:
        print(seconds(options, names, Path(tempfile.mkdtemp())))
        return
    lines = posts(SIZES[-1])
    print("| posts | one process, 1 thread | job, 1 thread | job, 2 threads |\n|---:|---:|---:|---:|")
    with tempfile.TemporaryDirectory() as folder:
        for size in SIZES:
            names = split(Path(folder) / str(size), lines[:size], 8)
            start = time.monotonic()
            command = [binary(), "dedup", "--quiet", "-j", "1", *options, *names]
            subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
            row = [time.monotonic() - start]
            for threads in "12":
                # Threads are those of a server, so each has one of its own.
                environment = {**os.environ, "SAIL_EXECUTION__DEFAULT_PARALLELISM": threads}
                command = [sys.executable, __file__, *options, *names]
                told = subprocess.run(command, env=environment, stdout=subprocess.PIPE, check=True).stdout
                row.append(float(told.splitlines()[-1]))
            print(f"| {size:,} | " + " | ".join(f"{value:.1f} s" for value in row) + " |", flush=True)


if __name__ == "__main__":
    main()
