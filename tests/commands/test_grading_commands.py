"""`submit`, `test` and `watch`: what is graded, printed, recorded, and with which exit code they end."""

from __future__ import annotations

import itertools
import json
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from grader.boards.filing import Filed, Filing
from grader.commands.saves import saves
from grader.core.errors import DiskFull, SourceError
from grader.core.report import Report
from grader.core.verdict import Verdict
from grader.store.database import Store

from .conftest import Judge, Kgrade, PlayedEngines
from .samples import accepted_report, faulty_report, wrong_report

EXIT_CODES = {Verdict.ACCEPTED: 0, Verdict.INTERNAL_ERROR: 3}


def test_submit_records_and_writes_the_page(kgrade: Kgrade, judge: Judge, workspace: Path) -> None:
    answer = kgrade("submit", "matmul", "mine.cu")
    assert answer.code == 0
    assert "accepted" in answer.out
    (entry,) = Store(workspace / "submissions" / "kgrade.db").entries()
    assert (entry.user, entry.problem, entry.file) == ("ada", "matmul", "mine.cu")
    page = workspace / "submissions" / "reports" / f"{entry.id}.html"
    assert str(page) in answer.out
    assert "matrix_multiplication_kernel" in page.read_text()


def test_test_records_nothing(kgrade: Kgrade, judge: Judge, workspace: Path) -> None:
    assert kgrade("test", "matmul", "mine.cu").code == 0
    assert list((workspace / "submissions").iterdir()) == []


@pytest.mark.parametrize("command", ["submit", "test"])
@pytest.mark.parametrize("verdict", Verdict)
def test_exit_codes(kgrade: Kgrade, judge: Judge, workspace: Path, command: str, verdict: Verdict) -> None:
    judge.report = replace(accepted_report(), verdict=verdict)
    assert kgrade(command, "matmul", "mine.cu").code == EXIT_CODES.get(verdict, 1)


def test_options_reach_the_judge(kgrade: Kgrade, judge: Judge, workspace: Path) -> None:
    line = "test matmul mine.cu --case M=17,N=1,K=3 --case M=1,N=1,K=1 --seed 5 --cases 3 --user Grace"
    kgrade(*line.split(), "--device", "emulator")
    ((problem, submission, options),) = judge.asked
    assert (problem.name, submission.path_name) == ("matmul", "mine.cu")
    assert list(options.sizes) == [{"M": 17, "N": 1, "K": 3}, {"M": 1, "N": 1, "K": 1}]
    assert (options.seed, options.cases, options.user, options.device) == (5, 3, "Grace", "emulator")


def test_json_is_one_object_and_nothing_else(kgrade: Kgrade, judge: Judge, workspace: Path) -> None:
    judge.report = faulty_report()
    answer = kgrade("submit", "matmul", "mine.cu", "--json")
    assert answer.code == 1
    assert answer.err == ""
    assert answer.out.count("\n") == 1
    data = answer.json
    for name, value in {
        "problem": "matmul",
        "form": "kernel",
        "device": "emulator",
        "verdict": "runtime_error",
        "fault": "out_of_bounds",
        "kind": None,
        "line": 4,
        "score": None,
        "user": "ada",
        "submission": 1,
    }.items():
        assert data[name] == value, name
    assert data["fault_details"]["array"] == "C"
    assert [case["fault"] for case in data["cases"]] == [None, "out_of_bounds"]
    assert Path(data["page"]).is_file()


def test_json_has_the_same_keys_whatever_the_verdict(kgrade: Kgrade, judge: Judge, workspace: Path) -> None:
    keys = set()
    for report in (accepted_report(), faulty_report(), wrong_report()):
        judge.report = report
        keys.add(frozenset(kgrade("test", "matmul", "mine.cu", "--json").json))
    assert len(keys) == 1


@pytest.mark.parametrize(
    ("sizes", "said"),
    [
        ("M=17", "N"),
        ("M=17,N=1,K=3,Q=4", "'Q'"),
        ("M=0,N=1,K=3", "M=0"),
        ("M=17;N=1", "'17;N=1' is not a whole number"),
        ("17", "'17' is not of the form NAME=NUMBER"),
        ("M=x,N=1,K=3", "'x' is not a whole number"),
        ("M=1,M=2,N=1,K=3", "M is given twice"),
        ("", "not of the form"),
    ],
)
def test_wrong_sizes_are_named(kgrade: Kgrade, workspace: Path, sizes: str, said: str) -> None:
    answer = kgrade("test", "matmul", "mine.cu", "--case", sizes)
    assert answer.code == 2
    assert said in answer.err
    assert "--case" in answer.err.splitlines()[-1]


@pytest.mark.parametrize(
    ("problem", "file", "said"),
    [("matmull", "mine.cu", "Did you mean 'matmul'?"), ("matmul", "missing.cu", "missing.cu")],
)
@pytest.mark.parametrize("command", ["submit", "test", "watch"])
def test_a_wrong_name_is_told_before_anything_is_graded(
    kgrade: Kgrade, judge: Judge, workspace: Path, command: str, problem: str, file: str, said: str
) -> None:
    answer = kgrade(command, problem, file)
    assert answer.code == 2
    assert said in answer.err
    assert judge.asked == []
    assert list((workspace / "submissions").iterdir()) == []


def test_a_wrong_name_with_json_is_an_object_too(kgrade: Kgrade, workspace: Path) -> None:
    answer = kgrade("test", "matmul", "missing.cu", "--json")
    assert answer.code == 2
    assert "missing.cu" in answer.json["error"]


