"""Base64: bytes as printable text."""

import numpy as np

from grader.problem import Cost, Problem, array, ceil_div, exact, module_of, out, size, u8

problem = Problem(
    title="Base64",
    difficulty="easy",
    tags=("encoding", "bytes", "vector loads", "memory bound"),
    kernel="base64_kernel",
    params=dict(
        input=array(u8, "N"),
        output=out(u8, "4 * ceil_div(N, 3)"),
        N=size(1, 300_000_000),
    ),
    constants=dict(BLOCK=256),
    gates=exact(),
    baseline="accepted/solve_3_twelve_bytes_a_thread.cu",
    benchmarks=[dict(N=150_000_000), dict(N=10_000_019), dict(N=50_000_000)],
)

ALPHABET = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"


@problem.reference
def reference(input, N):
    xp = module_of(input)
    letters, groups = xp.asarray(np.frombuffer(ALPHABET, np.uint8)), ceil_div(N, 3)
    data = xp.zeros(3 * groups, int)
    data[:N] = input
    first, second, third = data[::3], data[1::3], data[2::3]
    sixes = (first >> 2, first % 4 * 16 + (second >> 4), second % 16 * 4 + (third >> 6), third % 64)
    output = letters[xp.stack(sixes, axis=1)].ravel()
    output[output.size - (3 * groups - N) :] = ord("=")
    return output


@problem.solve
def solve(launch, input, output, N):
    block = launch.constant("BLOCK")
    launch(grid=ceil_div(ceil_div(N, 3), block), block=block, arguments=(input, output, N))


@problem.cost
def cost(N):
    return Cost(flops=N, bytes=N + 4 * ceil_div(N, 3))
