#!/usr/bin/env python3
"""Drops repeats from more posts than one machine holds, with the verdicts that one process of `quchong dedup` gives.

DataFrames only: runs unchanged on Spark 4 (classic and Connect) and on Sail. The work on texts and fingerprints is done by the
`quchong` binary, which is shipped to the executors; the engine sorts, groups and joins. See README.md beside this file.
"""

import argparse
import glob
import itertools
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
import uuid
from dataclasses import dataclass, field
from functools import reduce
from hashlib import sha256
from operator import or_

import numpy
import pyarrow as pa
import pyarrow.parquet
from pyspark import SparkFiles, cloudpickle
from pyspark.errors import AnalysisException, PySparkException, UnsupportedOperationException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

SKETCH = "pos long, digest binary, simhash long, error string, text string"
EDGE = "a long, b long, distance int, similarity int, same boolean"
REPEAT = "pos long, of long, distance int, similarity int"
VERDICT = "pos long, verdict string, of long, distance int, similarity int, error string"
NODE = "pos long, rank long, digest binary, simhash long, text string"
INDEX = "digest binary, pos long, of long, simhash long, rank long, text string"
# Records of a file, the largest position of one being 2^40 - 1: files times records stay below 2^63.
RECORD_BITS = 40
BLOCK = 1 << 20
# Rows of a group that one process is given, more or less: 40 bytes each in Python.
GROUP = 4_000_000
LEAST_GROUPS = 8
# Of so many positions one is looked at to cut all into groups, but of no more than a million: a group is then of some GROUP, and hardly
# ever of twice that.
SAMPLED = GROUP // 1000
MOST_SAMPLED = 1_000_000
# Ranks of a stretch whose texts one process compares, at least; and of one whose pairs are counted, which are decided about together.
STRETCH = 1 << 16
COUNTED = 1 << 14
# Of Spark Connect, where an address names none; and how long an answer may take.
CONNECT_PORT = 15002
CONNECT_SECONDS = 10


# Tasks are sent what they call, and need no copy of this file.
cloudpickle.register_pickle_by_value(sys.modules[__name__])


class Refused(Exception):
    """Something that the job cannot do, in words for its user."""


# Of the settings of `quchong dedup`, those that a job takes beside what the table has for `quchong sketch`.
TAKEN = ("encoding", "on-error", "max-line")
# What the job has an option of its own for.
OWN = ("max-distance", "max-line", "window")
# What decides about texts alone, so that sketches are the same under any, or about fingerprints alone.
OF_TEXTS = ("similarity", "guard", "remarks", "templates", "verify-window")
OF_PRINTS = ("shingle", "weights")


def all_settings(binary: str) -> list[dict]:
    """The settings of `quchong dedup`, as the binary tells of them."""
    try:
        return json.loads(run([binary, "settings"], b""))
    except json.JSONDecodeError:
        raise Refused(f"--binary: {binary} is not quchong") from None


def settings(binary: str) -> list[dict]:
    """The settings that a job takes."""
    return [row for row in all_settings(binary) if "sketch" in row["commands"] or row["name"] in TAKEN]


def near_options(binary: str) -> list[str]:
    """What the near stage's part of each sketch may be made with."""
    return [f"--{row['name']}" for row in settings(binary) if row["group"] == "Near stage" and row["name"] not in OWN]


def sketch_names(binary: str) -> list[str]:
    """What each sketch may be made with; all else is the job's own."""
    return [f"--{row['name']}" for row in settings(binary) if row["name"] not in OWN]


def without(options: list[str], *names: str) -> list[str]:
    """Options, each as `--name=value`, but for these names; an option with its value can be named, too."""
    return [option for option in options if not {option[2:], option[2:].partition("=")[0]} & set(names)]


@dataclass
class Job:
    """What all stages need to know. `work` is a folder that driver and executors share; each job writes to its own in it."""

    spark: SparkSession
    binary: str
    work: str
    sketch_options: list[str] = field(default_factory=list)
    max_distance: int | None = None
    partitions: int | None = None
    one_task_edges: int = 5_000_000
    tables_at_once: int | None = None
    max_line: int = 16 << 20
    quiet: bool = False
    window: int | str | None = None
    near: str = field(default="", init=False)
    verify_window: int = field(default=0, init=False)
    counts: dict[str, int] = field(default_factory=dict, init=False)
    ships_files: bool = field(default=True, init=False)

    def __post_init__(self):
        for option, given, least in [
            ("--partitions", self.partitions, 1),
            ("--tables-at-once", self.tables_at_once, 1),
            ("--edges-in-one-task", self.one_task_edges, 0),
            ("--max-line", self.max_line, 1),
        ]:
            if given is not None and given < least:
                raise Refused(f"{option}: {given} is below {least}")
        if not run([self.binary, "--version"], b"").startswith(b"quchong "):
            raise Refused(f"--binary: {self.binary} is not quchong")
        self.sketch_options = spelled(self.sketch_options, sketch_names(self.binary))
        # Refused options end the job here, not in a task.
        distance = [] if self.max_distance is None else [f"--max-distance={self.max_distance}"]
        window = [] if self.window is None else [f"--window={self.window}"]
        options = without(self.sketch_options, "encoding", "on-error")
        settings = json.loads(run([self.binary, "sketch", *options, *distance, *window, "--settings"], b""))
        self.near, self.max_distance, self.window = (settings[name] for name in ("near", "max_distance", "window"))
        # How far back texts decide, and not fingerprints.
        self.verify_window = settings["verify_window"] if self.near == "hybrid" else 0
        if self.window is not None:
            self.verify_window = min(self.verify_window, self.window)
        if "--on-error=drop" in self.sketch_options:
            raise Refused("--on-error: drop: the job writes verdicts, not records; use pass or fail")
        self.work = f"{self.work}/{uuid.uuid4().hex}"
        self.spark.conf.set("spark.sql.parquet.compression.codec", "zstd")
        if self.partitions:
            self.spark.conf.set("spark.sql.shuffle.partitions", str(self.partitions))
        try:
            self.spark.addArtifact(self.binary, file=True)
        except UnsupportedOperationException:
            self.ships_files = False
            self.tell(f"this engine ships no files; {self.binary} must be there on each machine")

    def tell(self, text: str):
        if not self.quiet:
            print(f"quchong: {text}", file=sys.stderr, flush=True)

    def stage(self, name: str, rows: DataFrame, schema: str) -> DataFrame:
        """Writes rows down and reads them again: what comes later starts here if an executor is lost."""
        path, start = f"{self.work}/{name}", time.monotonic()
        rows.write.mode("overwrite").parquet(path)
        written = self.spark.read.schema(schema).parquet(path)
        self.counts[name] = written.count()
        self.tell(f"{name}: {self.counts[name]:,} rows, {time.monotonic() - start:.1f} s")
        return written

    def leave(self):
        """Removes the stages, which nobody needs any more."""
        if os.path.isdir(place(self.work)):
            shutil.rmtree(place(self.work))
        else:
            self.tell(f"stages are left in {self.work}, which this machine does not see")

    def same(self, name: str, count: int, of: str):
        """Fails if rows were lost, or became more."""
        if self.counts[of] != count:
            raise Refused(f"{self.counts[of]:,} {of} became {count:,} {name}: is {self.work} on a disk that all machines share?")