@pytest.mark.parametrize("user", ["", " ", "x" * 65, "two\nlines", "\x1b[31mred"])
def test_user_names_that_no_page_can_show_are_refused(kgrade: Kgrade, judge: Judge, workspace: Path, user: str) -> None:
    answer = kgrade("submit", "matmul", "mine.cu", "--user", user)
    assert answer.code == 2
    assert "user name" in answer.err
    assert judge.asked == []


def test_the_user_is_taken_from_the_environment(
    kgrade: Kgrade, judge: Judge, workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KGRADE_USER", "Grace Hopper")
    kgrade("submit", "matmul", "mine.cu")
    assert judge.asked[0][2].user == "Grace Hopper"


def test_a_store_that_cant_be_written_is_told_before_grading(kgrade: Kgrade, judge: Judge, workspace: Path) -> None:
    (workspace / "submissions" / "kgrade.db").write_text("no database, and longer than the head of one is" * 20)
    answer = kgrade("submit", "matmul", "mine.cu")
    assert answer.code == 3
    assert "kgrade.db" in answer.err
    assert "Traceback" not in answer.err
    assert judge.asked == []
    assert kgrade("test", "matmul", "mine.cu").code == 0


def test_a_folder_that_cant_be_written_is_told_before_grading(kgrade: Kgrade, judge: Judge, workspace: Path) -> None:
    (workspace / "submissions").rmdir()
    (workspace / "submissions").symlink_to("/proc/1")
    answer = kgrade("submit", "matmul", "mine.cu", "--json")
    assert answer.code == 2
    assert "kgrade.db can't be" in answer.json["error"]
    assert judge.asked == []
    assert kgrade("test", "matmul", "mine.cu").code == 0


def test_a_page_that_cant_be_written_loses_no_submission(kgrade: Kgrade, judge: Judge, workspace: Path) -> None:
    (workspace / "submissions" / "reports").write_text("a file where the folder should be")
    answer = kgrade("submit", "matmul", "mine.cu")
    assert answer.code == 0
    assert "reports" in answer.err
    assert len(Store(workspace / "submissions" / "kgrade.db").summaries()) == 1


class FullDisk(Filing):
    def file(self, report: Report) -> Filed:
        raise DiskFull("no space left", "free some space")


def test_a_verdict_that_cant_be_recorded_is_shown_all_the_same(
    kgrade: Kgrade, judge: Judge, engines: PlayedEngines, workspace: Path
) -> None:
    engines.make_filing = FullDisk
    answer = kgrade("submit", "matmul", "mine.cu")
    assert answer.code == 3
    assert "accepted" in answer.out
    assert "recorded" not in answer.out
    assert "no space left" in answer.err
    assert kgrade("submit", "matmul", "mine.cu", "--json").json == {"error": "no space left", "hint": "free some space"}


def test_an_interrupted_submission_leaves_no_record(kgrade: Kgrade, judge: Judge, workspace: Path) -> None:
    judge.raises = KeyboardInterrupt()
    answer = kgrade("submit", "matmul", "mine.cu")
    assert answer.code == 130
    assert "nothing was recorded" in answer.err
    assert Store(workspace / "submissions" / "kgrade.db").summaries() == []


@pytest.mark.parametrize(
    ("words", "typed"),
    [
        (["other.cu"], "kgrade init matmul -o other.cu\n"),
        (["other.py"], "kgrade init matmul -o other.py --language triton\n"),
        (["other.py", "--language", "cute"], "kgrade init matmul -o other.py --language cute\n"),
    ],
)
def test_watch_names_the_starter_of_a_file_that_is_not_there(
    kgrade: Kgrade, workspace: Path, words: list[str], typed: str
) -> None:
    answer = kgrade("watch", "matmul", *words)
    assert answer.code == 2 and typed in answer.err


def test_watch_tests_again_at_each_save_and_ends_quietly(
    kgrade: Kgrade, judge: Judge, engines: PlayedEngines, workspace: Path
) -> None:
    def three_saves(path: Path) -> Iterator[None]:
        for number in range(3):
            judge.raises = SourceError("the file is empty") if number == 1 else None
            yield None
        raise KeyboardInterrupt

    engines.watched = three_saves
    answer = kgrade("watch", "matmul", "mine.cu")
    assert answer.code == 0
    assert len(judge.asked) == 3
    assert "the file is empty" in answer.err
    assert "interrupted" not in answer.err
    assert list((workspace / "submissions").iterdir()) == []


def test_saves_are_noticed_however_an_editor_makes_them(tmp_path: Path) -> None:
    path, beside = tmp_path / "mine.cu", tmp_path / "mine.cu.new"
    path.write_text("old")
    stop = threading.Event()

    def edit() -> None:
        for number in itertools.count():
            (tmp_path / "other.txt").write_text(str(number))
            beside.write_text(f"version {number}")
            beside.replace(path)
            if stop.wait(0.3):
                return

    seen = saves(path)
    next(seen)
    editor = threading.Thread(target=edit)
    editor.start()
    began = time.monotonic()
    next(seen)
    stop.set()
    editor.join()
    seen.close()  # type: ignore[attr-defined]
    assert time.monotonic() - began < 10


def test_json_output_reads_back_with_numbers_that_json_lacks(kgrade: Kgrade, judge: Judge, workspace: Path) -> None:
    judge.report = wrong_report()
    answer = kgrade("test", "matmul", "mine.cu", "--json")
    text = json.dumps(answer.json, allow_nan=False)
    assert "inf" in text
    assert answer.json["kind"] == "wrong_value"
