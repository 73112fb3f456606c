"""The score by model time, with times made up: what ranks, and what is a reason why there is none."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from grader.compile.submission import Submission
from grader.core.errors import JudgeError
from grader.core.report import Report
from grader.core.verdict import Form, Verdict
from grader.model.gpus import gpu_named
from grader.model.model import ModelTime
from grader.model.scoring import light_of, modelled, revision_of, with_model_time
from grader.problem import load_problem

PROBLEMS = Path(__file__).parents[2] / "problems"
MATMUL = load_problem(PROBLEMS / "matmul")
H200 = gpu_named("H200")
FILE = Submission("mine.cu", "", "", Form.KERNEL)


def timer(*seconds):
    """A model that answers with these times, one after another; what is no number is why there is none."""
    left = list(seconds)

    def time(problem, submission, sizes, gpu, cache, seed, require_sandbox, proved):
        found = left.pop(0)
        if isinstance(found, Exception):
            raise found
        if found is None:
            return ModelTime(gpu, dict(sizes), None, why_not="left out", left_out=True)
        if isinstance(found, str):
            return ModelTime(gpu, dict(sizes), None, why_not=found)
        return ModelTime(gpu, dict(sizes), found, 0.75 * found, 1.25 * found, "dram")

    return time


def found_by(time, tmp_path, seconds=60.0, progress=lambda text: None):
    return modelled(MATMUL, FILE, MATMUL.benchmarks, H200, tmp_path, progress, seconds=seconds, timer=time)


def test_the_score_is_the_mean_share_of_the_light(tmp_path):
    lights = [light_of(MATMUL, sizes, H200) for sizes in MATMUL.benchmarks]
    said: list[str] = []
    found = found_by(timer(2 * lights[0], 8 * lights[1], 4 * lights[2]), tmp_path, progress=said.append)
    assert found.score == pytest.approx(0.25) and not found.why_not
    assert [size.share for size in found.sizes] == pytest.approx([0.5, 0.125, 0.25])
    assert {size.bound for size in found.sizes} == {"DRAM"}
    assert said[1] == "computing the model time on H200, 2 of 3: M=2048,N=2048,K=2048"


def test_products_of_split_numbers_may_be_quicker_than_the_light(tmp_path):
    lights = [light_of(MATMUL, sizes, H200) for sizes in MATMUL.benchmarks]
    found = found_by(timer(lights[0] / 2, lights[1] / 100, lights[2] / 2), tmp_path)
    # A third of what tensor cores do for halves is so many times what the units for fp32 do.
    assert [size.share for size in found.sizes] == pytest.approx([2.0, 3.354, 2.0], rel=1e-2)


def test_the_light_is_that_of_the_data_sheet():
    # 2 · 1024³ operations at 132 · 128 · 2 · 1.98 GHz = 66.9 TFLOP/s.
    assert light_of(MATMUL, {"M": 1024, "N": 1024, "K": 1024}, H200) == pytest.approx(32.1e-6, rel=1e-3)
    halves = load_problem(PROBLEMS / "matmul_fp16")
    size = {"M": 4096, "N": 4096, "K": 4096}
    assert light_of(halves, size, H200) < light_of(MATMUL, size, H200) / 5


def test_sizes_that_are_left_out_for_all_are_left_out_of_the_score(tmp_path):
    lights = [light_of(MATMUL, sizes, H200) for sizes in MATMUL.benchmarks]
    found = found_by(timer(2 * lights[0], None, 8 * lights[2]), tmp_path)
    assert found.score == pytest.approx(0.25) and found.sizes[1].why_not == "left out"
    nothing = found_by(timer(None, None, None), tmp_path)
    assert nothing.score is None and nothing.why_not.startswith("left out (with M=1024")


def test_an_unknown_instruction_is_the_reason(tmp_path):
    found = found_by(timer(1e-3, "the model does not know frob.b32"), tmp_path)
    assert found.score is None and len(found.sizes) == 2
    assert found.why_not == "the model does not know frob.b32 (with M=2048,N=2048,K=2048)"


def test_a_failure_of_the_model_is_a_reason_too(tmp_path, monkeypatch):
    monkeypatch.setenv("KGRADE_CACHE", str(tmp_path))
    assert found_by(timer(JudgeError("nvcc is gone")), tmp_path).why_not.startswith("nvcc is gone (with ")
    assert "a mistake in kgrade itself: KeyError" in found_by(timer(KeyError("x")), tmp_path).why_not


def test_it_ends_at_its_deadline(tmp_path):
    def endless(*_):
        while True:
            pass

    found = found_by(endless, tmp_path, seconds=0.05)
    assert found.score is None and found.why_not.startswith("it took longer than 0.05 s (with M=1024")


def test_without_benchmark_sizes_there_is_none(tmp_path):
    found = modelled(MATMUL, FILE, (), H200, tmp_path, lambda text: None, seconds=1.0, timer=timer())
    assert found.why_not == "the problem names no benchmark sizes" and not found.sizes


@pytest.mark.parametrize(
    ("device", "verdict", "asked"),
    [
        ("emulator", Verdict.ACCEPTED, True),
        ("emulator", Verdict.WRONG_ANSWER, False),
        ("NVIDIA H200", Verdict.ACCEPTED, False),
    ],
)
def test_only_what_the_emulator_accepts_has_one(tmp_path, device, verdict, asked):
    report = Report("matmul", "", Form.KERNEL, device, "ada", "x.cu", "", "", "", 3, verdict, "")
    time = timer(*[1e-3] * len(MATMUL.benchmarks))
    told = with_model_time(report, MATMUL, FILE, "h200", tmp_path, lambda text: None, seconds=60.0, timer=time)
    assert (told.model is not None) is asked and replace(told, model=None) == report


def test_other_figures_make_another_revision():
    assert revision_of(H200) == revision_of(gpu_named("h200"))
    assert len({revision_of(gpu) for gpu in (H200, gpu_named("H100"), replace(H200, clock=1.9e9))}) == 3
