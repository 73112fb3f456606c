"""The commands around grading: lists, statements, starters, workspaces, boards, the doctor and completion."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

import grader
from grader.core.report import Mend, Report
from grader.core.verdict import LanguageName
from grader.doctor.part import Missing, Part
from grader.store.database import Store
from grader.store.workspace import Workspace

from .conftest import Judge, Kgrade, PlayedEngines
from .samples import accepted_report, faulty_report


@pytest.fixture
def store(workspace: Path) -> Store:
    return Store(workspace / "submissions" / "kgrade.db")


def report_of(user: str, problem: str = "matmul", *, accepted: bool = True) -> Report:
    return replace(accepted_report() if accepted else faulty_report(), user=user, problem=problem)


def break_a_problem(workspace: Path) -> Path:
    folder = workspace / "problems" / "broken"
    folder.mkdir()
    (folder / "problem.py").write_text("problem = (")
    return folder


def line_with(text: str, word: str) -> str:
    (line,) = (line for line in text.splitlines() if word in line)
    return line.rstrip()


def row_of(out: str, problem: str) -> str:
    """The first line of a problem's row."""
    return next(line.rstrip() for line in out.splitlines() if line.split()[:1] == [problem])


def test_list_shows_how_far_the_user_is(kgrade: Kgrade, store: Store) -> None:
    store.add(report_of("ada", accepted=False))
    store.add(report_of("ada"))
    store.add(report_of("ada", "zip", accepted=False))
    store.add(report_of("grace", "map"))
    out = kgrade("list").out
    assert row_of(out, "matmul").endswith("accepted")
    assert "1 try" in row_of(out, "zip")
    assert "accepted" not in row_of(out, "map")
    assert row_of(kgrade("list", "--user", "grace").out, "map").endswith("accepted")
    assert all(len(line) <= 80 for line in out.splitlines())
    # A row goes on below in its title and its tags; difficulties are whole.
    assert {row_of(out, name).split("  ")[-1].strip() for name in ("matmul", "zip")} == {"accepted", "1 try"}
    assert all(word in out for word in ("easy", "medium", "hard", "difficulty"))


def test_list_shows_tracks_and_how_far_the_user_is_in_them(kgrade: Kgrade, store: Store) -> None:
    store.add(report_of("ada", "map"))
    store.add(report_of("ada", "zip", accepted=False))
    assert " 1 of " in row_of(kgrade("list", "--track").out, "first-kernels")
    out = kgrade("list", "--track", "first-kernels").out
    assert "First kernels: 1 of " in out
    assert line_with(out, " map ").endswith("accepted") and line_with(out, " zip ").endswith("1 try")
    (found,) = kgrade("list", "--track", "Memory", "--json").json["tracks"]
    assert found["track"] == "memory" and found["solved"] == 0 and found["steps"][0]["problem"] == "strided_map"
    refused = kgrade("list", "--track", "memry")
    assert refused.code == 2 and "there is no track 'memry'. Did you mean 'memory'?" in refused.err
    assert kgrade("list", "--track", "memory", "--tag", "fp16").code == 2
    # The default order is that of the tracks.
    names = [one["problem"] for one in kgrade("list", "--json").json["problems"]]
    assert names[:3] == ["map", "zip", "colour_inversion"]


def test_start_and_submit_lead_on(kgrade: Kgrade, store: Store, workspace: Path, judge: Judge) -> None:
    out = kgrade("start").out
    assert "Next is map." in out and "kgrade init map" in out and "kgrade submit map map.cu" in out
    (workspace / "map.cu").touch()
    assert "kgrade init map" not in kgrade("start").out
    submitted = kgrade("submit", "map", "mine.cu").out
    assert line_with(submitted, "next ").split("#")[0].split() == ["next", "kgrade", "init", "zip"]
    assert "First kernels: 1 of " in kgrade("start").out
    assert "next " not in kgrade("submit", "map", "mine.cu", "--json").out
    everything = kgrade("list", "--json").json["problems"]
    for one in everything:
        store.add(report_of("ada", one["problem"]))
    (track,) = kgrade("list", "--track", "debug-this", "--json").json["tracks"]
    for step in track["steps"]:
        assert f"Next is {step['problem']}/{step['exercise']}." in kgrade("start").out
        store.add(replace(report_of("ada", step["problem"]), mend=Mend(step["exercise"], 2, 1)))
    assert "All steps of all tracks are solved" in kgrade("start").out
    assert "next " not in kgrade("submit", "map", "mine.cu").out


