import ctypes

import torch
from core.challenge_base import ChallengeBase


class Challenge(ChallengeBase):
    def __init__(self):
        super().__init__(name="Compaction", atol=0, rtol=0, num_gpus=1, access_tier="free")

    def reference_impl(self, values, kept, count, n):
        positive = values[values > 0]
        kept[: positive.numel()] = positive
        count[0] = positive.numel()

    def get_solve_signature(self):
        return {
            "values": (ctypes.POINTER(ctypes.c_int), "in"),
            "kept": (ctypes.POINTER(ctypes.c_int), "out"),
            "count": (ctypes.POINTER(ctypes.c_int), "out"),
            "n": (ctypes.c_int, "in"),
        }

    def _test(self, values):
        whole = {"device": "cuda", "dtype": torch.int32}
        values = torch.tensor(values, **whole)
        n = values.numel()
        return {"values": values, "kept": torch.zeros(n, **whole), "count": torch.zeros(1, **whole), "n": n}

    def generate_example_test(self):
        return self._test([3, -1, 4, 0, 5])

    def generate_functional_test(self):
        return [self._test([-1, -2, -3]), self._test([7]), self._test([(-1) ** i * i for i in range(300)])]

    def generate_performance_test(self):
        return self._test([1, -1] * 1000)
