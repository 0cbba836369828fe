"""What Python sees: values, errors, threads."""

import copy
import datetime
import json
import os
import pickle
import signal
import subprocess
import threading
import traceback
import types

import pytest

import quchong

POST = "今天的武汉，樱花开了，我们都在等你回来。"
REPOST = "转发微博 //@小王:" + POST


def test_a_verdict_says_what_was_found():
    dedup = quchong.Deduplicator()
    kept, exact, near, other = (dedup.judge(text) for text in (POST, POST, REPOST, "下雨了"))
    assert [v.kind for v in (kept, exact, near, other)] == ["kept", "exact", "near", "kept"]
    assert (kept.of, kept.engine, kept.similarity, kept.distance) == (None, None, None, None)
    assert (exact.of, near.of, near.engine, near.similarity) == (1, 1, "overlap", 1.0)
    assert repr(near) == "Verdict(kind='near', of=1, engine='overlap', similarity=1.0)"
    assert (kept.kept, near.kept) == (True, False)
    with pytest.raises(TypeError, match=r"\.kept"):
        bool(kept)
    assert kept == other and kept != near
    far = quchong.Deduplicator(near="simhash").judge_batch([POST, REPOST])[1]
    assert (far.engine, far.distance, far.similarity) == ("simhash", 0, None)
    assert dedup.counts == {"in": 4, "kept": 2, "exact": 1, "near": 1, "error": 0}


def test_notebooks_show_tables():
    dedup = quchong.Deduplicator()
    shown = dedup.judge_batch([POST, REPOST, None, *[POST] * 30], ids=["<b>", *range(32)])._repr_html_()
    assert shown.startswith("<p>33 messages: 1 kept, 30 exact, 1 near, 1 error</p><table>") and "… and 11 more repeats" in shown
    assert "&lt;b&gt;" in shown and "<b>&lt;" not in shown and ">overlap</td>" in shown and ">1.000</td>" in shown
    assert dedup.judge_batch(["下雨了"])._repr_html_() == "<p>1 messages: 1 kept, 0 exact, 0 near, 0 error</p>"
    shown = dedup.explain("昨日新增确诊病例7例<均为境外输入", "昨日新增确诊病例9例<均为境外输入")._repr_html_()
    assert "<del>7</del> <ins>9</ins>" in shown and "<b>kept</b>: a fact differs (number): 7 / 9" in shown


@pytest.mark.parametrize("id", ["a-17", 'quo"te', 17, 0, 2**64 - 1, -3, 2**70])
def test_ids_come_back_as_they_went_in(id):
    dedup = quchong.Deduplicator()
    dedup.judge(POST, id=id)
    of = dedup.judge(POST).of
    assert of == id and type(of) is type(id)


def test_a_batch_is_its_messages_one_by_one():
    texts = [POST, None, REPOST, "", float("nan"), POST, "\ud800", "下雨了"]
    one_by_one = quchong.Deduplicator()
    expected = [one_by_one.judge(text) for text in texts]
    for threads in (1, 2, 5):
        verdicts = quchong.Deduplicator(threads=threads).judge_batch(iter(texts))
        assert list(verdicts) == expected
        assert verdicts.kind == ["kept", "error", "near", "kept", "error", "exact", "error", "kept"]
        assert verdicts.kept == [True, True, False, True, True, False, True, True]
        assert verdicts.of == [None, None, 1, None, None, 1, None, None]
        assert verdicts.to_dict()["similarity"] == [None, None, 1.0, None, None, None, None, None]
        assert (len(verdicts), verdicts[-1], verdicts[2]) == (8, expected[7], expected[2])
    with pytest.raises(IndexError):
        verdicts[8]
    assert len(quchong.Deduplicator().judge_batch([])) == 0