def spelled(options: list[str], known: list[str]) -> list[str]:
    """Options as --name=value, however they were given; refuses those that a job's sketches do not take."""
    found, given = [], iter(options)
    for option in given:
        name, equals, value = option.partition("=")
        if name not in known:
            raise Refused(f"{name}: is not among the options that a job's sketches take: {' '.join(known)}")
        found.append(option if equals else f"{name}={next(given, '')}")
    return found


# ---- the binary ----


def run(command: list[str], given: bytes) -> bytes:
    """Runs the binary on the driver."""
    try:
        done = subprocess.run(command, input=given, capture_output=True)
    except OSError as error:
        raise Refused(f"--binary: {command[0]}: {error.strerror}") from None
    if done.returncode != 0:
        raise Refused(last_words(done.stderr) or f"--binary: {command[0]}: exit code {done.returncode}, without a word")
    return done.stdout


def last_words(told: bytes) -> str:
    """Why a process failed: the last error on its standard error, of which a refused option has several lines; else the last line."""
    text = told.decode(errors="replace").strip()
    errors = re.findall(r"^(?:quchong: )?error: (.+(?:\n.+)*)", text, flags=re.MULTILINE)
    return " ".join(errors[-1].split()) if errors else text.rpartition("\n")[2]


def executable(path: str) -> str:
    """The binary on this machine: as it was shipped, else where it is on the driver."""
    try:
        shipped = SparkFiles.get(os.path.basename(path))
    except Exception:  # There is no such folder on engines that ship nothing.
        return path
    if not os.path.exists(shipped):
        return path
    if os.access(shipped, os.X_OK):
        return shipped
    # What was shipped is no program yet. Several tasks may do this at once: the last rename wins, and all are the same.
    program = f"{shipped}.program"
    if not os.path.exists(program):
        handle, copy = tempfile.mkstemp(dir=os.path.dirname(shipped))
        os.close(handle)
        shutil.copyfile(shipped, copy)
        os.chmod(copy, 0o755)
        os.replace(copy, program)
    return program


