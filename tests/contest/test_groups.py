"""Groups of hidden cases: how they are drawn, what a worker says of them, and what a student is told."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from grader.contest.group_cases import check_groups, draw_group
from grader.contest.groups import ALL, Group, conditions, group_from_data, group_to_data, passed_of, passed_to_text
from grader.contest.jobs import Outcome, outcome_of
from grader.contest.judging import MachineJudge
from grader.contest.partial import Credit, Threshold, parts_of
from grader.contest.rejudging import Pick, preview, start
from grader.contest.settings import ContestProblem, Settings, parse_settings, settings_from_json, settings_to_json
from grader.contest.settings_form import CREDIT, form_values, settings_of_form
from grader.contest.standing import standing
from grader.contest.tally import Tally
from grader.core.errors import UsageError
from grader.core.verdict import Verdict
from grader.problem import Problem, load_problem
from grader.problem.inputs import families
from grader.store.workspace import Workspace

from .contests import SETTINGS, contest, submit
from .site_samples import SLUG, Hall, accepted, form_token, open_hall, wrong
from .test_partial import TOML, text_of
from .test_worker import JOB

ROOT = Path(__file__).parents[2]
SMALL, LARGE = Group("small", 30.0, at_most=((ALL, 64),)), Group("large", 50.0, at_least=(("N", 500),), off=16)
CREDIT_OF_GROUPS = Credit(20.0, 0.0, (), (SMALL, LARGE))
TEXT = """credit = { visible = 20, groups = [
  { name = "small", points = 30, at_most = 64 }, { name = "large", points = 50, at_least = { N = 500 }, off = 16 }] }
