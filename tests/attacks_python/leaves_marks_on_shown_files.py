# expect: accepted
#
# Takes pages of an installed file out of memory, locks it, leases it, and watches its folder: each would tell the next
# submission something that only this one knows. Prints LEAKED where one of them works.

import fcntl
import mmap
import os
from contextlib import suppress
from pathlib import Path

import torch
import triton
import triton.language as tl

shown = os.open(os.__file__, os.O_RDONLY)
pages = mmap.mmap(shown, 0, prot=mmap.PROT_READ)
PAGE_OUT = 21

ways = (
    lambda: os.posix_fadvise(shown, 0, 0, os.POSIX_FADV_DONTNEED),
    lambda: pages.madvise(PAGE_OUT),
    lambda: fcntl.flock(shown, fcntl.LOCK_SH),
    lambda: fcntl.lockf(shown, fcntl.LOCK_SH),
    lambda: fcntl.fcntl(shown, fcntl.F_SETLEASE, fcntl.F_RDLCK),
    lambda: fcntl.fcntl(os.open(Path(os.__file__).parent, os.O_RDONLY), fcntl.F_NOTIFY, fcntl.DN_ACCESS),
)
for way in ways:
    with suppress(OSError):
        way()
        print("LEAKED")


@triton.jit
def add(a, b, output, N, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(output + i, tl.load(a + i, i < N) + tl.load(b + i, i < N), i < N)


def solve(a: torch.Tensor, b, output, N):
    add[(triton.cdiv(N, 256),)](a, b, output, N, BLOCK=256)
