"""The Report: the result of grading one submission, which the terminal, JSON, HTML and the database all show.

Plain frozen data. `to_json` and `from_json` convert it for files and the database.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from grader.core.verdict import FaultClass, Form, LanguageName, Verdict, WrongKind

if TYPE_CHECKING:
    from cattrs import Converter

Dim3 = tuple[int, int, int]
EMULATOR = "emulator"
"""The device that runs kernels without a GPU."""


@dataclass(frozen=True)
class Diagnostic:
    """One remark about the source, from the compiler or from kgrade itself.

    `severity` is "error", "warning" or "note"; `line` and `column` count from 1 in the submitted file.
    """

    severity: str
    message: str
    line: int | None = None
    column: int | None = None
    hint: str = ""


@dataclass(frozen=True)
class FaultReport:
    """Undefined behaviour that was observed: what happened, in which line, on which array, in which thread.

    `index` and `extent` are in elements of the array; `threads` is how many threads did the same in this line.
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
    """One wrong element. `units` is the error divided by the tolerance: above 1 is wrong."""

    index: tuple[int, ...]
    expected: float
    got: float
    units: float
    unwritten: bool = False


@dataclass(frozen=True)
class ErrorMap:
    """Where an output is wrong, reduced to at most 64 by 64 cells.

    `shape` is the output as rows × columns (a vector is wrapped into rows). Each cell covers `height` rows and
    `width` columns and holds the fraction of its elements that are wrong, 0 to 1.
    """

    shape: tuple[int, int]
    height: int
    width: int
    cells: tuple[tuple[float, ...], ...]


@dataclass(frozen=True)
class OutputCheck:
    """One output array compared with its reference.

    `worst` is the largest error divided by its tolerance; `gate` names the rule that decided (G0 to G4).
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
class Call:
    """A call of solve(): its sizes, and the family and seed of its inputs."""

    sizes: Mapping[str, int]
    family: str
    seed: int


@dataclass(frozen=True)
class CaseResult:
    """One case (sizes, input family and seed) and its result."""

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
    """The kernel's by-value arguments other than sizes."""
    after: tuple[Call, ...] = ()
    """The calls before it in one process, without which it is right."""


@dataclass(frozen=True)
class KernelInfo:
    """A kernel of the submission as compiled; a field is None if the target does not provide it."""

    name: str
    registers: int | None = None
    shared_bytes: int | None = None
    local_bytes: int | None = None
    spill_bytes: int | None = None
    """Bytes of registers that each thread spills to local memory."""
    occupancy: float | None = None
    """Warps resident on one SM, as a fraction of the most it can hold, 0 to 1."""
    limited_by: str = ""
    """The limit on occupancy: "registers", "shared memory", "threads" or "blocks"."""


@dataclass(frozen=True)
class Interval:
    """A measured quantity and its 99 % confidence interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class SizeMeasurement:
    """The submission's time on one benchmark size, and how it compares with the baseline and the speed of light.

    `time` is in seconds for one run of all its launches; `ratio` is the submission's time divided by the baseline's,
    taken pair by pair, None without a baseline. `flops` and `bytes` are the problem's cost; `sol` is the fraction of
    the speed of light reached (1 is the fastest possible on this GPU). If the work is unknown, `sol` is None and
    `bytes` counts all arrays. `quads` were used; `dropped` were discarded because the clock changed during them.
    `verified` timed outputs were compared with the reference. `floor` is the time of an empty kernel in seconds.
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
    """Lowest and highest SM clock observed, in MHz."""
    throttled: tuple[str, ...] = ()
    """NVML's reasons for throttling."""


@dataclass(frozen=True)
class Ceilings:
    """Peak rates of one GPU: bytes per second, operations per second, and the time of an empty kernel in seconds.

    `precision` is the type of the operations: "fp32", "fp16" (accumulated in fp32) or "int8". `bandwidth` and
    `flops` were measured on this GPU; the data sheet's figures stand beside them, None if unknown. `split_flops` are
    the operations in fp32 that tensor cores could do, where the problem takes products of split numbers, else None.
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
    split_flops: float | None = None


@dataclass(frozen=True)
class Measurement:
    """All timings and the GPU's ceilings. `null_ratio` is the baseline against itself: 1 if timing is sound."""

    sizes: tuple[SizeMeasurement, ...]
    ceilings: Ceilings
    null_ratio: Interval | None


@dataclass(frozen=True)
class ModelSize:
    """The model time at one benchmark size: computed for a GPU, not measured; None with the reason in `why_not`.

    `time` is in seconds, with the interval that the model states. `bound` is what decides, in words such as "DRAM".
    `share` is the fraction of the speed of light, by the GPU's data sheet; None if the work is unknown.
    """

    sizes: Mapping[str, int]
    time: Interval | None
    bound: str = ""
    share: float | None = None
    why_not: str = ""