def test_nothing_of_a_batch_is_judged_if_a_part_cannot_be_read():
    dedup = quchong.Deduplicator()
    for texts, ids, error, message in [
        ([POST, 17], None, TypeError, r"texts\[1\]: .*not int"),
        ([POST, b"bytes"], None, TypeError, r"texts\[1\]"),
        (POST, None, TypeError, "one string"),
        ([POST], [1.5], TypeError, r"ids\[0\]"),
        ([POST, POST], [1], ValueError, "2 texts and 1 ids"),
        (17, None, TypeError, "iterable"),
        ({"text": [POST]}, None, TypeError, r'batch\["text"\], or input_columns="text"'),
        (types.MappingProxyType({"text": [POST]}), None, TypeError, "texts is a mapping"),
        ([POST], {"id": ["a"]}, TypeError, "ids is a mapping"),
        ({POST, REPOST}, None, TypeError, "texts is a set, which has no order; give a list"),
        (frozenset([POST]), None, TypeError, "texts is a set"),
        ([POST, POST], ["x", "\ud800"], ValueError, r"^ids\[1\]: .*surrogates"),
    ]:
        with pytest.raises(error, match=message):
            dedup.judge_batch(texts, ids)
    with pytest.raises(ValueError, match=r"times\[0\]: 'yesterday'"):
        dedup.judge_batch([POST], times=["yesterday"])

    class Unwritable:
        def isoformat(self):
            raise OSError("no clock")

    with pytest.raises(OSError, match="no clock"):
        dedup.judge_batch([POST], times=[Unwritable()])
    assert dedup.counts["in"] == 0


def test_a_batch_of_datasets_is_not_its_columns():
    posts = pytest.importorskip("datasets").Dataset.from_dict({"text": [POST, REPOST]})
    with pytest.raises(TypeError, match="input_columns"):
        posts.filter(lambda batch: quchong.Deduplicator().judge_batch(batch).kept, batched=True)


def test_options_are_checked():
    with pytest.raises(TypeError, match="no option is called 'max_distanse'; there are scope, keep, window, lateness"):
        quchong.Deduplicator(max_distanse=3)
    for options, message in [
        ({"max_distance": 99}, "^max_distance: 99 is out of range"),
        ({"max_distance": "three"}, "^max_distance: write a whole number"),
        ({"near": "simhahs"}, "there are hybrid, simhash, minhash, none"),
        ({"guard": False}, "there are facts, careful, off"),
        ({"near": "simhash", "similarity": 0.7}, "^similarity: does nothing"),
        ({"normalise": "urls"}, "no rule is called `urls`"),
        ({"window": "a day"}, "^window: write a number"),
        ({"threads": 0}, "^threads: 0"),
        ({"scope": "a,,b"}, "^scope: .*one to eight names of fields"),
        ({"keep": 2, "exact": "bloom"}, "^keep: does nothing"),
        ({"lateness": "1s"}, "^lateness: does nothing without a window of time"),
        ({"max_memory": 1000}, "^max_memory: .* a smaller verify_window or capacity"),
    ]:
        with pytest.raises(ValueError, match=message):
            quchong.Deduplicator(**options)
    # As people write numbers, and as Python has them; None leaves one out.
    assert quchong.Deduplicator(capacity=1e7, verify_window="10k", shingle=None, near=None)


