# expect: accepted
#
# Starts programs, as a compiler may: they see and may do no more than it does.

import subprocess

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
    for command in (
        "cat /etc/passwd /proc/*/environ",
        "ls -A ~/.cache /home /var",
        "cat /etc/shadow",
    ):
        done = subprocess.run(["/bin/sh", "-c", command], capture_output=True, text=True)
        if done.stdout.strip():
            print("LEAKED", command, done.stdout)
    for program in ("mount -t tmpfs none /mnt", "unshare -r true", "chroot / true"):
        if subprocess.run(["/bin/sh", "-c", program], capture_output=True).returncode == 0:
            print("LEAKED rights:", program)
    honest(a, b, output, N)
