"""`kgrade bench` with a GPU, a judge and times made up: who is compared, what is said of whom, and how it ends."""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import grader.compile.remembered
import grader.judge.bench
from grader.commands.files_beside import unique_labels
from grader.compile.program import Program
from grader.core.report import Report
from grader.core.verdict import Form, Verdict
from grader.judge.duel import ContenderFailed, Timed
from grader.machine.gpus import Gpu
from grader.measure.duel import MOST_CONTENDERS, MOST_FILES, Contest, order_of, round_of
from grader.measure.samples import BASELINE
from grader.plan.runner import RunnerStopped, RunStatus
from grader.problem import Problem
from grader.store.workspace import builtin_folder
from grader.terminal.bench import shorten
from tests.played_gpus import install_gpus

from .conftest import Judge, Kgrade, PlayedEngines
from .samples import SOURCE, wrong_report

H200 = Gpu(0, "GPU-one", "NVIDIA H200", "580.95.05", (9, 0), 140 << 30)
SIZE = "M=512,N=512,K=512"


def takes(microseconds: float, more: str = "") -> str:
    """A file whose kernel takes so long."""
    return f"// takes {microseconds}\n{more}{SOURCE}"


def contest(times: Mapping[str, float], rounds: int = 30, noise: float = 1e-4) -> Contest:
    rng = np.random.default_rng(1)
    true = list(times.values())
    orders = [order_of(len(true), number) for number in range(rounds)]
    measured = [[true[i] * float(np.exp(rng.normal(0, noise))) for i in order] for order in orders]
    found = [round_of(o, t, [1980.0 - i for i in range(len(o))]) for o, t in zip(orders, measured, strict=True)]
    return Contest(tuple(times), tuple(found), throttled=("software power cap",))


@dataclass
class Gpus:
    """Stands in for the GPU: a contest has the times that the files name. `meets` is asked first, and may raise."""

    asked: list[tuple[dict[str, int], list[str], bool]] = field(default_factory=list)
    meets: Callable[[Mapping[str, int], Mapping[str, Program]], Any] = lambda sizes, programs: None
    rounds: int = 30
    closed: int = 0

    def __call__(self, problem: Problem, gpu: Gpu, cache: Path) -> Gpus:
        assert (problem.name, gpu) == ("matmul", H200)
        return self

    def hold(self, sizes: Mapping[str, int], programs: Mapping[str, Program], *, library: bool = False) -> Timed:
        self.asked.append((dict(sizes), list(programs), library))
        wrong = self.meets(sizes, programs) or {}
        times = {}
        for name, program in programs.items():
            found = re.search(r"takes ([\d.]+)", program.image)
            assert found is not None
            times[name] = float(found[1]) * 1e-6
        return Timed(contest(times | ({BASELINE: 60e-6} if library else {}), self.rounds), wrong)

    def close(self) -> None:
        self.closed += 1


class TimingEngines(PlayedEngines):
    """Times are those of `gpus`. Where `graded` is kept, files that say so are wrong."""

    def __init__(self) -> None:
        super().__init__()
        self.gpus = Gpus()
        self.graded: list[str] | None = None

    def contests(self, problem: Problem, gpu: Gpu, cache: Path) -> Any:
        return self.gpus(problem, gpu, cache)

    def grade(self, problem: Any, submission: Any, options: Any, *more: Any) -> Report:
        report = super().grade(problem, submission, options, *more)
        if self.graded is None:
            return report
        self.graded.append(submission.path_name)
        assert options.device == "gpu:0" and not options.timed
        if "// wrong" not in submission.text:
            return report
        return replace(report, verdict=Verdict.WRONG_ANSWER, headline=wrong_report().headline)


@pytest.fixture
def engines() -> TimingEngines:
    return TimingEngines()


@pytest.fixture
def gpu(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, judge: Judge, engines: TimingEngines) -> Gpus:
    install_gpus(monkeypatch, [H200])
    # For the lock of the GPU.
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    # What stands in for the compiler is not to be remembered for others.
    monkeypatch.setenv("KGRADE_CACHE", str(tmp_path / "cache"))
    # What stands in for the compiler of commands, which are given files and no language.
    monkeypatch.setattr(grader.compile.remembered, "compile_text", compiled)
    return engines.gpus


