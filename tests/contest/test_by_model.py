"""Contests without a GPU whose scores are those of model times: settings, judging, points, pages."""

from __future__ import annotations

import csv
import io
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from grader.contest.archive_site import archive_pages
from grader.contest.exports import to_autolab, to_csv, to_gradescope
from grader.contest.jobs import Outcome
from grader.contest.judging import MachineJudge
from grader.contest.partial import Credit, Threshold
from grader.contest.practice import PRACTICE, practice_settings
from grader.contest.settings import ContestProblem, Settings, parse_settings, settings_from_json, settings_to_json
from grader.contest.settings_form import form_values, settings_of_form
from grader.contest.standing import results, standing
from grader.core.errors import UsageError
from grader.core.report import Interval, Modelled, ModelSize, Report, from_json
from grader.model.model import ModelTime
from grader.store.workspace import Workspace

from .contests import SETTINGS
from .site_samples import SLUG, Hall, accepted, form_token, open_hall, wrong
from .test_worker import JOB, ROOT

TOML = """
start = 2026-10-01T09:00:00Z
end = 2026-10-02T09:00:00Z
hidden_seeds = [7]
{}
[[problems]]
name = "matmul"
credit = {{ visible = 40, speed = [{{ score = 0.3, points = 15 }}, {{ score = 0.6, points = 25 }}] }}
"""
BY_MODEL = 'gpu_model = "emulator"\nmodel_time = "H200"'
PRACTICE_PAGES = f"/contests/{PRACTICE}"
BOARD = "model time on H200, not measured"


def read(lines: str) -> Settings:
    return parse_settings(TOML.format(lines), "c1", "contest.toml")


def test_a_contest_chooses_it_in_its_file() -> None:
    found = read(BY_MODEL)
    assert found.by_model and found.is_timed and found.scored_by == BOARD
    assert settings_from_json(settings_to_json(found), "c1") == found
    plain = replace(SETTINGS, gpu_model="emulator")
    assert not plain.by_model and plain.scored_by == ""


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ('gpu_model = "emulator"', "no points for speed without a GPU in gpu_model or in model_time"),
        ('gpu_model = "NVIDIA H100"\nmodel_time = "H200"', 'no model time unless gpu_model is "emulator"'),
        ('model_time = "H200"', 'no model time unless gpu_model is "emulator"'),
        ('gpu_model = "emulator"\nmodel_time = "H900"', "H900"),
    ],
)
def test_what_has_no_model_time_is_told(lines: str, words: str) -> None:
    with pytest.raises(UsageError) as caught:
        read(lines)
    assert words in caught.value.message


def test_staff_choose_it_in_the_form() -> None:
    before = replace(read(BY_MODEL), model_time=None, problems=SETTINGS.problems)
    changed = settings_of_form(before, form_values(before) | {"model_time": "L4"})
    assert changed == replace(before, model_time="L4")


def graded(report: Report) -> Callable[..., Report]:
    return lambda *_: replace(report, problem="matmul", device="emulator")


def timed(seconds: float | None) -> Callable[..., ModelTime]:
    def time(problem: Any, submission: Any, sizes: Mapping[str, int], gpu: Any, *_: Any) -> ModelTime:
        if seconds is None:
            return ModelTime(gpu, dict(sizes), None, why_not="the model does not know frob.b32")
        return ModelTime(gpu, dict(sizes), seconds, seconds / 2, 2 * seconds, "dram")

    return time


def judged(tmp_path: Path, report: Report, seconds: float | None, **more: Any) -> tuple[Outcome, list[str]]:
    machine = MachineJudge(
        Workspace(ROOT), "emulator", tmp_path, grade=graded(report), model_timer=timed(seconds), require_sandbox=False
    )
    machine.hidden_seconds = 0.01
    said: list[str] = []
    return machine(replace(JOB, **more), said.append), said


@pytest.mark.parametrize("hidden", [None, 17])
def test_a_judge_adds_the_model_time(tmp_path: Path, hidden: int | None) -> None:
    outcome, said = judged(tmp_path, accepted(), 1e-3, model_time="H200", model_scores=True, hidden_seed=hidden)
    assert outcome.verdict == "accepted" and outcome.is_open and outcome.report is not None
    model = from_json(outcome.report).model
    assert model is not None and model.gpu == "H200" and len(model.sizes) == 3
    assert outcome.score == outcome.score_low == outcome.score_high == model.score
    assert said[-1].startswith("computing the model time on H200, 3 of 3")


def test_without_one_it_is_accepted_and_has_no_score(tmp_path: Path) -> None:
    outcome, _ = judged(tmp_path, accepted(), None, model_time="H200", model_scores=True)
    assert (outcome.verdict, outcome.score) == ("accepted", None) and outcome.report is not None
    model = from_json(outcome.report).model
    assert model is not None and model.why_not.startswith("the model does not know frob.b32")


def test_nobody_computes_it_who_was_not_asked(tmp_path: Path) -> None:
    for report, asked in ((accepted(), {}), (wrong(), {"model_time": "H200"})):
        outcome, said = judged(tmp_path, report, 1e-3, **asked)
        assert outcome.report is not None and from_json(outcome.report).model is None
        assert not any("model time" in text for text in said)


