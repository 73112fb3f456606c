"""Contests on a real GPU: known ratios, the same kernel twice, outputs kept of everybody, and contenders that fail."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from grader.cli import run
from grader.compile.nvrtc import compile_kernel
from grader.compile.program import Program
from grader.judge.duel import ContenderFailed, Contests, Timed
from grader.machine.gpus import find_gpus, target_of
from grader.measure.duel import MOST_CONTENDERS, from_data, to_data
from grader.measure.samples import BASELINE, CANDIDATE, Kept
from grader.measure.standings import standings
from grader.measure.statistics import StoppingRule
from grader.problem import Problem, load_problem
from grader.run.gpu.duel import Entrant, contest
from grader.run.gpu.mailbox import Mailbox
from grader.run.gpu.refill import make_values, replay_key, stream_of
from tests.run.gpu_timing.subjects import COUNT, SIGMA, sets_of

GPUS = find_gpus()
pytestmark = [
    pytest.mark.gpu,
    pytest.mark.alone,
    pytest.mark.skipif(not GPUS, reason="no NVIDIA GPU here; on a machine that has one type: make test-gpu"),
]

MATMUL = Path(__file__).parents[3] / "problems" / "matmul"
SIZES = {"M": 1024, "N": 512, "K": 768}
QUICK = StoppingRule(seconds=1.0)

ENDLESS = """
__global__ void matrix_multiplication_kernel(const float* A, const float* B, float* C, int M, int N, int K) {
    while (*(volatile float*)C != 1234.5f) {}
}
"""
ASTRAY = """
__global__ void matrix_multiplication_kernel(const float* A, const float* B, float* C, int M, int N, int K) {
    C[(1ll << 40) + threadIdx.x] = 1.0f;
}
"""


def chains(*steps: int) -> list[Entrant]:
    return [Entrant(f"{i}", 2**40 + i, sets_of("chain", count)) for i, count in enumerate(steps)]


def test_three_kernels_are_ranked_and_two_equal_ones_are_not_told_apart() -> None:
    found = contest(chains(4000, 4060, 4000, 8000))
    ranking = standings(found.rounds).ranking
    assert [set(group) for group in ranking.groups] == [{0, 2}, {1}, {3}]
    # What a launch takes in any case is a part of all of them.
    assert 1.6 < ranking.pairs[3][0].ratio.value < 2.05
    assert 1.007 < ranking.pairs[1][0].ratio.value < 1.02
    assert 0 < found.event_seconds <= found.wall_seconds
    assert from_data(json.loads(json.dumps(to_data(found)))) == found


def test_as_many_equal_ones_as_can_be_are_one_group() -> None:
    found = contest(chains(*[4000] * MOST_CONTENDERS), rule=QUICK)
    assert len(standings(found.rounds).ranking.groups) == 1
    clocks = found.rounds[-1].clocks
    assert clocks is None or all(100 < clock < 5000 for pair in clocks for clock in pair)


def test_one_alone() -> None:
    found = standings(contest(chains(4000), rule=QUICK).rounds)
    assert 1e-6 < found.times[0].value < 1e-3


class Store:
    """Which of one entrant's kept outputs were x + y of the inputs that this replay had."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.right: list[bool] = []

    def __call__(self, kept: Kept, mailbox: Mailbox) -> None:
        key = replay_key(self.seed, CANDIDATE, kept.replay)
        x, y = (make_values(key, stream_of(kept.buffer_set, 2, p), COUNT, SIGMA) for p in (0, 1))
        self.right.append(bool(np.array_equal(mailbox.arrays[0].get().view(np.float32), x + y)))


def test_kept_outputs_are_each_entrants_own_and_a_cheat_among_them_is_found() -> None:
    names = ("add", "remember", "retire")
    stores = {name: Store(2**41 + i) for i, name in enumerate(names)}
    entrants = [Entrant(name, store.seed, sets_of(name)) for name, store in stores.items()]
    rule = StoppingRule(least=60)
    found = contest(entrants, sigma=SIGMA, rule=rule, keep=lambda name: stores[name], verified=20)
    assert min(len(store.right) for store in stores.values()) >= 20
    assert {name: len(kept) for name, kept in found.kept.items()} == {n: len(s.right) for n, s in stores.items()}
    assert all(stores["add"].right)
    assert not all(stores["remember"].right) and not all(stores["retire"].right)