def test_mend_tells_a_story_writes_the_kernel_and_gives_hints(kgrade: Kgrade, store: Store, workspace: Path) -> None:
    out = kgrade("mend").out
    assert "The tile that moved on" in row_of(out, "matmul/second-barrier")
    told = kgrade("mend", "second-barrier")
    assert "Mira's" in told.out and "kgrade submit matmul second-barrier.cu" in told.out
    assert (workspace / "second-barrier.cu").read_text().count("__syncthreads") == 1
    again = kgrade("mend", "matmul/second-barrier")
    assert again.code == 2 and "exists already" in again.err and "--force" in again.err
    assert kgrade("mend", "second-barrier", "--force").code == 0
    assert "Hint 2 of 3: A barrier before" in kgrade("mend", "second-barrier", "--hint", "2", "-o", "none.cu").out
    assert not (workspace / "none.cu").exists()
    refused = kgrade("mend", "matmul/second-barier")
    assert refused.code == 2 and "Did you mean 'matmul/second-barrier'?" in refused.err
    store.add(replace(report_of("ada"), mend=Mend("second-barrier", 6, 4)))
    store.add(replace(report_of("ada"), mend=Mend("second-barrier", 4, 4)))
    assert row_of(kgrade("mend").out, "matmul/second-barrier").endswith("mended, 4 tokens")
    assert "mended, 4 tokens" in kgrade("list", "--track", "debug-this").out


def test_the_last_hint_is_the_report(kgrade: Kgrade, judge: Judge) -> None:
    judge.report = faulty_report()
    out = kgrade("mend", "second-barrier", "--hint", "3").out
    ((problem, submission, _),) = judge.asked
    assert problem.name == "matmul" and "tile_A" in submission.text and "runtime_error" in out


def test_a_mistake_in_the_tracks_is_told_once_and_hides_nothing(kgrade: Kgrade, workspace: Path, judge: Judge) -> None:
    (workspace / "problems" / "tracks.toml").write_text("track = 1")
    listed = kgrade("list")
    assert row_of(listed.out, "map") and listed.err.count("it has track;") == 1 and listed.code == 2
    started = kgrade("start")
    assert started.code == 2 and "tracks.toml" in started.err
    assert kgrade("submit", "map", "mine.cu").code == 0


def test_help_tells_of_faults_and_commands(kgrade: Kgrade) -> None:
    assert row_of(kgrade("help").out, "deadlock") and "kgrade help data_race" in kgrade("help").out
    told = kgrade("help", "barrier_divergence").out
    assert "Usual causes" in told and "__syncthreads();" in told and "svg" not in told
    assert "Usage: kgrade watch" in kgrade("help", "watch").out
    refused = kgrade("help", "dta_race")
    assert refused.code == 2 and "Did you mean 'data_race'?" in refused.err


def test_list_takes_only_what_is_asked_for(kgrade: Kgrade, store: Store) -> None:
    store.add(report_of("ada"))
    known = {folder.name for folder in (Path(__file__).parents[2] / "problems").iterdir() if folder.is_dir()}

    def listed(*options: str) -> set[str]:
        # Tags go on in lines of their own.
        return known & {line.split()[0] for line in kgrade("list", *options).out.splitlines() if line[:1].strip()}

    assert listed() == known
    assert {"attention", "top_k"} <= listed("--difficulty", "hard") and "zip" not in listed("--difficulty", "Hard")
    assert listed("--tag", "fp16", "--tag", "Tensor cores") == {"attention_fp16", "matmul_fp16"}
    assert known - listed("--unsolved") == {"matmul"}
    assert listed("--unsolved", "--user", "grace") == known


@pytest.mark.parametrize(
    ("option", "said"),
    [("--difficulty=medum", "'medium'"), ("--tag=elementwis", "'elementwise'"), ("--tag=?", "softmax")],
)
def test_list_names_the_nearest_word(kgrade: Kgrade, option: str, said: str) -> None:
    answer = kgrade("list", option)
    assert (answer.code, answer.out) == (2, "")
    assert said in answer.err


def test_list_shows_good_problems_beside_a_faulty_one(kgrade: Kgrade, workspace: Path) -> None:
    folder = break_a_problem(workspace)
    answer = kgrade("list")
    assert answer.code == 2
    assert row_of(answer.out, "matmul")
    assert str(folder / "problem.py") in answer.err
    assert "Traceback" not in answer.err


def test_list_and_show_as_json(kgrade: Kgrade, workspace: Path) -> None:
    listed = kgrade("list", "--tag", "scan", "--json")
    assert listed.code == 0 and listed.out.count("\n") == 1
    assert all("scan" in problem["tags"] for problem in listed.json["problems"])
    assert set(listed.json["problems"][0]) == {"problem", "title", "difficulty", "tags", "yours"}
    shown = kgrade("show", "matmul", "--json").json
    assert shown["sizes"]["M"][0] == 1 and "## " in shown["statement"] and "solve(" in shown["starter"]
    assert "@triton.jit" in kgrade("show", "matmul", "--language", "triton", "--json").json["starter"]
    assert "--problems" in kgrade("show", "1", "--problems", "set", "--json").json["error"]


