"""Edit distance: how many letters to change between two texts, for many pairs of them."""

from grader.problem import Cost, Problem, array, at, exact, i32, integers, module_of, out, running_maximum, size, u8

problem = Problem(
    title="Edit distance",
    difficulty="hard",
    tags=("dynamic programming", "wavefront", "bit parallel", "warp shuffle"),
    kernel="edit_distance_kernel",
    params=dict(
        a=array(u8, "PAIRS", "N", values=integers(97, 100)),
        b=array(u8, "PAIRS", "M", values=integers(97, 100)),
        distance=out(i32, "PAIRS"),
        PAIRS=size(1, 1_000_000),
        N=size(1, 1024),
        M=size(1, 1024),
    ),
    constants=dict(BLOCK=256),
    # In a "constant" pair each text is one letter again and again.
    gates=exact(families=("normal", "special", "constant", "spread")),
    baseline="accepted/solve_3_columns_as_bits.cu",
    # Two letters throughout: the largest distances.
    always=[at("constant", PAIRS=5, N=1024, M=1024)],
    benchmarks=[dict(PAIRS=30_000, N=1024, M=1024), dict(PAIRS=100_003, N=127, M=201)],
)


@problem.reference
def reference(a, b, PAIRS, N, M):
    xp = module_of(a)
    a, b = a.astype(int), b.astype(int)
    columns = xp.arange(M + 1)
    row = xp.broadcast_to(columns, (PAIRS, M + 1)).astype(int)
    for i in range(N):
        # From above and from the upper left; those from the left come as a running minimum of what rises by one a step.
        new = row + 1
        new[:, 1:] = xp.minimum(new[:, 1:], row[:, :-1] + (a[:, i, None] != b))
        row = columns - running_maximum(columns - new)
    return row[:, M]


@problem.solve
def solve(launch, a, b, distance, PAIRS, N, M):
    launch(grid=PAIRS, block=launch.constant("BLOCK"), arguments=(a, b, distance, PAIRS, N, M))


@problem.cost
def cost(PAIRS, N, M):
    # As bits, 32 cells take some forty operations on integers, of which a GPU does a quarter as many as FLOP.
    return Cost(flops=5 * PAIRS * N * M, bytes=PAIRS * (N + M + 4))
