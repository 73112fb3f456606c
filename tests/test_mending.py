"""Exercises: a small change of the faulty text is measured in tokens; their files' mistakes are named."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from boards.samples import REPORTS

from grader.compile.change import changed_tokens
from grader.core.errors import ProblemError
from grader.core.report import Mend
from grader.core.verdict import Verdict
from grader.judge.mending import LEAST, add_mend, smallest_change
from grader.problem.exercises import FOLDER, MARK, exercise_names, named_exercise, read_exercise
from grader.problem.loader import find_problems
from grader.problem.tracks import FILE, read_tracks
from grader.store.workspace import builtin_folder

ROOT = builtin_folder("problems")
TEXT = "int i = blockIdx.x;\nif (i <= N) {\n    y[i] = x[i];\n}\n"


@pytest.mark.parametrize(
    ("after", "changed"),
    [
        (TEXT, 0),
        # Layout and comments.
        ("int i=blockIdx . x; /* mine */ if(i<=N)\n{y[i]=x[i];} // done", 0),
        # `<` stays, `=` goes.
        (TEXT.replace("<=", "<"), 1),
        (TEXT.replace("x[i];", "x[i + 1];"), 2),
        # One token becomes another.
        (TEXT.replace("y[i]", "y[j]"), 2),
        (TEXT.replace("    y[i] = x[i];\n", ""), 10),
        (TEXT.replace("}", "}\n__syncthreads();"), 4),
        ("int a = 1;" + TEXT + "int b = 2;", 10),
    ],
)
def test_changes_are_counted_in_tokens(after: str, changed: int) -> None:
    assert changed_tokens(TEXT, after, 20) == changed == changed_tokens(after, TEXT, 20)
    assert changed_tokens(TEXT, after, changed) == changed
    if changed:
        assert changed_tokens(TEXT, after, changed - 1) is None


def test_another_text_is_soon_told_from_a_change() -> None:
    """A megabyte that has nothing in common takes no more steps than are asked for."""
    assert changed_tokens("a b " * 200_000, "c d " * 200_000, 30) is None


def write_exercise(problem: Path, **values: Any) -> Path:
    folder = problem / FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "off-by-one.cu").write_text(TEXT)
    data = {
        "title": '"T"',
        "story": '"""\nOnce\nmore.\n\nAgain."""',
        "expect": '"runtime_error out_of_bounds"',
        "hints": '["a", "b"]',
        "mend": '[{ old = "<=", new = "<" }]',
    }
    lines = [f"{key} = {value}" for key, value in {**data, **values}.items() if value]
    (folder / "off-by-one.toml").write_text("\n".join(lines))
    return problem


def test_a_mend_is_told_of_accepted_texts_alone(tmp_path: Path) -> None:
    problem: Any = SimpleNamespace(folder=write_exercise(tmp_path / "own"))
    exercise = read_exercise(problem.folder, "off-by-one")
    assert exercise.key == "own/off-by-one" and exercise.story == "Once more.\n\nAgain."
    assert smallest_change(exercise) == 1
    mended = f"// mine\n{MARK}off-by-one\n{TEXT}".replace("<=", "<")
    accepted = replace(REPORTS["accepted"](), source=mended)
    assert add_mend(accepted, problem).mend == Mend("off-by-one", 1, 1)
    longer = replace(accepted, source=mended.replace("i < N", "i < 0 + N"))
    assert add_mend(longer, problem).mend == Mend("off-by-one", 3, 1)
    assert add_mend(replace(accepted, verdict=Verdict.WRONG_ANSWER), problem).mend is None
    own_text = replace(accepted, source=accepted.source + "int a;" * LEAST)
    assert add_mend(own_text, problem).mend is None
    # Many a right text comes near to a faulty one; whose it is, it says.
    for source in (TEXT.replace("<=", "<"), mended.replace("off-by", "off-of"), mended.replace("off-by-one", "../own")):
        assert add_mend(replace(accepted, source=source), problem).mend is None
    assert named_exercise("\n" * 5 + mended) == ""


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"title": ""}, "expected are title, story"),
        ({"story": "1"}, "story is 1; expected is a text"),
        ({"hints": '["a"]'}, "expected are 2 texts"),
        ({"mend": "[]"}, "expected are tables with old and new"),
        ({"mend": '[{ old = "i", new = "j" }]'}, "'i' is [0-9]+ times in off-by-one.cu"),
        ({"mend": '[{ old = "<=" }]'}, "new is None"),
        ({"title": "["}, "off-by-one.toml"),
    ],
)
def test_mistakes_are_named(tmp_path: Path, values: dict[str, str], message: str) -> None:
    problem = write_exercise(tmp_path / "own", **values)
    with pytest.raises(ProblemError, match=message):
        read_exercise(problem, "off-by-one")


def test_every_exercise_is_a_step_of_the_track_and_needs_few_changes() -> None:
    (track,) = (track for track in read_tracks(ROOT / FILE) if track.name == "debug-this")
    folders = find_problems([ROOT]).values()
    found = [read_exercise(folder, name) for folder in folders for name in exercise_names(folder)]
    assert {step.key for step in track.steps} == {exercise.key for exercise in found}
    assert len({exercise.name for exercise in found}) == len(found)
    for exercise in found:
        assert 1 <= smallest_change(exercise) <= LEAST
        # Nothing in the text gives it away.
        assert exercise.text.count("//") == 1