def test_show_lays_the_statement_out(kgrade: Kgrade, workspace: Path) -> None:
    out = kgrade("show", "matmul").out
    assert "Matrix multiplication" in out
    assert "kgrade init matmul" in out
    assert all(len(line) <= 80 for line in out.splitlines())


def test_init_writes_the_starter_and_never_over_a_file(kgrade: Kgrade, workspace: Path) -> None:
    assert kgrade("init", "matmul").code == 0
    path = workspace / "matmul.cu"
    assert "matrix_multiplication_kernel" in path.read_text()
    path.write_text("my work")
    answer = kgrade("init", "matmul")
    assert answer.code == 2
    assert "matmul.cu exists already" in answer.err
    assert "--force" in answer.err
    assert path.read_text() == "my work"
    assert kgrade("init", "matmul", "--force").code == 0
    assert "matrix_multiplication_kernel" in path.read_text()


def test_init_in_another_language(kgrade: Kgrade, workspace: Path) -> None:
    assert kgrade("init", "matmul", "--language", "triton").code == 0
    assert "@triton.jit" in (workspace / "matmul.py").read_text()
    assert "from numba import cuda" in kgrade("show", "matmul", "--language", "numba").out
    answer = kgrade("init", "matmul", "-o", "mine.py")
    assert answer.code == 2
    assert "mine.py is named as a file in Python" in answer.err and "--language triton" in answer.err
    answer = kgrade("init", "matmul", "--language", "cute", "--form", "kernel")
    assert answer.code == 2
    assert "leave --form kernel out" in answer.err


def test_init_into_a_folder_that_is_not_there(kgrade: Kgrade, workspace: Path) -> None:
    answer = kgrade("init", "matmul", "-o", "missing/mine.cu")
    assert answer.code == 2
    assert "missing/mine.cu can't be written" in answer.err


def test_history_lists_the_newest_first(kgrade: Kgrade, store: Store) -> None:
    for number in range(3):
        store.add(replace(report_of("ada"), submitted=f"2026-01-0{number + 1}T00:00:00+00:00"))
    store.add(replace(report_of("grace", accepted=False), submitted="2026-01-04T00:00:00+00:00"))
    lines = kgrade("history").out.splitlines()
    assert [line.split()[0] for line in lines if line[:2].strip()] == ["no", "4", "3", "2", "1"]
    assert "runtime_error:" in lines[1] and "out_of_bounds" in lines[2]
    assert "cuda" in lines[1]
    assert "grace" not in kgrade("history", "matmul", "--user", "ada").out
    assert "3 older ones" in kgrade("history", "--limit", "1").out


def test_history_of_nothing_says_how_to_start(kgrade: Kgrade, workspace: Path) -> None:
    answer = kgrade("history")
    assert answer.code == 0
    assert "kgrade submit" in answer.out
    assert list((workspace / "submissions").iterdir()) == []


def test_leaderboard_ranks_times_and_shows_emulated_entries_as_accepted(kgrade: Kgrade, store: Store) -> None:
    store.add(replace(report_of("slow"), device="NVIDIA H100", score=0.5))
    store.add(replace(report_of("fast"), device="NVIDIA H100", score=0.75))
    store.add(report_of("ada"))
    store.add(report_of("grace", accepted=False))
    out = kgrade("leaderboard", "matmul").out
    assert line_with(out, "fast").split()[:3] == ["1", "fast", "0.750"]
    assert line_with(out, "slow").split()[:2] == ["2", "slow"]
    assert line_with(out, "ada").split()[:2] == ["ada", "accepted"]
    assert "grace" not in out
    unsolved = " ".join(kgrade("leaderboard").out.split()).partition("nobody has solved yet: ")[2].split(", ")
    assert {"map", "reduce", "zip"} <= set(unsolved) and "matmul" not in unsolved


def test_leaderboard_of_one_language(kgrade: Kgrade, store: Store) -> None:
    for score, language in ((0.75, LanguageName.CUDA), (0.5, LanguageName.TRITON)):
        store.add(replace(report_of("ada"), device="NVIDIA H100", score=score, language=language))
    assert line_with(kgrade("leaderboard", "matmul").out, "ada").split()[2:6] == ["0.750", "NVIDIA", "H100", "cuda"]
    found = kgrade("leaderboard", "matmul", "--language", "triton").out
    assert line_with(found, "ada").split()[:6] == ["1", "ada", "0.500", "NVIDIA", "H100", "triton"]
    assert "nobody has solved yet in Numba: matmul" in kgrade("leaderboard", "matmul", "--language", "numba").out
    answer = kgrade("leaderboard", "--language", "triton", "--html", "site")
    assert answer.code == 2 and "leave --language out" in answer.err


