"""Tracks: their file is read and its mistakes named; what comes next follows from what is solved."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.core.errors import ProblemError
from grader.problem.loader import find_problems
from grader.problem.tracks import FILE, Step, Track, find_tracks, next_step, read_tracks, sort_key
from grader.store.workspace import builtin_folder

ROOT = builtin_folder("problems")


def track(name: str, *problems: str) -> Track:
    return Track(name, name.title(), f"About {name}.", tuple(Step(problem, f"Why {problem}.") for problem in problems))


TRACKS = (track("first", "a", "b", "c"), track("second", "b", "d"))


def test_the_built_in_tracks_lead_through_problems_that_are_there() -> None:
    problems = find_problems([ROOT])
    tracks = read_tracks(ROOT / FILE)
    assert [one.name for one in tracks][:2] == ["first-kernels", "memory"]
    for one in tracks:
        assert {step.problem for step in one.steps} <= problems.keys()
        assert len({step.key for step in one.steps}) == len(one.steps)
        # Sentences, each short enough for a row of a table.
        assert all(
            text.endswith((".", "?")) and len(text) <= 120 for text in (one.about, *(step.why for step in one.steps))
        )
    assert {step.key for one in tracks for step in one.steps} >= problems.keys()


@pytest.mark.parametrize(
    ("solved", "after", "expected"),
    [
        ("", "", ("first", "a")),
        ("a", "", ("first", "b")),
        # In the track of the one that was just solved, and first what follows it there.
        ("b", "b", ("first", "c")),
        ("bc", "c", ("first", "a")),
        ("abc", "c", ("second", "d")),
        ("d", "d", ("second", "b")),
        # Of no track: as at the start.
        ("ax", "x", ("first", "b")),
        ("abcd", "d", None),
    ],
)
def test_what_comes_next(solved: str, after: str, expected: tuple[str, str] | None) -> None:
    found = next_step(TRACKS, set(solved), after)
    assert (found and (found[0].name, found[1].problem)) == expected


def test_problems_are_sorted_by_track_then_by_difficulty() -> None:
    problems = [("x", "hard"), ("d", "easy"), ("y", "easy"), ("b", "hard"), ("z", "own word"), ("a", "medium")]
    ordered = sorted(problems, key=lambda problem: sort_key(TRACKS, *problem))
    assert [name for name, _ in ordered] == ["a", "b", "d", "y", "x", "z"]


def test_an_exercise_is_a_step_of_its_own(tmp_path: Path) -> None:
    steps = 'steps = [{ exercise = "a/off-by-one", why = "So." }, { problem = "a", why = "Then." }]'
    (tmp_path / FILE).write_text(f'[[track]]\nname = "own"\ntitle = "Own"\nabout = "Ours."\n{steps}\n')
    tracks = find_tracks([tmp_path], {"a"})
    assert [step.key for step in tracks[0].steps] == ["a/off-by-one", "a"]
    assert next_step(tracks, {"a"}) == (tracks[0], Step("a", "So.", "off-by-one"))
    assert tracks[0].solved({"a"}) == 1 and sort_key(tracks, "a", "easy")[:2] == (0, 1)


def test_the_first_file_counts_and_steps_without_their_problem_are_left_out(tmp_path: Path) -> None:
    text = '[[track]]\nname = "own"\ntitle = "Own"\nabout = "Ours."\nsteps = [{ problem = "a", why = "So." }]\n'
    (tmp_path / FILE).write_text(text)
    (found,) = find_tracks([tmp_path / "none", tmp_path, ROOT], {"a", "map"})
    assert found == Track("own", "Own", "Ours.", (Step("a", "So."),))
    assert find_tracks([tmp_path], {"map"}) == ()
    assert find_tracks([tmp_path / "none"], {"map"}) == ()


STEPS = 'steps = [{ problem = "a", why = "So." }]'


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[[track]", "line 1"),
        ("tracks = 1", "it has tracks; expected are tables"),
        ("track = 1", r"expected are tables \[\[track\]\] alone"),
        ("track = [1]", "track 1: name is None"),
        (f'[[track]]\nname = "A b"\ntitle = "T"\nabout = "A"\n{STEPS}', "track 1: name is 'A b'; it has lower-case"),
        (f'[[track]]\nname = "a"\ntitle = ""\nabout = "A"\n{STEPS}', "track 1: title is ''; expected is a text"),
        ('[[track]]\nname = "a"\ntitle = "T"\nabout = "A"\nsteps = []', "expected are name, title, about and steps"),
        (f'[[track]]\nname = "a"\ntitle = "T"\nabout = "A"\ncolour = 1\n{STEPS}', "name, title, about, colour, steps"),
        ('[[track]]\nname = "a"\ntitle = "T"\nabout = "A"\nsteps = [{ problem = "a" }]', "step 1: why is None"),
        ('[[track]]\nname = "a"\ntitle = "T"\nabout = "A"\nsteps = [{ exercise = "a", why = "W." }]', "PROBLEM/NAME"),
        (f'[[track]]\nname = "a"\ntitle = "T"\nabout = "A"\n{STEPS}\n' * 2, "two tracks have the name 'a'"),
    ],
)
def test_mistakes_are_named(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / FILE
    path.write_text(text)
    with pytest.raises(ProblemError, match=message) as caught:
        read_tracks(path)
    assert str(path) in caught.value.message


def test_a_file_that_is_no_text_is_named(tmp_path: Path) -> None:
    (tmp_path / FILE).write_bytes(b"\xff")
    with pytest.raises(ProblemError, match=FILE):
        find_tracks([tmp_path], {"a"})
