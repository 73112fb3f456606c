"""`submit`, `leaderboard` and `bench --model` without a GPU: model times are named as such, and rank by themselves."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from grader.core.report import Report
from grader.core.verdict import Verdict
from grader.store.database import Store

from .conftest import Judge, Kgrade, PlayedEngines
from .samples import SOURCE, measured_report

BOARD = "model time on H200, not measured"


def takes(text: str) -> float | None:
    """The microseconds that a file names; None for one that names none."""
    found = text.partition("takes ")[2].split()
    return float(found[0]) if found else None


@pytest.fixture
def files(workspace: Path, judge: Judge, engines: PlayedEngines) -> Path:
    engines.model = takes
    for name, text in {"quick.cu": "// takes 40\n", "slow.cu": "// takes 200\n", "odd.cu": "// odd\n"}.items():
        (workspace / name).write_text(text + SOURCE)
    return workspace


def test_submissions_are_ranked_by_model_time(kgrade: Kgrade, files: Path, engines: PlayedEngines) -> None:
    out = kgrade("submit", "matmul", "slow.cu", "--user", "ada", "--deadline", "40").out
    assert f"{BOARD}; not calibrated" in out and "200 µs" in out and "by the model" in out
    assert engines.modelled_for == [("H200", 40)]
    kgrade("submit", "matmul", "quick.cu", "--user", "grace")
    odd = kgrade("submit", "matmul", "odd.cu", "--user", "linus")
    assert odd.code == 0 and "Not ranked by model time: the model does not know frob.b32" in odd.out
    lines = kgrade("leaderboard", "matmul").out.splitlines()
    at = lines.index(BOARD)
    assert [line.split()[:2] for line in lines[at + 2 : at + 4]] == [["1", "grace"], ["2", "ada"]]
    assert "280 µs" in lines[at + 2]
    (unranked,) = [line for line in lines[:at] if line.startswith("      linus")]
    assert "accepted  emulator" in unranked
    assert "linus has no model time: the model does not know frob.b32" in lines[:at]
    page = (files / "submissions" / "reports" / "3.html").read_text()
    assert "Model time on H200, not measured" in page and "the model does not know frob.b32" in page


def test_nobody_has_to_have_one(kgrade: Kgrade, files: Path, engines: PlayedEngines, judge: Judge) -> None:
    assert "model time" not in kgrade("submit", "matmul", "quick.cu", "--no-model").out
    assert "model time" not in kgrade("test", "matmul", "quick.cu").out
    judge.report = measured_report()
    kgrade("submit", "matmul", "quick.cu")
    judge.report = replace(judge.report, device="emulator", verdict=Verdict.WRONG_ANSWER)
    kgrade("submit", "matmul", "quick.cu")
    assert engines.modelled_for == []


def test_what_is_interrupted_is_recorded_without(kgrade: Kgrade, files: Path, engines: PlayedEngines) -> None:
    engines.model = KeyboardInterrupt()
    answer = kgrade("submit", "matmul", "quick.cu")
    assert answer.code == 0 and "Not ranked by model time: it was interrupted" in answer.out
    (entry,) = Store(files / "submissions" / "kgrade.db").summaries()
    assert (entry.verdict, entry.model_note, entry.model_score) == ("accepted", "it was interrupted", None)


def test_a_gpu_that_is_not_known_is_told_before_grading(kgrade: Kgrade, files: Path, judge: Judge) -> None:
    answer = kgrade("submit", "matmul", "quick.cu", "--gpu", "H900")
    assert answer.code == 2 and "no figures of a GPU 'H900'" in answer.err and "RTX 4090" in answer.err
    assert judge.asked == []


def wrong_where_it_says_so(judge: Judge, engines: PlayedEngines) -> None:
    grade = judge.grade

    def graded(problem: Any, submission: Any, *more: Any) -> Report:
        report = grade(problem, submission, *more)
        return replace(report, verdict=Verdict.WRONG_ANSWER) if "// wrong" in submission.text else report

    engines.grade = graded  # type: ignore[method-assign]


def test_bench_puts_model_times_side_by_side(kgrade: Kgrade, files: Path, judge: Judge, engines: PlayedEngines) -> None:
    wrong_where_it_says_so(judge, engines)
    (files / "wrong.cu").write_text("// wrong, takes 1\n" + SOURCE)
    answer = kgrade("bench", "matmul", "slow.cu", "quick.cu", "wrong.cu", "--model", "--gpu", "l4")
    assert answer.code == 0
    assert "model time on L4, not measured" in answer.out and "wrong.cu is left out: wrong_answer" in answer.out
    rows = [line.split() for line in answer.out.splitlines() if "slow.cu" in line or "quick.cu" in line]
    assert rows[0] == ["2", "slow.cu", "200", "µs", "150", "to", "250", "5.000", "DRAM"]
    assert rows[1] == ["1", "quick.cu", "40.0", "µs", "30", "to", "50", "1", "DRAM"]
    assert rows[-1] == ["1", "quick.cu", "1", "fastest"] and rows[-2][:3] == ["2", "slow.cu", "5.000"]
    assert [(options.device, options.timed) for _, _, options in judge.asked] == [("emulator", False)] * 3
    assert not (files / "submissions" / "kgrade.db").exists()


def test_bench_by_model_as_json(kgrade: Kgrade, files: Path) -> None:
    answer = kgrade("bench", "matmul", "slow.cu", "odd.cu", "quick.cu", "--model", "--size", "M=8,N=8,K=8", "--json")
    assert answer.code == 1
    (size,) = answer.json["sizes"]
    assert answer.json["device"] == BOARD and answer.json["calibrated"] is None
    assert size["groups"] == [["quick.cu"], ["slow.cu"]] and size["bounds"] == {"slow.cu": "DRAM", "quick.cu": "DRAM"}
    assert size["times"]["slow.cu"] == pytest.approx({"value": 2e-4, "low": 1.5e-4, "high": 2.5e-4})
    assert size["failed"] == {"odd.cu": "the model does not know frob.b32"}
    assert [each["score"] is None for each in answer.json["files"]] == [False, True, False]


def test_a_file_alone_stands_beside_the_baseline(kgrade: Kgrade, files: Path) -> None:
    answer = kgrade("bench", "matmul", "odd.cu", "--model", "--size", "M=8,N=8,K=8")
    assert answer.code == 1 and "odd.cu has no model time: the model does not know frob.b32" in answer.out


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--gpu", "L4"), "--gpu has no effect without --model"),
        (("--model", "--device", "gpu"), "--device has no effect with --model"),
        (("--model", "--gpu", "H900"), "no figures of a GPU 'H900'"),
    ],
)
def test_options_without_effect_are_refused(kgrade: Kgrade, files: Path, options: tuple[str, ...], words: str) -> None:
    answer = kgrade("bench", "matmul", "quick.cu", *options)
    assert answer.code == 2 and words in answer.err
