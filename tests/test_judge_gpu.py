"""The conductor with a GPU beside the emulator, both played by Python: who decides, and what the report says."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from played_devices import PlayedGpu
from test_judge import SOURCE, PythonRunner, multiply, out_of_bounds

from grader.compile.program import Kernel, Program
from grader.core.errors import UsageError
from grader.core.report import CaseResult, Ceilings, FaultReport, Interval, KernelInfo, Measurement, SizeMeasurement
from grader.core.verdict import FaultClass, Form, Verdict, WrongKind
from grader.judge import conductor, passes
from grader.judge.conductor import Options, grade
from grader.judge.timing import Timed
from grader.languages.registry import make_submission
from grader.machine.gpus import Gpu, target_of
from grader.plan.runner import Remark, Run, RunnerStopped, RunStatus
from grader.problem import cases, load_problem
from grader.run.devices import GpuDevice, choose_gpu, spread
from grader.run.emulator_runner import EmulatorRunner
from tests.played_languages import PlayedKernel

GPUS = [Gpu(i, f"GPU-{i}", f"Card {i}", "580", (9, 0), 1 << 34) for i in range(2)]


@pytest.fixture(autouse=True)
def own_cache(monkeypatch, tmp_path):
    """What stands in for the compiler is not to be remembered for others."""
    monkeypatch.setenv("KGRADE_CACHE", str(tmp_path / "cache"))


@pytest.fixture(scope="module")
def problem():
    from test_judge import MATMUL

    return load_problem(MATMUL)


class EmulatorPlayer(PythonRunner, EmulatorRunner):
    """One that a grading takes for the emulator's."""


class GpuPlayer(PythonRunner):
    device = "Card 0"
    checks = ("what a GPU sees",)

    def kill(self):
        """There is no process; `close` tells that the part has ended."""

    def load(self, program):
        assert program.cubin == b"sm_90a"
        super().load(program)
        return (KernelInfo(program.kernels[0].name, registers=32),)


@pytest.fixture
def graded(monkeypatch, problem):
    """Grades on both devices; gives the report, the emulator's and the GPU's player, and the steps shown."""

    def run(
        emulated=multiply, on_gpu=multiply, load=None, timed=NOT_TIMED, memcheck=None, play=PythonRunner, **options
    ):
        emulator, player = play(emulated, load), GpuPlayer(on_gpu)
        steps = []

        class Turn:
            def __init__(self, uuid, waiting):
                self.uuid, self.waiting = uuid, waiting

            def try_now(self):
                return False

            def __enter__(self):
                steps.append(f"lock {self.uuid}")
                self.waiting()

            def __exit__(self, *_):
                self.release()
                steps.append("unlock")

            def release(self):
                """Nothing is held."""

        class Referee:
            def is_quicker(self, sizes):
                return False

            def kill(self):
                """Nothing runs."""

            def close(self):
                """Nothing is open."""

        class Measurer:
            def __init__(self, *_):
                """Knows what it will find."""

            def run(self, progress):
                steps.append("timing")
                return timed

        def compiled(problem, gpu):
            kernels, constants = (Kernel(problem.kernel, "_Z1k"),), {**problem.constants, "TILE": 8}
            return Program(Form.KERNEL, "compute_89", "ptx", kernels, constants, cubin=target_of(gpu).encode())

        # What a real one finds has tests of its own; a grading makes it itself.
        monkeypatch.setattr(passes, "Measurer", Measurer)
        submission = make_submission("mine.cu", SOURCE.encode())
        device = PlayedGpu(GPUS[0], emulator, player, Referee(), Turn, memcheck, LARGEST)
        options = Options(**{"seed": 5, **options})
        language = PlayedKernel(compiled)
        report = grade(problem, submission, options, steps.append, choose=lambda words: device, language=language)
        assert emulator.closed and player.closed
        return report, emulator, player, steps

    return run


LARGEST = cases.Case({"M": 401, "N": 399, "K": 403}, "exact", 9)
NOT_TIMED = Timed(note="the card has no clock", hint="buy one")


