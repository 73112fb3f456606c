"""Triton without a GPU: what a file launches is recorded, and what its compiler says is told with the line."""

from __future__ import annotations

from typing import Any

import pytest

from grader.core.verdict import Verdict
from grader.judge.conductor import Options, grade
from grader.languages.registry import make_submission
from grader.problem import load_problem
from grader.store.workspace import builtin_folder
from tests.plan.python.played import record, require

HEAD = """import torch
import triton
import triton.language as tl
from triton.language.extra import libdevice
from triton.tools.tensor_descriptor import TensorDescriptor

FACTOR = tl.constexpr(2.0)


@triton.jit
def twice(value):
    return value * FACTOR


@triton.jit
def double(x, n, BLOCK: tl.constexpr):
    places = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + places, twice(tl.load(x + places, mask=places < n)), mask=places < n)


"""


def launches(text: str, length: int = 1000) -> list[dict[str, Any]]:
    answer = record(HEAD + text, (length,))
    assert answer["solved"]["op"] == "end", answer["solved"]
    return [step for step in answer["steps"] if step["op"] == "launch"]


def test_a_launch_has_its_grid_threads_and_arguments() -> None:
    text = 'def solve(x, n):\n    double[lambda meta: (triton.cdiv(n, meta["BLOCK"]),)](x, n, BLOCK=256, num_warps=2)\n'
    (launch,) = launches(text)
    assert (launch["grid"], launch["block"]) == ([4, 1, 1], [64, 1, 1])
    assert [len(one) // 2 for one in launch["arguments"]] == [8, 4, 8, 8]
    assert int.from_bytes(bytes.fromhex(launch["arguments"][1]), "little") == 1000
    assert launch["at"] == [len(HEAD.splitlines()) + 2]


def test_a_warmed_up_kernel_tells_what_it_needs_and_is_launched() -> None:
    text = """def solve(x, n):
    kernel = double.warmup(x, n, BLOCK=128, grid=(1,))
    kernel._init_handles()
    assert kernel.n_regs > 0 and kernel.metadata.shared == 0
    kernel[(triton.cdiv(n, 128), 1, 1)](x, n, 128)
    assert double[(1,)](x, n, BLOCK=128).asm["ptx"]
"""
    assert [launch["grid"][0] for launch in launches(text)] == [8, 1]


def test_the_autotuner_takes_the_first_configuration_that_fits() -> None:
    text = """@triton.autotune(
    configs=[
        triton.Config({"BLOCK": 256}, num_stages=4, num_warps=8),
        triton.Config({"BLOCK": 64}, num_stages=3, num_warps=8),
        triton.Config({"BLOCK": 32}, num_stages=1, num_warps=4),
    ],
    key=["n"],
    reset_to_zero=["x"],
)
@triton.heuristics({"EVEN": lambda arguments: arguments["n"] % 2 == 0})
@triton.jit
def square(x, n, BLOCK: tl.constexpr, EVEN: tl.constexpr):
    tl.static_assert(EVEN)
    rows, steps = tl.arange(0, BLOCK), tl.arange(0, 32)
    total = tl.zeros((BLOCK, BLOCK), tl.float32)
    for start in range(0, n, 32):
        a = tl.load(x + rows[:, None] * n + start + steps[None, :])
        b = tl.load(x + (start + steps)[:, None] * n + rows[None, :])
        total = tl.dot(a, b, total)
    tl.store(x + rows[:, None] * n + rows[None, :], total)


def solve(x, n):
    square[(1,)](x, n)
    assert square.best_config.kwargs["BLOCK"] == 64
"""
    (launch,) = launches(text)
    assert launch["block"] == [256, 1, 1] and launch["shared"] >= 32 << 10


CLUSTERS = "def solve(x, n):\n    double[(triton.cdiv(n, 256),)](x, n, BLOCK=256, num_ctas=2)\n"


@pytest.mark.parametrize(
    ("gpu", "grid", "cluster", "notes"),
    [
        (None, [4, 1, 1], [0, 0, 0], ["num_ctas=2 is taken as num_ctas=1 here: the emulator's GPU has no clusters"]),
        ((9, 0), [8, 1, 1], [2, 1, 1], []),
    ],
)
def test_programs_of_several_blocks_are_clusters_where_there_are_any(
    gpu: tuple[int, int] | None, grid: list[int], cluster: list[int], notes: list[str]
) -> None:
    answer = record(HEAD + CLUSTERS, (1000,), gpu)
    (launch,) = [step for step in answer["steps"] if step["op"] == "launch"]
    assert (launch["grid"], launch["cluster"], answer["notes"]) == (grid, cluster, notes)


def test_programs_of_several_blocks_are_refused_by_a_gpu_without_clusters() -> None:
    stop = record(HEAD + CLUSTERS, (1000,), (8, 0))["solved"]
    assert (stop["fault"], stop["call"]) == ("unsupported_call", "num_ctas=2")
    assert stop["at"] == [len(HEAD.splitlines()) + 2]
    assert "num_ctas=1" in stop["hint"]


def test_a_file_may_ask_about_the_device_while_it_is_imported() -> None:
    text = """DEVICE = triton.runtime.driver.active.get_active_torch_device()
SMS = triton.runtime.driver.active.utils.get_device_properties(DEVICE.index)["multiprocessor_count"]
assert triton.runtime.driver.active.get_current_target().backend == "cuda"


def solve(x, n):
    assert x.device == DEVICE
    double[(SMS,)](x, n, BLOCK=128)
"""
    assert launches(text)[0]["grid"] == [24, 1, 1]


@pytest.mark.parametrize(
    ("body", "call", "line", "says"),
    [
        ("    y = tl.zeros((3,), tl.float32)\n    return x + y", "", 2, "power of 2"),
        ("    return x + OTHER", "", 2, "global variable OTHER"),
        ("    return tl.cdiv(x, 'a')", "", 2, "unsupported operand"),
        ("    return x", "tl.arange(0, 100)", 7, "power of 2"),
    ],
)
def test_a_mistake_is_told_with_its_line(body: str, call: str, line: int, says: str) -> None:
    kernel = (
        f"@triton.jit\ndef helped(x, BLOCK: tl.constexpr):\n    {call or 'tl.arange(0, 64)'}\n    helper(tl.load(x))\n"
    )
    solve = "def solve(x, n):\n    helped[(1,)](x, BLOCK=64)\n"
    text = f"OTHER = 1.0\n@triton.jit\ndef helper(x):\n{body}\n{kernel}\n{solve}"
    solved = record(HEAD + text)["solved"]
    lines = text.splitlines()
    marked = lines.index(f"    {call}") if call else lines.index(body.splitlines()[0])
    assert solved["fault"] == "compile" and says in solved["message"]
    assert solved["at"] == [len(HEAD.splitlines()) + marked + 1]


def test_a_pass_of_the_compiler_that_fails_is_a_failure_of_compiling() -> None:
    # Which kernels a release of Triton fails to compile can't be relied on: here its first step fails.
    text = """from triton.compiler import ASTSource, compile


class Source(ASTSource):
    def make_ir(self, *_):
        raise RuntimeError("PassManager::run failed")


def solve(x, n):
    compile(Source(double, {"x": "*fp32"}, {("n",): 100}), triton.runtime.driver.active.get_current_target())
"""
    solved = record(HEAD + text)["solved"]
    assert solved["fault"] == "compile" and solved["message"] == "Triton's compiler fails: PassManager::run failed"
    # Its own error names no line: it is the last one of the file on the way to it.
    assert solved["at"] == [len(HEAD.splitlines()) + 6]


GRADED = """
@triton.jit
def add_pair(arrays, output, N, BLOCK: tl.constexpr):
    a, b = arrays
    places = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = places < N
    tl.store(output + places, tl.load(a + places, mask=inside) + tl.load(b + places, mask=inside), mask=inside)


@triton.jit
def add_descriptors(a, b, output, BLOCK: tl.constexpr):
    first = tl.program_id(0) * BLOCK
    output.store([first], a.load([first]) + b.load([first]))


@triton.jit
def exact(x):
    # Each of these is 0, and there to be executed.
    zero = tl.zeros_like(x)
    first = tl.cumsum(zero, 0) + tl.sort(zero) + tl.sum(zero, 0) + tl.associative_scan(zero, 0, plus) + tl.flip(zero, 0)
    second = libdevice.erf(zero) + libdevice.tanh(zero) + tl.sin(zero) + tl.log(zero + 1) + (tl.exp(zero) - 1)
    for _ in tl.static_range(2):
        second += (tl.sqrt(zero + 4) - 2) + tl.dot(tl.zeros((16, 16), tl.float16), tl.zeros((16, 16), tl.float16)).sum()
    return first + second


@triton.jit
def plus(a, b):
    return a + b


@triton.jit
def count(number, lock, BLOCK: tl.constexpr):
    places = number + tl.arange(0, BLOCK)
    while tl.atomic_cas(lock, 0, 1) == 1:
        pass
    tl.store(places, tl.load(places) + 1)
    tl.debug_barrier()
    tl.atomic_xchg(lock, 0)


@triton.jit
def finish(output, scratch, number, N, BLOCK: tl.constexpr):
    places = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.device_assert(places >= 0)
    extra = exact(tl.load(scratch + places, mask=places < N, other=0.0)) + (tl.load(number) - 3)
    tl.store(output + places, tl.load(scratch + places, mask=places < N) + extra, mask=places < N)


def solve(a, b, output, N):
    kernels = {"pair": add_pair}
    scratch, number = torch.empty_like(a), torch.zeros(129, dtype=torch.int32, device="cuda")
    kernels["pair"][(triton.cdiv(N, 256),)]((a, b), output, N, BLOCK=256)
    output.fill_(7)
    descriptors = (TensorDescriptor(one, [N], [1], [256]) for one in (a, b, scratch))
    add_descriptors[(triton.cdiv(N, 256),)](*descriptors, BLOCK=256)
    count[(3,)](number, number[128:], BLOCK=128)
    finish[(triton.cdiv(N, 256),)](output, scratch, number, N, BLOCK=256, num_stages=2, num_ctas=1)
"""


def test_kernels_of_many_kinds_run_on_the_emulator() -> None:
    require("torch", "triton")
    problem = load_problem(builtin_folder("problems") / "zip")
    submission = make_submission("mine.py", (HEAD + GRADED).encode())
    report = grade(problem, submission, Options(seed=1, device="emulator", sizes=[{"N": 1000}]))
    assert report.verdict is Verdict.ACCEPTED, report.headline
