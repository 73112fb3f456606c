"""The judge's side of the process that reads a text: what it believes of the answers, and what it remembers."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from grader.compile import reading
from grader.compile.program import Program, program_to_json
from grader.core.errors import JudgeError
from grader.core.verdict import Form
from grader.sandbox import Sandbox
from grader.sandbox.children import Child, ChildDied
from tests.called import calls_of
from tests.compile.samples import KERNEL, PARAMETERS

TEXT = "int a;\n// b"
REQUEST = {
    "do": "kernel",
    "source": KERNEL,
    "file_name": "mine.cu",
    "kernel": "map_kernel",
    "parameters": PARAMETERS,
    "constants": {},
    "debug": False,
}


@pytest.fixture
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty cache."""
    monkeypatch.setenv("KGRADE_CACHE", str(tmp_path))


@pytest.mark.usefixtures("own_cache")
def test_a_text_is_read_once_and_its_process_compiles_it() -> None:
    with calls_of(Child.send) as asked:
        check_that_a_text_is_read_once()
    assert [call["message"]["do"] for _, call in asked] == ["recognise", "kernel", "kernel", "highlight"]


def check_that_a_text_is_read_once() -> None:
    assert reading.recognise(KERNEL) == reading.Recognised(Form.KERNEL, ("map_kernel",), ())
    assert reading.compile_text(REQUEST, 60.0, Sandbox.find()).kernels
    (_, child), *others = reading._waiting
    assert not others
    assert reading.compile_text(REQUEST | {"debug": True}, 60.0, Sandbox.find()).debug
    assert not reading._waiting
    with pytest.raises(ChildDied, match="is closed"):
        child.receive(1)
    assert reading.recognise(KERNEL).form is Form.KERNEL
    shown = KERNEL.removesuffix("\n")
    words = reading.highlight(shown)
    assert words is not None
    assert "\n".join("".join(word for _, word in line) for line in words) == shown


def answer(monkeypatch: pytest.MonkeyPatch, message: Mapping[str, Any]) -> None:
    # A process that sends this would have to be made, with its channel, where the reader starts its own.
    monkeypatch.setattr(Child, "receive", lambda child, timeout: dict(message))


@pytest.mark.parametrize(
    "lines",
    [
        [[["k", "int"], ["", " b;"]], [["c1", "// b"]]],
        [[['x"><script>', "int"], ["", " a;"]], [["c1", "// b"]]],
        [[["k", "int a;"]]],
        "int a;",
        [[1, 2]],
        None,
    ],
)
@pytest.mark.usefixtures("own_cache")
def test_words_that_are_not_the_text_s_cost_its_colours(lines: object, monkeypatch: pytest.MonkeyPatch) -> None:
    answer(monkeypatch, {"lines": lines})
    assert reading.highlight(TEXT) is None
    assert reading.known_highlight(TEXT) is None


@pytest.mark.parametrize(
    "message",
    [
        {},
        {"program": {}},
        {"program": {"form": "neither"}},
        {"program": []},
        {"failure": [{"severity": "fatal"}], "log": ""},
    ],
)
@pytest.mark.usefixtures("own_cache")
def test_an_answer_that_is_no_program_is_the_judges_failure(
    message: Mapping[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    answer(monkeypatch, message)
    with pytest.raises(JudgeError, match="answered what is no program"):
        reading.compile_text(REQUEST, 60.0, Sandbox.find())


@pytest.mark.usefixtures("own_cache")
@pytest.mark.parametrize(
    "change",
    [
        {"constants": {"TILE": float("inf")}},
        {"constants": {}},
        {"constants": {"TILE": 1, "\x1b[2J": 2}},
        {"form": "solve"},
        {"image": "\ud800"},
    ],
)
def test_a_program_that_was_not_asked_for(change: Mapping[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    program = program_to_json(Program(Form.KERNEL, "compute_89", "", (), {"TILE": 1}))
    asked = {**REQUEST, "constants": {"TILE": 1}}
    answer(monkeypatch, {"program": program})
    assert reading.compile_text(asked, 60.0, Sandbox.find()).constants == {"TILE": 1}
    answer(monkeypatch, {"program": {**program, **change}})
    with pytest.raises(JudgeError, match="answered what is no program"):
        reading.compile_text(asked, 60.0, Sandbox.find())


@pytest.mark.parametrize("message", [{}, {"form": "neither", "kernels": [], "macros": []}, {"form": "kernel"}])
@pytest.mark.usefixtures("own_cache")
def test_a_text_that_is_read_as_nothing_is_the_judges_failure(
    message: Mapping[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    answer(monkeypatch, message)
    with pytest.raises(JudgeError, match="something that it can't be"):
        reading.recognise(TEXT)
