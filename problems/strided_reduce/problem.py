"""Reduction of a strided tensor over one of its dimensions, with a function that is chosen by number."""

import numpy as np

from grader.problem import Cost, Problem, array, at, choice, f32, i32, index, module_of, out, product, scaled, size

problem = Problem(
    title="Strided reduce",
    difficulty="hard",
    tags=("tensors", "strides", "reduction", "shared memory"),
    kernel="reduceKernel",
    params=dict(
        out=out(f32, "out_size"),
        out_shape=array(i32, "shape_size"),
        out_strides=array(i32, "shape_size"),
        # The lengths of all dimensions but the one that is reduced.
        out_size=product(1, 10_000_000, of="shape_size", less=1),
        a_storage=array(f32, "out_size", "reduce_size"),
        a_shape=array(i32, "shape_size"),
        a_strides=array(i32, "shape_size"),
        reduce_dim=index("shape_size", 5),
        reduce_size=size(1, 1_000_000),
        shape_size=choice(1, 5),
        fn_id=choice(1, 3),
    ),
    constants=dict(BLOCK=256),
    gates=scaled(terms="reduce_size", families=("normal", "negative", "offset", "lowest", "highest")),
    # The largest of numbers beside the lowest float, and the smallest of numbers beside the highest.
    always=[
        at("lowest", out_size=5, reduce_dim=1, reduce_size=1, shape_size=2, fn_id=2),
        at("highest", out_size=5, reduce_dim=1, reduce_size=1, shape_size=2, fn_id=3),
    ],
    baseline="accepted/3_warp_shuffles.cu",
    benchmarks=[
        dict(out_size=4096, reduce_dim=1, reduce_size=1024, shape_size=2, fn_id=1),
        dict(out_size=65_536, reduce_dim=0, reduce_size=256, shape_size=3, fn_id=2),
        dict(out_size=1000, reduce_dim=2, reduce_size=50_000, shape_size=4, fn_id=1),
    ],
)


@problem.structure
def structure(draw, out_size, reduce_dim, reduce_size, shape_size):
    others = draw.shape(out_size, shape_size - 1) if shape_size > 1 else []
    shape = [*others[:reduce_dim], reduce_size, *others[reduce_dim:]]
    reduced = [*others[:reduce_dim], 1, *others[reduce_dim:]]
    return dict(
        out_shape=reduced,
        out_strides=draw.strides(reduced),
        a_shape=shape,
        a_strides=draw.strides(shape),
    )


def positions(shape, strides):
    """Where each element of a shape lies in a storage."""
    xp = module_of(shape)
    found = xp.zeros((), int)
    for length, stride in zip(shape.tolist(), strides.tolist(), strict=True):
        found = found[..., None] + xp.arange(length) * stride
    return found


@problem.reference
def reference(out_shape, out_strides, a_storage, a_shape, a_strides, reduce_dim, fn_id):
    values = a_storage.ravel()[positions(a_shape, a_strides)]
    result = module_of(a_storage).zeros(a_storage.shape[0])
    reduce = {1: np.sum, 2: np.max, 3: np.min}[fn_id]
    result[positions(out_shape, out_strides)] = reduce(values, axis=reduce_dim, keepdims=True)
    return result


@problem.scale
def scale(out_shape, out_strides, a_storage, a_shape, a_strides, reduce_dim, fn_id):
    # A sum is measured against the sum of the magnitudes; the largest and the smallest are not rounded at all.
    magnitudes = abs(a_storage) * (fn_id == 1)
    return reference(out_shape, out_strides, magnitudes, a_shape, a_strides, reduce_dim, fn_id)


@problem.solve
def solve(launch, **parameters):
    launch(grid=parameters["out_size"], block=launch.constant("BLOCK"), arguments=tuple(parameters.values()))


@problem.cost
def cost(out_size, reduce_size, shape_size):
    return Cost(flops=out_size * reduce_size, bytes=4 * out_size * (reduce_size + 1) + 16 * shape_size)
