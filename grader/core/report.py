"""The Report: the one value object that the terminal, JSON, HTML and the database all show.

Plain frozen data; it decides nothing. `to_json` and `from_json` carry it through files and the database.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from grader.core.verdict import FaultClass, Form, Verdict, WrongKind

if TYPE_CHECKING:
    from cattrs import Converter

Dim3 = tuple[int, int, int]


@dataclass(frozen=True)
class Diagnostic:
    """One remark about the source: what the compiler said, or what kgrade noticed.

    `severity` is "error", "warning" or "note"; `line` and `column` count from 1 in the submitted file.
    """

    severity: str
    message: str
    line: int | None = None
    column: int | None = None
    hint: str = ""


@dataclass(frozen=True)
class FaultReport:
    """Undefined behaviour that was seen: what, in which line, on which array, by whom.

    `index` and `extent` count elements of the array; `threads` is how many threads did the same in this line.
    """

    fault: FaultClass
    message: str
    line: int | None = None
    text: str = ""
    kernel: str = ""
    access: str = ""
    array: str = ""
    index: int | None = None
    extent: int | None = None
    block: Dim3 | None = None
    thread: Dim3 | None = None
    threads: int = 0
    instruction: str = ""
    hint: str = ""


@dataclass(frozen=True)
class ElementError:
    """One wrong element. `units` is the error divided by what is allowed: above 1 is wrong."""

    index: tuple[int, ...]
    expected: float
    got: float
    units: float
    unwritten: bool = False


@dataclass(frozen=True)
class ErrorMap:
    """Where an output is wrong, reduced to at most 64 by 64 cells.

    `shape` is the output as rows × columns (a vector is wrapped into rows); each cell holds the share of its
    elements that are wrong, 0 to 1, and `height` and `width` say how many rows and columns a cell covers.
    """

    shape: tuple[int, int]
    height: int
    width: int
    cells: tuple[tuple[float, ...], ...]


@dataclass(frozen=True)
class OutputCheck:
    """One output array compared with its reference.

    `worst` is the largest error divided by what is allowed; `gate` names the rule that decided (G0 to G4).
    """

    array: str
    shape: tuple[int, ...]
    wrong: int
    total: int
    worst: float
    gate: str
    kind: WrongKind | None = None
    explanation: str = ""
    elements: tuple[ElementError, ...] = ()
    map: ErrorMap | None = None


@dataclass(frozen=True)
class CaseResult:
    """One case: sizes, a family of inputs and a seed, and what came out."""

    sizes: Mapping[str, int]
    family: str
    seed: int
    verdict: Verdict
    kind: WrongKind | None = None
    fault: FaultReport | None = None
    line: int | None = None
    message: str = ""
    outputs: tuple[OutputCheck, ...] = ()
    seconds: float = 0.0
    instructions: int | None = None
    scalars: Mapping[str, float] = field(default_factory=dict)
    """What was passed by value besides sizes."""


@dataclass(frozen=True)
class KernelInfo:
    """A kernel of the submission as compiled; None where this target does not know."""

    name: str
    registers: int | None = None
    shared_bytes: int | None = None
    local_bytes: int | None = None
    spill_bytes: int | None = None
    """Bytes of registers that a thread keeps in local memory, because it has too few."""
    occupancy: float | None = None
    """Warps that one SM holds at once, as a share of those that it could hold, 0 to 1."""
    limited_by: str = ""
    """What stops a higher occupancy: "registers", "shared memory", "threads" or "blocks"."""


@dataclass(frozen=True)
class Interval:
    """A measured quantity and the interval that holds it with 99 % confidence."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class SizeMeasurement:
    """How long the submission takes on one benchmark size, and what that is worth.

    `time` is in seconds a run of all its launches; `ratio` is it divided by the baseline's time, taken pair by pair,
    and None without a baseline. `flops` and `bytes` are the problem's cost, `sol` the share of the speed of light:
    1 is as quick as this GPU can be. It is None where nobody knows the work, and `bytes` are all arrays' then. `quads`
    were used and `dropped` were not, because the clock changed inside them; `verified` timed outputs were compared with
    the reference. `floor` is the time of an empty kernel.
    """

    sizes: Mapping[str, int]
    time: Interval
    ratio: Interval | None
    flops: int
    bytes: int
    sol: float | None
    quads: int
    dropped: int
    verified: int
    floor: float
    clock_mhz: tuple[float, float]
    """The lowest and the highest clock of the SMs that was seen."""
    throttled: tuple[str, ...] = ()
    """Why the GPU ran slower than it could, in NVML's reasons."""


