"""Fourier transforms of many rows of complex numbers, whose length is a power of two."""

from grader.problem import Cost, Problem, array, choice, f32, module_of, out, scaled, size

problem = Problem(
    title="Fast Fourier transform",
    difficulty="hard",
    tags=("FFT", "complex", "shared memory", "registers", "memory bound"),
    kernel="fft_kernel",
    params=dict(
        # Real and imaginary parts in turn.
        input=array(f32, "ROWS", "2 * 2**LOG"),
        output=out(f32, "ROWS", "2 * 2**LOG"),
        ROWS=size(1, 65535),
        LOG=choice(1, 16),
    ),
    constants=dict(BLOCK=256),
    # A single large number has to reach every element, and a row of one number only the first.
    gates=scaled(terms="2**LOG", families=("normal", "wide", "peak", "constant")),
    baseline="accepted/solve_3_sixteen_in_registers.cu",
    benchmarks=[
        dict(ROWS=16384, LOG=10),
        dict(ROWS=256, LOG=16),
        dict(ROWS=1001, LOG=13),
        dict(ROWS=65535, LOG=6),
    ],
)


@problem.reference
def reference(input, ROWS, LOG):
    xp = module_of(input)
    numbers = input.astype("float64").reshape(ROWS, 2**LOG, 2)
    transformed = xp.fft.fft(numbers[..., 0] + 1j * numbers[..., 1])
    return xp.stack([transformed.real, transformed.imag], axis=-1).reshape(ROWS, 2 * 2**LOG)


@problem.scale
def scale(input, ROWS, LOG):
    # Factors have magnitude 1: the errors of all terms add up to a share of the row's length as a vector.
    xp = module_of(input)
    lengths = xp.sqrt((input.astype("float64") ** 2).sum(axis=1, keepdims=True))
    return xp.broadcast_to(lengths, (ROWS, 2 * 2**LOG)).copy()


@problem.solve
def solve(launch, input, output, ROWS, LOG):
    launch(grid=ROWS, block=launch.constant("BLOCK"), arguments=(input, output, ROWS, LOG))


@problem.cost
def cost(ROWS, LOG):
    # Half a butterfly of ten operations for each number in each of LOG stages.
    return Cost(flops=5 * LOG * ROWS * 2**LOG, bytes=16 * ROWS * 2**LOG)