def test_in_the_practice_it_is_no_score_but_has_a_board(tmp_path: Path) -> None:
    assert practice_settings(Workspace(tmp_path)).model_time == "H200"
    assert not practice_settings(Workspace(tmp_path)).is_timed
    outcome, _ = judged(tmp_path, accepted(), 1e-3, model_time="H200")
    assert outcome.score is None and outcome.report is not None
    assert from_json(outcome.report).ranks_by_model


CREDIT = Credit(40.0, 0.0, (Threshold(0.3, 15.0), Threshold(0.6, 25.0)))


@pytest.fixture
def hall(tmp_path: Path) -> Iterator[Hall]:
    problems = (ContestProblem("matmul", CREDIT.most, "", CREDIT), ContestProblem("zip"))
    with open_hall(tmp_path) as found:
        found.change(model_time="H200", freeze=None, problems=problems)
        yield found


def by_model(score: float | None) -> Report:
    size = ModelSize({"M": 1024, "N": 1024, "K": 1024}, Interval(1e-3, 7e-4, 2e-3), "DRAM", score)
    model = Modelled("H200", "", "1-a", (size,), score)
    if score is None:
        why = "the model does not know frob.b32"
        model = replace(model, sizes=(replace(size, time=None, bound="", why_not=why),), why_not=why)
    return replace(accepted(), device="emulator", model=model)


def test_scores_and_thresholds_are_those_of_model_times(hall: Hall) -> None:
    for name, score in (("ada", 0.45), ("bob", None)):
        number = hall.submit(name)
        hall.judge(by_model(score))
        page = hall.signed_in(name).get(f"/contests/{SLUG}/submissions/{number}").text
        assert "Model time on H200, not measured" in page
        assert ("the model does not know frob.b32" in page) is (score is None)
    rows = {row.who: row.points.value for row in standing(hall.database, SLUG, everything=True).rows}
    assert (rows["ada"], rows["bob"]) == (55.0, 40.0)
    board = hall.signed_in("ada").get(f"/contests/{SLUG}/scoreboard").text
    assert f"by {BOARD}" in board and 'data-label="Points by model time"' in board
    about = hall.program("ada").get(f"/api/contests/{SLUG}").json()
    assert about["scored_by"] == BOARD
    assert f"by {BOARD}" in dict(archive_pages(hall.database, SLUG, {}))["index.html"]


def test_exports_say_that_scores_are_those_of_a_model(hall: Hall) -> None:
    hall.submit("ada")
    hall.judge(by_model(0.45))
    found = results(hall.database, SLUG)
    (ada,) = [row for row in found.rows if row.who == "ada"]
    (line,) = [line for line in csv.DictReader(io.StringIO(to_csv(found))) if line["name"] == "ada"]
    assert (line["scores_by"], line["points"], line["matmul_verdict"]) == (BOARD, "55.0000", "accepted")
    told = json.loads(to_gradescope(found, ada))
    assert told["output"].endswith(f"; scores by {BOARD}")
    assert told["leaderboard"][0]["name"] == "points by model time"
    *before, last = to_autolab(found, ada).splitlines()
    assert before == [f"Scores by {BOARD}."] and json.loads(last)["scores"]["matmul"] == 55.0

    measured = replace(found, settings=replace(found.settings, model_time=None))
    texts = (to_csv(measured), to_gradescope(measured, ada), to_autolab(measured, ada))
    assert not any("model" in text or "scores_by" in text for text in texts)


def test_a_worker_process_scores_a_contest_and_ranks_the_practice(tmp_path: Path) -> None:
    """As processes: the worker compiles, grades and models what was submitted, with no word of the test between."""
    credit = Credit(1.0, 0.0, (Threshold(0.01, 2.0), Threshold(0.99, 4.0)))
    problems = (ContestProblem("zip", credit.most, "", credit),)
    changes: dict[str, Any] = {"model_time": "H200", "freeze": None, "problems": problems}
    source = (ROOT / "problems" / "zip" / "submissions" / "accepted" / "1_simple.cu").read_text()
    with open_hall(tmp_path / "site", practice=True, **changes) as hall:
        number = hall.submit("ada", source, problem="zip")
        browser = hall.browser()
        token = form_token(browser.get(f"{PRACTICE_PAGES}/problems/zip").text)
        form = {"csrf": token, "language": "cuda", "source": source}
        assert browser.post(f"{PRACTICE_PAGES}/problems/zip", data=form).status_code == 303
        hall.worker("lab")
        secret = tmp_path / "token"
        secret.touch(mode=0o600)
        secret.write_text("token-of-lab\n")
        command = [sys.executable, "-m", "grader", "--workspace", str(tmp_path / "site"), "worker", "--until-idle", "1"]
        command += ["--server", hall.address, "--token-file", str(secret), "--device", "emulator", "--no-sandbox"]
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300, check=False)
        assert done.returncode == 0, done.stderr

        known = hall.program("ada").get(f"/api/submissions/{number}").json()
        assert (known["state"], known["verdict"]) == ("judged", "accepted")
        # Adding two arrays keeps the memory busy, if not all of the time.
        score = hall.database.submission(number).score
        assert score is not None and 0.2 < score < 0.99
        (row,) = [row for row in standing(hall.database, SLUG, everything=True).rows if row.who == "ada"]
        assert row.points.value == 3.0
        page = hall.signed_in("ada").get(f"/contests/{SLUG}/submissions/{number}").text
        assert "Model time on H200, not measured" in page
        board = browser.get(f"{PRACTICE_PAGES}/problems/zip/leaderboard").text
        assert "Model time on H200, not measured" in board and f"{score:.3f}" in board
