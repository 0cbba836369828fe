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
    if isinstance(pairs, (str, os.PathLike)):
        return evaluate_file(Path(pairs), os.fspath(pairs), list(engines), min_precision, threads)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "pairs.jsonl")
        with path.open("w", encoding="utf-8") as file:
            for pair in pairs:
                record: dict[str, Any] = dict(pair) if isinstance(pair, Mapping) else dict(zip(("a", "b", "label"), pair))
                # 1 and True are one label.
                record["label"] = int(record["label"])
                file.write(json.dumps(record) + "\n")
        return evaluate_file(path, "pairs", list(engines), min_precision, threads)
