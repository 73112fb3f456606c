# expect: accepted
#
# Looks for files of the machine, of the judge, of other problems. The sandbox has none of them.

import contextlib
from pathlib import Path

import torch
import triton
import triton.language as tl

import grader


@triton.jit
def add(a, b, output, N, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(output + i, tl.load(a + i, i < N) + tl.load(b + i, i < N), i < N)


def honest(a: torch.Tensor, b, output, N):
    add[(triton.cdiv(N, 256),)](a, b, output, N, BLOCK=256)


def solve(a, b, output, N):
    package = Path(grader.__file__).parents[1]
    wanted = [
        *(
            "/etc/passwd",
            "/etc/shadow",
            "/home",
            "/var",
            "/proc/1/environ",
            "/proc/self/environ",
        ),
        *(home for name in (".bashrc", ".ssh", ".cache") for home in Path("/").glob(f"*/{name}")),
        *("~/.cache/kgrade", "~/.ssh", "/run", "/proc/net/tcp", "/sys/devices"),
        *(package / name for name in ("problems", "tests", ".git", "submissions", "kgrade.toml", "build", "docs")),
        *("/dev/mem", "/dev/kmsg", "/dev/sda"),
    ]
    for path in (Path(one).expanduser() for one in wanted):
        with contextlib.suppress(OSError):
            print("LEAKED", path, list(path.iterdir()) if path.is_dir() else path.read_bytes()[:100])
    honest(a, b, output, N)