def test_scopes_are_those_of_a_run(cli, tmp_path):
    """As `quchong dedup --scope` sees them: 1, 1.0 and "1" are one value, and none is a value of its own."""
    scopes = [("甲", 1), ["甲", 1.0], ("乙", "1"), ("甲", True), ("甲", "true"), None, (None, ""), ("甲", -0.0), ("甲", 0)]
    posts = [{"id": at, "text": POST, **dict(zip(("by", "day"), scope or ()))} for at, scope in enumerate(scopes)]
    (tmp_path / "posts.jsonl").write_text("".join(json.dumps(post) + "\n" for post in posts), encoding="utf-8")

    def run(*args):
        return subprocess.run([cli, "dedup", "-q", "--scope", "by,day", *args], cwd=tmp_path, check=True, capture_output=True).stdout

    lines = run("posts.jsonl", "--output", "annotated").splitlines()
    of = [json.loads(line)["quchong"].get("of") for line in lines]
    assert of == [None, 0, None, None, 3, None, 5, None, 7]
    dedup = quchong.Deduplicator(scope="by,day", state=str(tmp_path / "state"))
    assert dedup.judge_batch([POST] * len(posts), ids=range(len(posts)), scopes=scopes).of == of
    assert dedup.judge(POST, scope=("乙", 1)).of == 2 and dedup.judge(POST, scope=("丙", 1)).kept
    assert dedup.explain(POST, REPOST).verdict == "near"
    with pytest.raises(ValueError, match="scopes are missing"):
        dedup.judge_batch([POST])
    with pytest.raises(ValueError, match="^scope: a message has 1 values, and 2 fields are named"):
        dedup.judge(POST, scope="甲")
    with pytest.raises(TypeError, match=r"scopes\[1\]: a scope is a str"):
        dedup.judge_batch([POST, POST], scopes=[("甲", 1), {"by": "甲"}])
    with pytest.raises(ValueError, match="^scope: a message has 1 values, and 0 fields"):
        quchong.Deduplicator().judge(POST, scope="甲")
    dedup.close()
    (tmp_path / "more.jsonl").write_text(json.dumps({"text": POST, "by": "丙", "day": "1"}), encoding="utf-8")
    assert b'"verdict":"exact"' in run("more.jsonl", "--state", "state", "--output", "dropped")


def test_the_stub_knows_every_option():
    from pathlib import Path

    with pytest.raises(TypeError) as error:
        quchong.Deduplicator(nothing=1)
    known = str(error.value).split("there are ")[1].split(", ")
    stub = Path(quchong.__file__).with_name("_quchong.pyi").read_text(encoding="utf-8")
    options = stub.split("class _Options")[1].split('"""')[2].split("@final")[0]
    assert [line.split(":")[0].strip() for line in options.strip().splitlines()] == known
    assert all(option in quchong.Deduplicator.__doc__ for option in known)


def test_time_is_what_a_window_goes_by():
    noon = datetime.datetime(2018, 10, 31, 12, tzinfo=datetime.timezone(datetime.timedelta(hours=8)))
    for early, late, repeats in [
        (noon, noon + datetime.timedelta(minutes=59), True),
        (1_540_958_400, "2018-10-31T04:59:00Z", True),
        (1_540_958_400_000, noon + datetime.timedelta(minutes=61), False),
    ]:
        dedup = quchong.Deduplicator(window="1h")
        dedup.judge(POST, time=early)
        # A lone time beyond the window would be taken for a clock that goes wrong.
        dedup.judge("下雨了", time=noon + datetime.timedelta(minutes=30))
        assert dedup.judge(POST, time=late).kept is not repeats


