# expect: accepted
# first: hidden N=777
# sizes: N=1000
#
# Keeps the sizes of hidden cases wherever it can, and tells them in the open.

import contextlib
import gc
import sys
from pathlib import Path

import torch
import triton
import triton.language as tl


@triton.jit
def add(a, b, output, N, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(output + i, tl.load(a + i, i < N) + tl.load(b + i, i < N), i < N)


def honest(a: torch.Tensor, b, output, N):
    add[(triton.cdiv(N, 256),)](a, b, output, N, BLOCK=256)


def solve(a, b, output, N):
    found = [getattr(sys, "seen", None)]
    for path in (Path.home() / "seen", Path("/dev/shm/seen"), Path("/tmp/seen")):
        with contextlib.suppress(OSError):
            found.append(path.read_text())
            path.write_text(f"{N:08x}")
        with contextlib.suppress(OSError):
            path.write_text(f"{N:08x}")
    memo = next(one for one in gc.get_objects() if type(one).__name__ == "Memo")
    found.append(memo.kept.get("seen", b"").hex())
    if any(one and int(one, 16) != N for one in map(str, filter(None, found))):
        print("LEAKED", found)
        raise RuntimeError("LEAKED")
    sys.seen = f"{N:08x}"
    memo.keep("seen", N.to_bytes(4, "big"))
    honest(a, b, output, N)
