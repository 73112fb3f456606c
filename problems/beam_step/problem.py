"""One step of beam search: the best continuations of each sentence's beams."""

import numpy as np

from grader.problem import Cost, Problem, array, at, exact, f32, i32, out, size

problem = Problem(
    title="Beam search, one step",
    difficulty="hard",
    tags=("selection", "sorting", "warp shuffle", "transformer", "memory bound"),
    kernel="beam_step_kernel",
    params=dict(
        scores=array(f32, "S", "B"),
        steps=array(f32, "S", "B", "V"),
        new_scores=out(f32, "S", "B"),
        parents=out(i32, "S", "B"),
        tokens=out(i32, "S", "B"),
        S=size(1, 65535),
        B=size(1, 32),
        V=size(1, 131072),
    ),
    constants=dict(BLOCK=256),
    # Zeros of either sign are equal. Sums of the family "spread" are often equal after rounding.
    gates=exact(signed_zeros=False, families=("normal", "spread", "negative", "constant", "special", "comb", "zeros")),
    baseline="accepted/solve_3_pieces_of_beams.cu",
    # The largest vocabulary, with the best tokens anywhere in it; all of the best of one beam, and one thread's of a
    # large block; sums that are all infinite.
    always=[at("normal", S=3, B=5, V=131_072), at("comb", S=1, B=32, V=33_000), at("negative", S=3, B=4, V=90)],
    benchmarks=[
        dict(S=64, B=8, V=32_768),
        dict(S=16, B=4, V=131_072),
        dict(S=37, B=5, V=50_257),
    ],
)


@problem.reference
def reference(scores, steps, S, B, V):
    # A score is a float: what is equal after rounding is equal.
    sums = (scores[:, :, None] + steps).astype(np.float32).astype(np.float64).reshape(S, B * V)
    best = np.argsort(-sums, axis=1, kind="stable")[:, :B]
    return dict(new_scores=np.take_along_axis(sums, best, axis=1), parents=best // V, tokens=best % V)


@problem.solve
def solve(launch, scores, steps, new_scores, parents, tokens, S, B, V):
    launch(
        grid=S,
        block=launch.constant("BLOCK"),
        arguments=(scores, steps, new_scores, parents, tokens, S, B, V),
    )


@problem.cost
def cost(S, B, V):
    # Insertion into a sorted list takes up to B comparisons.
    return Cost(flops=S * B * V * B, bytes=4 * (S * B * V + 4 * S * B))