def measured(null=1.0, seconds=1e-3):
    """A measurement of one size, 0.4 ms at the speed of light."""
    time = Interval(seconds, seconds, seconds)
    size = SizeMeasurement({"M": 1, "N": 1, "K": 1}, time, None, 400, 1, 0.4, 20, 0, 20, 1e-6, (1900.0, 1900.0))
    ceilings = Ceilings("Card 0", "GPU-0", "580", 1e9, 1e6, None, None, 1e-6)
    return Timed(Measurement((size,), ceilings, Interval(null, null, null)))


def test_a_right_kernel_is_timed_and_scored(graded):
    report, _, _, steps = graded(timed=measured())
    assert (report.verdict, report.score) == (Verdict.ACCEPTED, pytest.approx(0.4))
    assert report.time.value == 1e-3
    assert steps.index("lock GPU-0") < steps.index("timing") < steps.index("unlock")


@pytest.mark.parametrize("timed", [measured(null=1.0031), measured(seconds=1e-4)], ids=["unsound", "impossible"])
def test_times_that_can_not_be_trusted_give_no_score(graded, timed):
    report, *_ = graded(timed=timed)
    assert (report.verdict, report.score) == (Verdict.ACCEPTED, None)
    assert report.measurement is not None


def test_why_nothing_was_timed_is_told(graded):
    report, *_ = graded()
    assert (report.verdict, report.score, report.measurement) == (Verdict.ACCEPTED, None, None)
    assert [(d.message, d.hint) for d in report.diagnostics] == [
        ("not timed, so there is no score: the card has no clock", "buy one")
    ]


def test_a_kernel_that_is_wrong_only_while_it_is_timed_is_wrong(graded):
    failure = CaseResult(
        {"M": 9, "N": 9, "K": 9}, "normal", 1, Verdict.WRONG_ANSWER, WrongKind.WRONG_VALUE, message="bad"
    )
    report, *_ = graded(timed=Timed(failure=failure))
    assert (report.verdict, report.kind, report.score) == (Verdict.WRONG_ANSWER, WrongKind.WRONG_VALUE, None)
    assert "while it was timed" in report.explanation[0]


def test_sizes_given_by_hand_are_not_timed(graded):
    report, _, _, steps = graded(sizes=[{"M": 17, "N": 30, "K": 3}])
    assert "timing" not in steps
    assert report.measurement is None and not report.diagnostics


def test_memcheck_looks_where_the_emulator_does_not_know_an_instruction(graded):
    unknown = Run(RunStatus.FAULT, fault=FaultReport(FaultClass.ILLEGAL_INSTRUCTION, "wgmma is unknown here"))
    watched = PythonRunner(lambda *_: out_of_bounds())
    report, _, player, _ = graded(emulated=lambda *_: unknown, memcheck=watched)
    assert (report.verdict, report.fault.fault) == (Verdict.RUNTIME_ERROR, FaultClass.OUT_OF_BOUNDS)
    assert player.prepared == []
    assert watched.closed
    accepted, *_ = graded(emulated=lambda *_: unknown, memcheck=PythonRunner(multiply))
    assert "by memcheck, at 6 small sizes: nothing beyond results" in accepted.checks


def test_a_right_kernel_is_checked_on_the_emulator_and_runs_all_sizes_on_the_gpu(graded):
    report, emulator, player, steps = graded()
    assert (report.verdict, report.device) == (Verdict.ACCEPTED, "Card 0")
    assert "Card 0" in report.headline
    # Each case, and its sizes with other inputs; on the GPU the first inputs twice.
    assert len(emulator.prepared) == 2 * 6
    assert len(player.prepared) == 3 * 13
    assert [dict(case.sizes) for case in report.cases][-1] == LARGEST.sizes
    assert report.kernels[0].registers == 32
    assert "what a GPU sees" in report.checks
    assert "on the emulator, at 6 small sizes: nothing beyond results" in report.checks
    assert not any("not deterministic" in check for check in report.checks)
    locked = steps.index("lock GPU-0")
    assert "waiting for Card 0" in steps[locked + 1]
    assert sum("checks on the emulator" in step for step in steps[:locked]) == 6
    assert steps[-1] == "unlock"