@pytest.fixture(scope="module")
def problem() -> Problem:
    return load_problem(MATMUL)


@pytest.fixture(scope="module")
def programs(problem: Problem) -> Mapping[str, Program]:
    texts = {path.stem: path.read_text() for path in (MATMUL / "submissions" / "accepted").glob("[0-9]*.cu")}
    wrong = (MATMUL / "submissions" / "wrong_answer" / "transposed_output.cu").read_text()

    def compiled(name: str, text: str) -> Program:
        target = target_of(GPUS[0])
        parameters, constants = problem.c_parameters, problem.constants
        return compile_kernel(text, f"{name}.cu", problem.kernel, parameters, constants, gpu_target=target)

    named = {**texts, "wrong": wrong, "endless": ENDLESS, "astray": ASTRAY}
    return {name: compiled(name, text) for name, text in named.items()}


@pytest.fixture
def contests(problem: Problem, tmp_path: Path) -> Iterator[Contests]:
    contests = Contests(problem, GPUS[0], tmp_path)
    yield contests
    contests.close()


def groups(timed: Timed) -> list[set[str]]:
    ranking = standings(timed.contest.rounds).ranking
    return [{timed.contest.names[i] for i in group} for group in ranking.groups]


def test_worked_submissions_beside_the_library(contests: Contests, programs: Mapping[str, Program]) -> None:
    chosen = {name: programs[name] for name in ("1_naive", "2_tiled", "6_vectorised")}
    timed = contests.hold(SIZES, {**chosen, "6 again": programs["6_vectorised"]}, library=True)
    assert timed.wrong == {}
    assert timed.contest.names == ("1_naive", "2_tiled", "6_vectorised", "6 again", BASELINE)
    assert all(len(kept) >= 4 for kept in timed.contest.kept.values())
    found = groups(timed)
    assert {"6_vectorised", "6 again"} <= next(group for group in found if "6 again" in group)
    places = {name: place for place, group in enumerate(found) for name in group}
    assert places["6_vectorised"] < places["1_naive"]


def test_one_process_holds_contest_after_contest(contests: Contests, programs: Mapping[str, Program]) -> None:
    for rows in (64, 1000):
        timed = contests.hold({**SIZES, "M": rows}, {"a": programs["2_tiled"], "b": programs["2_tiled"]})
        assert len(groups(timed)) == 1 and timed.wrong == {}


def test_wrong_outputs_are_found_and_the_contest_goes_on(contests: Contests, programs: Mapping[str, Program]) -> None:
    timed = contests.hold(SIZES, {"right": programs["2_tiled"], "wrong": programs["wrong"]})
    assert list(timed.wrong) == ["wrong"] and timed.wrong["wrong"]


@pytest.mark.parametrize(("name", "said"), [("endless", "still running after"), ("astray", "belongs to no array")])
def test_who_fails_is_named_and_the_next_contest_is_unharmed(
    contests: Contests, programs: Mapping[str, Program], name: str, said: str
) -> None:
    with pytest.raises(ContenderFailed, match=said) as caught:
        contests.hold(SIZES, {"right": programs["2_tiled"], "bad": programs[name]})
    assert caught.value.name == "bad"
    assert contests.hold(SIZES, {"right": programs["2_tiled"]}).wrong == {}


def test_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("KGRADE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.chdir(tmp_path)
    accepted, wrong = MATMUL / "submissions" / "accepted", MATMUL / "submissions" / "wrong_answer"
    files = [str(accepted / "1_naive.cu"), str(accepted / "6_vectorised.cu"), str(wrong / "square_only.cu")]
    size = ",".join(f"{name}={value}" for name, value in SIZES.items())
    assert run(["bench", "matmul", *files, files[1], "--size", size, "--json"]) == 0
    data: Any = json.loads(capsys.readouterr().out)
    assert [file["timed"] for file in data["files"]] == [True, True, False, True]
    (found,) = data["sizes"]
    assert found["ranking"]["groups"][-1] == ["1_naive.cu"]
    assert len(found["ranking"]["groups"]) == 2
    assert found["times"]["1_naive.cu"]["value"] > found["times"]["6_vectorised.cu"]["value"] > 1e-6
