"""The worker claims, judges under a heartbeat, hands in, gives back, and takes itself out."""

import re
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest
from click.testing import CliRunner

from grader.commands import worker as worker_command
from grader.commands.engines import Engines
from grader.contest.jobs import Claim, Job, Outcome, outcome_of, takes
from grader.contest.judging import MachineJudge
from grader.contest.worker import Worker
from grader.core.errors import JudgeError, StoreError, ToolMissing, UsageError
from grader.core.report import from_json
from grader.core.verdict import Verdict
from grader.languages.cuda import CudaSolve
from grader.store.workspace import Workspace

from .site_samples import accepted

ROOT = Path(__file__).parents[2]
JOB = Job(1, 1, 10, "c1", "matmul", "k.cu", "text", "ada", None, 300)


@pytest.mark.parametrize(
    ("model", "queue", "taken"),
    [
        ("NVIDIA H200", "H200", True),
        ("NVIDIA H200", "nvidia h200", True),
        ("NVIDIA H100 80GB HBM3", "H200", False),
        ("NVIDIA H100 80GB HBM3", "H100 80GB", True),
        ("NVIDIA A100-SXM4-80GB", "A100", True),
        ("emulator", "emulator", True),
        ("emulator", "H200", False),
        ("NVIDIA H200", "emulator", False),
        ("emulator", "any", True),
    ],
)
def test_which_gpu_serves_which_queue(model: str, queue: str, taken: bool) -> None:
    assert takes(model, queue) is taken


class Source:
    """A source of work in memory, that notes what is asked of it."""

    def __init__(self, *jobs: Job) -> None:
        self.jobs = list(jobs)
        self.finished: list[Outcome] = []
        self.released: list[Claim] = []
        self.stalls: list[str] = []
        self.beats: list[str] = []
        self.states: list[tuple[str, str]] = []
        self.current = True
        self.failures = 0
        self.idle: Callable[[], None] = lambda: None

    def claim(self, gpu_model: str, worker: str, now: datetime | None = None) -> Job | None:
        self._maybe_fail()
        if not self.jobs:
            self.idle()
            return None
        return self.jobs.pop(0)

    def heartbeat(self, job: Claim, progress: str) -> bool:
        self.beats.append(progress)
        return self.current

    def finish(self, job: Claim, outcome: Outcome) -> bool:
        self._maybe_fail()
        self.finished.append(outcome)
        return self.current

    def release(self, job: Claim) -> bool:
        self.released.append(job)
        return True

    def stalled(self, job: Claim, why: str) -> bool:
        self.stalls.append(why)
        return True

    def seen(self, worker: str, gpu_model: str, state: str, note: str = "") -> None:
        if not self.states or self.states[-1] != (state, note):
            self.states.append((state, note))

    def _maybe_fail(self) -> None:
        if self.failures:
            self.failures -= 1
            raise StoreError("the server is away")


def make(source: Source, judge: Any, self_test: Callable[[], str] = lambda: "", **more: Any) -> Worker:
    worker = Worker(source, "w", "emulator", judge, self_test, pause=0.01, **{"beat": 0.02, **more})
    source.idle = worker.stop
    return worker


def accept(job: Job, progress: Callable[[str], None]) -> Outcome:
    return Outcome("accepted")


def test_it_judges_what_there_is_and_ends_when_told() -> None:
    source = Source(JOB, JOB)
    assert make(source, accept).run() == ""
    assert source.finished == [Outcome("accepted")] * 2
    # What is done at once is worth no sign and no heartbeat.
    assert [state for state, _ in source.states] == ["idle", "gone"] and source.beats == []


def test_staff_see_that_it_judges_what_takes_longer() -> None:
    def judge(job: Job, progress: Callable[[str], None]) -> Outcome:
        while not source.beats:
            time.sleep(0.01)
        return Outcome("accepted")

    source = Source(JOB)
    make(source, judge).run()
    assert [state for state, _ in source.states] == ["idle", "judging", "idle", "gone"]