"""


@pytest.fixture(scope="module")
def matmul() -> Problem:
    return load_problem(ROOT / "problems" / "matmul")


def test_cases_lie_within_the_bounds_and_are_the_same_for_all(matmul: Problem) -> None:
    group = Group("g", 1.0, cases=9, at_most=((ALL, 90), ("K", 7)), at_least=(("M", 40),), off=16)
    cases = draw_group(group, matmul, 4711)
    assert cases == draw_group(group, matmul, 4711) != draw_group(group, matmul, 4712)
    assert len(cases) == 9 and len({tuple(sizes.values()) for sizes, _ in cases}) == 9
    for sizes, family in cases:
        assert 40 <= sizes["M"] <= 90 and sizes["K"] <= 7 and sizes["N"] <= 90 and family in families(matmul)
        assert all(value % 16 for value in sizes.values())
    # Another group of the same contest has other cases.
    assert draw_group(replace(group, name="h"), matmul, 4711) != cases


def test_inputs_may_be_of_one_family_and_few_sizes_come_again(matmul: Problem) -> None:
    family = families(matmul)[-1]
    cases = draw_group(Group("g", 1.0, at_most=((ALL, 1),), families=(family,)), matmul, 1)
    assert cases == [({"M": 1, "N": 1, "K": 1}, family)] * 6


def test_a_group_is_told_in_words() -> None:
    group = Group("g", 1.0, cases=1, at_most=((ALL, 64),), at_least=(("N", 5),), off=16, families=("wide", "normal"))
    told = "1 case, N at least 5, sizes at most 64, no size a multiple of 16, inputs wide and normal"
    assert conditions(group) == told


@pytest.mark.parametrize(
    ("group", "told"),
    [
        (Group("g", 1.0, at_most=(("Q", 5),)), "has no size 'Q'"),
        (Group("g", 1.0, families=("nulls",)), "has no family of inputs 'nulls'"),
        (Group("g", 1.0, at_least=(("N", 10),), at_most=(("N", 5),)), "has no sizes for the group 'g'"),
        (Group("g", 1.0, at_least=((ALL, 10**9),)), "has no sizes for the group 'g'"),
    ],
)
def test_a_group_without_cases_is_a_mistake(matmul: Problem, group: Group, told: str) -> None:
    credit = Credit(groups=(group,))
    settings = replace(
        SETTINGS, hidden_seeds=(7,), problems=(ContestProblem("matmul", 1.0, "", credit), ContestProblem("gone"))
    )
    with pytest.raises(UsageError, match=told):
        check_groups(settings, Workspace(ROOT))


@pytest.mark.parametrize("text", ["[" * 100_000, '{"a": 1}', "[1]", "[[]]", "x"])
def test_what_is_no_list_of_names_is_refused(text: str) -> None:
    with pytest.raises(ValueError):
        passed_of(text)


def test_groups_of_a_file_come_back_from_database_form_and_job() -> None:
    found = parse_settings(TOML.format(TEXT), "a1", "the file")
    assert found.problems[0].credit == CREDIT_OF_GROUPS and found.most_points == 100
    assert settings_from_json(settings_to_json(found), "a1") == found
    assert settings_of_form(found, form_values(found)) == found
    assert [group_from_data(each) for each in found.groups_of("matmul")] == [SMALL, LARGE]
    assert group_from_data(group_to_data(replace(SMALL, families=("x",)))) == replace(SMALL, families=("x",))


def test_staff_edit_points_groups_and_thresholds_as_text() -> None:
    found = parse_settings(TOML.format(TEXT), "a1", "the file")
    values = form_values(found)
    assert "weight:matmul" not in values and "[[matmul.groups]]" in values[CREDIT]
    text = "[matmul]\nvisible = 5\n[[matmul.speed]]\nscore = 0.5\npoints = 7\n"
    changed = settings_of_form(found, {**values, CREDIT: text})
    assert changed.problems[0].credit == Credit(5.0, 0.0, (Threshold(0.5, 7.0),))
    assert settings_of_form(found, {**values, CREDIT: ""}).problems == (ContestProblem("matmul", 1.0),)
    for wrong_text, told in [
        ("[matmul", "partial credit:"),
        ("[conv]\nvisible = 1", "no problem 'conv'"),
        ("[matmul]\nvisible = -1", "credit.visible = -1"),
        ("matmul = 3", "credit = 3"),
        ("x = " + "[" * 9000, "partial credit:"),
        ("#" * 20_001, "more than 20,000 characters"),
    ]:
        with pytest.raises(UsageError, match=told):
            settings_of_form(found, {**values, CREDIT: wrong_text})


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('groups = [{ name = "hidden", points = 1 }]', "a name of its own"),
        ('groups = [{ name = "a", points = 1 }, { name = "a", points = 1 }]', "a name of its own"),
        ('groups = [{ name = "a", points = 0 }]', "groups[1].points = 0"),
        ('groups = [{ name = "a", at_most = "9" }]', "groups[1].at_most"),
        ('groups = [{ name = "a", at_most = { N = -1 } }]', "groups[1].at_most"),
        ('groups = [{ name = "a", families = 3 }]', "groups[1].families = 3"),
        ('groups = [{ name = "a", sizes = 3 }]', "no such key"),
        ("groups = 3", "credit.groups"),
    ],
)
def test_a_mistake_in_a_group_is_named(text: str, told: str) -> None:
    with pytest.raises(UsageError, match=re.escape(told)):
        parse_settings(TOML.format(f"credit = {{ visible = 1, {text} }}"), "a1", "the file")


def test_groups_need_hidden_seeds() -> None:
    with pytest.raises(UsageError, match="no groups without hidden_seeds"):
        parse_settings(TOML.format(TEXT).replace("hidden_seeds = [7]", ""), "a1", "the file")


def test_each_group_gives_its_points_whatever_the_verdict() -> None:
    def points(verdict: Verdict, *passed: str, failed_hidden: bool = False) -> list[float]:
        parts = parts_of(CREDIT_OF_GROUPS, verdict, None, failed_hidden=failed_hidden, passed=passed)
        assert [part.words for part in parts] == ["visible cases", "small", "large"]
        return [part.points.value for part in parts]

    assert points(Verdict.ACCEPTED, "small", "large") == [20, 30, 50]
    assert points(Verdict.WRONG_ANSWER, "small") == [0, 30, 0]
    assert points(Verdict.WRONG_ANSWER, "small", "of old", failed_hidden=True) == [20, 30, 0]
    # Judged before there were groups.
    assert points(Verdict.ACCEPTED) == [20, 0, 0]


def judge_of(tmp_path: Path, *verdicts: Verdict) -> tuple[MachineJudge, list[Any]]:
    """A judge whose gradings find these verdicts in turn, and the options of each."""
    asked: list[Any] = []

    def grade(problem: object, submission: object, options: Any, progress: Any) -> Any:
        asked.append(options)
        verdict = verdicts[len(asked) - 1]
        return accepted() if verdict is Verdict.ACCEPTED else replace(wrong(), verdict=verdict)

    machine = MachineJudge(Workspace(ROOT), "emulator", tmp_path, grade=grade)
    machine.hidden_seconds = 0.01
    return machine, asked


OK, BAD = Verdict.ACCEPTED, Verdict.WRONG_ANSWER
WORK = replace(
    JOB, hidden_seed=17, groups=[group_to_data(SMALL), group_to_data(replace(LARGE, at_least=((ALL, 200),)))]
)


@pytest.mark.parametrize(
    ("found", "verdict", "is_open", "passed"),
    [
        # Visible cases, hidden ones unless those failed, then each group.
        ([OK, OK, OK, OK], "accepted", True, {"small", "large"}),
        ([OK, OK, OK, BAD], "wrong_answer", False, {"small"}),
        ([OK, Verdict.RUNTIME_ERROR, OK, OK], "wrong_answer", False, {"small", "large"}),
        ([BAD, OK, Verdict.TIME_LIMIT_EXCEEDED], "wrong_answer", True, {"small"}),
        ([Verdict.RUNTIME_ERROR, BAD, BAD], "runtime_error", True, set()),
        ([Verdict.COMPILE_ERROR], "compile_error", True, set()),
        ([BAD, OK, Verdict.INTERNAL_ERROR], "internal_error", False, set()),
    ],
)
def test_what_a_worker_says_of_groups(
    tmp_path: Path, found: list[Verdict], verdict: str, is_open: bool, passed: set[str]
) -> None:
    machine, asked = judge_of(tmp_path, *found)
    outcome = machine(WORK, lambda text: None)
    assert (outcome.verdict, outcome.is_open, passed_of(outcome.groups)) == (verdict, is_open, passed)
    assert len(asked) == len(found)
    assert all(each.fresh_modules and not each.timed for each in asked[1:])
    if len(found) > 2:
        small, large = asked[-2:]
        assert all(max(sizes.values()) <= 64 for sizes in small.sizes) and len(small.families) == len(small.sizes)
        assert small.seed != large.seed != WORK.hidden_seed


def test_a_kernel_that_is_right_where_arrays_are_small_has_the_points_of_that(tmp_path: Path) -> None:
    text = (ROOT / "problems" / "zip" / "submissions" / "accepted" / "1_simple.cu").read_text()
    machine = MachineJudge(Workspace(ROOT), "emulator", tmp_path)
    machine.hidden_seconds = 0.01
    small = text.replace("< N", "< (N < 100 ? N : 100)")
    assert small != text
    outcome = machine(replace(WORK, problem="zip", text=small), lambda text: None)
    assert outcome.verdict == "wrong_answer" and passed_of(outcome.groups) == {"small"}


def grouped(settings: Settings = SETTINGS) -> Settings:
    problems = ContestProblem("matmul", 100.0, "", CREDIT_OF_GROUPS), ContestProblem("zip")
    return replace(settings, gpu_model="emulator", hidden_seeds=(7,), problems=problems)


def test_boards_count_groups_and_a_rejudge_counts_them_anew(tmp_path: Path) -> None:
    settings = grouped()
    with contest(tmp_path, settings, ["ada"]) as database:

        def finish(*passed: str) -> None:
            job = database.queue.claim("emulator", "w")
            assert job is not None and [group_from_data(each) for each in job.groups] == [SMALL, LARGE]
            said = Outcome("wrong_answer", is_open=True, language="cuda", groups=passed_to_text(passed))
            assert database.queue.finish(job, said)

        submit(database, "ada", 1, settings=settings)
        finish("small")
        (row,) = standing(database, "a1").rows
        tally = Tally(database, "a1")
        tally.refresh(settings, whole=True)
        assert tally.rows == (row,) and row.points.value == 30
        number = start(database, "a1", Pick(), "groups", who="staff")
        finish("small", "large")
        (move,) = preview(database, number).moves
        assert (move.points_before, move.points_after) == (30, 80)
        database.apply_rejudge(number, who="staff")
        assert standing(database, "a1").rows[0].points.value == 80


@pytest.fixture
def hall(tmp_path: Path) -> Iterator[Hall]:
    problems = ContestProblem("matmul", 100.0, "", CREDIT_OF_GROUPS), ContestProblem("zip", 2.0)
    with open_hall(tmp_path, hidden_seeds=(7,), problems=problems) as opened:
        yield opened


def test_a_student_sees_the_points_of_groups_and_nothing_of_their_sizes(hall: Hall) -> None:
    number, worker = hall.submit("ada"), hall.worker()
    job = worker.claim("emulator", "w")
    assert job is not None and [group_from_data(each) for each in job.groups] == [SMALL, LARGE]
    said = replace(outcome_of(wrong()), is_open=False, groups=passed_to_text(["small"]))
    with pytest.raises(Exception, match="groups can't be read"):
        worker.finish(job, replace(said, groups="{"))
    assert worker.finish(job, said)
    ada, home = hall.signed_in("ada"), f"/contests/{SLUG}"
    points = "visible cases 20 of 20, small 30 of 30, large 0 of 50"
    page = text_of(ada.get(f"{home}/submissions/{number}").text)
    assert points in page and "which groups of cases give points" in page
    assert points in text_of(ada.get(home).text)
    case = wrong().cases[0].sizes
    assert not any(f"{name} = {value}" in page or f"{name}={value}" in page for name, value in case.items())
    parts = hall.program("ada").get(f"/api/submissions/{number}").json()["parts"]
    assert [(each["group"], each["points"]["value"]) for each in parts] == [
        ("visible", 20),
        ("small", 30),
        ("large", 0),
    ]
    cell = hall.program("ada").get(f"/api/contests/{SLUG}/scoreboard").json()["rows"][0]["cells"][0]
    assert [each["group"] for each in cell["parts"]] == ["visible", "small", "large"]


def test_staff_change_groups_in_the_browser(hall: Hall) -> None:
    tutor, path = hall.signed_in("tutor"), f"/contests/{SLUG}/staff/settings"
    page = tutor.get(path).text
    values = form_values(hall.site.access.contest(SLUG))
    fields = {**values, "csrf": form_token(page), "seen": page.partition('name="seen" value="')[2].partition('"')[0]}
    impossible = values[CREDIT].replace("off = 16", 'families = ["nulls"]')
    answer = tutor.post(path, data={**fields, CREDIT: impossible})
    assert answer.status_code == 400 and "no family of inputs" in text_of(answer.text)
    answer = tutor.post(path, data={**fields, CREDIT: values[CREDIT].replace("points = 50", "points = 70")})
    assert answer.status_code == 200 and hall.site.access.contest(SLUG).most_points == 122
    assert "credit.groups" in text_of(answer.text)
