"""Deduplicates short Chinese texts: exact and near repeats, in the order of a feed.

>>> import quchong
>>> dedup = quchong.Deduplicator()
>>> dedup.judge("武汉加油！中国加油！")
Verdict(kind='kept')
>>> dedup.judge("武漢加油！中國加油!")
Verdict(kind='exact', of=1)
"""

from __future__ import annotations

import json
import numbers
import os
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any, Union

from ._quchong import (
    Deduplicator,
    Explanation,
    Normalised,
    Report,
    Verdict,
    Verdicts,
    evaluate_file,
    normalise,
    simhash,
)

__version__ = version("quchong")

__all__ = [
    "Deduplicator",
    "Explanation",
    "Normalised",
    "Pair",
    "Report",
    "Verdict",
    "Verdicts",
    "evaluate",
    "normalise",
    "simhash",
]

#: A labelled pair: (a, b, label), or a mapping with these keys and maybe "kind" and "src".
Pair = Union[tuple[str, str, int], Mapping[str, Any]]


def _record(pair: Pair) -> dict[str, Any]:
    """A pair as JSONL has it; ValueError if it is none."""
    if isinstance(pair, Mapping):
        record: dict[str, Any] = {field: pair.get(field) for field in ("a", "b", "label")}
        record.update((field, pair[field]) for field in ("kind", "src") if isinstance(pair.get(field), str))
    elif isinstance(pair, (tuple, list)) and len(pair) == 3:
        record = dict(zip(("a", "b", "label"), pair))
    else:
        raise ValueError(f"not (a, b, label), nor a mapping with these keys: {type(pair).__name__}")
    label = record.pop("label")
    if not isinstance(label, numbers.Integral) or label not in (0, 1, 2):
        raise ValueError(f"label is {label!r}, not 1 (b repeats a), 0 (it does not) or 2 (nobody can say)")
    for field, text in record.items():
        if not isinstance(text, str):
            raise ValueError(f"{field} is not a str: {type(text).__name__}")
        try:
            text.encode()
        except UnicodeEncodeError:
            raise ValueError(f"{field} is no Unicode: it has a lone surrogate") from None
    # 1 and True are one label.
    return {**record, "label": int(label)}


def evaluate(
    pairs: str | os.PathLike[str] | Iterable[Pair],
    *,
    engines: Sequence[str] = (),
    min_precision: float = 0.97,
    threads: int | None = None,
) -> Report:
    """Measures how many repeats each engine finds among labelled pairs, and what else it takes for one.

    A label is 1 if b repeats an earlier a, 0 if not, 2 if nobody can say. pairs is a JSONL file of them, or the pairs. engines
    are names that `quchong evaluate --engine` knows; default: all.
    """
    if isinstance(engines, str):
        raise TypeError(f"engines is one string; give a list: [{engines!r}]")
    if isinstance(pairs, (str, os.PathLike)):
        return evaluate_file(Path(pairs), os.fspath(pairs), list(engines), min_precision, threads)
    if hasattr(pairs, "columns"):
        raise TypeError('pairs is a table; give its rows, as .to_dict("records") of pandas does')
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "pairs.jsonl")
        decided = 0
        with path.open("w", encoding="utf-8") as file:
            for at, pair in enumerate(pairs):
                try:
                    record = _record(pair)
                except ValueError as error:
                    raise ValueError(f"pairs[{at}]: {error}") from None
                decided += record["label"] != 2
                file.write(json.dumps(record, ensure_ascii=False) + "\n")
        if not decided:
            raise ValueError("there is nothing to measure: none of the pairs has a label of 0 or 1")
        return evaluate_file(path, "pairs", list(engines), min_precision, threads)