def test_a_sign_of_life_comes_now_and_then() -> None:
    moments = iter([100.0 + 3 * n for n in range(100)])
    told: list[str] = []

    class Idle(Source):
        def seen(self, worker: str, gpu_model: str, state: str, note: str = "") -> None:
            told.append(state)

        def claim(self, gpu_model: str, worker: str, now: datetime | None = None) -> Job | None:
            return super().claim(gpu_model, worker, now) if len(told) == 3 else None

    source = Idle()
    make(source, accept, clock=lambda: next(moments)).run()
    assert told == ["idle", "idle", "idle", "gone"] and next(moments) > 115


def test_a_sign_that_can_not_be_told_is_not_repeated_at_once() -> None:
    tried: list[str] = []

    class Mute(Source):
        def seen(self, worker: str, gpu_model: str, state: str, note: str = "") -> None:
            tried.append(state)
            raise StoreError("no space left")

    make(Mute(JOB, JOB, JOB), accept).run()
    assert tried == ["idle", "gone"]


def test_progress_travels_with_the_heartbeat() -> None:
    def judge(job: Job, progress: Callable[[str], None]) -> Outcome:
        for text in ("compiling", "case 7 of 12"):
            progress(text)
            while text not in source.beats:
                time.sleep(0.01)
        return Outcome("accepted")

    source = Source(JOB)
    make(source, judge).run()
    assert set(source.beats) == {"compiling", "case 7 of 12"}


def test_a_failed_self_test_takes_it_out_before_it_claims_anything() -> None:
    source = Source(JOB)
    assert make(source, accept, lambda: "no GPU").run() == "no GPU"
    assert source.jobs == [JOB] and source.states == [("out", "no GPU")]


def test_two_failures_in_a_row_and_a_failing_self_test_take_it_out() -> None:
    tests = iter(["", "the GPU fell off the bus"])

    def judge(job: Job, progress: Callable[[str], None]) -> Outcome:
        raise JudgeError("no answer from the runner")

    source = Source(JOB, JOB, JOB)
    assert make(source, judge, lambda: next(tests)).run() == "the GPU fell off the bus"
    assert source.finished == [Outcome("internal_error")] * 2 and source.jobs == [JOB]
    assert source.states[-1] == ("out", "the GPU fell off the bus")


def test_failures_apart_from_each_other_are_no_reason_to_test() -> None:
    verdicts = iter(["internal_error", "accepted", "internal_error", "accepted"])
    tests: list[int] = []
    source = Source(*[JOB] * 4)

    def self_test() -> str:
        tests.append(1)
        return ""

    make(source, lambda job, progress: Outcome(next(verdicts)), self_test).run()
    assert len(source.finished) == 4 and len(tests) == 1


def test_a_lost_attempt_ends_the_grading_early() -> None:
    def judge(job: Job, progress: Callable[[str], None]) -> Outcome:
        source.current = False
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            progress(f"step {time.monotonic()}")
            time.sleep(0.01)
        return Outcome("accepted")

    source = Source(JOB)
    make(source, judge).run()
    assert source.finished == []


def test_a_worker_that_is_told_to_stop_gives_its_job_back() -> None:
    def judge(job: Job, progress: Callable[[str], None]) -> Outcome:
        worker.stop()
        progress("case 3 of 12")
        return Outcome("accepted")

    source = Source(JOB, JOB)
    worker = make(source, judge)
    assert worker.run() == ""
    assert source.released == [JOB] and source.finished == [] and source.jobs == [JOB]


def test_a_server_that_is_away_is_asked_again_and_the_result_is_kept() -> None:
    def judge(job: Job, progress: Callable[[str], None]) -> Outcome:
        source.failures = 2
        return Outcome("accepted")

    source = Source(JOB)
    source.failures = 2
    make(source, judge).run()
    assert source.finished == [Outcome("accepted")]


def test_what_waiting_does_not_mend_ends_it() -> None:
    class Refusing(Source):
        def claim(self, gpu_model: str, worker: str, now: datetime | None = None) -> Job | None:
            raise UsageError("the token is not known")

    with pytest.raises(UsageError, match="the token is not known"):
        make(Refusing(JOB), accept).run()


