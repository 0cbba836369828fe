"""quchong as a block of datatrove.

    LocalPipelineExecutor(pipeline=[
        JsonlReader("posts"),
        Quchong(exclusion_writer=JsonlWriter("repeats"), preset="weibo"),
        JsonlWriter("kept"),
    ], tasks=1).run()
"""

from __future__ import annotations

from typing import Any

from datatrove.pipeline.filters.base_filter import BaseFilter

import quchong


class Quchong(BaseFilter):  # type: ignore[misc]
    """Drops documents that repeat an earlier one, by the rule of quchong for short Chinese texts.

    Options are those of quchong.Deduplicator. The document's id is the id of its message, and time_key names the metadata with its
    time, as the option scope names those within which messages repeat each other. A repeat has its verdict in its metadata, under "quchong", when it goes to exclusion_writer; with drop=False it stays.
    All documents must come to one task: a repeat is found only by the deduplicator that saw the first."""

    type = "🫂 - DEDUP"
    name = "quchong"

    def __init__(
        self,
        exclusion_writer: Any = None,
        batch_size: int = 1000,
        time_key: str | None = None,
        drop: bool = True,
        **options: Any,
    ) -> None:
        super().__init__(exclusion_writer, batch_size)
        self.time_key, self.drop, self.options = time_key, drop, options
        self.dedup: quchong.Deduplicator | None = None

    def run(self, data: Any, rank: int = 0, world_size: int = 1) -> Any:
        if world_size > 1:
            raise ValueError(f"quchong needs all documents in one task, not in {world_size}: set tasks=1")
        with quchong.Deduplicator(**self.options) as self.dedup:
            yield from super().run(data, rank, world_size)
        self.dedup = None

    def filter(self, doc: Any) -> Any:
        return self.filter_batch([doc])[0]

    def filter_batch(self, batch: list[Any]) -> list[Any]:
        assert self.dedup, "filter is called by run"
        times = [doc.metadata.get(self.time_key) for doc in batch] if self.time_key else None
        names = self.options["scope"].split(",") if self.options.get("scope") else None
        scopes = [tuple(map(doc.metadata.get, names)) for doc in batch] if names else None
        verdicts = self.dedup.judge_batch([doc.text for doc in batch], [doc.id for doc in batch], times, scopes)
        for doc, verdict in zip(batch, verdicts):
            if not verdict.kept:
                told = {name: getattr(verdict, name) for name in ("kind", "of", "engine", "similarity", "distance")}
                doc.metadata["quchong"] = {name: value for name, value in told.items() if value is not None}
        return [True if verdict.kept or not self.drop else (False, verdict.kind) for verdict in verdicts]
