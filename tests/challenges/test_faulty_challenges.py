"""Whatever a challenge.py does wrong is told with its file, its line and what was expected."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from grader.core.errors import ProblemError, ToolMissing
from grader.problem.challenges.folder import ChallengeSet
from grader.problem.challenges.materialise import materialised

from .conftest import SET, Make, needs_torch

Write = Callable[..., Path]

GOOD = """import ctypes

import torch
from core.challenge_base import ChallengeBase


class Challenge(ChallengeBase):
    name, atol, rtol, num_gpus = "Copy", 0.0, 0.0, 1

    def reference_impl(self, x, y, n):
        y.copy_(x)

    def get_solve_signature(self):
        array = ctypes.POINTER(ctypes.c_float)
        return {"x": (array, "in"), "y": (array, "out"), "n": (ctypes.c_int, "in")}

    def generate_example_test(self):
        return {"x": torch.ones(2), "y": torch.zeros(2), "n": 2}

    def generate_functional_test(self):
        return [self.generate_example_test()]

    def generate_performance_test(self):
        return self.generate_example_test()
"""


def spoilt(old: str, new: str) -> str:
    assert old in GOOD
    return GOOD.replace(old, new)


CASES = {
    "is no Python": (spoilt("import ctypes", "import ctypes ctypes"), "challenge.py:1: Challenge(): SyntaxError"),
    "imports what is not there": (
        spoilt("import torch", "import torhc"),
        "3: Challenge(): ModuleNotFoundError: No mod",
    ),
    "has no class": (spoilt("class Challenge(", "class Other("), "it has no class Challenge"),
    "is abstract": (
        spoilt("def reference_impl", "def reference"),
        "Challenge(): TypeError: Can't instantiate abstract",
    ),
    "raises": (
        spoilt("        y.copy_(x)", '        raise ValueError("no\\nway")'),
        "11: reference_impl: ValueError: no way",
    ),
    "exits": (spoilt("        y.copy_(x)", "        raise SystemExit(3)"), "11: reference_impl: SystemExit: 3"),
    "wants a GPU's name": (
        spoilt("        y.copy_(x)", "        torch.cuda.get_device_name()"),
        "11: reference_impl: ",
    ),
    "has no tolerance": (spoilt("0.0, 0.0, 1", 'None, "x", 1'), "atol is None; a number from 0 up is expected"),
    "has an endless tolerance": (spoilt("0.0, 0.0, 1", '0.0, float("inf"), 1'), "rtol is inf; a number from 0 up is"),
    "is for several GPUs": (spoilt("0.0, 0.0, 1", "0.0, 0.0, 4"), "num_gpus is 4; kgrade grades what runs on one GPU"),
    "has no signature": (
        spoilt('return {"x": (array, "in"), "y"', 'return []\n        {"x": (array, "in"), "y"'),
        "returned []",
    ),
    "has a direction of its own": (spoilt('(array, "out")', '(array, "output")'), "get_solve_signature has 'y': "),
    "has an unknown type": (
        spoilt('"n": (ctypes.c_int,', '"n": (ctypes.c_wchar,'),
        "get_solve_signature: n has the type c_w",
    ),
    "gives no list": (
        spoilt("[self.generate_example_test()]", "None"),
        "generate_functional_test returned None; a list",
    ),
    "gives no dict": (spoilt("[self.generate_example_test()]", "[7]"), "generate_functional_test returned 7; a dict"),
    "leaves a value out": (spoilt(', "n": 2}', "}"), "generate_example_test gives no value for n, which the signature"),
    "has a number for an array": (spoilt('"x": torch.ones(2)', '"x": 7'), "example: x is 7; a tensor is declared"),
    "has another type of elements": (
        spoilt('"x": torch.ones(2)', '"x": torch.ones(2, dtype=torch.float64)'),
        "example: x is declared as an array of c_float, and the tensor is one of torch.float64",
    ),
    "changes the type": (
        spoilt(
            "[self.generate_example_test()]", '[{**self.generate_example_test(), "x": torch.ones(2).half()}]'
        ).replace("ctypes.POINTER(ctypes.c_float)", "ctypes.c_void_p"),
        "functional test 1: x holds float16 here and float32 in the test before",
    ),
    "has a number too large": (spoilt('"n": 2}', '"n": 2**40}'), "example: n is 1099511627776, which is no c_int"),
    "has a number as result": (
        spoilt('"n": (ctypes.c_int, "in")', '"n": (ctypes.c_int, "out")'),
        'n is a number and declared as "out"',
    ),
    "returns its result": (
        spoilt("        y.copy_(x)", "        return x.clone()"),
        "example: reference_impl writes nothing into y",
    ),
    "has no array": (
        spoilt('{"x": (array, "in"), "y": (array, "out"), "n"', '{"n"'),
        "get_solve_signature names no array",
    ),
}


@needs_torch
def test_without_a_fault_it_is_a_problem(make: Make, write_set: Write) -> None:
    assert make("good", write_set(good=GOOD)).title == "Copy"


@needs_torch
@pytest.mark.parametrize("what", CASES)
def test_a_challenge_that(what: str, make: Make, write_set: Write) -> None:
    text, said = CASES[what]
    with pytest.raises(ProblemError, match=re.escape(said)) as raised:
        make("faulty", write_set(faulty=text))
    assert "1_faulty" in raised.value.message


@needs_torch
def test_one_without_an_end_is_stopped(write_set: Write) -> None:
    text = spoilt("        y.copy_(x)", "        while True:\n            pass")
    with pytest.raises(ProblemError, match=r"1_endless/challenge.py: it made no tests within 6 seconds"):
        _make_in_a_process(write_set(endless=text), seconds=6)


@needs_torch
def test_one_that_ends_its_process_is_told(write_set: Write) -> None:
    text = spoilt("        y.copy_(x)", "        import os\n        os.abort()")
    with pytest.raises(ProblemError, match=r"1_aborts/challenge.py: its process ended: SIGABRT"):
        _make_in_a_process(write_set(aborts=text))


@needs_torch
def test_a_mistake_comes_out_of_the_process_as_it_is(write_set: Write) -> None:
    root = write_set(faulty=spoilt("        y.copy_(x)", "        1 / 0"))
    with pytest.raises(ProblemError) as raised:
        _make_in_a_process(root)
    file = root / "challenges/easy/1_faulty/challenge.py"
    assert raised.value.message == f"{file}:11: reference_impl: ZeroDivisionError: division by zero"
    assert sorted(path.name for path in root.rglob("*") if path.is_file()) == ["challenge.py", "challenge_base.py"]


def test_without_pytorch_it_is_said_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(ToolMissing, match="1_saxpy needs PyTorch, which is not installed") as raised:
        _make_in_a_process(SET)
    assert "pip install torch" in raised.value.hint
    assert "https://download.pytorch.org/whl/cpu" in raised.value.hint


def _make_in_a_process(root: Path, seconds: float | None = None) -> None:
    challenges = ChallengeSet(root)
    with materialised(challenges, challenges.find("1"), 7, large=False, seconds=seconds):
        raise AssertionError("it made a problem")
