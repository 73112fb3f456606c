# expect: rejected
#
# Reduction on the host: NumPy adds up what was copied there.
#
# The student thought: "copy_to_host(), sum(), done". The result is right, but no kernel computed it; solve() may only
# read as much as it takes to steer its launches.

from numba import cuda


def solve(input, output, N):
    cuda.to_device(input.copy_to_host().sum(keepdims=True), to=output)
