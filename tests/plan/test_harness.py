"""The harness turns solve() into raw launch data, and tells the author's mistakes from the submission's."""

from __future__ import annotations

import struct
from types import SimpleNamespace

import pytest

from grader.core.errors import ProblemError
from grader.core.plan import Launch, Memset
from grader.problem import Problem, array, ceil_div, elementwise, f32, out, size
from grader.problem.harness import LaunchRefused, build_plan

SIZES = {"M": 33, "N": 5}
ADDRESSES = {"a": 0x7F00_0000_0000, "b": 0x1234}


def problem_with(solve):
    problem = Problem(
        title="Test",
        difficulty="easy",
        kernel="k",
        params={"a": array(f32, "M", "N"), "b": out(f32, "M"), "M": size(1, 100), "N": size(1, 100)},
        constants={"TILE": 16},
        gates=elementwise(),
    )
    problem.solve(solve)
    return problem


def plan_of(solve, **constants):
    return build_plan(problem_with(solve), {"TILE": 16, **constants}, SIZES, ADDRESSES)


def test_a_plan_holds_steps_in_order_with_raw_arguments():
    def solve(launch, a, b, M, N):
        tile = launch.constant("TILE")
        launch.memset(b, 7)
        launch(grid=(ceil_div(N, tile), ceil_div(M, tile)), block=(tile, tile), arguments=(a, b, M, N))

    memset, launch = plan_of(solve, TILE=8).steps
    assert memset == Memset(address=0x1234, value=7, size=33 * 4)
    assert launch == Launch(
        kernel="k",
        grid=(1, 5, 1),
        block=(8, 8, 1),
        shared_bytes=0,
        arguments=(
            struct.pack("<Q", 0x7F00_0000_0000),
            struct.pack("<Q", 0x1234),
            struct.pack("<i", 33),
            struct.pack("<i", 5),
        ),
    )


def test_a_buffer_says_what_it_is():
    seen = {}

    def solve(launch, a, b, M, N):
        seen["a"] = (a.name, a.address, a.shape, a.dtype.name, a.nbytes)
        launch(grid=1, block=32, arguments=(a, b, M, N), shared_bytes=256)

    plan = plan_of(solve)
    assert seen["a"] == ("a", 0x7F00_0000_0000, (33, 5), "f32", 33 * 5 * 4)
    assert plan.steps[0].shared_bytes == 256


@pytest.mark.parametrize(
    ("constant", "message"),
    [
        (33, "block (33, 33) has 1089 threads; a block has at most 1024"),
        (0, "TILE is 0; a launch needs at least 1"),
        (-4, "TILE is -4; a launch needs at least 1"),
        (2000, "block (2000, 2000) has x = 2000; it is 1 to 1024"),
    ],
)
def test_a_constant_of_the_submission_that_cuda_refuses_is_its_own_fault(constant, message):
    def solve(launch, a, b, M, N):
        tile = launch.constant("TILE")
        launch(grid=1, block=(tile, tile), arguments=(a, b, M, N))

    with pytest.raises(LaunchRefused) as refused:
        plan_of(solve, TILE=constant)
    assert (refused.value.message, refused.value.constants) == (message, ("TILE",))


@pytest.mark.parametrize(
    ("what", "message"),
    [
        ({"grid": (1, 0)}, "grid (1, 0) has y = 0; it is 1 to 65535"),
        ({"grid": (1, 70000)}, "grid (1, 70000) has y = 70000; it is 1 to 65535"),
        ({"block": (1, 1, 65)}, "block (1, 1, 65) has z = 65; it is 1 to 64"),
        ({"shared_bytes": 50_000}, "50000 bytes of shared memory asked for; a block has at most 49152"),
    ],
)
def test_limits_of_a_launch(what, message):
    def solve(launch, a, b, M, N):
        launch(**{"grid": 1, "block": 32, "arguments": (a, b, M, N), **what})

    with pytest.raises(LaunchRefused) as refused:
        plan_of(solve)
    assert refused.value.message == message


MISTAKES = {
    "no launch": (lambda launch, a, b, M, N: None, "launched no kernel"),
    "unknown constant": (lambda launch, a, b, M, N: launch.constant("BLOCK"), "'BLOCK' is not declared"),
    "fractional block": (
        lambda launch, a, b, M, N: launch(grid=1, block=M / 2, arguments=(a, b, M, N)),
        "block is 16.5; expected an integer",
    ),
    "four dimensions": (
        lambda launch, a, b, M, N: launch(grid=(1, 1, 1, 1), block=1, arguments=(a, b, M, N)),
        "grid is (1, 1, 1, 1); expected",
    ),
    "too few arguments": (
        lambda launch, a, b, M, N: launch(grid=1, block=1, arguments=(a, b)),
        "2 arguments; k takes 4: a, b, M, N",
    ),
    "array for a number": (
        lambda launch, a, b, M, N: launch(grid=1, block=1, arguments=(a, b, b, N)),
        "argument M is the array b; expected a number (int)",
    ),
    "number for an array": (
        lambda launch, a, b, M, N: launch(grid=1, block=1, arguments=(a, M, M, N)),
        "argument b is 33; expected an array (float*)",
    ),
    "number too large": (
        lambda launch, a, b, M, N: launch(grid=1, block=1, arguments=(a, b, 2**31, N)),
        "argument M is 2147483648; it does not fit a int",
    ),
    "memset of a number": (lambda launch, a, b, M, N: launch.memset(M), "memset of 33"),
    "memset beyond a byte": (lambda launch, a, b, M, N: launch.memset(b, 256), "memset of b to 256"),
    "negative shared memory": (
        lambda launch, a, b, M, N: launch(grid=1, block=1, arguments=(a, b, M, N), shared_bytes=-1),
        "shared_bytes is -1",
    ),
    "an exception": (lambda launch, a, b, M, N: 1 // 0, "solve() raised ZeroDivisionError"),
}


@pytest.mark.parametrize(("solve", "message"), MISTAKES.values(), ids=list(MISTAKES))
def test_a_mistake_of_the_author_names_file_and_value(solve, message):
    with pytest.raises(ProblemError) as mistake:
        plan_of(solve)
    assert message in mistake.value.message
    assert "problem.py" in mistake.value.message
    assert mistake.value.hint


def test_every_scalar_type_has_its_size():
    from grader.problem.harness import PACKING, Launcher

    widths = {"bool": 1, "short": 2, "unsigned int": 4, "long long": 8, "size_t": 8, "float": 4, "double": 8}
    for c_type, width in widths.items():
        launcher = Launcher("k", [(c_type, "x")], {}, "problem.py")
        launcher(grid=1, block=1, arguments=(1,))
        assert len(launcher.steps[0].arguments[0]) == width == struct.calcsize(PACKING[c_type])


def test_something_that_is_no_buffer_is_refused_even_with_its_attributes():
    def solve(launch, a, b, M, N):
        fake = SimpleNamespace(name="a", address=1, shape=(1,), nbytes=4)
        launch(grid=1, block=1, arguments=(fake, b, M, N))

    with pytest.raises(ProblemError, match="expected an array"):
        plan_of(solve)
