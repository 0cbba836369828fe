"""quchong as an operator of data-juicer, which finds it by itself (from 1.6 on) where this package is installed.

A recipe names it as any other operator:

    process:
      - quchong_deduplicator:
          id_key: id
          options: {preset: weibo}
"""

from __future__ import annotations

import json
from typing import Any

from data_juicer.ops.base_op import OP, OPERATORS, Deduplicator
from data_juicer.utils.constant import Fields
from loguru import logger

import quchong

#: Samples that are read at a time.
BATCH = 10_000


@OPERATORS.register_module("quchong_deduplicator")
class QuchongDeduplicator(Deduplicator):  # type: ignore[misc]
    """Removes samples that repeat an earlier one, by the rule of quchong for short Chinese texts.

    The first of each cluster stays. The trace has what was removed, beside what it repeats, with the verdict in its stats."""

    def __init__(
        self,
        id_key: str | None = None,
        time_key: str | None = None,
        drop: bool = True,
        options: dict[str, Any] | None = None,
        *args: Any,
        **kwargs: Any,
    ) -> None:
        """
        Initialization method.

        :param id_key: the field with the id of a sample; without it, a sample's position, from 1, is its id
        :param time_key: the field with the time of a sample, for a window of time
        :param drop: whether repeats are removed; if not, the stats of every sample have its verdict
        :param options: keyword arguments of quchong.Deduplicator, as in {preset: weibo, window: 24h}; scope names fields of samples
        :param args: extra args
        :param kwargs: extra args
        """
        super().__init__(*args, **kwargs)
        self.id_key, self.time_key, self.drop, self.options = id_key, time_key, drop, options or {}

    def run(self, dataset: Any, *, exporter: Any = None, tracer: Any = None, reduce: bool = True) -> Any:
        # Its parent's run hashes each sample first, and asks PyTorch to free models after.
        kept, pairs = self.process(OP.run(self, dataset), tracer.show_num if tracer else 0, self.drop and reduce)
        if tracer:
            tracer.trace_deduplicator(self._name, pairs)
        return kept

    def process(self, dataset: Any, show_num: int = 0, drop: bool = True) -> tuple[Any, dict[int, list[Any]]]:
        """The data set after this operator, and the first show_num pairs of a sample that stays and one that repeats it."""
        verdicts: list[quchong.Verdict] = []
        places: dict[Any, int] = {}
        with quchong.Deduplicator(**self.options) as dedup:
            for start in range(0, len(dataset), BATCH):
                batch = dataset[start : start + BATCH]
                texts, ids = batch[self.text_key], batch[self.id_key] if self.id_key else None
                times = batch[self.time_key] if self.time_key else None
                names = self.options["scope"].split(",") if self.options.get("scope") else None
                scopes = list(zip(*(batch[name] for name in names))) if names else None
                verdicts += dedup.judge_batch(texts, ids, times, scopes)
                for place, own in enumerate(ids or [None] * len(texts), start):
                    places.setdefault(place + 1 if own is None else own, place)
            logger.info(f"quchong: {dedup.counts}")
        pairs = {}
        for place in [place for place, verdict in enumerate(verdicts) if not verdict.kept][:show_num]:
            of = verdicts[place].of
            # What an earlier run or an archive has is not in this data set.
            first = None if isinstance(of, dict) or of not in places else dataset[places[of]]
            pairs[place] = [first, _told(dataset[place], verdicts[place])]
        if drop:
            return dataset.select([place for place, verdict in enumerate(verdicts) if verdict.kept]), pairs
        return dataset.map(lambda sample, place: _told(sample, verdicts[place]), with_indices=True), pairs


def _told(sample: Any, verdict: quchong.Verdict) -> dict[str, Any]:
    """The sample with its verdict in its stats."""
    # One type for a column of ids: those of an archive are objects, and positions are numbers.
    of = verdict.of if verdict.of is None or isinstance(verdict.of, str) else json.dumps(verdict.of, ensure_ascii=False)
    told = {"kind": verdict.kind, "of": of, "engine": verdict.engine, "similarity": verdict.similarity, "distance": verdict.distance}
    return {**sample, Fields.stats: {**(sample.get(Fields.stats) or {}), **{f"quchong_{name}": told[name] for name in told}}}