def compiled(request: Mapping[str, Any], *_: object) -> Program:
    assert request["gpu_target"] == "sm_90a"
    return Program(Form.KERNEL, "compute_89", request["source"], (), request["constants"], cubin=b"machine code")


@pytest.fixture
def files(workspace: Path) -> Path:
    for name, text in {
        "quick.cu": takes(120),
        "same.cu": takes(120.01, "// another\n"),
        "slow.cu": takes(180),
        "wrong.cu": takes(10, "// wrong\n"),
    }.items():
        (workspace / name).write_text(text)
    return workspace


@pytest.fixture
def judged(judge: Judge, engines: TimingEngines) -> list[str]:
    """Files that say so are wrong; which were graded, in order."""
    engines.graded = []
    return engines.graded


def own_matmul(workspace: Path, *changed: tuple[str, str]) -> Path:
    """The problem as the workspace's own, with these words of its declaration changed for others."""
    folder = Path(shutil.copytree(builtin_folder("problems") / "matmul", workspace / "problems" / "matmul"))
    file = folder / "problem.py"
    text = file.read_text()
    for old, new in (("@problem.baseline\n", ""), *changed):
        assert text.count(old) == 1
        text = text.replace(old, new)
    file.write_text(text)
    return folder


def rows(out: str) -> list[list[str]]:
    return [line.split() for line in out.splitlines()]


def test_files_are_ranked_in_one_table_of_eighty_columns(kgrade: Kgrade, gpu: Gpus, files: Path) -> None:
    answer = kgrade("bench", "matmul", "slow.cu", "quick.cu", "same.cu", "--size", SIZE)
    assert answer.code == 0
    assert "Matrix multiplication on NVIDIA H200, 3 kernels in turns" in answer.out
    assert f"\n{SIZE}\n" in answer.out
    found = {row[1]: row for row in rows(answer.out) if len(row) > 2 and row[1].endswith(".cu")}
    assert list(found) == ["slow.cu", "quick.cu", "same.cu"]
    assert found["slow.cu"][:4] == ["3", "slow.cu", "180", "µs"] and found["slow.cu"][6] == "1.500"
    assert found["quick.cu"][:4] == ["1", "quick.cu", "120", "µs"] and found["quick.cu"][-1] == "fastest"
    assert found["same.cu"][0] == "1" and found["same.cu"][-2:] == ["no", "difference"]
    bars = {name: row.count("█") + sum(word.count("█") for word in row if len(word) > 1) for name, row in found.items()}
    assert bars["slow.cu"] > bars["quick.cu"] == bars["same.cu"] > 4
    assert "30 rounds, SM clock 1,975 to 1,980 MHz, slowed down by software power cap" in answer.out
    assert max(map(len, answer.out.splitlines())) <= 80
    assert gpu.asked == [({"M": 512, "N": 512, "K": 512}, ["0", "1", "2"], False)]
    assert gpu.closed == 1


def test_the_problems_own_sizes_and_the_mean_over_all(kgrade: Kgrade, gpu: Gpus, files: Path) -> None:
    answer = kgrade("bench", "matmul", "quick.cu", "slow.cu")
    assert answer.code == 0
    sizes = [sizes for sizes, *_ in gpu.asked]
    assert len(sizes) > 1 and {"M": 2048, "N": 2048, "K": 2048} in sizes
    (head,) = (i for i, line in enumerate(answer.out.splitlines()) if "geometric mean" in line)
    assert f"all {len(sizes)} sizes" in answer.out.splitlines()[head]
    assert rows(answer.out)[head + 2][:3] == ["1", "quick.cu", "1"]
    assert rows(answer.out)[head + 3][:3] == ["2", "slow.cu", "1.500"]


def test_the_same_file_twice_is_graded_once_and_has_no_difference(
    kgrade: Kgrade, gpu: Gpus, files: Path, judged: list[str]
) -> None:
    answer = kgrade("bench", "matmul", "quick.cu", "quick.cu", "--size", SIZE, "--json")
    assert answer.code == 0 and answer.err == ""
    assert judged == ["quick.cu"]
    (size,) = answer.json["sizes"]
    assert len(size["ranking"]["groups"]) == 1
    assert set(size["times"]) == {"quick.cu", "quick.cu (2)"}


