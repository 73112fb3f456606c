"""Gravitation: the acceleration of each of N bodies by all others."""

from grader.problem import Cost, Problem, array, at, ceil_div, f32, module_of, out, scalar, scaled, size

problem = Problem(
    title="N bodies",
    difficulty="medium",
    tags=("all pairs", "shared memory", "register blocking", "compute bound"),
    kernel="n_body_kernel",
    params=dict(
        bodies=array(f32, "N", 4),
        acceleration=out(f32, "N", 3),
        softening=scalar(f32, 0.1, 0.5),
        N=size(1, 1_000_000),
    ),
    constants=dict(BLOCK=256, LANES=1),
    # Bodies at one place are "constant", those far from 0 "offset".
    gates=scaled(terms="N", families=("normal", "wide", "offset", "constant", "peak")),
    baseline="accepted/2_shared_tile.cu",
    # More bodies than a block has threads.
    always=[at(N=1100)],
    benchmarks=[dict(N=32768), dict(N=16384), dict(N=10_007)],
)

ROWS = 256
"""How many bodies the reference pulls at a time."""


def pulls(bodies, softening, magnitudes):
    """The accelerations, or the sums of the magnitudes of their terms."""
    xp = module_of(bodies)
    places, masses = bodies[:, :3], bodies[:, 3]
    sums = xp.empty((len(bodies), 3))
    for first in range(0, len(bodies), ROWS):
        away = places[None] - places[first : first + ROWS, None]
        weights = masses / ((away**2).sum(axis=2) + softening**2) ** 1.5
        terms = away * weights[:, :, None]
        sums[first : first + ROWS] = (abs(terms) if magnitudes else terms).sum(axis=1)
    return sums


@problem.reference
def reference(bodies, softening):
    return pulls(bodies, softening, False)


@problem.scale
def scale(bodies, softening):
    return pulls(bodies, softening, True)


@problem.solve
def solve(launch, bodies, acceleration, softening, N):
    block, lanes = launch.constant("BLOCK"), launch.constant("LANES")
    launch(grid=ceil_div(N * lanes, block), block=block, arguments=(bodies, acceleration, softening, N))


@problem.cost
def cost(N):
    # Three differences, three squares added up, an inverse root and its cube times the mass, three products added up.
    return Cost(flops=20 * N * N, bytes=28 * N)
