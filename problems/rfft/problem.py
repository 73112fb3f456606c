"""Fourier transforms of many rows of real numbers, whose length is a power of two."""

from grader.problem import Cost, Problem, array, choice, f32, module_of, out, scaled, size

problem = Problem(
    title="Real fast Fourier transform",
    difficulty="hard",
    tags=("FFT", "complex", "shared memory", "registers", "memory bound"),
    kernel="rfft_kernel",
    params=dict(
        input=array(f32, "ROWS", "2**LOG"),
        # Real and imaginary parts in turn, of half of the numbers and one.
        output=out(f32, "ROWS", "2**LOG + 2"),
        ROWS=size(1, 65535),
        LOG=choice(1, 16),
    ),
    constants=dict(BLOCK=256),
    # A single large number has to reach every element, and a row of one number only the first.
    gates=scaled(terms="2**LOG", families=("normal", "wide", "peak", "constant")),
    baseline="accepted/solve_4_sixteen_in_registers.cu",
    benchmarks=[
        dict(ROWS=16384, LOG=11),
        dict(ROWS=512, LOG=16),
        dict(ROWS=1001, LOG=14),
        dict(ROWS=65535, LOG=7),
    ],
)


@problem.reference
def reference(input, ROWS, LOG):
    xp = module_of(input)
    transformed = xp.fft.rfft(input.astype("float64"))
    return xp.stack([transformed.real, transformed.imag], axis=-1).reshape(ROWS, 2**LOG + 2)


@problem.scale
def scale(input, ROWS, LOG):
    # Factors have magnitude 1: the errors of all terms add up to a share of the row's length as a vector.
    xp = module_of(input)
    lengths = xp.sqrt((input.astype("float64") ** 2).sum(axis=1, keepdims=True))
    return xp.broadcast_to(lengths, (ROWS, 2**LOG + 2)).copy()


@problem.solve
def solve(launch, input, output, ROWS, LOG):
    launch(grid=ROWS, block=launch.constant("BLOCK"), arguments=(input, output, ROWS, LOG))


@problem.cost
def cost(ROWS, LOG):
    # A complex transform of half of the numbers, and a butterfly of ten operations for each two of its results.
    half = 2**LOG // 2
    return Cost(flops=ROWS * (5 * (LOG - 1) * half + 5 * half), bytes=ROWS * (8 * 2**LOG + 8))
