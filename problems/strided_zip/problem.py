"""Zip of two tensors with any strides, with broadcasting, and a function that is chosen by number."""

import numpy as np

from grader.problem import Cost, Problem, array, ceil_div, choice, exact, f32, i32, module_of, out, product

problem = Problem(
    title="Strided zip",
    difficulty="medium",
    tags=("tensors", "strides", "broadcasting", "elementwise"),
    kernel="zipKernel",
    params=dict(
        out=out(f32, "out_size"),
        out_shape=array(i32, "shape_size"),
        out_strides=array(i32, "shape_size"),
        out_size=product(1, 100_000_000, of="shape_size"),
        a_storage=array(f32, "out_size"),
        a_shape=array(i32, "shape_size"),
        a_strides=array(i32, "shape_size"),
        b_storage=array(f32, "out_size"),
        b_shape=array(i32, "shape_size"),
        b_strides=array(i32, "shape_size"),
        shape_size=choice(1, 5),
        fn_id=choice(1, 4),
    ),
    constants=dict(BLOCK=256),
    # Each function rounds once or not at all; the larger of +0 and -0 may be either.
    gates=exact(signed_zeros=False),
    baseline="accepted/3_writes_in_order.cu",
    benchmarks=[
        dict(out_size=16_777_216, shape_size=2, fn_id=1),
        dict(out_size=10_000_000, shape_size=5, fn_id=2),
        dict(out_size=33_000_000, shape_size=3, fn_id=3),
    ],
)

FUNCTIONS = {
    1: np.add,
    2: np.multiply,
    3: np.maximum,
    4: lambda a, b: (a < b) * 1.0,
}


@problem.structure
def structure(draw, out_size, shape_size):
    shape = draw.shape(out_size, shape_size)
    a, b = draw.broadcast(shape), draw.broadcast(shape)
    return dict(
        out_shape=shape,
        out_strides=draw.strides(shape),
        a_shape=a,
        a_strides=draw.strides(a),
        b_shape=b,
        b_strides=draw.strides(b),
    )


def positions(shape, strides, own_shape):
    """Where each element of `shape` lies in a storage, dimensions of length 1 repeated."""
    xp = module_of(shape)
    found = xp.zeros((), int)
    for length, stride, own in zip(shape.tolist(), strides.tolist(), own_shape.tolist(), strict=True):
        found = found[..., None] + xp.arange(length) * (stride if own > 1 else 0)
    return found.ravel()


@problem.reference
def reference(out_shape, out_strides, a_storage, a_shape, a_strides, b_storage, b_shape, b_strides, fn_id):
    a = a_storage[positions(out_shape, a_strides, a_shape)]
    b = b_storage[positions(out_shape, b_strides, b_shape)]
    result = np.empty_like(a_storage)
    result[positions(out_shape, out_strides, out_shape)] = FUNCTIONS[fn_id](a, b)
    return result


@problem.solve
def solve(launch, **parameters):
    block = launch.constant("BLOCK")
    launch(grid=ceil_div(parameters["out_size"], block), block=block, arguments=tuple(parameters.values()))


@problem.cost
def cost(out_size, shape_size):
    return Cost(flops=out_size, bytes=12 * out_size + 24 * shape_size)
