"""`kgrade explain` as typed: both forms, sizes and targets, the page, JSON, and what is not explained but graded."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.coach.coach import usual_sizes
from grader.problem.sizes import Budget, check_sizes
from grader.store.workspace import find_workspace
from tests.plan.recorded import shared_cache

from .conftest import Kgrade

SUBMISSIONS = Path(__file__).parents[2] / "problems" / "matmul" / "submissions"
NAIVE = SUBMISSIONS / "accepted" / "1_naive.cu"
SMALL = ("--size", "M=32,N=32,K=32", "--seed", "3")


def test_the_naive_kernel_is_told_to_tile(kgrade: Kgrade, workspace: Path) -> None:
    answer = kgrade("explain", "matmul", str(NAIVE), *SMALL, "--gpu", "l4", "--model-size", "M=256,N=256,K=256")
    assert answer.code == 0, answer
    text = " ".join(answer.out.split())
    assert "model time on L4, not calibrated, with M=256,N=256,K=256: " in text and "bound by" in text
    assert "1. line 16, register blocking: each multiplication takes 2 numbers loaded from A and B" in text
    assert "line 16, tiling: each element of A is read 32 times from global memory" in text
    assert "tile it" in text and "sm_89" in text and "µs on L4 (model)" in text
    assert list((workspace / "submissions").iterdir()) == []


def test_json_is_one_object_with_all_counts(kgrade: Kgrade, workspace: Path) -> None:
    answer = kgrade("explain", "matmul", str(NAIVE), *SMALL, "--json", "--target", "sm_90a", "--sass")
    assert answer.code == 0 and answer.err == "" and answer.out.count("\n") == 1
    data = answer.json
    assert (data["verdict"], data["sizes"], data["target"]) == ("accepted", {"M": 32, "N": 32, "K": 32}, "sm_90")
    (kernel,) = data["kernels"]
    assert (kernel["kernel"], kernel["grid"], kernel["block"]) == (
        "matrix_multiplication_kernel",
        [2, 2, 1],
        [16, 16, 1],
    )
    # Per element of C 32 fused multiplications and additions; 32 warps of 32 lanes.
    assert kernel["totals"]["flops"] == 2 * 32**3
    line = next(line for line in kernel["lines"] if line["line"] == 16)
    assert (line["requests"], line["sectors"], line["bytes"]) == (2 * 32 * 32, 4 * 32 * 32, 2 * 4 * 32**3)
    reads = {array["name"]: (array["reads"], array["refetched"]) for array in kernel["arrays"]}
    assert reads["A"] == (32.0, 8.0) and reads["B"] == (32.0, 8.0)
    assert kernel["resources"]["target"] == "sm_90" and kernel["resources"]["registers"] > 8
    gains = {advice["kind"]: advice["model"] for advice in kernel["advice"] if advice["line"] in (None, 16)}
    # Four blocks are few for an H200, whatever the kernel does.
    assert {"small_grid", "reuse"} <= set(gains)
    assert all((gain["gpu"], gain["before"]) == ("H200", data["model"]["seconds"]) for gain in gains.values())
    saved = [gain["saved"] for gain in gains.values()]
    assert saved == [pytest.approx(1 - gain["after"] / gain["before"]) for gain in gains.values()]
    assert saved == sorted(saved, reverse=True) and saved[-1] >= 0.03
    model = data["model"]
    assert (model["gpu"], model["why_not"]) == ("H200", "") and "driver" in model["calibrated"]
    assert 1e-6 < model["seconds"] < 1e-5 and 0 < model["low"] < model["seconds"] < model["high"]
    (time,) = model["kernels"]
    assert sum(time["parts"].values()) == pytest.approx(time["seconds"]) and time["flops"] == 2 * 32**3
    machine = kernel["machine_code"]
    code = {line["line"]: [one["opcode"].split(".")[0] for one in line["code"]] for line in machine["lines"]}
    assert "FFMA" in code[16] and machine["instructions"] == sum(map(len, code.values()))
    assert sum(block["instructions"] for block in machine["blocks"]) == machine["instructions"]


def test_the_same_seed_gives_the_same_counts(kgrade: Kgrade, workspace: Path) -> None:
    first, second = (kgrade("explain", "matmul", str(NAIVE), *SMALL, "--json").json for _ in range(2))
    assert first == second


def test_the_page_is_written(kgrade: Kgrade, workspace: Path) -> None:
    answer = kgrade("explain", "matmul", str(NAIVE), *SMALL, "--html", "why/page.html")
    assert answer.code == 0 and "why/page.html" in answer.out
    text = (workspace / "why" / "page.html").read_text()
    assert "tile it" in text and "ld.global" in text and "<svg" in text and "FFMA R" in text
    assert "Model time on H200" in text and "Roofline of the model on H200" in text


def test_a_file_with_its_own_host_code(
    kgrade: Kgrade, workspace: Path, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    # The recorder takes a quarter of a minute to compile, once for all tests.
    recorder = shared_cache(tmp_path_factory) / "recorder"
    recorder.mkdir(exist_ok=True)
    (tmp_path / "cache").mkdir(exist_ok=True)
    (tmp_path / "cache" / "recorder").symlink_to(recorder)
    file = SUBMISSIONS / "accepted" / "solve_transposed_first.cu"
    data = kgrade("explain", "matmul", str(file), *SMALL, "--json", "--no-model").json
    transpose, multiply = data["kernels"]
    assert (transpose["kernel"], multiply["kernel"]) == ("transpose", "multiply")
    assert transpose["advice"][0]["kind"] == "uncoalesced" and transpose["advice"][0]["line"] == 15
    assert "scratch 1" in {array["name"] for array in multiply["arrays"]}
    assert transpose["resources"]["registers"] > 0


def test_a_wrong_answer_is_explained_and_said(kgrade: Kgrade, workspace: Path) -> None:
    file = SUBMISSIONS / "wrong_answer" / "transposed_output.cu"
    answer = kgrade("explain", "matmul", str(file), "--size", "M=32,N=16,K=32", "--no-model")
    assert answer.code == 1
    assert "wrong_answer" in answer.out and "sect/req" in answer.out


@pytest.mark.parametrize(
    ("file", "words"),
    [
        ("compile_error/syntax_error.cu", "compile_error"),
        ("runtime_error/missing_bounds_check.cu", "out_of_bounds"),
    ],
)
def test_what_does_not_run_is_told_as_by_test(kgrade: Kgrade, workspace: Path, file: str, words: str) -> None:
    line = ("matmul", str(SUBMISSIONS / file))
    answer = kgrade("explain", *line, "--size", "M=17,N=5,K=3")
    assert answer.code == 1 and words in answer.out and "sect/req" not in answer.out
    assert kgrade("explain", *line, "--size", "M=17,N=5,K=3", "--json").json["verdict"] == file.partition("/")[0]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--size", "M=32"), "--size"),
        (("--size", "M=32,N=32,K=0"), "out of range"),
        (("--size", "M=x"), "--size"),
        (("--target", "sm_12"), "sm_89"),
        (("--gpu", "GTX 285"), "RTX 4090"),
    ],
)
def test_wrong_usage(kgrade: Kgrade, workspace: Path, arguments: tuple[str, ...], words: str) -> None:
    answer = kgrade("explain", "matmul", "mine.cu", *arguments)
    assert answer.code == 2
    assert words in answer.err and "--case" not in answer.err


def test_a_file_that_is_not_there(kgrade: Kgrade, workspace: Path) -> None:
    answer = kgrade("explain", "matmul", "nothing.cu")
    assert answer.code == 2 and "does not exist" in answer.err


@pytest.mark.parametrize("name", find_workspace(None).problems)
def test_usual_sizes_fit_every_problem(name: str) -> None:
    problem = find_workspace(None).load(name)
    sizes = usual_sizes(problem)
    check_sizes(problem, sizes)
    assert Budget().allows(problem, sizes)
