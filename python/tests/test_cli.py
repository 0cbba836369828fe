"""The command line says the same of the same messages."""

import json
import subprocess

import pytest

import quchong


def annotated(cli, path, *options):
    """What the command line says of each record."""
    command = [cli, "dedup", "--output", "annotated", "--quiet", *options, path]
    output = subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout
    notes = [json.loads(line)["quchong"] for line in output.splitlines()]
    for note in notes:
        # A record without an id goes by its line, or under a state by its number; here, a text goes by its position.
        if isinstance(note.get("of"), dict):
            (note["of"],) = note["of"].values()
    return notes


def shown(verdict):
    """A verdict as the command line writes it."""
    note = {"verdict": verdict.kind}
    if verdict.kind == "error":
        return {**note, "error": "not-a-string"}
    if verdict.kind != "kept":
        note["of"] = verdict.of
    if verdict.kind == "near":
        note["engine"] = verdict.engine
        if verdict.distance is not None:
            note["distance"] = verdict.distance
        else:
            # Rounded down to hundredths.
            note["similarity"] = int(round(verdict.similarity * 1000)) // 10 / 100
    return note


@pytest.mark.parametrize(
    ("options", "flags"),
    [
        ({}, []),
        ({"preset": "simhash"}, ["--preset", "simhash"]),
        ({"near": "simhash", "shingle": "char:3"}, ["--near", "simhash", "--shingle", "char:3"]),
        ({"near": "minhash", "window": 20000}, ["--near", "minhash", "--window", "20k"]),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_verdicts_are_those_of_the_command_line(cli, posts, options, flags):
    path, records = posts
    dedup = quchong.Deduplicator(**options)
    texts, ids = [record["text"] for record in records], [record.get("id") for record in records]
    verdicts = []
    for start in range(0, len(texts), 7000):
        verdicts += map(shown, dedup.judge_batch(texts[start : start + 7000], ids[start : start + 7000]))
    expected = annotated(cli, path, *flags)
    assert len({note["verdict"] for note in expected}) == 3
    assert verdicts == expected


def test_a_window_of_time_is_that_of_the_command_line(cli, posts, tmp_path):
    _, records = posts
    path = tmp_path / "timed.jsonl"
    texts = [record["text"] for record in records[:5000]]
    times = [1_540_958_400 + 7 * at for at in range(len(texts))]
    lines = [json.dumps({"text": text, "created_at": time}) + "\n" for text, time in zip(texts, times)]
    path.write_text("".join(lines), encoding="utf-8")
    verdicts = quchong.Deduplicator(window="1h").judge_batch(texts, times=times)
    expected = annotated(cli, path, "--window", "1h")
    assert list(map(shown, verdicts)) == expected
    assert expected != annotated(cli, path)


def test_what_is_no_text_is_an_error_of_the_command_line(cli, tmp_path):
    texts = ["今天的武汉，樱花开了", None, "", "今天的武汉，樱花开了", " "]
    path = tmp_path / "some.jsonl"
    path.write_text("".join(json.dumps({"text": text}) + "\n" for text in texts), encoding="utf-8")
    assert list(map(shown, quchong.Deduplicator().judge_batch(texts))) == annotated(cli, path)


def test_a_state_is_shared_with_the_command_line(cli, posts, tmp_path):
    _, records = posts
    third = len(records) // 30
    parts = [records[at * third : (at + 1) * third] for at in range(3)]
    texts = [[record["text"] for record in part] for part in parts]
    ids = [[f"{at}-{n}" for n in range(third)] for at in range(3)]
    expected = quchong.Deduplicator().judge_batch(sum(texts, []), sum(ids, []))

    with quchong.Deduplicator(state=tmp_path / "state") as dedup:
        begun = dedup.judge_batch(texts[0], ids[0])
    middle = tmp_path / "middle.jsonl"
    lines = [json.dumps({"id": id, "text": text}) + "\n" for id, text in zip(ids[1], texts[1])]
    middle.write_text("".join(lines), encoding="utf-8")
    went_on = annotated(cli, middle, "--state", tmp_path / "state")
    ended = quchong.Deduplicator.load(tmp_path / "state").judge_batch(texts[2], ids[2])
    assert [*map(shown, begun), *went_on, *map(shown, ended)] == list(map(shown, expected))
    assert json.loads(subprocess.check_output([cli, "state", "info", "--format", "json", tmp_path / "state"]))["messages"] == 3 * third


def test_normalise_and_explain_are_those_of_the_command_line(cli, posts):
    _, records = posts
    texts = [record["text"] for record in records[:50]]
    lines = subprocess.check_output([cli, "normalise", "--normalise", "all,-url", "--", *texts]).splitlines()
    for text, line in zip(texts, lines):
        form = quchong.normalise(text, "all,-url")
        assert {"canonical": form.canonical, "body": form.body, "topics": form.topics} == json.loads(line)
    dedup = quchong.Deduplicator(near="simhash")
    for a, b in zip(texts[:10], texts[1:]):
        said = subprocess.check_output([cli, "explain", "--near", "simhash", "--format", "json", "--", a, b])
        explanation = dedup.explain(a, b)
        assert explanation.to_dict() == json.loads(said)
        of_a, of_b = quchong.simhash(a), quchong.simhash(b)
        # A message of nothing but wrapping has no fingerprint.
        distance = None if of_a is None or of_b is None else bin(of_a ^ of_b).count("1")
        assert distance == explanation.distance