def test_many_threads_may_use_one():
    dedup, texts, found = quchong.Deduplicator(threads=2), [f"第{n}条消息说的是另一件事{n * n}" for n in range(300)], []

    def work():
        for start in range(0, len(texts), 50):
            found.append(dedup.judge_batch(texts[start : start + 50]))
            dedup.judge(texts[start])

    workers = [threading.Thread(target=work) for _ in range(8)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(timeout=60)
    assert not any(worker.is_alive() for worker in workers)
    assert dedup.counts["in"] == 8 * (len(texts) + 6)
    # Of each text one was kept, whoever came first.
    alone = quchong.Deduplicator().judge_batch(texts)
    assert sum(sum(verdicts.kept) for verdicts in found) == sum(alone.kept)


def test_the_gil_is_free_while_a_batch_is_judged():
    dedup, texts = quchong.Deduplicator(threads=1, near="simhash"), [f"{n}：{POST}{n * 7919}" for n in range(20_000)]
    worker = threading.Thread(target=lambda: dedup.judge_batch(texts))
    worker.start()
    turns = 0
    while worker.is_alive():
        turns += 1
    assert turns > 1000


def test_a_state_goes_on(tmp_path):
    folder = tmp_path / "state"
    with pytest.raises(OSError):
        quchong.Deduplicator.load(folder)
    with quchong.Deduplicator(state=folder, near="simhash") as dedup:
        dedup.judge(POST, id="a")
        dedup.save()
        with pytest.raises(RuntimeError, match="in use"):
            quchong.Deduplicator.load(folder)
    with pytest.raises(ValueError, match="closed"):
        dedup.judge(POST)
    dedup.close()
    with pytest.raises(RuntimeError, match="made with near simhash, not near hybrid"):
        quchong.Deduplicator(state=folder)
    assert quchong.Deduplicator.load(folder).judge(REPOST).of == "a"
    with pytest.raises(ValueError, match="nowhere"):
        quchong.Deduplicator().save()


def test_what_an_archive_has_is_dropped_and_the_archive_stays(tmp_path):
    folder = tmp_path / "archive"
    with quchong.Deduplicator(state=folder) as archive:
        archive.judge(POST, id="a")
    files = {path.name: path.read_bytes() for path in folder.iterdir()}
    for against in (folder, [str(folder)]):
        dedup = quchong.Deduplicator(against=against)
        verdict = dedup.judge(REPOST)
        assert (verdict.kept, verdict.of) == (False, {"against": str(folder), "id": "a"})
        assert dedup.judge_batch([POST, "下雨了"]).kept == [False, True]
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == files
    with pytest.raises(RuntimeError, match="no state in this folder"):
        quchong.Deduplicator(against=tmp_path)


def test_the_first_copies_go_through():
    dedup = quchong.Deduplicator(keep=2)
    verdicts = [dedup.judge(POST) for _ in range(3)]
    assert [(verdict.kept, verdict.copy) for verdict in verdicts] == [(True, None), (True, 2), (False, 3)]


def in_a_child(work):
    """What a function says in a fork of this process, which is killed if it hangs."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            signal.alarm(20)
            os.write(writer, work().encode())
            os._exit(0)
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(1)
    os.close(writer)
    with open(reader, encoding="utf-8") as said:
        words = said.read()
    assert os.waitpid(child, 0)[1] == 0
    return words


def all_are_refused(dedup):
    for asked in [
        lambda: dedup.judge(POST),
        lambda: dedup.judge_batch([POST]),
        lambda: dedup.explain(POST, REPOST),
        lambda: dedup.counts,
        dedup.save,
        dedup.close,
        dedup.__enter__,
        lambda: dedup.__exit__(None, None, None),
    ]:
        with pytest.raises(RuntimeError, match=rf"made in process {os.getppid()}; .*num_proc"):
            asked()
    return "refused"


def files(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
def test_a_fork_is_refused_and_leaves_the_state_alone(tmp_path):
    dedup = quchong.Deduplicator(state=tmp_path / "state")
    dedup.judge(POST)
    dedup.explain(POST, REPOST)
    before = files(tmp_path / "state")
    held = [dedup]
    del dedup

    def refused_and_dropped():
        words = all_are_refused(held[0])
        held.clear()
        return words

    assert in_a_child(refused_and_dropped) == "refused"
    assert files(tmp_path / "state") == before
    assert held[0].judge(REPOST).of == 1
    held[0].close()
    assert quchong.Deduplicator.load(tmp_path / "state").judge(POST).kind == "exact"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_fork_while_a_thread_judges_does_not_hang():
    dedup, texts = quchong.Deduplicator(threads=1, near="simhash"), [f"{n}：{POST}{n * 7919}" for n in range(20_000)]
    worker = threading.Thread(target=lambda: dedup.judge_batch(texts))
    worker.start()
    forks = 0
    while worker.is_alive() and forks < 20:
        assert in_a_child(lambda: all_are_refused(dedup)) == "refused"
        forks += 1
    worker.join()
    assert forks > 0 and dedup.counts["in"] == len(texts)


#: What datasets does not pickle, but finds in the fork as it was.
FORKED = []


def kinds_by_forked(batch):
    return {"kind": FORKED[0].judge_batch(batch["text"]).kind}


def test_processes_of_datasets_are_refused():
    posts = pytest.importorskip("datasets").Dataset.from_dict({"text": [POST, REPOST, "下雨了", POST]})
    if pytest.importorskip("multiprocess").get_start_method() != "fork":
        pytest.skip("datasets does not fork here")
    FORKED[:] = [quchong.Deduplicator()]
    with pytest.raises(RuntimeError, match="leave num_proc out"):
        posts.map(kinds_by_forked, batched=True, num_proc=2)


def test_copies_are_refused():
    for copied in (pickle.dumps, copy.copy, copy.deepcopy):
        with pytest.raises(TypeError, match="cannot be pickled"):
            copied(quchong.Deduplicator())


def test_a_pair_is_explained():
    explanation = quchong.Deduplicator().explain("昨日新增确诊病例7例，均为境外输入", "昨日新增确诊病例9例，均为境外输入")
    assert (explanation.verdict, explanation.reason) == ("kept", "a fact differs (number): 7 / 9")
    assert explanation.to_dict()["differs"] == [["7", "9"]]
    assert "7" in str(explanation) and explanation.otherwise


def test_fingerprints():
    assert quchong.simhash(POST) == quchong.simhash(REPOST) != quchong.simhash("下雨了")
    assert quchong.simhash(POST, shingle="word:2", weights="count") != quchong.simhash(POST)
    assert quchong.simhash("") is None
    with pytest.raises(ValueError, match="shingle"):
        quchong.simhash(POST, shingle="char:99")


def test_pairs_are_measured(tmp_path):
    pairs = [(POST, REPOST, 1), {"a": POST, "b": "今天下雨了", "label": False, "kind": "other"}, (POST, POST, True)]
    report = quchong.evaluate(pairs, engines=["default", "exact"])
    rows = report.to_dict()["engines"]
    assert [row["engine"] for row in rows] == ["default", "exact"]
    assert "| default" in str(report) and report.html().startswith("<!")
    path = tmp_path / "pairs.jsonl"
    path.write_text("".join(json.dumps({"a": POST, "b": REPOST, "label": 1}) + "\n"), encoding="utf-8")
    assert "1" in str(quchong.evaluate(path, engines=["default"]))
    with pytest.raises(ValueError, match="papre"):
        quchong.evaluate(pairs, engines=["papre"])


def test_what_is_no_pair_is_named():
    good = (POST, REPOST, 1)
    for pair, message in [
        ((POST, REPOST, 1.9), r"label is 1\.9, not 1 "),
        ((POST, REPOST, "1"), "label is '1'"),
        ((POST, REPOST, 3), "label is 3"),
        ((POST, REPOST, None), "label is None"),
        ({"a": POST, "b": REPOST}, "label is None"),
        ((POST, REPOST), r"not \(a, b, label\).*tuple"),
        (POST, r"not \(a, b, label\).*str"),
        ((POST, None, 0), "b is not a str: NoneType"),
        ({"b": REPOST, "label": 0}, "a is not a str"),
        ((POST, "\ud800", 0), "b is no Unicode"),
        ({"a": POST, "b": REPOST, "label": 0, "kind": "\ud800"}, "kind is no Unicode"),
    ]:
        with pytest.raises(ValueError, match=r"^pairs\[1\]: " + message):
            quchong.evaluate([good, pair], engines=["exact"])
    for nothing in ([], [(POST, REPOST, 2)]):
        with pytest.raises(ValueError, match="nothing to measure"):
            quchong.evaluate(nothing)
    with pytest.raises(TypeError, match=r"give a list: \['default'\]"):
        quchong.evaluate([good], engines="default")
    table = pytest.importorskip("pandas").DataFrame([good], columns=["a", "b", "label"])
    with pytest.raises(TypeError, match=r'pairs is a table.*to_dict\("records"\)'):
        quchong.evaluate(table)
    assert "1 labelled pair" in str(quchong.evaluate(table.to_dict("records"), engines=["exact"]))
