import ctypes

import torch
from core.challenge_base import ChallengeBase


class Challenge(ChallengeBase):
    def __init__(self):
        super().__init__(name="Wide words", atol=0, rtol=0, num_gpus=1, access_tier="free")

    def reference_impl(self, narrow, index, wide, large, add, step, sums, picked, n):
        sums.copy_(wide + (narrow >> 1).to(torch.int64) + add)
        picked.copy_((large.to(torch.int64)[index.to(torch.int64)] + step).to(torch.uint64))

    def get_solve_signature(self):
        return {
            "narrow": (ctypes.POINTER(ctypes.c_int32), "in"),
            "index": (ctypes.POINTER(ctypes.c_uint32), "in"),
            "wide": (ctypes.POINTER(ctypes.c_int64), "in"),
            "large": (ctypes.POINTER(ctypes.c_uint64), "in"),
            "add": (ctypes.c_int64, "in"),
            "step": (ctypes.c_uint64, "in"),
            "sums": (ctypes.POINTER(ctypes.c_int64), "out"),
            "picked": (ctypes.POINTER(ctypes.c_uint64), "out"),
            "n": (ctypes.c_uint32, "in"),
        }

    def _test(self, n, add, step):
        draw = {"device": "cuda"}
        return {
            "narrow": torch.randint(-(2**31), 2**31 - 1, (n,), **draw).to(torch.int32),
            "index": torch.randint(0, n, (n,), **draw).to(torch.uint32),
            "wide": torch.randint(-(2**40), 2**40, (n,), **draw),
            "large": torch.randint(0, 2**45, (n,), **draw).to(torch.uint64),
            "add": add,
            "step": step,
            "sums": torch.zeros(n, dtype=torch.int64, **draw),
            "picked": torch.zeros(n, dtype=torch.uint64, **draw),
            "n": n,
        }

    def generate_example_test(self):
        return self._test(4, -1, 1)

    def generate_functional_test(self):
        return [self._test(1, 0, 0), self._test(100, -(2**33), 2**34), self._test(1025, 5, 6)]

    def generate_performance_test(self):
        return self._test(30_000, 7, 8)
