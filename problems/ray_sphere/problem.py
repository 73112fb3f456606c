"""Rays and spheres: how far each ray goes until it meets the first of many spheres."""

import numpy as np

from grader.problem import Cost, Problem, array, at, ceil_div, f32, integers, module_of, out, scaled, size

DEPTH = 8
"""The third part of every direction."""
PAIRS = 1 << 21
"""Pairs of a ray and a sphere whose results fit into memory together."""

problem = Problem(
    title="Rays and spheres",
    difficulty="medium",
    tags=("ray tracing", "shared memory", "register blocking", "compute bound"),
    kernel="rays_kernel",
    params=dict(
        # Whole numbers so small that fp32 decides exactly whether a ray meets a sphere.
        origins=array(f32, "R", 3, values=integers(-32, 31)),
        directions=array(f32, "R", 2, values=integers(-8, 8)),
        centres=array(f32, "S", 3, structured=True),
        radii=array(f32, "S", structured=True),
        distance=out(f32, "R"),
        R=size(1, 10_000_000),
        S=size(1, 4096),
    ),
    constants=dict(BLOCK=256, RAYS=1),
    gates=scaled(terms=3, families=("normal", "constant", "peak")),
    # Some ray meets the last of the most spheres.
    always=[at("peak", R=1000, S=4096)],
    baseline="accepted/2_spheres_in_shared_memory.cu",
    benchmarks=[dict(R=1_000_000, S=256), dict(R=100_000, S=4096), dict(R=123_457, S=1001)],
)


@problem.structure
def structure(draw, family, S):
    centres, radii = draw.integers(-32, 31, S, 3), draw.integers(1, 8, S)
    if family == "constant":
        centres[:] = centres[:, :1]
    elif family == "peak":
        # The last sphere is far larger than the others, and in their middle.
        radii[:-1], radii[-1], centres[-1] = 1, 8, 0
    return dict(centres=centres, radii=radii)


def hits(origins, directions, centres, radii):
    """Of each ray: the distance to the first sphere, infinite if there is none, and the scale of its error."""
    xp = module_of(origins)
    found = []
    step = max(PAIRS // len(radii), 1)
    for first in range(0, len(origins), step):
        rays = slice(first, first + step)
        d = xp.concatenate([directions[rays], xp.full((len(directions[rays]), 1), float(DEPTH))], axis=1)
        to = centres[None, :, :] - origins[rays, None, :]
        a = (d * d).sum(axis=1)[:, None]
        b = (to * d[:, None, :]).sum(axis=2)
        inside = b * b - a * ((to * to).sum(axis=2) - radii**2)
        root = xp.sqrt(xp.maximum(inside, 0.0))
        near, far = b - root, b + root
        met = xp.where(near > 0, near, far)
        met = xp.where((inside >= 0) & (met > 0), met / a, np.inf)
        chosen = met.argmin(axis=1)[:, None]
        scale = xp.take_along_axis((abs(b) + root) / a, chosen, axis=1)
        found.append(xp.concatenate([xp.take_along_axis(met, chosen, axis=1), scale], axis=1))
    both = xp.concatenate(found)
    return both[:, 0], both[:, 1]


@problem.reference
def reference(origins, directions, centres, radii):
    distance, _ = hits(origins, directions, centres, radii)
    return module_of(distance).where(distance < np.inf, distance, -1.0)


@problem.scale
def scale(origins, directions, centres, radii):
    distance, scale = hits(origins, directions, centres, radii)
    return module_of(distance).where(distance < np.inf, scale, 0.0)


@problem.solve
def solve(launch, origins, directions, centres, radii, distance, R, S):
    block, rays = launch.constant("BLOCK"), launch.constant("RAYS")
    launch(grid=ceil_div(R, block * rays), block=block, arguments=(origins, directions, centres, radii, distance, R, S))


@problem.cost
def cost(R, S):
    # Two scalar products with what does not depend on both, a square, a product, and a comparison.
    return Cost(flops=16 * R * S, bytes=4 * (6 * R + 4 * S))
