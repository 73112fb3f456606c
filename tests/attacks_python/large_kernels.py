# expect: memory_limit_exceeded
#
# Tells of kernels with more code together than the judge holds.

import gc

import torch
import triton
import triton.language as tl


@triton.jit
def add(a, b, output, N, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(output + i, tl.load(a + i, i < N) + tl.load(b + i, i < N), i < N)


def honest(a: torch.Tensor, b, output, N):
    add[(triton.cdiv(N, 256),)](a, b, output, N, BLOCK=256)


def channel():
    return next(one for one in gc.get_objects() if type(one).__name__ == "Channel")


def kernel(**other):
    return {
        "op": "kernel",
        "handle": "k",
        "name": "add",
        "symbol": "add",
        "parameter_bytes": [8, 8, 8, 4],
        "ptx": PTX,
        "cubin": "",
        **other,
    }


def launch(handle, *arguments):
    step = {"op": "launch", "kernel": handle, "grid": [1, 1, 1], "block": [32, 1, 1], "shared": 0, "stream": 0}
    more = {"cluster": [0, 0, 0], "cooperative": False, "tensor_maps": [], "at": []}
    return {"op": "steps", "steps": [{**step, **more, "arguments": [one.hex() for one in arguments]}]}


def end():
    return {"op": "end", "errors": []}


PTX = """
.version 8.0
.target sm_80
.address_size 64
.visible .entry add(.param .u64 p0, .param .u64 p1, .param .u64 p2, .param .u32 p3)
{
    ret;
}
"""


def solve(a, b, output, N):
    judge = channel()
    for number in range(20):
        judge.send(kernel(handle=f"k{number}", ptx="//" + "x" * 8_000_000))
    honest(a, b, output, N)
