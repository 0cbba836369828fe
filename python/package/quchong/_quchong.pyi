"""The engine of the package `quchong`."""

import sys
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from os import PathLike
from types import TracebackType
from typing import Any, Literal, Protocol, TypedDict, Union, final, type_check_only

if sys.version_info >= (3, 11):
    from typing import Self, Unpack
else:
    from typing_extensions import Self, Unpack

__all__ = [
    "Deduplicator",
    "Explanation",
    "Normalised",
    "Report",
    "Verdict",
    "Verdicts",
    "evaluate_file",
    "normalise",
    "simhash",
]

_Id = Union[str, int]
_Time = Union[int, float, str, datetime]
_ScopeValue = Union[str, int, float, bool, None]
_Scope = Union[_ScopeValue, tuple[_ScopeValue, ...], list[_ScopeValue]]
_Kind = Literal["kept", "exact", "near", "error"]
_Engine = Literal["overlap", "simhash", "minhash"]

@type_check_only
class _Column(Protocol):
    """An array or a column of pyarrow, which cannot say what it holds."""

    def to_pylist(self) -> list[Any]: ...

@type_check_only
class _Options(TypedDict, total=False):
    """The options of `quchong dedup`, as its help explains them; None leaves one out."""

    scope: str | None
    keep: int | str | None
    window: int | str | None
    lateness: str | None
    refresh: bool | None
    max_memory: int | str | None
    on_full: Literal["expire-oldest", "stop"] | None
    exact: Literal["verified", "bloom", "trie", "paper-bloom", "paper-trie", "none"] | None
    exact_on: Literal["canonical", "raw"] | None
    capacity: int | str | None
    bloom_error: float | None
    bloom_bits: int | str | None
    bloom_hashes: int | None
    bloom_rounds: int | None
    bloom_rule: Literal["any", "all"] | None
    trie_hash: Literal["csharp-x86", "csharp-x64", "csharp-x86-unsigned", "csharp-x64-unsigned", "keyed"] | None
    preset: Literal["paper", "simhash", "weibo", "headline", "sms", "careful"] | None
    near: Literal["hybrid", "simhash", "minhash", "none"] | None
    similarity: float | None
    guard: Literal["facts", "careful", "off"] | None
    remarks: Literal["fold", "keep"] | None
    templates: Literal["keep", "fold"] | None
    verify_window: int | str | None
    max_distance: int | None
    shingle: str | None
    weights: Literal["once", "count"] | None
    permutations: int | None
    normalise: str | None
    markup: Literal["keep", "strip"] | None
    seed: int | str | None

@final
class Deduplicator:
    def __new__(
        cls,
        *,
        state: str | PathLike[str] | None = None,
        against: str | PathLike[str] | list[str | PathLike[str]] | None = None,
        threads: int | None = None,
        **options: Unpack[_Options],
    ) -> Self: ...
    @staticmethod
    def load(state: str | PathLike[str], *, threads: int | None = None) -> Deduplicator: ...
    def judge(
        self,
        text: str | None,
        id: _Id | None = None,
        time: _Time | None = None,
        scope: _Scope = None,
    ) -> Verdict: ...
    def judge_batch(
        self,
        texts: Iterable[str | None] | _Column,
        ids: Iterable[_Id | None] | _Column | None = None,
        times: Iterable[_Time | None] | _Column | None = None,
        scopes: Iterable[_Scope] | _Column | None = None,
    ) -> Verdicts: ...
    def explain(self, a: str, b: str) -> Explanation: ...
    @property
    def counts(self) -> dict[str, int]: ...
    def save(self) -> None: ...
    def close(self) -> None: ...
    def __enter__(self) -> Self: ...
    def __exit__(self, *_error: type[BaseException] | BaseException | TracebackType | None) -> None: ...
    def __reduce__(self) -> Any: ...

@final
class Verdict:
    @property
    def kind(self) -> _Kind: ...
    @property
    def kept(self) -> bool: ...
    @property
    def copy(self) -> int | None: ...
    @property
    def of(self) -> _Id | dict[str, Any] | None: ...
    @property
    def engine(self) -> _Engine | None: ...
    @property
    def similarity(self) -> float | None: ...
    @property
    def distance(self) -> int | None: ...
    def __bool__(self) -> bool: ...
    def __eq__(self, value: object, /) -> bool: ...

@final
class Verdicts:
    def __len__(self) -> int: ...
    def __getitem__(self, key: int, /) -> Verdict: ...
    def __iter__(self) -> Iterator[Verdict]: ...
    @property
    def kind(self) -> list[_Kind]: ...
    @property
    def kept(self) -> list[bool]: ...
    @property
    def of(self) -> list[_Id | dict[str, Any] | None]: ...
    @property
    def engine(self) -> list[_Engine | None]: ...
    @property
    def similarity(self) -> list[float | None]: ...
    @property
    def distance(self) -> list[int | None]: ...
    def to_dict(self) -> dict[str, list[Any]]: ...
    def _repr_html_(self) -> str: ...

@final
class Explanation:
    @property
    def verdict(self) -> Literal["kept", "exact", "near"]: ...
    @property
    def reason(self) -> str: ...
    @property
    def otherwise(self) -> list[str]: ...
    @property
    def similarity(self) -> float: ...
    @property
    def distance(self) -> int | None: ...
    def to_dict(self) -> dict[str, Any]: ...
    def _repr_html_(self) -> str: ...

@final
class Normalised:
    @property
    def canonical(self) -> str: ...
    @property
    def body(self) -> str: ...
    @property
    def topics(self) -> list[str]: ...

@final
class Report:
    def to_dict(self) -> dict[str, Any]: ...
    def html(self) -> str: ...

def normalise(text: str, rules: str = "all") -> Normalised: ...
def simhash(
    text: str, *, shingle: str = "char:2", weights: str = "once", normalise: str = "all"
) -> int | None: ...
def evaluate_file(
    path: PathLike[str], name: str, engines: list[str], min_precision: float, threads: int | None
) -> Report: ...