@dataclass(frozen=True)
class Modelled:
    """Model times of an accepted submission on a GPU, `calibrated` by a run of microbenchmarks (empty: by none).

    `revision` names the model: only times of one revision can be compared. `score` is the geometric mean of the shares;
    None with the reason in `why_not`.
    """

    gpu: str
    calibrated: str
    revision: str
    sizes: tuple[ModelSize, ...] = ()
    score: float | None = None
    why_not: str = ""


@dataclass(frozen=True)
class Replay:
    """The failing case as it ran, recorded for a page to play: see grader/replay.

    `subject` names the blocks, the kernel and the sizes. `causes` say what is wrong, and `marks` are the kinds of
    places that were found in the recording: "fault", "first_wrong_write", "race", "deadlock". `step` is that of the
    first of them, from 1 (0 if none was recorded); `place` says it in short, `ending` in full. `remarks` say what this
    build does otherwise than the graded one.
    """

    subject: str
    causes: tuple[str, ...] = ()
    marks: tuple[str, ...] = ()
    step: int = 0
    place: str = ""
    ending: str = ""
    remarks: tuple[str, ...] = ()
    packed: str = ""
    """The recording: JSON, compressed with gzip, in base64. Empty if it has no step, or too many for a page."""


@dataclass(frozen=True)
class Mend:
    """An exercise whose faulty text the submission makes right by taking away and adding so many tokens.

    `smallest` is what the exercise's author changed.
    """

    exercise: str
    tokens: int
    smallest: int


@dataclass(frozen=True)
class Report:
    """Everything known about one submission after grading."""

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
    language: LanguageName = LanguageName.CUDA
    pattern: str = ""
    checks: tuple[str, ...] = ()
    kernels: tuple[KernelInfo, ...] = ()
    score: float | None = None
    time: Interval | None = None
    """Kernel time on the benchmark sizes in seconds; None on a device whose times mean nothing."""
    printed: str = ""
    seconds: float = 0.0
    version: str = ""
    sandbox: str = ""
    """The sandbox in which the submission was compiled and run: "bubblewrap", "Landlock" or "none"."""
    launch: Mapping[str, int] = field(default_factory=dict)
    """The launch constants used, e.g. {"TILE": 16}."""
    problem_set: str = ""
    """Folder of a third-party problem set, as typed; empty for a problem of kgrade's own or of the workspace."""
    measurement: Measurement | None = None
    """The timings; None on the emulator, or if the submission is not accepted."""
    own_sizes: bool = False
    """Whether the user gave the sizes of the cases; otherwise they are drawn from the seed."""
    replay: Replay | None = None
    """The smallest failing case, recorded; None if nothing failed or the device can't record."""
    mend: Mend | None = None
    """The exercise that an accepted submission mends; None if it is none's faulty text with a small change."""
    model: Modelled | None = None
    """Its model times; None if nobody asked for them, or a GPU measured."""

    @property
    def ranks_by_model(self) -> bool:
        """Whether boards rank it by model time: the emulator accepted it, whose own time means nothing."""
        return self.verdict is Verdict.ACCEPTED and self.device == EMULATOR


@lru_cache(maxsize=1)
def _converter() -> Converter:
    from cattrs import Converter

    # Who goes on after a mistake keeps an exception for each: 6 KB for every element of a text of 4 MiB.
    converter = Converter(detailed_validation=False)
    # JSON has no NaN or infinity: they are stored as strings that float() reads back.
    converter.register_unstructure_hook(float, lambda x: x if math.isfinite(x) else str(x))
    converter.register_structure_hook(float, lambda x, _: float(x))
    return converter


def to_data(report: Report | CaseResult) -> dict[str, Any]:
    """The report as plain dicts, lists, strings and numbers, ready for JSON."""
    data = _converter().unstructure(report)
    assert isinstance(data, dict)
    return data


def case_from_data(data: Mapping[str, Any]) -> CaseResult:
    """The inverse of `to_data` for one case."""
    return _converter().structure(data, CaseResult)


def to_json(report: Report) -> str:
    return json.dumps(to_data(report), allow_nan=False, separators=(",", ":"))


def from_json(text: str) -> Report:
    """The inverse of `to_json`. Raises ValueError for what is no report, or one of another version."""
    try:
        return _converter().structure(json.loads(text), Report)
    except Exception as error:
        # Which it is depends on where a value is odd: OverflowError for an infinite count, LookupError, TypeError.
        raise ValueError(f"this is no report: {error!r}") from error
