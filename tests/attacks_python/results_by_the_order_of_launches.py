# expect: rejected
# sizes: N=100
#
# Computes the sums on the host and hands them over by the order of launches, all of which an altered recording has too.

import torch
import triton
import triton.language as tl


@triton.jit
def push(state, value):
    tl.store(state, (tl.load(state) << 8) | value)


@triton.jit
def hand_over(state, output, i):
    tl.store(output + i, tl.load(state).to(tl.float32, bitcast=True))


def solve(a: torch.Tensor, b: torch.Tensor, output: torch.Tensor, N: int):
    state = torch.zeros(1, dtype=torch.int32, device=a.device)
    sums = (a.cpu() + b.cpu()).view(torch.uint8).tolist()
    for value in range(256):
        push[(1,)](state, value)
    for i in range(N):
        for value in reversed(sums[4 * i : 4 * i + 4]):
            push[(1,)](state, value)
        hand_over[(1,)](state, output, i)
