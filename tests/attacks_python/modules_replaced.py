# expect: wrong_answer | rejected | runtime_error | time_limit_exceeded
# seconds: 8
#
# Replaces what the recorder writes with: functions of json, and whole modules.

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


def solve(a, b, output, N):
    usual = json.dumps
    json.dumps = lambda message, **how: usual({"op": "end", "errors": []} if "steps" in message else message, **how)
    json.JSONEncoder.encode = lambda self, message: json.dumps(message)
    sys.modules["grader.plan.python.tape"] = sys.modules["json"] = sys.modules["submission"]
    honest(a, b, output, N)
