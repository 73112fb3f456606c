"""Update of a key-value cache: new tokens go to the slots of a ring, the others stay."""

import numpy as np

from grader.problem import Cost, Problem, array, ceil_div, exact, f32, i32, module_of, out, size

problem = Problem(
    title="Key-value cache, update",
    difficulty="easy",
    tags=("transformer", "attention", "indexing", "memory bound"),
    kernel="kv_cache_kernel",
    params=dict(
        lengths=array(i32, "B"),
        new_keys=array(f32, "B", "T", "H", "D"),
        new_values=array(f32, "B", "T", "H", "D"),
        old_keys=array(f32, "B", "H", "S", "D"),
        old_values=array(f32, "B", "H", "S", "D"),
        keys=out(f32, "B", "H", "S", "D"),
        values=out(f32, "B", "H", "S", "D"),
        B=size(1, 4096),
        T=size(1, 16384),
        H=size(1, 256),
        S=size(1, 65536),
        D=size(1, 512),
    ),
    constants=dict(BLOCK=256),
    gates=exact(),
    baseline="accepted/2_four_columns.cu",
    benchmarks=[
        dict(B=16, T=1, H=8, S=2048, D=128),
        dict(B=32, T=16, H=8, S=1024, D=128),
        dict(B=7, T=33, H=5, S=1009, D=72),
    ],
)

MOST = 1_000_000
"""More tokens than any ring has slots."""


@problem.structure
def structure(draw, family, B, T, S):
    # Of a few sequences one or two are new.
    lengths = draw.integers(0, 3 * S, B) * (draw.integers(0, 3, B) > 0)
    if family == "special":
        # The new tokens end with the ring, or begin with it, or one beside.
        lengths = draw.integers(0, 3, B) * S + draw.integers(-1, 1, B) - T * draw.integers(0, 1, B)
    elif family == "spread":
        lengths = draw.integers(0, MOST, B)
    return dict(lengths=np.clip(lengths, 0, MOST))


@problem.reference
def reference(lengths, new_keys, new_values, old_keys, old_values, B, T, S):
    xp = module_of(lengths)
    rows = xp.arange(B)[:, None]
    # The first new token of each slot, then the last one.
    first = (xp.arange(S) - lengths[:, None]) % S
    last = first + (T - 1 - first) // S * S
    fresh = (first < T)[:, None, :, None]

    def update(new, old):
        return xp.where(fresh, new[rows, xp.maximum(last, 0)].swapaxes(1, 2), old)

    return dict(keys=update(new_keys, old_keys), values=update(new_values, old_values))


@problem.solve
def solve(launch, lengths, new_keys, new_values, old_keys, old_values, keys, values, B, T, H, S, D):
    block = launch.constant("BLOCK")
    launch(
        grid=ceil_div(B * H * S * D, block),
        block=block,
        arguments=(lengths, new_keys, new_values, old_keys, old_values, keys, values, B, T, H, S, D),
    )


@problem.cost
def cost(B, T, H, S, D):
    # An element of each cache is a copy.
    return Cost(flops=2 * B * H * S * D, bytes=4 * B + 8 * B * T * H * D + 16 * B * H * S * D)
