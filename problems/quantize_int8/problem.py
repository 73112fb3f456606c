"""Quantisation to signed bytes, a scale for each row, and back to floats."""

from grader.problem import Cost, Problem, array, ceil_div, exact, f32, i8, module_of, out, size

problem = Problem(
    title="Quantise to int8",
    difficulty="medium",
    tags=("int8", "quantisation", "reduction", "warp shuffle", "memory bound"),
    kernel="quantize_kernel",
    params=dict(
        input=array(f32, "M", "N"),
        quantized=out(i8, "M", "N"),
        scales=out(f32, "M"),
        restored=out(f32, "M", "N"),
        M=size(1, 10_000_000),
        N=size(1, 16384),
    ),
    constants=dict(BLOCK=256),
    # Each step is rounded once, by a stated rule. In half of the "halves" rows, and now and then in the longest inputs,
    # which are "normal", elements lie so near to a half that another inverse, or a division, gives another byte.
    gates=exact(signed_zeros=False, families=("halves", "constant", "special", "peak", "spread", "normal")),
    baseline="accepted/2_shuffles.cu",
    benchmarks=[dict(M=800_000, N=128), dict(M=16384, N=4096), dict(M=99_991, N=333)],
)

TINY = 2.0**-100
"""A row without any element as large as this counts as zeros: 127 / maximum would overflow further down."""


@problem.reference
def reference(input):
    xp = module_of(input)

    def rounded(values):
        # Quotients and products of two floats, rounded to float64 before, are none the worse for it.
        return values.astype(xp.float32).astype(xp.float64)

    maximum = abs(input).max(axis=1)
    zero = maximum < TINY
    divisor = xp.where(zero, 1.0, maximum)
    scales = xp.where(zero, 0.0, rounded(divisor / 127))
    inverse = xp.where(zero, 0.0, rounded(127 / divisor))
    quantized = xp.rint(rounded(input * inverse[:, None]))
    return dict(quantized=quantized, scales=scales, restored=quantized * scales[:, None])


@problem.solve
def solve(launch, input, quantized, scales, restored, M, N):
    block = launch.constant("BLOCK")
    # A warp for each row.
    launch(grid=ceil_div(32 * M, block), block=block, arguments=(input, quantized, scales, restored, M, N))


@problem.cost
def cost(M, N):
    # A maximum, two products and a rounding.
    return Cost(flops=4 * M * N, bytes=9 * M * N + 4 * M)
