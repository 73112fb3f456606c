# expect: accepted | compile_error | runtime_error | rejected
#
# Hands over PTX on which a parser without care ends by an error of its own, which would be the judge's failure.

import gc

import torch
import triton
import triton.language as tl

HEAD = ".version 8.0\n.target sm_80\n.address_size 64\n"
TEXTS = (
    HEAD + ".visible .entry k() { L: ",
    HEAD + ".visible .entry k() { { } ",
    HEAD + ".global .b64 g[-8];\n.visible .entry k() { ret; }",
    HEAD + ".global .b8 a[8];\n.global .b64 g[1] = {a+99999999999999999999};\n.visible .entry k() { ret; }",
)


@triton.jit
def add(a, b, output, N, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(output + i, tl.load(a + i, i < N) + tl.load(b + i, i < N), i < N)


def solve(a: torch.Tensor, b, output, N):
    tape = next(one for one in gc.get_objects() if type(one).__name__ == "Tape")
    for text in TEXTS:
        tape.kernel("k", "k", [], text)
    add[(triton.cdiv(N, 256),)](a, b, output, N, BLOCK=256)
