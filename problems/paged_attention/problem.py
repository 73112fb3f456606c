"""Paged attention: one new query for each sequence, whose keys and values lie in pages that a table names."""

import numpy as np

from grader.problem import Cost, Problem, array, at, f32, i32, module_of, out, scaled, size

PAGE = 16
"""Tokens of a page."""

problem = Problem(
    title="Paged attention",
    difficulty="hard",
    tags=("attention", "transformer", "indexing", "softmax", "memory bound"),
    kernel="paged_attention_kernel",
    params=dict(
        queries=array(f32, "S", "H", "D"),
        keys=array(f32, "P", PAGE, "H", "D"),
        values=array(f32, "P", PAGE, "H", "D"),
        table=array(i32, "S", "T"),
        lengths=array(i32, "S"),
        output=out(f32, "S", "H", "D"),
        S=size(1, 4096),
        H=size(1, 128),
        D=size(16, 128),
        T=size(1, 2048),
        P=size(1, 100_000),
    ),
    constants=dict(BLOCK=128),
    gates=scaled(terms=("16 * T", "D"), families=("normal", "wide", "opposed", "constant")),
    baseline="accepted/solve_3_split_sequences.cu",
    # The longest sequences, of which few are drawn.
    always=[at("normal", S=2, H=2, D=16, T=2048, P=2048)],
    benchmarks=[
        dict(S=32, H=8, D=128, T=64, P=2048),
        dict(S=4, H=8, D=128, T=512, P=2048),
        dict(S=61, H=5, D=72, T=33, P=2013),
    ],
)


@problem.structure
def structure(draw, family, S, T, P):
    # Sequences of about the same length, which are what is timed, or of any; one of several is short.
    least = PAGE * T - 2 * T if family == "normal" else 1
    lengths = draw.integers(least, PAGE * T, S)
    if S > 1:
        lengths[draw.one(0, S - 1)] = draw.one(1, PAGE)
    if family == "wide":
        # Ends of pages.
        lengths = np.maximum(lengths // PAGE, 1) * PAGE
    # Every page is used about as often; sequences share pages where there are few.
    table = draw.order(P)[np.arange(S * T) % P].reshape(S, T)
    return dict(table=np.where(np.arange(T) * PAGE < lengths[:, None], table, -1), lengths=lengths)


def attend(queries, keys, values, table, lengths, S):
    """The keys' and values' rows of each sequence, its scores, and how large the terms of these are."""
    root = np.sqrt(queries.shape[2])
    for s, length in enumerate(lengths.tolist()):
        pages = table[s, : -(-length // PAGE)]
        key, value = (x[pages].reshape(-1, *x.shape[2:])[:length].swapaxes(0, 1) for x in (keys, values))
        query = queries[s][:, :, None]
        yield s, value, (key @ query)[:, :, 0] / root, (abs(key) @ abs(query))[:, :, 0] / root


def probabilities(scores):
    e = np.exp(scores - scores.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


@problem.reference
def reference(queries, keys, values, table, lengths, S):
    output = module_of(queries).zeros_like(queries)
    for s, value, scores, _ in attend(queries, keys, values, table, lengths, S):
        output[s] = (probabilities(scores)[:, None] @ value)[:, 0]
    return output


@problem.scale
def scale(queries, keys, values, table, lengths, S):
    # A score is off by as much as its terms are large, and exp turns that into a relative error of each probability.
    result = module_of(queries).zeros_like(queries)
    for s, value, scores, terms in attend(queries, keys, values, table, lengths, S):
        p = probabilities(scores)
        terms = 1.0 + terms + (p * terms).sum(axis=1, keepdims=True)
        result[s] = ((p * terms)[:, None] @ abs(value))[:, 0]
    return result


@problem.solve
def solve(launch, queries, keys, values, table, lengths, output, S, H, D, T, P):
    launch(
        grid=(H, S),
        block=launch.constant("BLOCK"),
        arguments=(queries, keys, values, table, lengths, output, S, H, D, T, P),
    )


@problem.cost
def cost(S, H, D, T, P):
    # Scores and their product with the values, two operations for each token and each of D columns, and the softmax.
    rows = 2 * S * H * D + 2 * P * PAGE * H * D
    return Cost(flops=(4 * D + 5) * S * H * PAGE * T, bytes=4 * (rows + S * T + S))