def test_leaderboard_pages_are_written_beside_a_faulty_problem(kgrade: Kgrade, store: Store, workspace: Path) -> None:
    store.add(report_of("<b>ada</b>"))
    assert kgrade("leaderboard", "--html", "site").code == 0
    assert "Matrix multiplication" in (workspace / "site" / "index.html").read_text()
    folder = break_a_problem(workspace)
    answer = kgrade("leaderboard", "--html", "again")
    assert answer.code == 2
    assert str(folder) in answer.err
    assert (workspace / "again" / "index.html").is_file()


def test_leaderboard_pages_need_a_folder(kgrade: Kgrade, workspace: Path) -> None:
    answer = kgrade("leaderboard", "--html", "mine.cu")
    assert answer.code == 2
    assert "mine.cu" in answer.err


def test_new_makes_a_workspace_that_is_found(kgrade: Kgrade, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    answer = kgrade("new", "course")
    assert answer.code == 0
    assert "cd course" in answer.out
    assert "kgrade submit" in (tmp_path / "course" / "README.md").read_text()
    assert kgrade("--workspace", "course", "history").code == 0
    again = kgrade("new", "course")
    assert again.code == 2
    assert "course is not empty" in again.err


def test_new_over_a_file(kgrade: Kgrade, workspace: Path) -> None:
    answer = kgrade("new", "mine.cu")
    assert answer.code == 2
    assert "mine.cu is a file" in answer.err


@pytest.mark.parametrize("command", ["list", "history", "leaderboard", "doctor"])
def test_a_workspace_that_is_none_is_named(kgrade: Kgrade, tmp_path: Path, command: str) -> None:
    answer = kgrade("--workspace", str(tmp_path / "nowhere"), command)
    assert answer.code == 2
    assert "nowhere" in answer.err
    assert "kgrade new" in answer.err


def test_the_doctor_finds_what_grading_needs(kgrade: Kgrade, workspace: Path) -> None:
    answer = kgrade("doctor", "--json")
    assert answer.code == 0
    assert answer.json["can_grade"] is True
    assert {part["name"] for part in answer.json["parts"] if part["required"]} == {
        *("Python", "CUDA packages", "NVRTC", "LLVM"),
    }
    text = kgrade("doctor").out
    assert "Kernels can be graded" in text
    for part in answer.json["parts"]:
        assert part["here"] or part["get"][:20] in text


@pytest.mark.parametrize("error", [Missing(), ImportError("libnvrtc.so.13: cannot open"), OSError(5)])
def test_the_doctor_says_how_to_get_a_missing_part(
    kgrade: Kgrade, workspace: Path, engines: PlayedEngines, error: Exception
) -> None:
    def look(_: Workspace) -> str:
        raise error

    part = Part("compiler", look, "nothing compiles", "pip install the compiler", required=True)
    engines.parts = (part,)
    answer = kgrade("doctor")
    assert answer.code == 3
    for words in (str(error) or "not found", "nothing compiles", "pip install the compiler"):
        assert words in answer.out


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_completion_prints_the_shells_script(kgrade: Kgrade, shell: str) -> None:
    assert "_KGRADE_COMPLETE" in kgrade("completion", shell).out


def test_completion_says_how_to_enable_it(kgrade: Kgrade) -> None:
    out = kgrade("completion").out
    assert "~/.bashrc" in out
    assert "fish" in out


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("kgrade su", {"submit"}),
        ("kgrade show mat", {"matmul", "matmul_fp16", "matmul_fp8", "matmul_int8", "matrix_power"}),
        ("kgrade test matmul mine.cu --dev", {"--device"}),
        ("kgrade --workspace /nowhere show mat", set()),
    ],
)
def test_the_shell_is_offered_commands_problems_and_options(workspace: Path, typed: str, offered: set[str]) -> None:
    words = {
        "COMP_WORDS": typed,
        "COMP_CWORD": str(len(typed.split()) - 1),
        "_KGRADE_COMPLETE": "bash_complete",
    }
    done = subprocess.run(
        [sys.executable, "-c", "from grader.cli import main; main()"],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, **words, "PYTHONPATH": str(Path(grader.__file__).parent.parent)},
    )
    assert {line.split(",")[1] for line in done.stdout.splitlines() if line} == offered
    assert done.stderr == ""
