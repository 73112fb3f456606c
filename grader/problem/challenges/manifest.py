"""The manifest that the process with PyTorch writes: a challenge's parameters and tests, as plain data in JSON.

The arrays lie beside that file, each in a NumPy file. Nothing here needs PyTorch.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

FILE = "challenge.json"
ARRAY = "array"
"""The kind of an array parameter."""


@dataclass(frozen=True)
class Parameter:
    """One parameter of solve().

    `direction` is "in", "out" or "inout". `c_type` is the type of a number or of an array's elements; `dtype` is
    NumPy's name of the stored element type, "" for a number. `kind` is ARRAY, or the register of a number: "int64",
    "float32" or "float64". `coded` names a float format without a NumPy type: "bf16", "e4m3" or "e5m2".
    """

    name: str
    direction: str
    c_type: str
    kind: str
    dtype: str = ""
    coded: str = ""


@dataclass(frozen=True)
class Test:
    """One test: the shape of each array, the register bits of each number, and whether the arrays were written."""

    number: int
    label: str
    shapes: Mapping[str, tuple[int, ...]]
    numbers: Mapping[str, int]
    bytes: int
    written: bool
    undefined: tuple[str, ...] = ()
    """Outputs that the test leaves uninitialised."""


@dataclass(frozen=True)
class Manifest:
    """A challenge with its tests. `remarks` are notes for readers of its reports."""

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
    """File with an array's contents before solve() is called."""
    return folder / f"{test}.{name}.npy"


def expected_file(folder: Path, test: int, name: str) -> Path:
    """File with the contents that the reference leaves in an array."""
    return folder / f"{test}.{name}.expected.npy"


def untouched_file(folder: Path, test: int, name: str) -> Path:
    """File with the mask of elements that the reference does not write; exists only if there are any."""
    return folder / f"{test}.{name}.untouched.npy"


def missed_file(folder: Path, test: int, name: str) -> Path:
    """File with the reference's distance from its float64 results; exists only if it exceeds the tolerance."""
    return folder / f"{test}.{name}.missed.npy"


def _test(data: Mapping[str, Any]) -> Test:
    shapes = {name: tuple(shape) for name, shape in data["shapes"].items()}
    return Test(**{**data, "shapes": shapes, "undefined": tuple(data["undefined"])})
