"""What one process says, and what a job says, about the same posts."""

import json
import os
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "spark"))
# Executors on this machine have what this process has.
os.environ.setdefault("PYSPARK_PYTHON", sys.executable)

import quchong_spark as q  # noqa: E402


def binary() -> str:
    """The release binary, where there is one: `QUCHONG` names another."""
    built = [ROOT / "target" / profile / "quchong" for profile in ("release", "debug")]
    found = [os.environ.get("QUCHONG"), *(str(path) for path in built if path.exists())]
    return next(path for path in found if path)


def posts(count: int) -> list[bytes]:
    """Lines of so many posts without ids: real ones where they are, else generated ones."""
    real = ROOT / ".." / "shared" / "data" / "weibo-dev.jsonl"
    if real.exists():
        with real.open("rb") as file:
            lines = [line for line, _ in zip(file, range(count))]
    else:
        lines = subprocess.check_output([binary(), "generate", "--lines", str(count), "--seed", "5"]).splitlines()
    texts = (json.loads(line)["text"] for line in lines)
    return [json.dumps({"text": text}, ensure_ascii=False).encode() + b"\n" for text in texts]


def by_one_process(lines: list[bytes], options: list[str]) -> list[tuple]:
    """(verdict, of, distance, similarity in hundredths) of each record, numbered from 0."""
    exact = [] if any(option.startswith("--exact=") for option in options) else ["--exact=trie"]
    command = [binary(), "dedup", "--quiet", "--output", "annotated", *exact, *options]
    told = subprocess.run(command, input=b"".join(lines), stdout=subprocess.PIPE, check=True).stdout
    verdicts = []
    for line in told.splitlines():
        verdict = json.loads(line)["quchong"] if line.strip() else {"verdict": "kept"}
        of = verdict.get("of")
        # Records without an id go by their lines.
        of = of["line"] if isinstance(of, dict) else of
        similarity = verdict.get("similarity")
        similarity = None if similarity is None else round(similarity * 100)
        verdicts.append((verdict["verdict"], None if of is None else of - 1, verdict.get("distance"), similarity))
    return verdicts


def split(folder: Path, lines: list[bytes], files: int) -> list[str]:
    """The lines in so many files, the last ones smaller; their names in order."""
    folder.mkdir(parents=True, exist_ok=True)
    size, names = -(-len(lines) // files), []
    for number in range(files):
        path = folder / f"part-{number:03}.jsonl"
        path.write_bytes(b"".join(lines[number * size : (number + 1) * size]))
        names.append(str(path))
    return names


def of_job(spark, output: str) -> list[tuple]:
    """The verdicts that a job wrote, by rising position; positions numbered from 0."""
    rows = spark.read.schema(q.VERDICT).parquet(output).toArrow().sort_by("pos").to_pydict()
    number = {pos: at for at, pos in enumerate(rows["pos"])}
    assert len(number) == len(rows["pos"]), "a record was decided about twice"
    of = [None if of is None else number[of] for of in rows["of"]]
    # One process rounds it down.
    similarity = [None if mille is None else mille // 10 for mille in rows["similarity"]]
    return list(zip(rows["verdict"], of, rows["distance"], similarity))


@contextmanager
def cut_small(rows: int):
    """Jobs in groups, stretches and chunks of so many rows, more or less, of which a small job has one each."""
    cuts = {"GROUP": rows, "SAMPLED": max(rows // 100, 1), "STRETCH": rows, "COUNTED": rows}
    before = {name: getattr(q, name) for name in cuts}
    for name, value in cuts.items():
        setattr(q, name, value)
    try:
        yield
    finally:
        for name, value in before.items():
            setattr(q, name, value)


def compare(name: str, one: list[tuple], many: list[tuple]):
    """Prints EQUAL with counts, or fails with the first differences."""
    differ = [(at, x, y) for at, (x, y) in enumerate(zip(one, many)) if x != y]
    if differ or len(one) != len(many):
        raise AssertionError(f"{name}: {len(one)} and {len(many)} records, {len(differ)} differ, first {differ[:5]}")
    counts = {verdict: sum(row[0] == verdict for row in one) for verdict in ("kept", "exact", "near", "error")}
    print(f"EQUAL {name}: {len(one):,} records: " + ", ".join(f"{of} {count:,}" for of, count in counts.items()), flush=True)


@contextmanager
def sail_server(workers: int = 0):
    """The address of a Sail server of its own, with so many workers; without, in one process."""
    from pysail.spark import SparkConnectServer

    if workers:
        os.environ |= {"SAIL_MODE": "local-cluster", "SAIL_CLUSTER__WORKER_INITIAL_COUNT": str(workers)}
        os.environ |= {"SAIL_CLUSTER__WORKER_MAX_COUNT": str(workers)}
    server = SparkConnectServer(ip="127.0.0.1", port=0)
    server.start(background=True)
    try:
        yield f"sc://127.0.0.1:{server.listening_address[1]}"
    finally:
        server.stop()


@contextmanager
def sail(workers: int = 0):
    """A session on such a server."""
    from pyspark.sql import SparkSession

    with sail_server(workers) as address:
        spark = SparkSession.builder.remote(address).create()
        try:
            yield spark
        finally:
            spark.stop()
