"""Sets of challenges are listed and searched without running any of their code."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from grader.commands.challenges import statement_of
from grader.core.errors import ProblemError, UsageError
from grader.problem.challenges.folder import STATEMENT, ChallengeSet

from .conftest import SET


def test_all_challenges_are_listed_by_difficulty_and_number() -> None:
    found = ChallengeSet(SET).challenges
    assert [one.number for one in found] == [str(number) for number in range(1, 16)]
    assert [one.difficulty for one in found] == ["easy"] * 6 + ["medium"] * 6 + ["hard"] * 3
    assert (found[0].short_name, found[0].name, found[0].title) == ("1_saxpy", "set:1_saxpy", "Saxpy")


def test_a_title_is_read_in_either_way_of_stating_it(write_set: Callable[..., Path]) -> None:
    by_keyword = "class Challenge:\n    def __init__(self):\n        super().__init__(name='By keyword', atol=1)\n"
    by_position = "class Challenge:\n    def __init__(self):\n        super().__init__('By position', 1e-5)\n"
    by_attribute = "class Challenge:\n    name = 'By attribute'\n"
    texts = {
        "one": by_keyword,
        "two": by_position,
        "three": by_attribute,
        "four_words": "class Challenge: (",
        "five": "",
    }
    found = ChallengeSet(write_set(**texts)).challenges
    assert [one.title for one in found] == ["By keyword", "By position", "By attribute", "Four words", "Five"]


@pytest.mark.parametrize(
    "text",
    ["x = " + "-" * 100_000 + "1", "x = " + "a." * 100_000 + "b", "class C:\n    name = 0x" + "f" * 10_000],
    ids=["deep", "long", "a large number"],
)
def test_a_challenge_that_python_does_not_read_hides_no_other(write_set: Callable[..., Path], text: str) -> None:
    found = ChallengeSet(write_set(one=text, two="class Challenge:\n    name = 'Second'\n")).challenges
    assert [one.title for one in found] == ["One", "Second"]


def test_files_that_never_end_are_not_read(write_set: Callable[..., Path]) -> None:
    challenges = ChallengeSet(write_set(one="", two=""))
    one, two = challenges.challenges
    os.truncate(one.file, 10 << 30)
    two.file.unlink()
    os.mkfifo(two.file)
    assert [each.title for each in challenges.challenges] == ["One", "Two"]
    os.mkfifo(one.folder / STATEMENT)
    with pytest.raises(ProblemError, match="it is no regular file"):
        statement_of(str(challenges.given), "one")


def test_what_is_for_several_gpus_is_told_in_the_list() -> None:
    tags = {one.short_name: one.tags for one in ChallengeSet(SET).challenges}
    assert tags.pop("15_two_gpus") == ("needs 2 GPUs",)
    assert set(tags.values()) == {()}


@pytest.mark.parametrize(
    "wanted", ["10", "10_matrix_product", "matrix_product", "set:10_matrix_product", "Matrix_Product"]
)
def test_a_challenge_has_several_names(wanted: str) -> None:
    assert ChallengeSet(SET).find(wanted).short_name == "10_matrix_product"


@pytest.mark.parametrize(
    ("wanted", "said"),
    [
        ("saxpi", "there is no challenge 'saxpi'. Did you mean '1_saxpy'?"),
        ("matrix", "there is no challenge 'matrix'. Did you mean '10_matrix_product'?"),
        ("99", "there is no challenge '99'."),
        ("", "there is no challenge ''."),
    ],
)
def test_an_unknown_name_is_answered_with_the_nearest(wanted: str, said: str) -> None:
    with pytest.raises(UsageError, match=re.escape(said)) as raised:
        ChallengeSet(SET).find(wanted)
    assert raised.value.message == said
    assert raised.value.hint == f"type: kgrade list --problems {SET}"


def test_an_ambiguous_name_is_answered_with_all_that_it_may_be(write_set: Callable[..., Path]) -> None:
    root = write_set(sum="", product="")
    (root / "challenges" / "hard" / "3_sum").mkdir(parents=True)
    (root / "challenges" / "hard" / "3_sum" / "challenge.py").write_text("")
    with pytest.raises(UsageError, match=r"'sum' is more than one challenge: easy/1_sum, hard/3_sum"):
        ChallengeSet(root).find("sum")
    assert ChallengeSet(root).find("3").difficulty == "hard"


def test_a_folder_without_challenges_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="has no folder challenges/"):
        ChallengeSet(tmp_path)
    (tmp_path / "challenges").mkdir()
    with pytest.raises(UsageError, match=r"challenges/core/challenge_base\.py is missing"):
        ChallengeSet(tmp_path)


def test_a_set_without_one_challenge_is_refused(write_set: Callable[..., Path]) -> None:
    with pytest.raises(UsageError, match="has no challenges: none of"):
        ChallengeSet(write_set())


def test_who_names_the_folder_inside_is_told_the_one_above() -> None:
    with pytest.raises(UsageError) as raised:
        ChallengeSet(SET / "challenges")
    assert raised.value.hint == f"name the folder above it: --problems {SET.resolve()}"


def test_the_same_challenge_of_two_sets_is_recorded_as_two_problems(tmp_path: Path) -> None:
    (tmp_path / "theirs").symlink_to(SET)
    assert ChallengeSet(tmp_path / "theirs").find("1").name == "theirs:1_saxpy" != ChallengeSet(SET).find("1").name


def test_a_list_needs_no_pytorch(tmp_path: Path) -> None:
    (tmp_path / "torch.py").write_text("raise SystemExit('PyTorch was imported')\n")
    home = Path(__file__).parents[2]
    environment = {**os.environ, "PYTHONPATH": f"{tmp_path}:{home}", "XDG_DATA_HOME": str(tmp_path)}
    command = [sys.executable, "-m", "grader", "list", "--problems", str(SET)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
    assert len(done.stdout.splitlines()) == 16