def test_a_grading_that_hangs_loses_its_heartbeat() -> None:
    beats: list[int] = []

    def judge(job: Job, progress: Callable[[str], None]) -> Outcome:
        until = time.monotonic() + 60
        while not source.beats and time.monotonic() < until:
            progress("case 3 of 12")
            time.sleep(0.01)
        for seconds in (3.0, 0.5):
            time.sleep(seconds)
            beats.append(len(source.beats))
        return Outcome("accepted")

    source = Source(JOB)
    make(source, judge, silence=1.0).run()
    assert beats[0] == beats[1] >= 1


@pytest.fixture(scope="module")
def machine(tmp_path_factory: pytest.TempPathFactory) -> MachineJudge:
    return MachineJudge(Workspace(ROOT), "emulator", tmp_path_factory.mktemp("cache"))


def job_of(file: str, **more: Any) -> Job:
    text = (ROOT / "problems/matmul/submissions" / file).read_text()
    return Job(**{**vars(JOB), "text": text, **more})


def test_a_machine_judges_as_at_home(machine: MachineJudge) -> None:
    said: list[str] = []
    outcome = machine(job_of("wrong_answer/only_whole_tiles.cu"), said.append)
    assert outcome.verdict == "wrong_answer" and outcome.report is not None
    report = from_json(outcome.report)
    assert (report.user, report.file, report.source) == ("ada", "k.cu", "")
    assert "compiling" in said


def test_a_machine_that_works_passes_its_self_test(machine: MachineJudge) -> None:
    assert machine.self_test() == ""


class Solve(CudaSolve):
    """A language whose preparation is told, or fails."""

    def __init__(self, error: ToolMissing | None = None) -> None:
        super().__init__()
        self.error, self.caches = error, list[Path]()

    def prepare(self, cache: Path, progress: Callable[[str], None]) -> None:
        self.caches.append(cache)
        progress("building")
        if self.error is not None:
            raise self.error


def test_the_recorder_is_built_before_there_is_work(tmp_path: Path) -> None:
    said: list[str] = []
    language = Solve()
    works = MachineJudge(Workspace(ROOT), "emulator", tmp_path, grade=lambda *_: accepted(), solve=language)
    assert works.self_test(said.append) == "" and said == ["building"] and language.caches == [tmp_path]
    # Kernels are judged where it can't be built.
    lacking = Solve(ToolMissing("g++ is not installed"))
    lacks = MachineJudge(Workspace(ROOT), "emulator", tmp_path, grade=lambda *_: accepted(), solve=lacking)
    assert lacks.self_test(said.append) == ""
    assert said[1:] == ["building", "a file with its own solve() can't be judged here: g++ is not installed"]


def test_a_self_test_says_what_is_missing(tmp_path: Path) -> None:
    def missing(*_: Any, **__: Any) -> Any:
        raise ToolMissing("NVRTC is not installed", "pip install 'kgrade[cuda13]'")

    machine = MachineJudge(Workspace(ROOT), "emulator", tmp_path, grade=missing)
    assert machine.self_test() == "NVRTC is not installed (pip install 'kgrade[cuda13]')"


def test_a_self_test_that_came_too_late_is_tried_once_more(tmp_path: Path) -> None:
    late = replace(accepted(), verdict=Verdict.TIME_LIMIT_EXCEEDED, headline="Too slow")
    reports = [late, accepted(), late, late]
    machine = MachineJudge(Workspace(ROOT), "emulator", tmp_path, grade=lambda *_: reports.pop(0), solve=Solve())
    assert machine.self_test() == ""
    assert "must be accepted and was time_limit_exceeded: Too slow" in machine.self_test()


def test_a_self_test_without_a_worked_submission_fails(tmp_path: Path) -> None:
    class Empty(Workspace):
        problems: Mapping[str, Path] = MappingProxyType({})

    machine = MachineJudge(Empty(tmp_path), "emulator", tmp_path)
    assert "no problem here has a worked submission" in machine.self_test()


