"""What the process with PyTorch tells of a challenge: its parameters and its tests, as plain data in a JSON file.

The arrays lie beside that file, one in NumPy's format each. Nothing here knows PyTorch.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

FILE = "challenge.json"
ARRAY = "array"
"""The kind of a parameter that is no number."""


@dataclass(frozen=True)
class Parameter:
    """One parameter of solve().

    `direction` is "in", "out" or "inout". `c_type` is that of a number or of an array's elements, `dtype` NumPy's name
    for how elements are kept, "" for a number. `kind` is ARRAY, or in which register a number goes: "int64", "float32"
    or "float64". `coded` names the format of floats for which NumPy has no type: "bf16", "e4m3" or "e5m2".
    """

    name: str
    direction: str
    c_type: str
    kind: str
    dtype: str = ""
    coded: str = ""


@dataclass(frozen=True)
class Test:
    """One test: the shape of each array, the register of each number, and whether the arrays were written."""

    number: int
    label: str
    shapes: Mapping[str, tuple[int, ...]]
    numbers: Mapping[str, int]
    bytes: int
    written: bool
    undefined: tuple[str, ...] = ()
    """Outputs that hold nothing at first that the test put there."""


@dataclass(frozen=True)
class Manifest:
    """A challenge with its tests. `remarks` are what a reader of a report should know of it."""

    name: str
    title: str
    difficulty: str
    atol: float
    rtol: float
    parameters: tuple[Parameter, ...]
    tests: tuple[Test, ...]
    remarks: tuple[str, ...] = ()


def write_manifest(folder: Path, manifest: Manifest) -> None:
    (folder / FILE).write_text(json.dumps(asdict(manifest)), encoding="utf-8")


def read_manifest(folder: Path) -> Manifest:
    data: dict[str, Any] = json.loads((folder / FILE).read_text(encoding="utf-8"))
    return Manifest(
        **{
            **data,
            "parameters": tuple(Parameter(**one) for one in data["parameters"]),
            "tests": tuple(_test(one) for one in data["tests"]),
            "remarks": tuple(data["remarks"]),
        }
    )


def start_file(folder: Path, test: int, name: str) -> Path:
    """What an array holds before solve() is called."""
    return folder / f"{test}.{name}.npy"


def expected_file(folder: Path, test: int, name: str) -> Path:
    """What the reference leaves in it."""
    return folder / f"{test}.{name}.expected.npy"


def untouched_file(folder: Path, test: int, name: str) -> Path:
    """Which of its elements the reference does not write; only where there are any."""
    return folder / f"{test}.{name}.untouched.npy"


def missed_file(folder: Path, test: int, name: str) -> Path:
    """How far the reference's results are from those in float64; only where that is more than the tolerance."""
    return folder / f"{test}.{name}.missed.npy"


def _test(data: Mapping[str, Any]) -> Test:
    shapes = {name: tuple(shape) for name, shape in data["shapes"].items()}
    return Test(**{**data, "shapes": shapes, "undefined": tuple(data["undefined"])})
