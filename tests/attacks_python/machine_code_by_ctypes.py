# expect: accepted
#
# Calls the system past Python: traces and reads other processes, asks for what the filter refuses, and runs machine
# code of its own.

import ctypes
import mmap
import os

import torch
import triton
import triton.language as tl


@triton.jit
def add(a, b, output, N, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(output + i, tl.load(a + i, i < N) + tl.load(b + i, i < N), i < N)


def honest(a: torch.Tensor, b, output, N):
    add[(triton.cdiv(N, 256),)](a, b, output, N, BLOCK=256)


PTRACE_ATTACH, READ_MEMORY, OPEN_BY_HANDLE, BPF, IO_URING, KEYCTL = 16, 310, 304, 321, 425, 250


def solve(a, b, output, N):
    libc = ctypes.CDLL(None, use_errno=True)
    buffer = ctypes.create_string_buffer(8)
    for process in {1, os.getppid(), *range(2, 64)} - {0, os.getpid()}:
        vector = (ctypes.c_void_p * 2)(ctypes.addressof(buffer), 8)
        far = (ctypes.c_void_p * 2)(0x400000, 8)
        read = libc.syscall(READ_MEMORY, process, vector, 1, far, 1, 0)
        if libc.ptrace(PTRACE_ATTACH, process, 0, 0) == 0 or read > 0:
            print("LEAKED", process)
    for call in (OPEN_BY_HANDLE, BPF, IO_URING, KEYCTL):
        if libc.syscall(call, 0, buffer, 8, 0, 0, 0) >= 0:
            print("LEAKED", call)
    code = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    code.write(b"\xc3")
    ctypes.CFUNCTYPE(None)(ctypes.addressof(ctypes.c_char.from_buffer(code)))()
    honest(a, b, output, N)
