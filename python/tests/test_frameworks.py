"""The adapters, inside the frameworks for which they are; and what the guide says of each, as it stands there."""

import gzip
import importlib
import json
import os
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

import quchong

ROOT = Path(__file__).resolve().parent.parent.parent
GUIDES = ["docs/guide/python.md", "docs/zh/guide/python.md"]
TEXTS = {"a": "武汉加油！中国加油！", "b": "武漢加油！中國加油!", "c": "下雨了", "d": "转发微博 //@小王:武汉加油！中国加油！"}
SOME = 3000


@pytest.fixture
def datatrove():
    return pytest.importorskip("datatrove", reason="datatrove is not installed: pip install datatrove orjson")


@pytest.fixture
def data_juicer(monkeypatch):
    """It installs what it misses by itself, which no test needs."""
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("UV_OFFLINE", "1")
    if not os.environ.get("QUCHONG_FRAMEWORKS"):
        pytest.skip("data-juicer is tested on request only: QUCHONG_FRAMEWORKS=1 python/run-tests.sh")
    return importlib.import_module("quchong.data_juicer")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The working folder, with four posts; two of them repeat the first."""
    lines = "".join(json.dumps({"id": id, "text": text}, ensure_ascii=False) + "\n" for id, text in TEXTS.items())
    (tmp_path / "posts").mkdir()
    for name in ("posts.jsonl", "posts/posts.jsonl"):
        (tmp_path / name).write_text(lines, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture(scope="module")
def judged(posts):
    """Some posts, and the verdicts that the module itself gives."""
    records = posts[1][:SOME]
    dedup = quchong.Deduplicator(preset="weibo")
    verdicts = dedup.judge_batch([record["text"] for record in records], ids=[str(record["id"]) for record in records])
    assert {"kept", "near"} <= set(verdicts.kind)
    return records, verdicts, dedup.counts


def block(guide, language, word):
    """The block of a page that has a word."""
    blocks = (ROOT / guide).read_text(encoding="utf-8").split("```")[1::2]
    found = [block for block in blocks if block.startswith(f"{language}\n") and word in block]
    assert len(found) == 1, f"{guide}: {len(found)} blocks with {word}"
    return found[0].removeprefix(f"{language}\n")


def lines_of(path):
    read = gzip.open if path.suffix == ".gz" else open
    with read(path, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


@pytest.mark.parametrize("guide", GUIDES)
def test_datatrove_as_in_the_guide(datatrove, folder, guide):
    done = subprocess.run([sys.executable, "-c", block(guide, "python", "quchong.datatrove")], capture_output=True, text=True)
    assert done.returncode == 0 and "dropped_exact: 1, dropped_near: 1" in done.stderr, done.stderr
    assert [document["id"] for document in lines_of(folder / "kept/00000.jsonl.gz")] == ["a", "c"]
    exact, near = lines_of(folder / "repeats/00000.jsonl.gz")
    assert exact["metadata"]["quchong"] == {"kind": "exact", "of": "a"} and exact["metadata"]["filter_reason"] == "exact"
    assert near["metadata"]["quchong"] == {"kind": "near", "of": "a", "engine": "overlap", "similarity": 1.0}


@pytest.mark.parametrize("drop", [True, False])
def test_datatrove_gives_the_same_verdicts(datatrove, judged, drop):
    from datatrove.data import Document

    from quchong.datatrove import Quchong

    records, verdicts, counts = judged
    step = Quchong(batch_size=700, drop=drop, preset="weibo")
    documents = [Document(text=record["text"], id=str(record["id"])) for record in records]
    passed = list(step.run(iter(documents)))
    kept = [document for document, verdict in zip(documents, verdicts) if verdict.kept]
    assert passed == (kept if drop else documents)
    assert [document.metadata.get("quchong", {}).get("of") for document in documents] == verdicts.of
    stats = {name: step.stats[name].total for name in ("total", "forwarded", "dropped", "dropped_exact", "dropped_near")}
    gone = counts["exact"] + counts["near"]
    told = [SOME, SOME - gone, gone, counts["exact"], counts["near"]] if drop else [SOME, SOME, 0, 0, 0]
    assert list(stats.values()) == told


def test_datatrove_keeps_scopes_apart(datatrove):
    from datatrove.data import Document

    from quchong.datatrove import Quchong

    authors = [{"by": "甲"}, {"by": "乙"}, {"by": "甲"}, {}, {"by": None}]
    documents = [Document(text="武汉加油！中国加油！", id=str(at), metadata=author) for at, author in enumerate(authors)]
    assert [document.id for document in Quchong(scope="by").run(iter(documents))] == ["0", "1", "3"]


def test_datatrove_refuses_what_would_miss_repeats(datatrove):
    from quchong.datatrove import Quchong

    with pytest.raises(ValueError, match="tasks=1"):
        next(Quchong().run(iter([]), rank=1, world_size=2))
    with pytest.raises(TypeError, match="no option is called 'nearly'"):
        next(Quchong(nearly="simhash").run(iter([])))


@pytest.mark.parametrize("guide", GUIDES)
def test_data_juicer_as_in_the_guide(data_juicer, folder, guide):
    (folder / "recipe.yaml").write_text(block(guide, "yaml", "quchong_deduplicator"), encoding="utf-8")
    command = Path(sysconfig.get_path("scripts"), "dj-process")
    done = subprocess.run([command, "--config", "recipe.yaml"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "{'in': 4, 'kept': 2, 'exact': 1, 'near': 1, 'error': 0}" in done.stderr
    assert [sample["id"] for sample in lines_of(folder / "kept.jsonl")] == ["a", "c"]
    (trace,) = folder.glob("*/trace/duplicate-quchong_deduplicator.jsonl")
    pairs = [(pair["dup1"]["id"], pair["dup2"]["id"], pair["dup2"]["__dj__stats__"]["quchong_kind"]) for pair in lines_of(trace)]
    assert pairs == [("a", "b", "exact"), ("a", "d", "near")]


@pytest.mark.parametrize("id_key", ["id", None])
@pytest.mark.parametrize("drop", [True, False])
def test_data_juicer_gives_the_same_verdicts(data_juicer, judged, drop, id_key, monkeypatch):
    from datasets import Dataset

    records, verdicts, _ = judged
    monkeypatch.setattr(data_juicer, "BATCH", 700)
    dataset = Dataset.from_list([{"id": str(record["id"]), "text": record["text"]} for record in records])
    operator = data_juicer.QuchongDeduplicator(id_key=id_key, drop=drop, options={"preset": "weibo"})
    passed = operator.run(dataset)
    kept = [str(record["id"]) for record, verdict in zip(records, verdicts) if verdict.kept]
    assert list(passed["id"]) == (kept if drop else list(dataset["id"]))
    if not drop:
        assert [stats["quchong_kind"] for stats in passed["__dj__stats__"]] == verdicts.kind
        ofs = [stats["quchong_of"] for stats in passed["__dj__stats__"]]
        assert ofs == verdicts.of if id_key else all(of is None or of.isdigit() for of in ofs)


def test_data_juicer_goes_on_from_a_state(data_juicer, tmp_path):
    from datasets import Dataset

    dataset = Dataset.from_dict({"id": list(TEXTS), "text": list(TEXTS.values())})
    operator = data_juicer.QuchongDeduplicator(id_key="id", options={"state": str(tmp_path / "seen")})
    first, pairs = operator.process(dataset, 10)
    assert list(first["id"]) == ["a", "c"] and [pairs[at][0]["id"] for at in (1, 3)] == ["a", "a"]
    again = data_juicer.QuchongDeduplicator(id_key="id", options={"against": [str(tmp_path / "seen")]})
    rest, pairs = again.process(dataset, 10)
    assert len(rest) == 0 and [pair[0] for pair in pairs.values()] == [None] * 4
    assert json.loads(pairs[0][1]["__dj__stats__"]["quchong_of"])["id"] == "a"
