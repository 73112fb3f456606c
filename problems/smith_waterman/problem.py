"""Smith-Waterman: the score of the best local alignment of two sequences, for many pairs."""

from grader.problem import Cost, Problem, array, exact, i32, integers, module_of, out, running_maximum, size, u8

MATCH, MISMATCH, GAP = 3, -2, -4

problem = Problem(
    title="Smith-Waterman alignment",
    difficulty="hard",
    tags=("dynamic programming", "wavefront", "warp shuffle", "registers"),
    kernel="alignment_kernel",
    params=dict(
        a=array(u8, "PAIRS", "N", values=integers(0, 3)),
        b=array(u8, "PAIRS", "M", values=integers(0, 3)),
        score=out(i32, "PAIRS"),
        PAIRS=size(1, 1_000_000),
        N=size(1, 1024),
        M=size(1, 1024),
    ),
    constants=dict(BLOCK=128),
    # In a "constant" pair each sequence is one letter again and again: all of it matches, or nothing does.
    gates=exact(families=("normal", "special", "constant", "spread")),
    baseline="accepted/solve_3_rows_in_registers.cu",
    benchmarks=[dict(PAIRS=30_000, N=1024, M=1024), dict(PAIRS=100_003, N=127, M=501)],
)


@problem.reference
def reference(a, b, PAIRS, N, M):
    xp = module_of(a)
    a, b = a.astype(int), b.astype(int)
    fall = -GAP * xp.arange(1, M + 1)
    row, best = xp.zeros((PAIRS, M + 1), int), xp.zeros(PAIRS, int)
    for i in range(N):
        pair = row[:, :-1] + xp.where(a[:, i, None] == b, MATCH, MISMATCH)
        new = xp.maximum(xp.maximum(pair, row[:, 1:] + GAP), 0)
        # A gap from the left costs as much with each step: a running maximum of what is brought to one level.
        row[:, 1:] = running_maximum(new + fall) - fall
        best = xp.maximum(best, row.max(axis=1))
    return best


@problem.solve
def solve(launch, a, b, score, PAIRS, N, M):
    launch(grid=PAIRS, block=launch.constant("BLOCK"), arguments=(a, b, score, PAIRS, N, M))


@problem.cost
def cost(PAIRS, N, M):
    # A cell takes a comparison, three additions and four maxima.
    return Cost(flops=8 * PAIRS * N * M, bytes=PAIRS * (N + M + 4))