@dataclass(frozen=True)
class Ceilings:
    """What one GPU reaches: bytes a second, operations a second, and the time of an empty kernel in seconds.

    `precision` says of which numbers the operations are: "fp32", "fp16" with sums in fp32, or "int8".

    The first two were measured on this GPU; those of the data sheet stand beside them, None where it is unknown.
    """

    gpu: str
    uuid: str
    driver: str
    bandwidth: float
    flops: float
    datasheet_bandwidth: float | None
    datasheet_flops: float | None
    floor: float
    precision: str = "fp32"


@dataclass(frozen=True)
class Measurement:
    """All that was timed, and on what. `null_ratio` is the baseline against itself: 1 where timing is sound."""

    sizes: tuple[SizeMeasurement, ...]
    ceilings: Ceilings
    null_ratio: Interval | None


@dataclass(frozen=True)
class Report:
    """All that is known of one submission after grading."""

    problem: str
    title: str
    form: Form
    device: str
    user: str
    file: str
    source: str
    source_hash: str
    submitted: str
    seed: int
    verdict: Verdict
    headline: str
    kind: WrongKind | None = None
    fault: FaultReport | None = None
    line: int | None = None
    explanation: tuple[str, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    cases: tuple[CaseResult, ...] = ()
    smallest: CaseResult | None = None
    pattern: str = ""
    checks: tuple[str, ...] = ()
    kernels: tuple[KernelInfo, ...] = ()
    score: float | None = None
    time: Interval | None = None
    """Seconds of the kernel on the benchmark sizes; None where the device's time says nothing."""
    printed: str = ""
    seconds: float = 0.0
    version: str = ""
    sandbox: str = ""
    """What the submission was kept in while it was read and run: "bubblewrap", "Landlock" or "none"."""
    launch: Mapping[str, int] = field(default_factory=dict)
    """The launch constants that were used, e.g. {"TILE": 16}."""
    problem_set: str = ""
    """The folder of somebody else's problems, as it was typed; empty for a problem of kgrade's or the workspace's."""
    measurement: Measurement | None = None
    """What was timed; None on the emulator, and where the submission is not accepted."""
    own_sizes: bool = False
    """Whether the sizes of the cases were given, not drawn from the seed."""


@lru_cache(maxsize=1)
def _converter() -> Converter:
    from cattrs import Converter

    converter = Converter()
    # JSON has no NaN and no infinity: they travel as the strings that float() reads back.
    converter.register_unstructure_hook(float, lambda x: x if math.isfinite(x) else str(x))
    converter.register_structure_hook(float, lambda x, _: float(x))
    return converter


def to_data(report: Report | CaseResult) -> dict[str, Any]:
    """The report as plain dicts, lists, strings and numbers, fit for JSON."""
    data = _converter().unstructure(report)
    assert isinstance(data, dict)
    return data


def case_from_data(data: Mapping[str, Any]) -> CaseResult:
    """The inverse of `to_data` for one case."""
    return _converter().structure(data, CaseResult)


def to_json(report: Report) -> str:
    return json.dumps(to_data(report), allow_nan=False, separators=(",", ":"))


def from_json(text: str) -> Report:
    return _converter().structure(json.loads(text), Report)
