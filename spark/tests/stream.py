"""A stream on Spark gives the verdicts of one process, though its driver is killed and --work removed.

    python spark/tests/stream.py [POSTS]     1 800 posts in six batches; needs Java 17 or later
"""

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet
from common import ROOT, binary, by_one_process, compare, posts, q

BATCHES = 6


def refused(command: list[str], words: str):
    told = subprocess.run(command, stderr=subprocess.PIPE, text=True)
    lines = [line for line in told.stderr.splitlines() if line.startswith("quchong: error: ")]
    assert told.returncode == 2 and len(lines) == 1 and words in lines[0], told.stderr
    print(f"REFUSED {lines[0]}", flush=True)


def judged(lines: list[bytes], options: list[str], kills: int):
    """A stream of these lines in batches, its driver killed so many times."""
    one = by_one_process(lines, options)
    folder = Path(tempfile.mkdtemp())
    try:
        (folder / "in").mkdir()
        texts = [json.loads(line)["text"] for line in lines]
        size = -(-len(texts) // BATCHES)
        for number in range(BATCHES):
            part = texts[number * size : (number + 1) * size]
            positions = [10 * (number * size + at) for at in range(len(part))]
            path = folder / "in" / f"{number}.parquet"
            pa.parquet.write_table(pa.table({"pos": positions, "text": part}), path, compression="zstd")
            # A stream reads files in the order of their times.
            os.utime(path, (1_000_000 + number, 1_000_000 + number))
        command = [sys.executable, str(ROOT / "spark" / "quchong_spark.py"), "--table", "--stream", *options]
        command += ["--binary", binary(), "--output", f"{folder}/out", "--work", f"{folder}/work"]
        command += ["--files-per-batch=1", "--partitions=2", "--quiet", f"{folder}/in"]
        chance = random.Random(7)
        done = lambda: len(list(folder.glob("out/index/batch=*/_SUCCESS")))
        for run in range(kills + 1):
            told = folder / f"told-{run}"
            with told.open("wb") as log:
                driver = subprocess.Popen(command, start_new_session=True, stderr=log)
            if run < kills:
                before = done()
                while done() == before and driver.poll() is None:
                    time.sleep(0.05)
                time.sleep(chance.uniform(0, 4))
                assert driver.poll() is None, told.read_text()
                os.killpg(driver.pid, signal.SIGKILL)
                driver.wait()
                shutil.rmtree(folder / "work")  # What is between the stages is not needed to go on.
                print(f"killed in batch {done()} of {BATCHES}", flush=True)
            else:
                assert driver.wait() == 0, told.read_text()
        tables = [pa.parquet.read_table(path) for path in sorted(folder.glob("out/verdicts/batch=*/*.parquet"))]
        rows = pa.concat_tables(tables).select(["pos", "verdict", "of", "distance", "similarity"]).sort_by("pos").to_pydict()
        assert rows["pos"] == [10 * at for at in range(len(lines))], "a record was lost, or decided about twice"
        of = [None if of is None else of // 10 for of in rows["of"]]
        # One process rounds it down.
        similarity = [None if mille is None else mille // 10 for mille in rows["similarity"]]
        assert not list(folder.glob("out/verdicts/_*/*")) and (folder / "out" / "_checkpoint" / "metadata").exists()
        name = f"stream {' '.join(options)}, driver killed {kills} times"
        compare(name, one, list(zip(rows["verdict"], of, rows["distance"], similarity)))
        assert rows["verdict"][-1] == "exact"
        late = pa.table({"pos": [rows["pos"][-1]], "text": ["迟到"]})
        pa.parquet.write_table(late, folder / "in" / "late.parquet", compression="zstd")
        if kills > 1:
            refused(command, "positions must grow")
            refused([*command, "--similarity=0.5", "--near=hybrid"], "was begun with")
            shutil.rmtree(folder / "out" / "_checkpoint")
            refused(command, "no _checkpoint")
            refused([*command, "--window=1000"], "--stream: takes no --window")
    finally:
        shutil.rmtree(folder)


def main():
    lines = posts(int(sys.argv[1]) if len(sys.argv) > 1 else 1800)
    # The last position is that of an exact repeat, and what many batches before said comes again with another wrapping.
    lines[-1] = lines[0]
    lines[-2] = json.dumps({"text": json.loads(lines[5])["text"] + "。"}, ensure_ascii=False).encode() + b"\n"
    # Texts decide in the window, of one batch and a third, and fingerprints beyond it.
    judged(lines, ["--verify-window=400"], 1)
    judged(lines, ["--near=simhash"], 3)


if __name__ == "__main__":
    main()
