"""What a language's side of the recording process has to do, and the tensors that solve() is called with."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import ModuleType
from typing import Any, Protocol

from grader.plan.python.tape import Tape

ITEM_BYTES: Mapping[str, int] = {
    "float64": 8,
    "float32": 4,
    "float16": 2,
    "bfloat16": 2,
    "float8_e4m3fn": 1,
    "float8_e5m2": 1,
    "int64": 8,
    "int32": 4,
    "int16": 2,
    "int8": 1,
    "uint64": 8,
    "uint32": 4,
    "uint16": 2,
    "uint8": 1,
    "bool": 1,
}


@dataclass(frozen=True)
class DeviceArray:
    """An argument of solve() that is an array of the problem, C-contiguous: NumPy's name of its type, its shape in
    elements, its address."""

    name: str
    dtype: str
    shape: tuple[int, ...]
    address: int

    @property
    def size(self) -> int:
        """The size in bytes."""
        return math.prod(self.shape) * ITEM_BYTES[self.dtype]


@dataclass(frozen=True)
class Scalar:
    """An argument of solve() that is a number. `kind` is "int64", "float32" or "float64"."""

    name: str
    kind: str
    value: int | float


Argument = DeviceArray | Scalar


class Memo(dict[Any, Any]):
    """What a process compiled for a submission, by all that decides what comes of it; it outlives a call of solve().

    `kept` outlives the process too: the judge gives it back to the next process with the same text. `added` is what
    the judge has not got yet.
    """

    def __init__(self, kept: Mapping[str, bytes]) -> None:
        super().__init__()
        self.kept = dict(kept)
        self.added: dict[str, bytes] = {}

    def keep(self, key: str, code: bytes) -> None:
        """Keeps compiled code under a key that no other code has."""
        self.kept[key] = self.added[key] = code


class Driver(Protocol):
    """One language in the process that records.

    It is made once, before the submission is imported. Each call of solve() gets a freshly imported submission.
    """

    def __init__(self, memo: Memo) -> None: ...

    def install(self, tape: Callable[[], Tape]) -> None:
        """Puts the language's launches, and what else reaches a device, into recordings. `tape` is that of the call
        that is under way."""

    def call(self, module: ModuleType, arguments: list[Argument], tape: Tape) -> None:
        """Calls the imported submission's solve() with these arguments.

        Raises Refusal for what a plan can't hold, and what the submission itself raises.
        """