def piped(command: list[str], feed, schema: pa.Schema, as_many):
    """Runs a process that is fed by `feed`, and yields the rows that it writes, in the columns of `schema`; fails if it does, or if
    `feed` does, which gives the number of rows that it has sent.

    The binary says last how many records it read: as many as are in `as_many(rows sent, rows answered)`, or it fails too."""
    failure, sent, answered = [], 0, 0
    with tempfile.TemporaryFile() as told:
        process = subprocess.Popen([*command, "--rows=arrow"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=told)

        def feeds():
            nonlocal sent
            # In a thread of its own, or both sides would wait for each other when the pipes are full.
            try:
                with process.stdin:
                    sent = feed(process.stdin)
            except BrokenPipeError:
                pass  # It ended early, and its exit code says why.
            except BaseException as error:
                failure.append(error)
                process.kill()

        feeder = threading.Thread(target=feeds, daemon=True)
        feeder.start()
        broken = None
        try:
            try:
                with pa.ipc.open_stream(process.stdout) as stream:
                    for batch in stream:
                        answered += batch.num_rows
                        yield pa.record_batch([batch[name] for name in schema.names], schema=schema)
            except (pa.ArrowInvalid, OSError) as error:
                broken = error
            code = process.wait()
            feeder.join()
            if failure:
                raise failure[0]
            told.seek(0)
            reason = last_words(told.read())
            if code != 0 or broken:
                raise RuntimeError(f"{' '.join(command[:2])}: exit code {code}: {reason or broken}")
            read = re.match(r"quchong: (?:sketched |rows: |pairs: )?(\d+)\b", reason)
            if not read or {int(read[1])} != set(as_many(sent, answered)):
                raise RuntimeError(f"{' '.join(command[:2])}: exit code 0, but {sent} rows sent, {answered} answered: {reason}")
        finally:
            if process.poll() is None:
                process.kill()
                process.wait()
            process.stdout.close()


def rows_from(batches, schema: pa.Schema):
    """Feeds a process with rows."""

    def feed(to) -> int:
        sent = 0
        with pa.ipc.new_stream(to, schema) as stream:
            for batch in batches:
                stream.write(batch)
                sent += batch.num_rows
        return sent

    return feed


def bytes_from(chunks):
    """Feeds a process with what are no rows yet."""

    def feed(to) -> int:
        for chunk in chunks:
            to.write(chunk)
        return 0

    return feed


def groups_through(binary: str, schema: pa.Schema, given):
    """A function for applyInArrow, which is given whole groups on all engines; a partition may be cut again under mapInArrow,
    and its order undone. `given` makes of a group the binary's arguments, and the rows that go through it."""

    def each(group: pa.Table) -> pa.Table:
        options, rows = given(group)
        feed = rows_from(rows.to_batches(BLOCK >> 4), rows.schema)
        return pa.Table.from_batches(piped([executable(binary), *options], feed, schema, lambda sent, _: [sent]), schema)

    return each


def by_groups(job: Job, name: str, rows: DataFrame, key: str, each, schema: str) -> DataFrame:
    """A stage of what `each` makes of the rows with one `key`, a number: whole, on all engines.

    Sail holds what a task has of a group in one row, and its workers send each other no message of more than 4 MB. So groups go
    through files there."""
    if job.ships_files or "://" in job.work:
        return job.stage(name, rows.groupBy(key).applyInArrow(each, schema), schema)
    folder = f"{job.work}/groups/{name}"
    rows.write.mode("overwrite").partitionBy(key).parquet(folder)
    written = job.spark.read.schema(f"{key} long").parquet(folder)
    counts = sorted(map(tuple, written.groupBy(key).count().collect()))

    def read(batches):
        for batch in batches:
            for group, count in (counts[number] for number in batch["id"].to_pylist()):
                table = pyarrow.parquet.read_table(f"{folder}/{key}={group}", partitioning=None)
                if len(table) != count:
                    raise RuntimeError(f"{folder}: {len(table)} rows of {count} are here; is it on a disk that all machines share?")
                yield from each(table.append_column(key, pa.repeat(pa.scalar(group, pa.int64()), count))).to_batches()

    tasks = min(len(counts), job.partitions or LEAST_GROUPS)
    done = job.stage(name, job.spark.range(0, len(counts), 1, max(tasks, 1)).mapInArrow(read, schema), schema)
    shutil.rmtree(place(folder), ignore_errors=True)
    return done


# ---- sketches ----

SKETCHES = pa.schema(
    [("pos", pa.int64()), ("digest", pa.binary()), ("simhash", pa.int64()), ("error", pa.string()), ("text", pa.string())]
)


def format_of(path: str) -> str:
    """As `quchong` takes it from a file's name, which it does not see on standard input."""
    name = os.path.basename(path).lower()
    stem, extension = os.path.splitext(name)
    if extension in (".gz", ".zst", ".bz2", ".xz"):
        extension = os.path.splitext(stem)[1]
    formats = {".jsonl": "jsonl", ".ndjson": "jsonl", ".json": "jsonl", ".csv": "csv", ".tsv": "tsv", ".txt": "lines"}
    return formats.get(extension, "auto")


def local_files(name: str) -> list[str]:
    """A file itself, whatever its name; the files of a folder or a pattern by name, without those that begin with a dot."""
    if os.path.isdir(name):
        found = glob.glob(f"{glob.escape(name)}/*")
    else:
        found = [name] if os.path.lexists(name) else glob.glob(name)
    if not found:
        raise Refused(f"{name}: no such file")
    for path in found:
        if os.path.isdir(path):
            raise Refused(f"{name}: {path} in it is a folder; name the files")
        if not os.access(path, os.R_OK):
            raise Refused(f"{path}: cannot be read")
    return [os.path.abspath(path) for path in sorted(found, key=os.fsencode)]


def absolute(name: str) -> str:
    """A path on these machines, wherever the server was started; with a scheme, as it is."""
    return name if re.match("[a-zA-Z][a-zA-Z0-9+.-]*:/", name) else os.path.abspath(name)


def place(name: str) -> str:
    """Where a file or folder is, links followed; of a pattern, the folder in which it begins. Spellings of one place are one: a file
    system's name node may be left out, with or without its port, and s3, s3a and s3n are the same buckets."""
    found = re.match("([a-zA-Z][a-zA-Z0-9+.-]*):(/+)", name)
    scheme = re.sub("^s3[an]$", "s3", found[1].lower()) if found else "file"
    local = scheme == "file"
    path = f"/{name[found.end() :]}" if found else name
    if scheme in ("hdfs", "viewfs") and found[2] == "//":
        path = f"/{path[1:].partition('/')[2]}"
    if not (local and os.path.lexists(path)) and (pattern := re.search(r"[*?\[{]", path)):
        path = os.path.dirname(path[: pattern.start()])
    return os.path.realpath(path) if local else f"{scheme}:/{os.path.normpath(path)}"


def refuse_overlap(inputs: list[str], written: dict[str, str]):
    """Refuses folders to write to that are, hold, or are in an input or each other."""
    taken = []
    for name in inputs:
        # For a pattern stands what it matches here: folders beside that are free.
        matched = [] if os.path.lexists(name) else glob.glob(name)
        taken += [(name, place(path)) for path in matched or [name]]
    for option, folder in written.items():
        here = place(folder)
        for name, there in taken:
            if f"{here}/".startswith(f"{there.rstrip('/')}/") or f"{there}/".startswith(f"{here.rstrip('/')}/"):
                raise Refused(f"{option}: {folder} is, holds, or is in {name}, which would be overwritten")
        taken.append((f"{option} ({folder})", here))


def refuse_foreign(spark: SparkSession, output: str):
    """Refuses to overwrite what is no earlier run's verdicts."""
    for folder, folders, files in os.walk(place(output)):
        foreign = [name for name in files if not name.endswith(".parquet") and name[0] not in "._"]
        for name in folders + foreign:
            raise Refused(f"--overwrite: {folder}/{name} is no part of an earlier run's verdicts; move it, or name another --output")
    columns = set(spark.read.parquet(output).columns) if is_there(spark, output) else {"pos", "verdict"}
    if not {"pos", "verdict"} <= columns <= set(VERDICTS.names):
        raise Refused(f"--overwrite: what is in {output} has columns that verdicts have not, or not theirs; name another --output")


def is_there(spark: SparkSession, path: str) -> bool:
    """Whether there is a file, or a folder with something in it."""
    local = place(path)
    if os.path.isfile(local) or (os.path.isdir(local) and os.listdir(local)):
        return True
    try:
        return bool(spark.read.format("binaryFile").load(path).select("path").limit(1).collect())
    except AnalysisException:  # There is no such folder.
        return False


def sketch_files(job: Job, inputs: list[str], field_name: str) -> tuple[DataFrame, list[str]]:
    """Sketches of all records of files, and the files in the order of their positions: inputs as they were given, the
    files of a folder or a pattern by name. The position of a record is (number of its file << 40) + its number in it.

    Paths are opened by the tasks, so all machines must see them; what has a scheme (hdfs://, s3a://) is read by the engine."""
    has_scheme = ["://" in name for name in inputs]
    if any(has_scheme) and not all(has_scheme):
        raise Refused("some inputs have a scheme (file://, hdfs://) and some have none; give all of them one")
    if any(has_scheme) and not job.ships_files:
        raise Refused(f"{inputs[0]}: with a scheme, Sail reads some files twice; name paths that all machines see")
    binary, spark = job.binary, job.spark
    options = [*sketched_by(job), f"--field={field_name}", f"--max-line={job.max_line}"]

    def sketched(path: str, ordinal: int, given: list[str], chunks):
        command = [executable(binary), "sketch", *options, "--first-pos", str(ordinal << RECORD_BITS), *given]
        try:
            yield from piped(command, bytes_from(chunks), SKETCHES, lambda _, answered: [answered])
        except RuntimeError as error:
            raise RuntimeError(f"{path}: {error}") from None

    if not any(has_scheme):
        paths = [path for name in inputs for path in local_files(name)]

        def each(batches):
            for batch in batches:
                for ordinal, path in zip(*batch.to_pydict().values()):
                    yield from sketched(path, ordinal, [path], ())

        files = spark.createDataFrame(list(enumerate(paths)), "ordinal long, path string")
        files = files.repartition(job.partitions or len(paths), "ordinal")
    else:
        listed = [spark.read.format("binaryFile").load(name).select("path").collect() for name in inputs]
        for name, rows in zip(inputs, listed):
            if not rows:
                raise Refused(f"{name}: no file that the engine reads, which leaves out names that begin with _ or a dot")
        paths = [path for rows in listed for path in sorted(row.path for row in rows)]
        ordinals = {path: ordinal for ordinal, path in enumerate(paths)}

        def each(batches):
            for batch in batches:
                for path, content in zip(batch["path"].to_pylist(), batch["content"]):
                    view = memoryview(content.as_buffer())
                    chunks = (view[at : at + BLOCK] for at in range(0, len(view), BLOCK))
                    yield from sketched(path, ordinals[path], ["--format", format_of(path)], chunks)

        files = spark.read.format("binaryFile").load(inputs).select("path", "content")
    if len(set(paths)) < len(paths):
        raise Refused("a file is named twice among the inputs")
    return files.mapInArrow(each, SKETCH), paths


def table_columns(rows: DataFrame, pos_field: str, text_field: str) -> DataFrame:
    """The columns of positions and messages, as `pos` and `text`; refuses what is neither."""
    try:
        rows = rows.select(F.col(pos_field).alias("pos"), F.col(text_field).alias("text"))
        types = dict(rows.dtypes)
    except AnalysisException as error:
        raise Refused(f"no columns `{pos_field}` (--pos-field) and `{text_field}` (--field): {first_line(error)}") from None
    if types["pos"] not in ("tinyint", "smallint", "int", "bigint"):
        raise Refused(f"--pos-field: column `{pos_field}` is {types['pos']}; positions are whole numbers of up to 63 bits")
    if not types["text"].startswith(("string", "varchar", "char")):
        raise Refused(f"--field: column `{text_field}` is {types['text']}, not text")
    return rows


def sketched_by(job: Job) -> list[str]:
    """The options that sketches show."""
    return without(job.sketch_options, *OF_TEXTS, "preset=careful")


def first_line(error: Exception) -> str:
    return str(error).strip().partition("\n")[0]


def sketch_rows(job: Job, rows: DataFrame) -> DataFrame:
    """Sketches of the messages of a table with the columns `pos` and `text`."""
    binary, options = job.binary, ["sketch", *sketched_by(job), f"--max-line={job.max_line}", "--format=arrow", "--pos-field=pos"]

    def each(batches):
        # Their schema is known with the first of them; engines have several types of text.
        for first in batches:
            feed = rows_from(itertools.chain([first], batches), first.schema)
            yield from piped([executable(binary), *options], feed, SKETCHES, lambda *counts: counts)

    rows = table_columns(rows, "pos", "text").select(F.col("pos").cast("long").alias("pos"), "text")
    for row in rows.where("pos is null or pos < 0").limit(1).collect():
        raise Refused(f"position {row.pos}: each record needs a whole number from 0")
    if "--on-error=fail" in job.sketch_options:
        # By its position, which the binary does not tell.
        fault = F.when(F.col("text").isNull(), "not-a-string").when(F.octet_length("text") > job.max_line, "line-too-long")
        for row in rows.withColumn("fault", fault).where("fault is not null").limit(1).collect():
            raise Refused(f"the record at position {row.pos}: {row.fault} (--on-error fail)")
    return rows.mapInArrow(each, SKETCH)


# ---- edges ----

EDGES = pa.schema(
    [("a", pa.int64()), ("b", pa.int64()), ("distance", pa.int32()), ("similarity", pa.int32()), ("same", pa.bool_())]
)


def find_edges(job: Job, prints: DataFrame) -> DataFrame:
    """The pairs of near fingerprints, each once: a row for each table, groups of whole buckets, pairs by the binary."""
    expected = max(prints.count(), 1)
    shape = ["edges", "--expected", str(expected), f"--max-distance={job.max_distance}"]
    masks = [int(mask, 16) for mask in json.loads(run([job.binary, *shape, "--masks"], b""))]

    def given(group: pa.Table):
        """By table and key."""
        table, simhash = group["table"].to_numpy(), group["simhash"].to_numpy().view(numpy.uint64)
        order = numpy.lexsort((simhash & numpy.array(masks, numpy.uint64)[table], table))
        return shape, group.select(["table", "simhash", "pos"]).take(order)

    each = groups_through(job.binary, EDGES, given)
    at_once = job.tables_at_once or len(masks)
    groups = max(job.partitions or LEAST_GROUPS, expected * at_once // GROUP)
    found = []
    for first in range(0, len(masks), at_once):
        places = []
        for table, mask in list(enumerate(masks))[first : first + at_once]:
            key = F.col("simhash").bitwiseAND(F.lit(mask - (1 << 64) if mask >> 63 else mask))
            group = F.pmod(F.hash(F.lit(table), key), F.lit(groups))
            places.append(F.struct(F.lit(table).alias("table"), group.alias("group")))
        rows = prints.select(F.explode(F.array(*places)).alias("place"), "simhash", "pos")
        rows = rows.select("place.table", "place.group", "simhash", "pos")
        found.append(by_groups(job, f"edges/{first}", rows, "group", each, EDGE))
    while len(found) > 1:
        found = [found[0].unionAll(found[1]), *found[2:]]
    return found[0]


# ---- edges of the hybrid ----


def rank(job: Job, positions: DataFrame) -> DataFrame:
    """How many positions are below each one. Groups of neighbours are counted and numbered each on its own; where they are cut does
    not matter."""
    each = max(SAMPLED, job.counts["sketches"] // MOST_SAMPLED)
    sampled = positions.where(F.pmod(F.hash("pos"), F.lit(each)) == 0).collect()
    cuts = numpy.sort(numpy.array([row.pos for row in sampled], numpy.int64))[GROUP // each :: GROUP // each]

    def placed(batches):
        for batch in batches:
            place = numpy.searchsorted(cuts, batch["pos"].to_numpy(), side="right")
            yield pa.record_batch({"pos": batch["pos"], "place": pa.array(place, pa.int64())})

    def numbered(group: pa.Table) -> pa.Table:
        group = group.sort_by("pos").select(["pos", "place"])
        return group.append_column("number", pa.array(numpy.arange(len(group))))

    rows = positions.mapInArrow(placed, "pos long, place long")
    rows = by_groups(job, "ranks", rows, "place", numbered, "pos long, place long, number long")
    counts = sorted(map(tuple, rows.groupBy("place").count().collect()))
    starts = zip((place for place, _ in counts), itertools.accumulate((count for _, count in counts), initial=0))
    starts = job.spark.createDataFrame(list(starts), "place long, before long")
    return rows.join(F.broadcast(starts), "place").select("pos", (F.col("before") + F.col("number")).alias("rank"))


def find_text_edges(job: Job, nodes: DataFrame, others: list[DataFrame], start: int) -> DataFrame:
    """The pairs that the repeat rule accepts within the window, the later one from rank `start` on, but for those that decide nothing: each
    group has a stretch of ranks and the window before it. `others` are all other edges."""
    window, records = job.verify_window, job.counts["sketches"]
    # To read the window takes a sixth of the time of comparing as many. Few records make two stretches, of which the second, where more has
    # come before, is the shorter one; but not in the first window, where to decide is quicker than to find all pairs.
    stretch = max(min(2 * window, max(2 * records // 3, window) + 1), STRETCH)
    near = [option for option in job.sketch_options if option.partition("=")[0] in near_options(job.binary)]
    options = ["edges", *without(near, "verify-window", *OF_PRINTS), f"--verify-window={window}"]

    def given(group: pa.Table):
        rows = group.select(["rank", "text", "old"]).rename_columns(["pos", "text", "old"]).sort_by("pos")
        return [*options, "--from", str(max(group["stretch"][0].as_py() * stretch, start))], rows

    last = (start + records - 1) // stretch
    ends = F.greatest(F.expr(f"rank div {stretch}"), F.lit(start // stretch)), F.least(F.expr(f"(rank + {window}) div {stretch}"), F.lit(last))
    rows = nodes.where(F.col("text").isNotNull() & (F.col("rank") >= start - window))
    old = F.lit(False)
    if others:
        later = reduce(DataFrame.unionAll, (edges.where(~F.col("same")).select(F.col("b").alias("rank")) for edges in others))
        rows, old = rows.join(later.distinct().withColumn("later", F.lit(True)), "rank", "left"), F.col("later").isNotNull()
    rows = rows.select(F.explode(F.sequence(*ends)).alias("stretch"), "rank", "text", old.alias("old"))
    each = groups_through(job.binary, EDGES, given)
    return by_groups(job, "edges/texts", rows, "stretch", each, EDGE)


def find_old_edges(job: Job, nodes: DataFrame, start: int) -> DataFrame:
    """From the first message of each fingerprint, edges to messages further away than the window whose fingerprint is near, and to all
    that have the same one, where there are such. No message of a viral text meets each other one. Before rank `start` all has been
    decided."""
    window = job.verify_window
    nodes = nodes.where("simhash is not null").select("simhash", "rank")
    prints = nodes.groupBy("simhash").agg(F.min("rank").alias("first"), F.max("rank").alias("last"))
    prints = job.stage("prints", prints, "simhash long, first long, last long")
    near = find_edges(job, prints.select("simhash", F.col("first").alias("pos")))
    near = near.select("a", "b", "distance").unionAll(near.select(F.col("b").alias("a"), F.col("a").alias("b"), "distance"))
    itself = prints.select(F.col("first").alias("a"), F.col("first").alias("b"), F.lit(0).alias("distance"))
    near = near.unionAll(itself)
    near = near.join(prints.withColumnRenamed("first", "b"), "b").where(F.col("last") > F.col("a") + window)
    near = near.where(F.col("last") >= start).select("a", "simhash", "distance")
    # The last message that may repeat one with the fingerprint of `a`.
    forever = F.lit((1 << 63) - 1)
    until = prints.select(F.col("first").alias("a"), (forever if job.window is None else F.col("last") + job.window).alias("until"))
    near = near.join(until, "a").select("a", "until", "simhash", "distance")
    near = job.stage("edges/prints", near, "a long, until long, simhash long, distance int")
    far = near.join(nodes, "simhash").where((F.col("rank") > F.col("a") + window) & F.col("rank").between(start, F.col("until")))
    far = far.select("a", F.col("rank").alias("b"), "distance", F.lit(False).alias("same"))
    reached = prints.join(near.select(F.col("a").alias("first")).distinct(), "first", "left_semi")
    same = reached.join(nodes, "simhash").where(F.col("rank") > F.col("first"))
    zero = F.lit(0).alias("distance")
    same = same.select(F.col("first").alias("a"), F.col("rank").alias("b"), zero, F.lit(True).alias("same"))
    edges = far.unionAll(same).select("a", "b", "distance", F.lit(None).cast("int").alias("similarity"), "same")
    return job.stage("edges/old", edges, EDGE)


# ---- decisions ----

REPEATS = pa.schema([("pos", pa.int64()), ("of", pa.int64()), ("distance", pa.int32()), ("similarity", pa.int32())])


def decide_in_one_task(job: Job, name: str, edges: DataFrame, options: list[str]) -> DataFrame:
    """Which messages are dropped, and the earliest kept message that each repeats: the first maximal independent set."""
    each = groups_through(job.binary, REPEATS, lambda group: (["decide", *options], group.select(EDGES.names)))
    return by_groups(job, name, edges.withColumn("all", F.lit(0)), "all", each, REPEAT)


def decide(job: Job, edges: DataFrame) -> DataFrame:
    """As `decide_in_one_task`, of pairs of fingerprints, however many.

    A message that is near no earlier one is kept, and what is near it is dropped. Without the dropped ones, more messages are
    near no earlier one. Each round decides those, until one task can take the rest."""
    left, rounds, count, dropped = edges, 0, edges.count(), []
    while count > max(job.one_task_edges, 0):
        kept = left.select(F.col("a").alias("kept")).distinct()
        kept = kept.join(left.select(F.col("b").alias("kept")).distinct(), "kept", "left_anti")
        gone = left.join(kept, left.a == kept.kept, "left_semi").select(F.col("b").alias("pos")).distinct()
        gone = job.stage(f"dropped/{rounds}", gone, "pos long")
        left = left.join(gone, left.b == gone.pos, "left_anti").join(gone, left.a == gone.pos, "left_anti")
        left = job.stage(f"left/{rounds}", left, EDGE)
        dropped.append(gone)
        rounds, count = rounds + 1, left.count()
    last = decide_in_one_task(job, "decided", left, [])
    if not rounds:
        return last
    gone = last.select("pos")
    for more in dropped:
        gone = gone.unionAll(more)
    gone = job.stage("gone", gone, "pos long")
    repeats = edges.join(gone, edges.a == gone.pos, "left_anti").groupBy("b")
    repeats = repeats.agg(F.min(F.struct("a", "distance", "similarity")).alias("of"))
    repeats = repeats.select(F.col("b").alias("pos"), F.col("of.a").alias("of"), "of.distance", "of.similarity")
    return job.stage("repeats", repeats, REPEAT)


def decide_in_order(job: Job, edges: DataFrame, start: int) -> DataFrame:
    """As `decide_in_one_task`, of edges between ranks, of which those before `start` are decided: chunk after chunk of ranks, each of as
    many edges as one task may have."""
    counts = edges.where(F.col("b") >= start).groupBy(F.expr(f"b div {COUNTED}").alias("place")).count().collect()
    chunks, size = [start], 0
    for place, count in sorted(map(tuple, counts)):
        if size and size + count > job.one_task_edges:
            chunks.append(place * COUNTED)
            size = 0
        size += count
    options, names = ["--verify-window", str(job.verify_window)] if job.near == "hybrid" else [], []
    if job.window is not None:
        options += ["--window", str(job.window)]
    for start, end in zip(chunks, [*chunks[1:], None]):
        rows = edges.where(F.col("b") >= start)
        if end is not None:
            rows = rows.where(F.col("b") < end)
        if start:
            before = read_repeats(job, names) if names else job.spark.createDataFrame([], REPEAT)
            rows = rows.unionAll(kept_before(job, start, rows, edges, before))
        names.append(f"decided/{start}")
        decide_in_one_task(job, names[-1], rows, [*options, "--from", str(start)])
    return read_repeats(job, names)


def read_repeats(job: Job, stages: list[str]) -> DataFrame:
    return job.spark.read.schema(REPEAT).parquet(*(f"{job.work}/{name}" for name in stages))


def measure():
    """What an edge goes by."""
    return F.when(F.col("similarity").isNotNull(), "text").when(F.col("distance").isNotNull(), "print").otherwise("equal")


def kept_before(job: Job, start: int, rows: DataFrame, edges: DataFrame, repeats: DataFrame) -> DataFrame:
    """What the edges `rows` of a chunk need to know of those before it: which of what they are from, and is the same, was kept. Of
    one fingerprint the first counts, of texts those in the window; under a window all that are in it. Of equal messages it is what is
    behind the last one."""
    edges = edges.withColumn("measure", measure())
    needed = rows.where(F.col("a") < start).select("a", measure().alias("measure")).distinct()
    same = edges.where((F.col("same") | (F.col("measure") == "equal")) & (F.col("b") < start))
    same = same.select("a", "measure", F.col("b").alias("pos"))
    members = same.join(needed, ["a", "measure"], "left_semi").unionAll(needed.select("a", "measure", F.col("a").alias("pos")))
    kept = members.where("measure != 'equal'").join(repeats, "pos", "left_anti")
    texts = kept.where((F.col("measure") == "text") & (F.col("pos") >= start - job.verify_window)).select("a", "measure", "pos")
    prints = kept.where("measure = 'print'").select("a", "measure", "pos")
    if job.window is None:
        prints = prints.groupBy("a", "measure").agg(F.min("pos").alias("pos"))
    told = texts.unionAll(prints)
    if job.window is not None:
        behind = members.where("measure = 'equal'").join(repeats.select("pos", "of"), "pos", "left")
        behind = behind.groupBy("a", "measure").agg(F.max(F.struct("pos", F.coalesce("of", "pos").alias("of"))).alias("last"))
        told = told.unionAll(behind.select("a", "measure", "last.of")).where(F.col("pos") >= start - job.window)
    distance, similarity = F.when(F.col("measure") == "print", F.lit(0)), F.when(F.col("measure") == "text", F.lit(1000))
    told = told.select("a", F.col("pos").alias("b"), distance.alias("distance"), similarity.alias("similarity"))
    return told.withColumn("same", F.lit(True))


def decide_prints(job: Job, nodes: DataFrame) -> DataFrame:
    """The fate of each fingerprint: the first message that has it, and what that repeats. All that have it share its fate: if the first
    is kept, nothing earlier that is kept is near it, and the others repeat it; if it is dropped, what it repeats is earlier
    than all of them."""
    prints = nodes.where("simhash is not null").groupBy("simhash").agg(F.min("pos").alias("pos"))
    prints = job.stage("prints", prints, "simhash long, pos long")
    repeats = decide(job, find_edges(job, prints)).withColumnRenamed("pos", "print")
    fates = prints.withColumnRenamed("pos", "print").join(repeats, "print", "left")
    fates = fates.select("simhash", "print", F.col("of").alias("near"), F.col("distance").alias("bits"))
    fates = job.stage("fates", fates, "simhash long, print long, near long, bits int")
    job.same("fates", job.counts["fates"], "prints")
    return fates


def find_equal_edges(job: Job, nodes: DataFrame) -> DataFrame:
    """From the first message of each digest, edges to all others that have it."""
    nodes = nodes.where("digest is not null").select("digest", "rank")
    rows = nodes.join(nodes.groupBy("digest").agg(F.min("rank").alias("a")), "digest").where(F.col("rank") > F.col("a"))
    none = F.lit(None).cast("int")
    rows = rows.select("a", F.col("rank").alias("b"), none.alias("distance"), none.alias("similarity"), F.lit(False).alias("same"))
    return job.stage("edges/equal", rows, EDGE)


def decide_ranked(job: Job, sketches: DataFrame, chosen: DataFrame, index: DataFrame | None = None, start: int = 0) -> DataFrame:
    """The repeats among the messages at the `chosen` positions, where it matters how far apart two stand; `start` records came before, of
    which the index has those that were kept."""
    ranks = rank(job, sketches.select("pos"))
    job.same("ranks", job.counts["ranks"], "sketches")
    chosen = job.stage("firsts", chosen, "pos long")
    digest = F.col("digest") if job.window is not None else F.lit(None).cast("binary").alias("digest")
    nodes = chosen.join(ranks.select("pos", (F.col("rank") + start).alias("rank")), "pos")
    nodes = nodes.join(sketches.select("pos", digest, "simhash", "text"), "pos")
    nodes = job.stage("nodes", nodes.select("pos", "rank", "digest", "simhash", "text"), NODE)
    job.same("nodes", job.counts["nodes"], "firsts")
    if index is not None:
        none = F.lit(None).cast("binary").alias("digest")
        nodes = nodes.unionAll(index.where("pos = of").select("pos", "rank", none, "simhash", "text"))
    found = []
    if job.near != "none" and start + job.counts["sketches"] - 1 > job.verify_window:
        found.append(find_old_edges(job, nodes.select("simhash", "rank"), start))
    if job.window is not None:
        found.append(find_equal_edges(job, nodes))
    if job.near == "hybrid":
        found.append(find_text_edges(job, nodes.select("rank", "text"), found, start))
    edges = reduce(lambda edges, more: edges.unionAll(more), found)
    repeats = decide_in_order(job, edges, start)
    numbers = nodes.select("rank", "pos")
    repeats = repeats.withColumnRenamed("pos", "rank").join(numbers, "rank").withColumnRenamed("pos", "first")
    near = numbers.select(F.col("rank").alias("of"), F.col("pos").alias("near"))
    repeats = repeats.join(near, "of").select("first", "near", F.col("distance").alias("bits"), "similarity")
    return job.stage("repeats", repeats, "first long, near long, bits int, similarity int")


def verdicts(job: Job, sketches: DataFrame, index: DataFrame | None = None, start: int = 0) -> DataFrame:
    """The verdict about each sketch: `kept`, `exact`, `near` or `error`, with the kept message that is repeated.

    `index` is what is remembered of earlier batches, of `start` records, all of whose positions are smaller."""
    given, sketches = sketches, job.stage("sketches", sketches, SKETCH)
    records, positions = job.counts["sketches"], sketches.select("pos").distinct().count()
    if not records and given.limit(1).collect():
        raise Refused(f"--work: what was written to {job.work} is not there; driver and executors must share it")
    if positions < records:
        raise Refused(f"{records:,} records have {positions:,} positions; each needs one of its own")
    if job.window is not None:
        return within_window(job, sketches)
    told = sketches.where("digest is not null")
    texts = told.select("digest", "pos", F.lit(None).cast("long").alias("of"), "simhash")
    if index is not None:
        texts = texts.unionAll(index.where("digest is not null").select("digest", "pos", "of", "simhash"))
    # Of equal texts the first; what an earlier batch has decided about it stands.
    texts = texts.groupBy("digest").agg(F.min(F.struct("pos", "of", "simhash")).alias("first"))
    texts = texts.select("digest", F.col("first.pos").alias("first"), F.col("first.of").alias("decided"), "first.simhash")
    texts = job.stage("texts", texts, "digest binary, first long, decided long, simhash long")

    rows = sketches.join(texts.select("digest", "first", "decided"), "digest", "left").drop("text")
    rows = rows.withColumn("first", F.coalesce("first", "pos"))
    if job.near == "hybrid":
        firsts = texts.where("decided is null").select(F.col("first").alias("pos"))
        firsts = firsts.unionAll(sketches.where("digest is null and text is not null").select("pos"))
        rows = rows.join(decide_ranked(job, sketches, firsts, index, start), "first", "left")
        near, bits, similarity = F.col("near"), F.col("bits"), F.col("similarity")
    else:
        nodes = texts.where("decided is null").select("simhash", F.col("first").alias("pos"))
        nodes = nodes.unionAll(sketches.where("digest is null").select("simhash", "pos"))
        if index is not None:
            nodes = nodes.unionAll(index.where("pos = of").select("simhash", "pos"))
        rows = rows.join(decide_prints(job, nodes), "simhash", "left")
        is_later = F.col("print") < F.col("first")
        near = F.coalesce(F.col("near"), F.when(is_later, F.col("print")))
        bits, similarity = F.coalesce(F.col("bits"), F.when(is_later, F.lit(0))), F.lit(None)
    is_exact = F.col("pos") > F.col("first")
    of = F.when(is_exact, F.coalesce(F.col("decided"), near, F.col("first"))).otherwise(near)
    return verdict_rows(rows, is_exact, of, F.when(~is_exact, bits), F.when(~is_exact, similarity))


def within_window(job: Job, sketches: DataFrame) -> DataFrame:
    """Under a window a text may be kept again, so each message is decided about, and not only the first of its digest."""
    messages = sketches.where("digest is not null or simhash is not null or text is not null").select("pos")
    repeats = decide_ranked(job, sketches, messages).withColumnRenamed("first", "pos")
    rows = sketches.drop("text").join(repeats, "pos", "left")
    is_exact = F.col("near").isNotNull() & F.col("bits").isNull() & F.col("similarity").isNull()
    return verdict_rows(rows, is_exact, F.col("near"), F.col("bits"), F.col("similarity"))


def verdict_rows(rows: DataFrame, is_exact, of, distance, similarity) -> DataFrame:
    verdict = F.when(F.col("error").isNotNull(), "error").when(is_exact, "exact").when(of.isNotNull(), "near").otherwise("kept")
    distance, similarity = distance.cast("int").alias("distance"), similarity.cast("int").alias("similarity")
    return rows.select("pos", verdict.alias("verdict"), of.alias("of"), distance, similarity, "error", "digest", "simhash")


VERDICTS = pa.schema([("pos", pa.int64()), ("verdict", pa.string()), *list(REPEATS)[1:], ("error", pa.string())])


def summary(job: Job, decided: DataFrame, start: float) -> dict[str, int]:
    counts = {row.verdict: row["count"] for row in decided.groupBy("verdict").count().collect()}
    kept, exact, near, errors = (counts.get(name, 0) for name in ("kept", "exact", "near", "error"))
    total = sum(counts.values())
    job.tell(
        f"in {total:,} = kept {kept:,} + dropped {exact + near:,} (exact {exact:,}, near {near:,}) + errors {errors:,}; "
        f"{time.monotonic() - start:.1f} s"
    )
    return {"in": total, "kept": kept, "exact": exact, "near": near, "errors": errors}


# ---- batch and stream ----


def batch(job: Job, sketches: DataFrame, output: str, overwrite: bool = False) -> dict[str, int]:
    """Decides about all sketches and writes the verdicts to `output`, as Parquet. What is there is refused, or overwritten by
    the last stage."""
    start = time.monotonic()
    if overwrite:
        refuse_foreign(job.spark, output)
    elif is_there(job.spark, output):
        raise Refused(f"--output: {output} is there; name another, or give --overwrite")
    decided = verdicts(job, sketches).select(VERDICTS.names)
    decided.write.mode("overwrite").parquet(output)
    if not job.counts["sketches"] and not job.ships_files:
        write_empty(place(output))
    counts = summary(job, job.spark.read.schema(VERDICT).parquet(output), start)
    job.same("verdicts", counts["in"], "sketches")
    return counts


def write_empty(folder: str):
    """Verdicts about nothing, of which Sail writes no file."""
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    pyarrow.parquet.write_table(VERDICTS.empty_table(), f"{folder}/part-0.parquet")


def micro_batch(job: Job, rows: DataFrame, number: int, output: str) -> dict[str, int]:
    """Decides about a batch of a stream. A batch that comes again overwrites what it wrote, and reads what earlier ones
    did, so that a driver may be killed at any moment."""
    start, remembered = time.monotonic(), f"{output}/index"
    index, start_rank, sketches = None, 0, sketch_rows(job, rows)
    if number > 0:
        index = job.spark.read.schema(f"{INDEX}, batch int").parquet(remembered).where(F.col("batch") < number)
        before = job.spark.read.schema("last long, records long, batch int").parquet(f"{output}/last").where(F.col("batch") < number)
        last, start_rank = before.agg(F.max("last"), F.coalesce(F.sum("records"), F.lit(0))).first()
        first = rows.agg(F.min("pos")).first()[0]
        if last is not None and first is not None and first <= last:
            raise Refused(f"batch {number} begins at position {first}, and {last} has been decided: positions must grow")
    decided = job.stage("decided-rows", verdicts(job, sketches, index, start_rank), f"{VERDICT}, digest binary, simhash long")
    job.same("verdicts", job.counts["decided-rows"], "sketches")
    decided.select(VERDICTS.names).write.mode("overwrite").parquet(f"{output}/verdicts/batch={number}")
    # Of exact repeats and faults nothing else is remembered.
    last = decided.agg(F.max("pos").alias("last"), F.count("pos").alias("records"))
    last.write.mode("overwrite").parquet(f"{output}/last/batch={number}")
    is_kept = F.col("verdict") == "kept"
    remember = decided.where(F.col("verdict").isin("kept", "near"))
    remember = remember.select("digest", "pos", F.coalesce("of", "pos").alias("of"), F.when(is_kept, F.col("simhash")).alias("simhash"))
    if job.near == "hybrid":
        # A kept message is compared by its text for as long as the window, and then by its fingerprint.
        is_young = F.col("rank") >= start_rank + job.counts["sketches"] - job.verify_window
        texts = job.spark.read.schema(NODE).parquet(f"{job.work}/nodes")
        texts = texts.select("pos", "rank", F.when(is_young, F.col("text")).alias("text"))
        remember = remember.join(texts, "pos", "left").withColumn("text", F.when(F.col("pos") == F.col("of"), F.col("text")))
    has_any = [F.col(name).isNotNull() for name in ("digest", "simhash", "text") if name in remember.columns]
    remember.where(reduce(or_, has_any)).write.mode("overwrite").parquet(f"{remembered}/batch={number}")
    return summary(job, decided, start)


def stream(job: Job, rows: DataFrame, output: str):
    """Starts a stream that decides about each batch of rows; ends when all that is there has been decided.

    What has been read is noted beside what has been decided: readers of Parquet pass over names that begin with _."""
    if job.window is not None:
        raise Refused("--stream: takes no --window; leave it out, or judge a table without --stream")
    checkpoint = f"{output}/_checkpoint"
    if is_there(job.spark, f"{output}/index") and not is_there(job.spark, f"{checkpoint}/metadata"):
        raise Refused(f"--output: {output} has batches and no _checkpoint, so what has been read is not known; name another")
    pinned(job, output)
    query = rows.writeStream.option("checkpointLocation", checkpoint).trigger(availableNow=True)
    return query.foreachBatch(lambda rows, number: micro_batch(job, rows, number, output)).start()


def pinned(job: Job, output: str):
    """Refuses options under which an index was not made."""
    limits = ["--max-distance", str(job.max_distance), "--max-line", str(job.max_line)]
    # The seed is a secret, and this is written down.
    told = [re.sub("(?<=^--seed=).*", lambda seed: sha256(seed[0].encode()).hexdigest()[:16], option) for option in job.sketch_options]
    options = " ".join([*told, *limits, run([job.binary, "--version"], b"").decode()])
    path = f"{output}/options"
    try:
        before = job.spark.read.schema("options string").parquet(path).first()
    except AnalysisException:  # There is no such folder yet.
        before = None
    if before is None:
        job.spark.createDataFrame([(options,)], "options string").write.mode("overwrite").parquet(path)
    elif before.options != options:
        raise Refused(f"{output} was begun with: {before.options.strip()}; this run has: {options.strip()}; name another --output")


# ---- the command line ----


def size(given: str) -> int:
    """Bytes, as the command line of `quchong` takes them: 1000000, 1e6, 64k, 512KB, 1.5MB, 16MiB."""
    found = re.fullmatch(r"(\d+(?:\.\d+)?(?:e\d+)?)(?:([kmgt])(?:(i?)b)?|b)?", given.lower())
    size = float(found[1]) * (1024 if found[3] else 1000) ** " kmgt".index(found[2] or " ") if found else 0.5
    if size != int(size):
        raise argparse.ArgumentTypeError(f"{given} is no size, such as 16MiB")
    return int(size)


class Parser(argparse.ArgumentParser):
    def error(self, message):
        raise Refused(message)


def arguments():
    parser = Parser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("input", nargs="+", help="files, folders or patterns, in this order; with --table, a Parquet table")
    add("--output", required=True, help="folder for the verdicts, as Parquet")
    add("--work", required=True, help="folder for what is between the stages; driver and executors share it")
    add("--overwrite", action="store_true", help="replace the verdicts that are in --output, when there are new ones")
    add("--binary", default=shutil.which("quchong") or "quchong", help="the quchong binary, of the executors' platform")
    add("--remote", help="address of a Spark Connect or Sail server (sc://host:port); none: classic Spark")
    add("--table", action="store_true", help="inputs are Parquet tables with a column of positions")
    add("--stream", action="store_true", help="with --table: decide about what is new since the last run, batch by batch")
    add("--field", default="text", help="where the message stands; with --table, a column")
    add("--pos-field", default="pos", help="with --table: the column of positions, whole numbers that grow")
    add("--files-per-batch", type=int, help="with --stream: at most so many new files in a batch")
    add("--partitions", type=int, help="partitions of shuffles [default: the engine's]")
    add("--edges-in-one-task", type=int, default=5_000_000, help="pairs that one task decides about (32 bytes each)")
    add("--tables-at-once", type=int, help="tables that are shuffled at a time [default: all]")
    add("--quiet", action="store_true")
    near = parser.add_argument_group("as of quchong dedup")
    for row in told_settings():
        metavar = row["value"] or "|".join(row["words"])
        told = row["help"] + (f" [default: {row['default']}]" if row["default"] else "")
        kinds = {"max-distance": {"type": int}, "max-line": {"type": size, "default": row["default"]}}
        near.add_argument(f"--{row['name']}", metavar=metavar, help=told.replace("%", "%%"), **kinds.get(row["name"], {}))
    # A list may begin with a dash.
    given = re.sub("\0--normalise\0-", "\0--normalise=-", "\0".join(["", *sys.argv[1:]])).split("\0")[1:]
    args, unknown = parser.parse_known_args(given)
    if unknown:
        name = unknown[0].partition("=")[0]
        if name[2:] in [row["name"] for row in all_settings(os.path.abspath(args.binary))]:
            raise Refused(f"{name}: is an option of quchong dedup, and the job cannot do that; leave it out, or use one process")
        raise Refused(f"{name}: there is no such option; --help lists all")
    if args.stream and not args.table:
        raise Refused("--stream: reads tables; give --table too")
    if args.stream and len(args.input) > 1:
        raise Refused(f"--stream: reads one folder or pattern, and {len(args.input)} inputs are given")
    if args.stream and args.overwrite:
        raise Refused("--overwrite: a stream goes on in its --output; name another to begin anew")
    if args.files_per_batch is not None and (not args.stream or args.files_per_batch < 1):
        raise Refused("--files-per-batch: is of --stream, and at least 1")
    if args.table and args.encoding:
        raise Refused("--encoding: does nothing with --table, whose texts are Unicode")
    for option, folder in [("--output", args.output), ("--work", args.work)]:
        if re.search(r"[*?\[\]{}]", folder):
            raise Refused(f"{option}: {folder} has a character of patterns (* ? [ ] {{ }}), which engines read otherwise than they write")
    args.output, args.work = absolute(args.output), absolute(args.work)
    if args.table:
        args.input = [absolute(name) for name in args.input]
    refuse_overlap(args.input, {"--output": args.output, "--work": args.work})
    return args


def told_settings() -> list[dict]:
    """The settings that the binary of the command line tells of; none if it tells nothing and help is all that is asked for."""
    first = Parser(add_help=False, allow_abbrev=False)
    first.add_argument("--binary", default=shutil.which("quchong") or "quchong")
    binary = first.parse_known_args()[0].binary
    try:
        return settings(os.path.abspath(binary))
    except Refused:
        if {"-h", "--help"} & set(sys.argv):
            return []
        raise


def sketch_options(args) -> list[str]:
    """The options that each sketch is made with."""
    names = sketch_names(os.path.abspath(args.binary))
    options = [(option, getattr(args, option[2:].replace("-", "_"))) for option in names]
    return [f"{option}={value}" for option, value in options if value is not None]


def read_table(spark: SparkSession, inputs: list[str], args) -> DataFrame:
    for name in inputs:
        # Sail takes what is not there for a table without columns.
        if not spark.read.parquet(name).columns:
            raise Refused(f"{name}: no such table")
    return table_columns(spark.read.parquet(*inputs), args.pos_field, args.field)


def decide_all(spark: SparkSession, args):
    job = Job(
        spark,
        os.path.abspath(args.binary),
        args.work,
        sketch_options(args),
        args.max_distance,
        args.partitions,
        args.edges_in_one_task,
        args.tables_at_once,
        args.max_line,
        args.quiet,
        args.window,
    )
    job.tell(f"stages are in {job.work}")
    try:
        decide_inputs(job, args)
    except Exception as error:
        reason = reason_of(error)
        if not reason or not os.path.isdir(place(job.work)):
            raise
        raise Refused(f"{reason}; stages are left in {job.work}") from error
    job.leave()


def decide_inputs(job: Job, args):
    if not args.table:
        sketches, files = sketch_files(job, args.input, args.field)
        job.tell(f"{len(files):,} files")
        batch(job, sketches, args.output, args.overwrite)
    elif not args.stream:
        batch(job, sketch_rows(job, read_table(job.spark, args.input, args)), args.output, args.overwrite)
    elif not job.ships_files:
        raise Refused("--stream: is for Spark; Sail cannot do it")
    else:
        [name] = args.input
        read_table(job.spark, [name], args)
        source = job.spark.readStream.schema(job.spark.read.parquet(name).schema)
        if args.files_per_batch:
            source = source.option("maxFilesPerTrigger", args.files_per_batch)
        stream(job, table_columns(source.parquet(name), args.pos_field, args.field), args.output).awaitTermination()


def reachable(remote: str):
    """Refuses an address at which nobody listens, where a client would try for ten minutes."""
    address = re.fullmatch(r"sc://(\[[^\]]+\]|[^:/;\[\]]+)(?::(\d{1,5}))?(?:/.*)?", remote)
    if not address:
        raise Refused(f"--remote: {remote} is not sc://host:port")
    host, port = address[1].strip("[]"), int(address[2] or CONNECT_PORT)
    try:
        socket.create_connection((host, port), timeout=CONNECT_SECONDS).close()
    except (OSError, OverflowError) as error:
        raise Refused(f"--remote: {remote} does not answer: {error}") from None


def reason_of(error: Exception) -> str | None:
    """Why the job failed, in a line for its user, if it is known."""
    if isinstance(error, Refused):
        return str(error)
    # What a task or a batch of a stream refuses comes wrapped in the engine's words.
    refused = re.search(r"\b(?:Refused|RuntimeError): (.+)", str(error))
    if refused and not isinstance(error, AnalysisException):
        return refused[1]
    return first_line(error) if isinstance(error, PySparkException) else None


def main() -> int:
    try:
        args = arguments()
        builder = SparkSession.builder.appName("quchong")
        if args.remote:
            reachable(args.remote)
            builder = builder.remote(args.remote)
        spark = builder.getOrCreate()
        try:
            decide_all(spark, args)
        finally:
            spark.stop()
    except Exception as error:
        reason = reason_of(error)
        if not reason:
            raise
        print(f"quchong: error: {reason}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