def test_text_that_is_no_source_is_the_students_compile_error(machine: MachineJudge) -> None:
    outcome = machine(Job(**{**vars(JOB), "text": "\x01\x02\x00"}), lambda text: None)
    assert outcome.verdict == "compile_error" and outcome.report is not None
    assert from_json(outcome.report).headline


def test_a_problem_that_this_machine_has_not_is_its_own_failure(machine: MachineJudge) -> None:
    source = Source(job_of("accepted/1_naive.cu", problem="no-such-problem"))
    make(source, machine).run()
    assert source.finished == [Outcome("internal_error")]


def test_host_code_is_never_run_without_a_sandbox(tmp_path: Path) -> None:
    seen: list[Any] = []

    def look(problem: Any, submission: Any, options: Any, progress: Any) -> Any:
        seen.append(options.require_sandbox)
        raise UsageError("no sandbox")

    machine = MachineJudge(Workspace(ROOT), "emulator", tmp_path, grade=look)
    with pytest.raises(UsageError):
        machine(job_of("accepted/solve_naive.cu"), lambda text: None)
    assert seen == [True]


def test_an_outcome_has_the_reports_verdict(machine: MachineJudge) -> None:
    outcome = machine(job_of("compile_error/syntax_error.cu"), lambda text: None)
    assert outcome.report is not None
    assert outcome.is_open and outcome.colours
    assert outcome_of(from_json(outcome.report)) == replace(outcome, is_open=False, colours=None)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "whom to judge for is not said"),
        (["--server", "http://x"], "a worker needs a token"),
        (["--server", "http://x", "--token", "secret"], "shows the token to everybody"),
        (["--server", "http://x", "--token-file", "/nowhere/token"], "/nowhere/token can't be read"),
    ],
)
def test_the_command_says_what_is_missing(arguments: list[str], words: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in worker_command.VARIABLES:
        monkeypatch.delenv(name, raising=False)
    result = CliRunner().invoke(worker_command.command, [*arguments, "--no-sandbox"])
    assert isinstance(result.exception, UsageError) and re.search(words, result.exception.message)


@pytest.mark.parametrize("variable", worker_command.VARIABLES)
def test_no_secret_stands_in_the_workers_environment(variable: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """There it would be readable in /proc for whatever judges as this user."""
    for name in worker_command.VARIABLES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv(variable, "secret")
    result = CliRunner().invoke(worker_command.command, ["--server", "http://x", "--token-file", "-"])
    assert isinstance(result.exception, UsageError) and f"{variable} is set" in result.exception.message


def test_a_token_file_is_the_owners_alone(tmp_path: Path) -> None:
    file = tmp_path / "worker.token"
    file.write_text("token-1\n")
    file.chmod(0o600)
    assert worker_command.read_token(str(file)) == "token-1"
    file.chmod(0o640)
    with pytest.raises(UsageError, match="others on this machine can read"):
        worker_command.read_token(str(file))


@pytest.mark.parametrize("command", ["serve", "worker"])
def test_nothing_is_judged_without_a_sandbox_unless_that_is_said(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from grader.commands import options
    from grader.commands.serve import command as serve
    from grader.sandbox import Sandbox

    class Unprotected(Engines):
        def sandbox(self) -> Sandbox:
            return Sandbox(None, "bubblewrap is gone")

    token = tmp_path / "token"
    token.touch(0o600)
    arguments = ["--server", "http://x", "--token-file", str(token)] if command == "worker" else ["--port", "1"]
    found = worker_command.command if command == "worker" else serve
    for name in ("problems", "submissions"):
        (tmp_path / name).mkdir()
    monkeypatch.chdir(tmp_path)
    for name in worker_command.VARIABLES:
        monkeypatch.delenv(name, raising=False)
    result = CliRunner().invoke(found, arguments, obj=Unprotected())
    assert isinstance(result.exception, ToolMissing) and "bubblewrap is gone" in result.exception.message
    assert "can read this user's files" in result.exception.message and "--no-sandbox" in result.exception.hint
    options.check_sandbox(Sandbox(None, "bubblewrap is gone"), True)
    assert "judging without a sandbox: bubblewrap is gone; what is submitted can read" in capsys.readouterr().err