def test_wrong_files_are_listed_and_left_out(kgrade: Kgrade, gpu: Gpus, files: Path, judged: list[str]) -> None:
    answer = kgrade("bench", "matmul", "quick.cu", "wrong.cu", "slow.cu", "--size", SIZE)
    assert answer.code == 0
    assert judged == ["quick.cu", "wrong.cu", "slow.cu"]
    assert "wrong.cu is left out: wrong_answer: 144 of 400" in answer.out
    assert "kgrade test matmul wrong.cu" in answer.out
    assert "2 kernels in turns" in answer.out
    assert gpu.asked[0][1] == ["0", "2"]


def test_without_a_right_file_nothing_is_timed(kgrade: Kgrade, gpu: Gpus, files: Path, judged: list[str]) -> None:
    answer = kgrade("bench", "matmul", "wrong.cu")
    assert answer.code == 1
    assert "wrong.cu is left out" in answer.out and "fastest" not in answer.out
    assert gpu.asked == []


def test_one_file_is_timed_beside_the_library(kgrade: Kgrade, gpu: Gpus, files: Path) -> None:
    answer = kgrade("bench", "matmul", "quick.cu", "--size", SIZE)
    assert answer.code == 0
    assert gpu.asked[0][1:] == (["0"], True)
    found = {row[1]: row for row in rows(answer.out) if len(row) > 2}
    assert found["baseline"][-1] == "fastest" and found["quick.cu"][6] == "2.000"


def test_as_many_files_as_there_may_be_are_timed_beside_the_library(kgrade: Kgrade, gpu: Gpus, files: Path) -> None:
    names = [f"file{i}.cu" for i in range(MOST_FILES)]
    for i, name in enumerate(names):
        (files / name).write_text(takes(120 + 10 * i))
    answer = kgrade("bench", "matmul", *names, "--size", SIZE, "--baseline", "--json")
    assert answer.code == 0
    assert gpu.asked[0][1:] == ([str(i) for i in range(MOST_FILES)], True)
    (found,) = answer.json["sizes"]
    assert list(found["times"]) == [*names, "baseline"] and len(found["times"]) == MOST_CONTENDERS
    assert found["ranking"]["groups"][0] == ["baseline"]