def test_what_the_emulator_finds_decides_and_the_gpu_is_left_alone(graded):
    report, _, player, steps = graded(emulated=lambda *_: out_of_bounds())
    assert (report.verdict, report.fault.fault, report.line) == (Verdict.RUNTIME_ERROR, FaultClass.OUT_OF_BOUNDS, 3)
    assert report.device == "Card 0"
    assert dict(report.smallest.sizes) == {"M": 1, "N": 1, "K": 1}
    assert player.prepared == []
    assert not any("lock" in step for step in steps)


@pytest.mark.parametrize(
    "ending",
    [
        Run(RunStatus.FAULT, fault=FaultReport(FaultClass.ILLEGAL_INSTRUCTION, "wgmma is unknown here")),
        Run(RunStatus.FAULT, fault=FaultReport(FaultClass.TRAP, "the kernel gave up")),
        Run(RunStatus.TIME, message="wgmma is unknown here", lines=(3,)),
        RunnerStopped(RunStatus.CRASHED, "wgmma is unknown here"),
    ],
    ids=["unknown instruction", "trap", "too slow", "crash"],
)
def test_what_the_emulator_can_not_run_is_left_to_the_gpu(graded, ending):
    report, emulator, player, _ = graded(emulated=lambda *_: ending)
    assert report.verdict is Verdict.ACCEPTED
    assert len(emulator.prepared) == 1
    assert len(player.prepared) == 39
    assert any(check.startswith("not on the emulator: ") for check in report.checks)


def test_results_of_code_for_another_gpu_do_not_decide(graded):
    report, _, player, _ = graded(emulated=lambda *_: None)
    assert report.verdict is Verdict.ACCEPTED
    assert len(player.prepared) == 39
    assert any(
        check.startswith("other results on the emulator") and "never written" in check for check in report.checks
    )


def test_a_wrong_result_on_both_is_the_gpus_finding(graded):
    report, _, player, _ = graded(emulated=lambda *_: None, on_gpu=lambda *_: None)
    assert (report.verdict, report.kind) == (Verdict.WRONG_ANSWER, WrongKind.UNWRITTEN_OUTPUT)
    assert player.prepared


def shuffled_from_the_gone(undefined):
    """A wrong result, and a remark on the line that it comes from."""

    def kernel(sizes, inputs, C):
        remarks = (Remark("lane 0 takes the value of a lane that has left", 3, undefined),)
        wrong, all_written = np.zeros_like(C), np.zeros(C.shape, bool)
        return Run(RunStatus.DONE, outputs={"C": wrong}, unwritten={"C": all_written}, remarks=remarks)

    return kernel


def test_a_wrong_result_of_values_that_mean_nothing_decides(graded):
    report, _, player, _ = graded(emulated=shuffled_from_the_gone(undefined=True))
    assert (report.verdict, report.fault.fault, report.line) == (
        Verdict.RUNTIME_ERROR,
        FaultClass.BARRIER_DIVERGENCE,
        3,
    )
    assert player.prepared == []
    report, *_ = graded(emulated=shuffled_from_the_gone(undefined=False))
    assert report.verdict is Verdict.ACCEPTED


def test_a_refused_launch_decides(graded):
    refused = FaultReport(FaultClass.LAUNCH_FAILURE, "256 threads, where __launch_bounds__ allows 128", line=2)
    report, _, player, _ = graded(emulated=lambda *_: Run(RunStatus.FAULT, fault=refused))
    assert (report.verdict, report.fault.fault) == (Verdict.RUNTIME_ERROR, FaultClass.LAUNCH_FAILURE)
    assert player.prepared == []


