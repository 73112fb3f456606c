"""Batched matrix multiplication of strided tensors, each broadcast over the batch if it has only one matrix."""

from grader.problem import Cost, Problem, array, ceil_div, contraction, f32, i32, module_of, out, size

problem = Problem(
    title="Strided matrix multiplication",
    difficulty="hard",
    tags=("tensors", "strides", "broadcasting", "tiling", "shared memory"),
    kernel="matmulKernel",
    params=dict(
        out=out(f32, "BATCH", "M", "K"),
        out_strides=array(i32, 3),
        # A tensor with one matrix needs a part of its storage only.
        a_storage=array(f32, "BATCH", "M", "N"),
        a_shape=array(i32, 3),
        a_strides=array(i32, 3),
        b_storage=array(f32, "BATCH", "N", "K"),
        b_shape=array(i32, 3),
        b_strides=array(i32, 3),
        BATCH=size(1, 1024),
        M=size(1, 2048),
        N=size(1, 2048),
        K=size(1, 2048),
    ),
    constants=dict(TILE=16),
    # No more than 2048 terms: sums are exact even where permuted strides bring all numbers that are not 0 together.
    gates=contraction(terms="N"),
    baseline="accepted/3_loads_along_the_storage.cu",
    benchmarks=[
        dict(BATCH=16, M=512, N=512, K=512),
        dict(BATCH=4, M=1023, N=1025, K=511),
        dict(BATCH=256, M=256, N=256, K=256),
    ],
)


@problem.structure
def structure(draw, BATCH, M, N, K):
    # One of three has a matrix of its own for each product; both may have.
    alone = draw.one(0, 2)
    a = [1 if alone == 1 else BATCH, M, N]
    b = [1 if alone == 2 else BATCH, N, K]
    return dict(
        out_strides=draw.strides([BATCH, M, K]),
        a_shape=a,
        a_strides=draw.strides(a),
        b_shape=b,
        b_strides=draw.strides(b),
    )


def matrices(storage, shape, strides):
    """The tensor that lies in a storage."""
    xp = module_of(storage)
    batch, row, column = (xp.arange(length) * stride for length, stride in zip(shape, strides.tolist(), strict=True))
    return storage.ravel()[batch[:, None, None] + row[:, None] + column]


@problem.reference
def reference(out_strides, a_storage, a_shape, a_strides, b_storage, b_shape, b_strides, BATCH, M, K):
    xp = module_of(a_storage)
    product = matrices(a_storage, a_shape.tolist(), a_strides) @ matrices(b_storage, b_shape.tolist(), b_strides)
    result = xp.empty(BATCH * M * K)
    places = matrices(xp.arange(BATCH * M * K), (BATCH, M, K), out_strides)
    result[places] = product
    return result.reshape(BATCH, M, K)


@problem.solve
def solve(launch, BATCH, M, K, **parameters):
    tile = launch.constant("TILE")
    arguments = (*list(parameters.values())[:-1], BATCH, M, parameters["N"], K)
    launch(grid=(ceil_div(K, tile), ceil_div(M, tile), BATCH), block=(tile, tile), arguments=arguments)


@problem.cost
def cost(BATCH, M, N, K):
    return Cost(flops=2 * BATCH * M * N * K, bytes=4 * BATCH * (M * N + N * K + M * K) + 60)