def test_one_file_is_timed_beside_a_worked_submission(
    kgrade: Kgrade, gpu: Gpus, files: Path, judged: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    own_matmul(files, ("    gates=", '    baseline="accepted/1_naive.cu",\n    gates='))

    def worked_takes(request: Mapping[str, Any], *_: object) -> Program:
        text = request["source"]
        return compiled({**request, "source": text if "takes" in text else takes(300, text)})

    monkeypatch.setattr(grader.compile.remembered, "compile_text", worked_takes)
    answer = kgrade("bench", "matmul", "quick.cu", "--size", SIZE, "--json")
    assert gpu.asked[0][1:] == (["0", BASELINE], False)
    assert answer.json["sizes"][0]["ranking"]["groups"] == [["quick.cu"], ["baseline"]]
    # Its verdict is known: it is one of the problem's own.
    assert judged == ["quick.cu"]


def test_one_file_alone_where_the_problem_has_no_baseline(kgrade: Kgrade, gpu: Gpus, files: Path) -> None:
    own_matmul(files)
    answer = kgrade("bench", "matmul", "quick.cu", "--size", SIZE)
    assert answer.code == 0
    assert ["quick.cu", "120", "µs"] in [row[:3] for row in rows(answer.out)]
    assert "fastest" not in answer.out


def test_for_programs(kgrade: Kgrade, gpu: Gpus, files: Path, judged: list[str]) -> None:
    answer = kgrade("bench", "matmul", "slow.cu", "quick.cu", "wrong.cu", "--size", SIZE, "--json")
    assert answer.code == 0 and answer.err == ""
    data = answer.json
    assert data["overall"] is None
    assert [(f["file"], f["verdict"], f["timed"]) for f in data["files"]] == [
        ("slow.cu", "accepted", True),
        ("quick.cu", "accepted", True),
        ("wrong.cu", "wrong_answer", False),
    ]
    (size,) = data["sizes"]
    assert (size["sizes"], size["rounds"], size["failed"]) == ({"M": 512, "N": 512, "K": 512}, 30, "")
    assert size["times"]["quick.cu"]["value"] == pytest.approx(1.2e-4, rel=1e-3)
    assert size["ranking"]["fastest"] == "quick.cu"
    (pair,) = (pair for pair in size["ranking"]["pairs"] if pair["first"] == "slow.cu")
    assert pair["second"] == "quick.cu" and pair["differ"]
    assert pair["low"] < 1.5 < pair["high"] and pair["value"] == pytest.approx(1.5, rel=1e-3)


def test_who_fails_when_timed_is_left_out_and_the_others_go_on(kgrade: Kgrade, gpu: Gpus, files: Path) -> None:
    def meets(sizes: Mapping[str, int], programs: Mapping[str, Program]) -> None:
        if sizes["M"] > 2000 and "1" in programs:
            raise ContenderFailed("1", "still running after 10 s")

    gpu.meets = meets
    answer = kgrade("bench", "matmul", "quick.cu", "slow.cu", "same.cu", "--size", SIZE, "--size", "M=4096,N=64,K=64")
    assert answer.code == 0
    assert [names for _, names, _ in gpu.asked] == [["0", "1", "2"], ["0", "1", "2"], ["0", "2"]]
    told = " ".join(answer.out.split())
    assert "slow.cu is left out: right, but not when timed: still running after 10 s (with M=4096,N=64,K=64)" in told
    assert "2 kernels in turns" in answer.out and "1.500" not in answer.out


def test_whose_timed_outputs_are_wrong_is_left_out_of_all_sizes(kgrade: Kgrade, gpu: Gpus, files: Path) -> None:
    gpu.meets = lambda sizes, programs: {"0": "C[0,0] is wrong"} if sizes["M"] == 64 else {}
    answer = kgrade("bench", "matmul", "quick.cu", "slow.cu", "--size", SIZE, "--size", "M=64,N=64,K=64", "--json")
    assert answer.code == 0
    assert answer.json["files"][0]["trouble"] == "C[0,0] is wrong (with M=64,N=64,K=64)"
    assert [list(size["times"]) for size in answer.json["sizes"]] == [["slow.cu"], ["slow.cu"]]


def test_the_baseline_alone_is_no_result(kgrade: Kgrade, gpu: Gpus, files: Path) -> None:
    gpu.meets = lambda sizes, programs: {"0": "C[0,0] is wrong"}
    answer = kgrade("bench", "matmul", "quick.cu", "--size", SIZE)
    assert answer.code == 1
    assert "not timed: nobody was left who was right" in answer.out


def test_a_baseline_that_fails_leaves_the_file_alone(kgrade: Kgrade, gpu: Gpus, files: Path) -> None:
    def meets(sizes: Mapping[str, int], programs: Mapping[str, Program]) -> None:
        if gpu.asked[-1][2]:
            raise ContenderFailed(BASELINE, "cuBLAS is not here")

    gpu.meets = meets
    assert kgrade("bench", "matmul", "quick.cu", "--size", SIZE).code == 0
    assert [asked[1:] for asked in gpu.asked] == [(["0"], True), (["0"], False)]


def test_a_size_that_nobody_is_blamed_for_is_told_and_the_others_are_timed(
    kgrade: Kgrade, gpu: Gpus, files: Path
) -> None:
    def meets(sizes: Mapping[str, int], programs: Mapping[str, Program]) -> None:
        if sizes["M"] == 512:
            raise RunnerStopped(RunStatus.MEMORY, "the arrays don't fit into the GPU's memory")

    gpu.meets = meets
    answer = kgrade("bench", "matmul", "quick.cu", "slow.cu", "--size", SIZE, "--size", "M=64,N=64,K=64")
    assert answer.code == 1
    assert "not timed: the arrays don't fit into the GPU's memory" in answer.out
    assert "1.500" in answer.out and gpu.closed == 1


def test_too_few_rounds_are_told(kgrade: Kgrade, gpu: Gpus, files: Path) -> None:
    gpu.rounds = 3
    answer = kgrade("bench", "matmul", "quick.cu", "slow.cu", "--size", SIZE)
    (row,) = (line for line in answer.out.splitlines() if "slow.cu" in line)
    assert row.rstrip().endswith("too few rounds") and row.startswith("1 ")


def test_a_name_that_is_too_long_leaves_no_room_for_bars(kgrade: Kgrade, gpu: Gpus, files: Path) -> None:
    name = "a_name_that_is_much_too_long_for_its_place.cu"
    (files / name).write_text(takes(150))
    answer = kgrade("bench", "matmul", "quick.cu", name, "--size", SIZE)
    assert answer.code == 0 and "█" not in answer.out
    assert max(map(len, answer.out.splitlines())) <= 80
    # In one line, with its beginning and its end.
    (row,) = (row for row in rows(answer.out) if row[1:] and "…" in row[1])
    assert row[:4] == ["2", "a_name_that…its_place.cu", "150", "µs"]


def test_long_paths_are_called_by_what_differs(kgrade: Kgrade, gpu: Gpus, files: Path) -> None:
    for name, seconds in (("first", 120), ("second", 240)):
        (files / "a_folder_with_a_long_name" / name).mkdir(parents=True)
        (files / "a_folder_with_a_long_name" / name / "mine.cu").write_text(takes(seconds))
    typed = [f"a_folder_with_a_long_name/{name}/mine.cu" for name in ("first", "second")]
    answer = kgrade("bench", "matmul", *typed, "--size", SIZE)
    assert answer.code == 0
    assert [row[1] for row in rows(answer.out) if "mine.cu" in " ".join(row)] == ["first/mine.cu", "second/mine.cu"]


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        (["slow.cu", "--size", "M=1"], "size N is missing"),
        (["slow.cu", "--size", "M"], "--size M: 'M' is not of the form"),
        (["slow.cu", "--size", "M=0,N=1,K=1"], "M=0"),
        (["missing.cu", "slow.cu"], "missing.cu"),
        (["slow.cu", "--device", "emulator"], "a time on the emulator says nothing"),
        (["slow.cu", "--device", "gpu:3"], "there is no gpu:3"),
        (["slow.cu"] * 9, "9 files; at most 8"),
    ],
)
def test_wrong_usage_is_told_before_anything_is_graded(
    kgrade: Kgrade, gpu: Gpus, judge: Judge, files: Path, typed: Sequence[str], said: str
) -> None:
    answer = kgrade("bench", "matmul", *typed)
    assert answer.code == 2
    assert said in answer.err and "--case" not in answer.err
    assert judge.asked == [] and gpu.asked == []


