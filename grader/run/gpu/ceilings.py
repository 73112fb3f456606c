"""The ceilings of a GPU: its bandwidth and its rate in each precision, measured once and cached.

A child process measures; this module asks for it, stores the figures, and sets the datasheet beside them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any

from grader.core.errors import JudgeError
from grader.core.files import write_whole
from grader.core.report import Ceilings
from grader.measure.datasheet import datasheet

if TYPE_CHECKING:
    from grader.machine.gpus import Gpu

CHILD = "grader.run.gpu.ceilings_child"
TIME_LIMIT = 60.0

FORMAT = 3
"""The format of the files: raise it when the figures are measured in another way."""

PRECISIONS = ("fp32", "fp16", "int8")

TOLERANCE = 0.03
"""A kernel that exceeds a ceiling by more than this shows that the ceiling was measured too low."""


@dataclass(frozen=True)
class Figures:
    """Measured figures: bytes/s by kind of traffic, operations/s by precision, seconds of an empty kernel."""

    read: float
    write: float
    copy: float
    fp32: float
    fp16: float
    int8: float
    floor: float

    @property
    def bandwidth(self) -> float:
        return max(self.read, self.write, self.copy)

    def rate(self, precision: str) -> float:
        """Returns operations per second; `precision` is one of PRECISIONS."""
        return float(getattr(self, precision))


def ceilings(
    gpu: Gpu,
    cache: Path | None,
    *,
    precision: str = "fp32",
    fresh: bool = False,
    measure: Callable[[int], Mapping[str, Any]] | None = None,
) -> tuple[Ceilings, Figures]:
    """Returns the ceilings of a GPU in one of PRECISIONS, from the cache folder if they are known for its driver.

    `fresh` measures anew. `measure` stands in for the child process in tests. Raises JudgeError if the GPU cannot be
    measured.
    """
    file = _file(gpu, cache) if cache is not None else None
    figures = _load(file, gpu) if file is not None and not fresh else None
    if figures is None:
        figures = _checked((measure or _measure)(gpu.index))
        if file is not None:
            _store(file, gpu, figures)
    sheet = datasheet(gpu.name)
    published = Ceilings(
        gpu=gpu.name,
        uuid=gpu.uuid,
        driver=gpu.driver,
        bandwidth=figures.bandwidth,
        flops=figures.rate(precision),
        datasheet_bandwidth=sheet.bandwidth if sheet else None,
        datasheet_flops=sheet.rate(precision) if sheet else None,
        floor=figures.floor,
        precision=precision,
    )
    return published, figures


def is_outdated(light: float, seconds: float) -> bool:
    """Returns whether a time is so far below the speed of light that the ceilings should be measured again.

    `light` and `seconds` are in seconds.
    """
    return light > seconds * (1 + TOLERANCE)


def _measure(index: int) -> Mapping[str, Any]:
    from grader.sandbox.children import Child

    with Child(CHILD) as child:
        child.send({"gpu": index})
        return child.receive(TIME_LIMIT)


def _checked(data: Mapping[str, Any]) -> Figures:
    try:
        figures = Figures(**{name: float(value) for name, value in data.items()})
    except (TypeError, ValueError):
        raise JudgeError(f"the ceilings were measured as {dict(data)}, which is not what was asked for") from None
    if not all(isfinite(value) and value > 0 for value in asdict(figures).values()):
        raise JudgeError(f"the ceilings were measured as {figures}; all have to be above 0", "type: nvidia-smi")
    return figures


def _file(gpu: Gpu, cache: Path) -> Path:
    return cache / "ceilings" / (re.sub(r"[^\w.-]", "_", f"{gpu.uuid}-{gpu.driver}") + ".json")


def _load(file: Path, gpu: Gpu) -> Figures | None:
    """Returns the stored figures. A damaged file, or one for another GPU or driver, counts as absent."""
    try:
        data = json.loads(file.read_bytes())
        if [data["format"], data["uuid"], data["driver"]] != [FORMAT, gpu.uuid, gpu.driver]:
            return None
        return _checked(data["figures"])
    except (OSError, ValueError, KeyError, TypeError, AttributeError, JudgeError):
        return None


def _store(file: Path, gpu: Gpu, figures: Figures) -> None:
    data = {"format": FORMAT, "uuid": gpu.uuid, "driver": gpu.driver, "name": gpu.name, "figures": asdict(figures)}
    # A missing cache is no error.
    with suppress(OSError):
        write_whole(file, json.dumps(data).encode())
