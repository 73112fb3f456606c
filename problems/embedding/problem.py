"""Embedding: the row of each token from one table, plus the row of its place from another."""

from grader.problem import Cost, Problem, array, below, ceil_div, exact, f32, i32, out, size

problem = Problem(
    title="Embedding",
    difficulty="easy",
    tags=("transformer", "gather", "indexing", "memory bound"),
    kernel="embedding_kernel",
    params=dict(
        tokens=array(i32, "B", "T", values=below("V")),
        words=array(f32, "V", "D"),
        places=array(f32, "T", "D"),
        output=out(f32, "B", "T", "D"),
        B=size(1, 65535),
        T=size(1, 16384),
        V=size(16, 262144),
        D=size(1, 8192),
    ),
    constants=dict(BLOCK=256),
    # One addition for each element.
    gates=exact(),
    baseline="accepted/2_four_elements.cu",
    benchmarks=[
        dict(B=64, T=1024, V=8192, D=768),
        dict(B=16, T=2048, V=4096, D=1024),
        dict(B=37, T=1009, V=4999, D=321),
    ],
)


@problem.reference
def reference(tokens, words, places):
    return words[tokens] + places


@problem.solve
def solve(launch, tokens, words, places, output, B, T, V, D):
    block = launch.constant("BLOCK")
    launch(grid=ceil_div(B * T * D, block), block=block, arguments=(tokens, words, places, output, B, T, V, D))


@problem.cost
def cost(B, T, V, D):
    # The benchmarks have many more tokens than words, so that nearly every word is read.
    return Cost(flops=B * T * D, bytes=4 * (B * T + V * D + T * D + B * T * D))
