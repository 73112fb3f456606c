"""Map over tensors with any strides, with broadcasting, and a function that is chosen by number."""

import numpy as np

from grader.problem import Cost, Problem, array, ceil_div, choice, elementwise, f32, i32, module_of, out, product

problem = Problem(
    title="Strided map",
    difficulty="medium",
    tags=("tensors", "strides", "broadcasting", "elementwise"),
    kernel="mapKernel",
    params=dict(
        out=out(f32, "out_size"),
        out_shape=array(i32, "shape_size"),
        out_strides=array(i32, "shape_size"),
        out_size=product(1, 100_000_000, of="shape_size"),
        # A broadcast input needs less; what is behind it belongs to somebody else.
        in_storage=array(f32, "out_size"),
        in_shape=array(i32, "shape_size"),
        in_strides=array(i32, "shape_size"),
        shape_size=choice(1, 5),
        fn_id=choice(1, 4),
    ),
    constants=dict(BLOCK=256),
    gates=elementwise(),
    baseline="accepted/3_writes_in_order.cu",
    benchmarks=[
        dict(out_size=16_777_216, shape_size=2, fn_id=1),
        dict(out_size=10_000_000, shape_size=5, fn_id=3),
        dict(out_size=50_000_000, shape_size=3, fn_id=2),
    ],
)

FUNCTIONS = {
    1: lambda x: -x,
    2: lambda x: np.maximum(x, 0.0),
    3: lambda x: 1.0 / (1.0 + np.exp(-x)),
    4: np.exp,
}


@problem.structure
def structure(draw, out_size, shape_size):
    shape = draw.shape(out_size, shape_size)
    given = draw.broadcast(shape)
    return dict(
        out_shape=shape,
        out_strides=draw.strides(shape),
        in_shape=given,
        in_strides=draw.strides(given),
    )


def positions(shape, strides, own_shape):
    """Where each element of `shape` lies in a storage, dimensions of length 1 repeated."""
    xp = module_of(shape)
    found = xp.zeros((), int)
    for length, stride, own in zip(shape.tolist(), strides.tolist(), own_shape.tolist(), strict=True):
        found = found[..., None] + xp.arange(length) * (stride if own > 1 else 0)
    return found.ravel()


@problem.reference
def reference(out_shape, out_strides, in_storage, in_shape, in_strides, fn_id):
    result = np.empty_like(in_storage)
    values = in_storage[positions(out_shape, in_strides, in_shape)]
    result[positions(out_shape, out_strides, out_shape)] = FUNCTIONS[fn_id](values)
    return result


@problem.solve
def solve(launch, **parameters):
    block = launch.constant("BLOCK")
    launch(grid=ceil_div(parameters["out_size"], block), block=block, arguments=tuple(parameters.values()))


@problem.cost
def cost(out_size, shape_size):
    return Cost(flops=out_size, bytes=8 * out_size + 16 * shape_size)