def test_without_a_gpu_it_says_what_to_type(kgrade: Kgrade, files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install_gpus(monkeypatch, [])
    answer = kgrade("bench", "matmul", "quick.cu", "slow.cu")
    assert answer.code == 2
    assert "no NVIDIA GPU was found" in answer.err and "type: kgrade doctor" in answer.err


def test_a_file_that_cant_be_graded_is_named(kgrade: Kgrade, gpu: Gpus, files: Path, judge: Judge) -> None:
    from grader.core.errors import UsageError

    judge.raises = UsageError("the file defines solve()", "take it out")
    answer = kgrade("bench", "matmul", "quick.cu", "slow.cu")
    assert answer.code == 2
    assert "quick.cu: the file defines solve()" in answer.err


@pytest.mark.parametrize(
    ("files", "labels"),
    [
        (["a.cu", "x/b.cu"], ["a.cu", "b.cu"]),
        (["x/a.cu", "y/a.cu", "b.cu"], ["x/a.cu", "y/a.cu", "b.cu"]),
        (["/home/ada/x/a.cu", "/home/bob/x/a.cu"], ["ada/x/a.cu", "bob/x/a.cu"]),
        (["p/x/a.cu", "p/y/a.cu", "q/x/a.cu"], ["p/x/a.cu", "y/a.cu", "q/x/a.cu"]),
        (["a.cu", "x/a.cu"], ["a.cu", "x/a.cu"]),
        (["a.cu", "a.cu", "./a.cu"], ["a.cu", "a.cu (2)", "a.cu (3)"]),
        (["x/a.cu", "x/a.cu", "y/a.cu"], ["x/a.cu", "x/a.cu (2)", "y/a.cu"]),
    ],
)
def test_labels_are_the_shortest_that_differ(files: list[str], labels: list[str]) -> None:
    assert unique_labels(files) == labels


def test_the_middle_of_a_long_name_is_left_out() -> None:
    assert shorten(["short.cu", "a_rather_long_name.cu"], 12, "…") == ["short.cu", "a_rat…ame.cu"]
    assert shorten(["a_rather_long_name.cu"], 21, "…") == ["a_rather_long_name.cu"]
    alike = ["a_rather_long_name.cu", "a_rather_wrong_name.cu"]
    assert shorten(alike, 12, "…") == alike
