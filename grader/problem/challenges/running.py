"""Imports a challenge.py and calls its methods; every mistake becomes a ProblemError that names file and line.

Its code is trusted as a problem author's is, and runs on the CPU.
"""

from __future__ import annotations

import importlib.util
import random
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch

from grader.core.errors import ProblemError
from grader.problem.challenges.c_types import check_known, is_array, kind_of
from grader.problem.challenges.processor import instead_of_cuda

DIRECTIONS = ("in", "out", "inout")
Values = dict[str, Any]


class Running:
    """The Challenge object of one file. `root` is the problem set's folder of challenges."""

    def __init__(self, root: Path, file: Path) -> None:
        self._file = file
        sys.path.insert(0, str(root))
        self.challenge = self._guarded("Challenge()", self._construct)
        gpus = getattr(self.challenge, "num_gpus", 1)
        if gpus != 1:
            raise ProblemError(f"{file}: num_gpus is {gpus!r}; kgrade grades what runs on one GPU")
        self.signature = self._signature()

    @property
    def title(self) -> str:
        return str(getattr(self.challenge, "name", "") or self._file.parent.name)

    def tolerance(self, name: str) -> float:
        """The challenge's `atol` or `rtol`. Raises ProblemError if it is no number from 0 up."""
        value = getattr(self.challenge, name, None)
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value < float("inf"):
            raise ProblemError(f"{self._file}: {name} is {value!r}; a number from 0 up is expected")
        return float(value)

    def tests(self, seed: int) -> list[tuple[str, Values]]:
        """The example and the functional tests, each with its label."""
        example = self._ask("generate_example_test", seed)
        functional = self._ask("generate_functional_test", seed + 1)
        if not isinstance(functional, (list, tuple)):
            raise ProblemError(f"{self._file}: generate_functional_test returned {_said(functional)}; a list is needed")
        found = [("example", self._checked("generate_example_test", example))]
        for number, values in enumerate(functional, 1):
            found.append((f"functional test {number}", self._checked("generate_functional_test", values)))
        return [(self.label_of(called, values), values) for called, values in found]

    def label_of(self, called: str, values: Values) -> str:
        """The label of a test, sizes first: "N=1, performance test"."""
        whole = (
            name for name, (ctype, _) in self.signature.items() if not is_array(ctype) and kind_of(ctype) == "int64"
        )
        sizes = [f"{name}={values[name]}" for name in whole if type(values[name]) is int]
        return f"{' '.join(sizes)}, {called}" if sizes else called

    def performance_test(self, seed: int, device: str = "cpu") -> Values:
        """The test that is timed. On the device "meta" its tensors have shapes but no values."""
        return self._checked("generate_performance_test", self._ask("generate_performance_test", seed + 2, device))

    def reference(self, values: Mapping[str, Any], seed: int) -> None:
        """Calls the reference, which writes into these tensors."""
        _seed_all(seed)
        self._guarded("reference_impl", lambda: self.challenge.reference_impl(**values))

    def _construct(self) -> Any:
        spec = importlib.util.spec_from_file_location("challenge", self._file)
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        made = getattr(module, "Challenge", None)
        if made is None:
            raise ProblemError(f"{self._file}: it has no class Challenge")
        return made()

    def _signature(self) -> dict[str, tuple[Any, str]]:
        given = self._guarded("get_solve_signature", lambda: self.challenge.get_solve_signature())
        if not isinstance(given, Mapping) or not given:
            raise ProblemError(f"{self._file}: get_solve_signature returned {_said(given)}; a dict is needed")
        for name, entry in given.items():
            pair = isinstance(entry, (tuple, list)) and len(entry) == 2 and entry[1] in DIRECTIONS
            if not isinstance(name, str) or not name.isidentifier() or not pair:
                raise ProblemError(
                    f"{self._file}: get_solve_signature has {name!r}: {_said(entry)}; "
                    'expected is a name and (ctype, "in" | "out" | "inout")'
                )
            self._check_type(name, entry[0])
        return {name: (entry[0], entry[1]) for name, entry in given.items()}

    def _ask(self, method: str, seed: int, device: str = "cpu") -> Any:
        _seed_all(seed)
        return self._guarded(method, lambda: getattr(self.challenge, method)(), device)

    def _checked(self, method: str, values: Any) -> Values:
        if not isinstance(values, Mapping):
            raise ProblemError(f"{self._file}: {method} returned {_said(values)}; a dict of values is needed")
        for name in self.signature:
            if name not in values:
                raise ProblemError(f"{self._file}: {method} gives no value for {name}, which the signature has")
        return dict(values)

    def _check_type(self, name: str, ctype: Any) -> None:
        try:
            check_known(name, ctype)
        except ProblemError as error:
            raise ProblemError(f"{self._file}: {error.message}", error.hint) from None

    def _guarded(self, what: str, act: Callable[[], Any], device: str = "cpu") -> Any:
        try:
            with instead_of_cuda(device):
                return act()
        except ProblemError:
            raise
        except (Exception, SystemExit) as error:
            line = _line(error, self._file)
            words = " ".join(str(error).split())[:300]
            raise ProblemError(f"{self._file}:{line} {what}: {type(error).__name__}: {words}") from error


def _line(error: BaseException, file: Path) -> str:
    """The innermost line of the file that led to an error, as "12:"; empty if none did."""
    found, traceback = 0, error.__traceback__
    while traceback is not None:
        if traceback.tb_frame.f_code.co_filename == str(file):
            found = traceback.tb_lineno
        traceback = traceback.tb_next
    if isinstance(error, SyntaxError) and error.filename == str(file):
        found = error.lineno or 0
    return f"{found}:" if found else ""


def _said(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"a {type(value).__name__}"


def _seed_all(seed: int) -> None:
    torch.manual_seed(seed % 2**63)
    random.seed(seed)
    np.random.seed(seed % 2**32)
