"""What the command itself does on Sail: names, folders, empty input, refusals in one line with exit code 2.

    python spark/tests/command.py
"""

import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet
from common import ROOT, binary, q, sail_server

LINE = '{"text":"今天天气很好，我们去公园散步"}\n'


class Command:
    def __init__(self, address: str, folder: Path):
        self.address, self.folder, self.runs = address, folder, 0

    def run(self, *arguments, output=None, work=None, program=None) -> tuple[int, str, Path]:
        """Exit code, standard error, and the folder of the verdicts."""
        self.runs += 1
        output = output or self.folder / f"out-{self.runs}"
        command = [sys.executable, str(ROOT / "spark" / "quchong_spark.py"), "--quiet", "--remote", self.address]
        command += ["--binary", str(program or binary()), "--output", str(output), "--work", str(work or self.folder / "work")]
        # Not where the server was started.
        done = subprocess.run([*command, *map(str, arguments)], capture_output=True, text=True, cwd=self.folder)
        return done.returncode, done.stderr, self.folder / output

    def gives(self, name: str, verdicts: list[str], *arguments, **settings):
        code, told, output = self.run(*arguments, **settings)
        assert code == 0, told
        found = pa.parquet.read_table(output).sort_by("pos")["verdict"].to_pylist()
        assert found == verdicts, f"{name}: {found}"
        print(f"GIVES {name}", flush=True)

    def refuses(self, words: str, *arguments, **settings):
        code, told, output = self.run(*arguments, **settings)
        lines = [line for line in told.splitlines() if line.startswith("quchong: ") or "Traceback" in line]
        assert code == 2 and len(lines) == 1 and words in lines[0] and told.count("quchong: error:") == 1, f"{words}: {code}: {told}"
        assert "output" in settings or not output.exists(), f"{words}: wrote {output}"
        print(f"REFUSES {lines[0]}", flush=True)


def table(path: Path, pos: pa.Array, text: pa.Array) -> Path:
    pa.parquet.write_table(pa.table({"pos": pos, "text": text}), path)
    return path


def names(run: Command, folder: Path):
    posts = folder / "posts"
    posts.mkdir()
    for name in ("_posts.jsonl", "a[1].jsonl", "b.jsonl", ".hidden.jsonl"):
        (posts / name).write_text(LINE)
    run.gives("a folder with a name in _, without hidden ones", ["kept", "exact", "exact"], posts)
    run.gives("a file whose name begins with _", ["kept"], posts / "_posts.jsonl")
    run.gives("a file whose name has brackets", ["kept"], posts / "a[1].jsonl")
    run.gives("a pattern", ["kept", "exact", "exact"], posts / "*.jsonl")
    (folder / "empty.jsonl").write_text("")
    run.gives("no records", [], folder / "empty.jsonl")
    run.refuses("no such file", folder / "none.jsonl")
    for option in ("--scope=by", "--against=archive", "--keep=2", "--represent=longest"):
        run.refuses(f"{option.partition('=')[0]}: is an option of quchong dedup, and the job cannot do that", posts, option)
    run.refuses("--window: many processes have no common clock", posts, "--window=24h")
    run.gives("a window", ["kept", "exact", "kept"], posts, "--window=1")
    run.refuses("--scop: there is no such option", posts, "--scop=by")
    run.refuses("--exact bogus: there is no such value; write one of verified", "--exact=bogus", posts)
    run.refuses("with a scheme, Sail", f"file://{posts}/b.jsonl")
    (folder / "nested" / "sub").mkdir(parents=True)
    run.refuses("is a folder", folder / "nested")


def spellings():
    """What names mean, without a job."""
    for name, expected in [("s3a://b/DUMP.CSV", "csv"), ("a.Csv.GZ", "csv"), ("x.TSV", "tsv"), ("x.parquet", "auto"), ("x.txt", "lines")]:
        assert q.format_of(name) == expected, name
    for name, output in [
        ("hdfs://nn/data", "hdfs://nn:8020/data/out"),
        ("hdfs:///data", "hdfs://nn/data"),
        ("s3a://posts/a", "s3://posts/a/out"),
        ("FILE:///tmp/x", "/tmp/x/out"),
    ]:
        try:
            q.refuse_overlap([name], {"--output": output})
        except q.Refused:
            continue
        raise AssertionError(f"{output} is in {name}")
    q.refuse_overlap(["hdfs://nn/data", "s3://posts/a"], {"--output": "hdfs://nn/out", "--work": "s3://posts/b"})
    known = ["--near", "--normalise"]
    assert q.spelled(["--near", "simhash", "--normalise=-video", "--normalise", "-page"], known) == [
        "--near=simhash",
        "--normalise=-video",
        "--normalise=-page",
    ]
    for option in ("--max-distance=2", "--max-line=5", "-oout", "--rows=jsonl"):
        try:
            q.Job(None, binary(), "work", ["--near=simhash", option])
        except q.Refused as refusal:
            assert option.partition("=")[0] in str(refusal)
            continue
        raise AssertionError(f"{option} was taken")
    print("GIVES spellings of one place", flush=True)


