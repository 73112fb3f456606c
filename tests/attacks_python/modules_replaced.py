# expect: wrong_answer | rejected | runtime_error
#
# Replaces what the recorder writes and counts with: modules of Python, those of kgrade, and Python's own functions.

import builtins
import hashlib
import json
import sys

import torch
import triton
import triton.language as tl


@triton.jit
def add(a, b, output, N, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(output + i, tl.load(a + i, i < N) + tl.load(b + i, i < N), i < N)


def honest(a: torch.Tensor, b, output, N):
    add[(triton.cdiv(N, 256),)](a, b, output, N, BLOCK=256)


class Anything:
    def __getattr__(self, name):
        return lambda *_, **__: b"{}"


def solve(a, b, output, N):
    usual = json.dumps
    json.dumps = lambda message, **how: usual({"op": "end", "errors": []} if "steps" in message else message, **how)
    json.JSONEncoder.encode = lambda self, message: json.dumps(message)
    hashlib.sha256 = lambda *_: Anything()
    for name in [name for name in sys.modules if name.startswith("grader.")]:
        sys.modules[name] = Anything()
    builtins.isinstance = lambda *_: True
    honest(a, b, output, N)