@pytest.mark.parametrize(("there", "line"), [(FaultClass.TRAP, 3), (FaultClass.ILLEGAL_INSTRUCTION, None)])
def test_a_trap_on_both_keeps_the_line_that_the_emulator_knows(graded, there, line):
    here = Run(RunStatus.FAULT, fault=FaultReport(there, "assertion `x > 0' failed", line=3))
    on_gpu = Run(RunStatus.FAULT, fault=FaultReport(FaultClass.TRAP, "an assert() of the kernel failed"))
    report, *_ = graded(emulated=lambda *_: here, on_gpu=lambda *_: on_gpu)
    assert (report.verdict, report.fault.fault, report.line) == (Verdict.RUNTIME_ERROR, FaultClass.TRAP, line)


def test_a_program_that_the_emulator_can_not_load_is_left_to_the_gpu(graded):
    report, *_ = graded(load=RunnerStopped(RunStatus.CRASHED, "the emulator broke"))
    assert report.verdict is Verdict.ACCEPTED
    assert "not on the emulator: the emulator broke" in report.checks


def test_a_failure_on_the_gpu_alone_is_shrunk_there(graded):
    def kernel(sizes, inputs, C):
        multiply(sizes, inputs, C)
        if sizes["M"] > 40:
            C[-1, -1] += 100

    report, _, player, _ = graded(on_gpu=kernel)
    assert (report.verdict, report.kind) == (Verdict.WRONG_ANSWER, WrongKind.WRONG_VALUE)
    assert dict(report.smallest.sizes) == {"M": 41, "N": 1, "K": 1}
    assert "on the emulator, at 6 small sizes: nothing beyond results" in report.checks
    assert len(player.prepared) > 39


@pytest.mark.parametrize("wrong", [False, True])
def test_a_local_variable_without_a_value_is_told_whatever_the_gpu_makes_of_it(graded, monkeypatch, wrong):
    fault = FaultReport(FaultClass.UNINITIALIZED_READ, "a local variable has no value", line=3)

    class Pass:
        completed = False

        def __init__(self, *of):
            self.begun = []

        def begin(self, part, program):
            self.begun.append(part.helps)

        def found(self):
            assert self.begun == ["on the emulator"]
            return CaseResult({"M": 1, "N": 1, "K": 1}, "exact", 1, Verdict.RUNTIME_ERROR, fault=fault, line=3)

        def close(self):
            pass

    # The real one compiles a debug build and runs it, which has tests of its own.
    monkeypatch.setattr(conductor, "LocalsPass", Pass)

    def on_gpu(sizes, inputs, C):
        multiply(sizes, inputs, C)
        C += wrong

    report, _, _, _ = graded(on_gpu=on_gpu, play=EmulatorPlayer)
    assert report.verdict is Verdict.RUNTIME_ERROR and report.fault == fault and report.line == 3


def test_a_fault_without_a_line_is_looked_for_on_the_emulator_at_its_smallest_sizes(graded):
    def emulated(sizes, inputs, C):
        # Sizes that none of the drawn cases has.
        return out_of_bounds() if dict(sizes) == {"M": 1, "N": 1, "K": 1} and seen else multiply(sizes, inputs, C)

    seen = []

    def on_gpu(sizes, inputs, C):
        seen.append(1)
        return replace(out_of_bounds(), fault=FaultReport(FaultClass.OUT_OF_BOUNDS, "somewhere"))

    report, *_ = graded(emulated=emulated, on_gpu=on_gpu)
    assert (report.verdict, report.line) == (Verdict.RUNTIME_ERROR, 3)
    assert report.fault.array == "A"


def test_an_endless_kernel_has_the_line_that_the_emulator_saw(graded):
    report, *_ = graded(
        emulated=lambda *_: Run(RunStatus.TIME, lines=(2,), message="on and on"),
        on_gpu=lambda *_: Run(RunStatus.TIME, seconds=10.0),
    )
    assert (report.verdict, report.line) == (Verdict.TIME_LIMIT_EXCEEDED, 2)
    assert "still running after 10.0 s" in report.headline