def folders(run: Command, folder: Path):
    posts = folder / "kept"
    posts.mkdir()
    (posts / "a.jsonl").write_text(LINE * 2)
    for output, work in [(posts, None), (posts / "out", None), (folder, None), (None, posts), (None, posts / "work"), (None, folder)]:
        run.refuses("is, holds, or is in", posts, output=output, work=work)
    run.refuses("is, holds, or is in", posts, output=folder / "work" / "out")
    (folder / "link").symlink_to(posts)
    run.refuses("is, holds, or is in", posts / "a.jsonl", output=folder / "link")
    assert (posts / "a.jsonl").read_text() == LINE * 2 and list(posts.iterdir()) == [posts / "a.jsonl"]
    output = folder / "verdicts"
    run.gives("a first run", ["kept", "exact"], posts, output=output)
    run.refuses("--overwrite", posts, output=output)
    (posts / "a.jsonl").write_text(LINE)
    run.gives("what --overwrite replaces", ["kept"], posts, "--overwrite", output=output)
    run.gives("folders that are here and not where the server is", ["kept"], posts, output="here", work="work")
    (folder / "mine").mkdir()
    (folder / "mine" / "thesis.txt").write_text("all my work")
    run.refuses("thesis.txt is no part of", posts, "--overwrite", output=folder / "mine")
    table(folder / "foreign.parquet", pa.array([1]), pa.array(["a"]))
    run.refuses("has columns that verdicts have not", posts, "--overwrite", output=folder / "foreign.parquet")
    assert (folder / "mine" / "thesis.txt").exists() and (folder / "foreign.parquet").is_file(), "something foreign was overwritten"
    run.refuses("--output: out[1] has a character of patterns", posts, output="out[1]")
    run.refuses("--work: w{a,b} has a character of patterns", posts, work="w{a,b}")
    run.gives("options as of quchong", ["kept"], posts, "--max-line", "1.5m", "--normalise", "-video")
    work = folder / "work"
    assert not list(work.iterdir()), "a run that is done left its stages"
    failing = folder / "failing"
    failing.write_text(f'#!/bin/sh\ncase "$*" in *--masks*) ;; edges*) exit 1;; esac\nexec {binary()} "$@"\n')
    failing.chmod(0o755)
    run.refuses(f"; stages are left in {work}/", posts, work=work, program=failing)
    run.refuses("is there; name another", posts, output=output)
    assert len(list(work.iterdir())) == 1, "stages of another run were removed"


def server(run: Command, folder: Path):
    (folder / "posts.jsonl").write_text(LINE)
    with socket.socket() as nobody:
        # Taken, and nobody listens.
        nobody.bind(("127.0.0.1", 0))
        start = time.monotonic()
        Command(f"sc://127.0.0.1:{nobody.getsockname()[1]}", folder).refuses("does not answer", folder / "posts.jsonl")
        assert time.monotonic() - start < 60, "it was tried for long"
    Command("127.0.0.1:50051", folder).refuses("is not sc://host:port", folder / "posts.jsonl")
    Command("sc://no-such-host.invalid:1", folder).refuses("does not answer", folder / "posts.jsonl")


def tables(run: Command, folder: Path):
    texts = pa.array(["一些文字在这里", None])
    whole = table(folder / "whole.parquet", pa.array([5, 7]), texts)
    run.gives("a table", ["kept", "error"], "--table", whole)
    run.gives("a text over --max-line is an error record", ["error", "error"], "--table", "--max-line=20", whole)
    run.refuses("no such table", "--table", folder / "none.parquet")
    run.refuses("position -1", "--table", table(folder / "negative.parquet", pa.array([5, -1]), texts))
    run.refuses("position None", "--table", table(folder / "null.parquet", pa.array([5, None]), texts))
    run.refuses("is double", "--table", table(folder / "fraction.parquet", pa.array([5, 1.5]), texts))
    large = table(folder / "large.parquet", pa.array([5, 2**64 - 1], pa.uint64()), texts)
    run.refuses("18446744073709551615", "--table", large)
    run.refuses("have 1 positions", "--table", table(folder / "twice.parquet", pa.array([5, 5]), texts))
    run.refuses("not text", "--table", table(folder / "number.parquet", pa.array([5, 6]), pa.array([1, 2])))
    run.refuses("no columns", "--table", "--field=body", whole)
    run.refuses("not-a-string", "--table", "--on-error=fail", whole)
    run.refuses("--encoding", "--table", "--encoding=big5", whole)
    run.refuses("Sail cannot", "--table", "--stream", "--near=simhash", whole)
    run.refuses("one folder", "--table", "--stream", whole, folder)
    run.refuses("--table too", "--stream", whole)


def options(run: Command, folder: Path):
    posts = folder / "options.jsonl"
    posts.write_text(LINE + '{"text":3}\n')
    run.gives("a record without text", ["kept", "error"], posts)
    run.gives("a line over --max-line", ["error", "error"], posts, "--max-line=5")
    run.refuses("options.jsonl:2:", posts, "--on-error=fail")
    run.refuses("--on-error", posts, "--on-error=drop")
    run.refuses("0 to 12", posts, "--max-distance=13")
    run.refuses("does nothing under --near none", posts, "--near=none", "--max-distance=2")
    run.refuses("--near: minhash", posts, "--near=minhash")
    run.refuses("--verify-window: 0 is out of range", posts, "--verify-window=0")
    run.refuses("does nothing under --near simhash", posts, "--near=simhash", "--guard=off")
    for option in ("--partitions", "--tables-at-once"):
        run.refuses("below 1", posts, f"{option}=0")
    run.refuses("invalid int", posts, "--partitions=many")
    run.refuses("No such file", posts, program=folder / "none")
    run.refuses("Permission denied", posts, program=posts)
    for code, words in [(0, "is not quchong"), (3, "exit code 3")]:
        silent = folder / f"silent-{code}"
        silent.write_text(f"#!/bin/sh\nexit {code}\n")
        silent.chmod(0o755)
        run.refuses(words, posts, program=silent)


def main():
    spellings()
    with tempfile.TemporaryDirectory() as name, sail_server() as address:
        for part in (names, folders, server, tables, options):
            folder = Path(name) / part.__name__
            folder.mkdir()
            part(Command(address, folder), folder)


if __name__ == "__main__":
    main()