def test_runs_that_differ_are_both_checked_and_told(graded):
    calls = []

    def kernel(sizes, inputs, C):
        multiply(sizes, inputs, C)
        calls.append(1)
        if len(calls) % 2 == 0:
            C[0, 0] = np.nextafter(C[0, 0], np.float32(np.inf))

    report, *_ = graded(on_gpu=kernel, sizes=[{"M": 17, "N": 30, "K": 3}])
    # The inputs of one of the two families allow no other bits at all.
    assert report.verdict is Verdict.WRONG_ANSWER
    assert any("not deterministic: in 2 of 2 cases" in check for check in report.checks)


def test_an_element_that_only_one_of_two_runs_gets_wrong_is_wrong(graded):
    calls = []

    def kernel(sizes, inputs, C):
        multiply(sizes, inputs, C)
        calls.append(1)
        if len(calls) % 2 == 0:
            C[0, 0] += 1000

    assert graded(on_gpu=kernel)[0].kind is WrongKind.WRONG_VALUE


def test_sizes_too_large_for_the_emulator_are_for_the_gpu_alone(graded):
    report, emulator, player, _ = graded(sizes=[{"M": 900, "N": 900, "K": 900}])
    assert report.verdict is Verdict.ACCEPTED
    assert (len(emulator.prepared), len(player.prepared)) == (0, 6)
    assert "not on the emulator: every size is too large for it" in report.checks


def test_sizes_too_large_for_the_judge_beside_a_gpu_are_refused(tmp_path):
    folder = Path(shutil.copytree(Path(__file__).parents[1] / "problems/matmul", tmp_path / "large"))
    text = (folder / "problem.py").read_text()
    (folder / "problem.py").write_text(text.replace("size(1, 8192)", "size(1, 65536)"))
    with pytest.raises(UsageError, match="too large for the judge beside a GPU"):
        GpuDevice(GPUS[0]).draw(load_problem(folder), 5, 12, [{"M": 65536, "N": 65536, "K": 65536}])


def test_an_interrupt_closes_both_and_frees_the_gpu(graded, monkeypatch):
    closed = []

    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(PythonRunner, "close", lambda self: closed.append(self.device))
    with pytest.raises(KeyboardInterrupt):
        graded(on_gpu=interrupt)
    assert closed == ["Card 0", "emulator", "Card 0"]


@pytest.mark.parametrize(("device", "uuid"), [("auto", "GPU-0"), ("gpu", "GPU-0"), ("gpu:1", "GPU-1")])
def test_a_device_is_chosen_by_number(device, uuid):
    assert choose_gpu(device, GPUS).uuid == uuid
    assert choose_gpu("emulator", GPUS) is None


@pytest.mark.parametrize(
    ("device", "gpus", "words"),
    [
        ("gpu:2", GPUS, r"no gpu:2; this machine has gpu:0 \(Card 0\), gpu:1 \(Card 1\)"),
        ("gpu", [], "no NVIDIA GPU was found"),
        ("gpu:0", [], "no NVIDIA GPU was found"),
        ("gpu:", GPUS, "'gpu:'"),
        ("gpu:x", GPUS, "'gpu:x'"),
        ("cpu:1", GPUS, "'cpu:1'"),
        ("", GPUS, "''"),
    ],
)
def test_a_device_that_is_not_there_is_refused_with_what_is(device, gpus, words):
    with pytest.raises(UsageError, match=words) as refused:
        choose_gpu(device, gpus)
    assert refused.value.hint


def test_without_a_gpu_auto_is_the_emulator():
    assert choose_gpu("auto", []) is None


@pytest.mark.parametrize(("count", "chosen"), [(3, [0, 1, 2]), (6, [0, 1, 2, 3, 4, 5]), (12, [0, 2, 4, 7, 9, 11])])
def test_a_few_cases_are_taken_from_the_whole_range(count, chosen):
    drawn = [cases.Case({"N": n}, "exact", n) for n in range(count)]
    assert [case.seed for case in spread(drawn, 6)] == chosen
