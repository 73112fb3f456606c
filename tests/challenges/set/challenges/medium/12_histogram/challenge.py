import ctypes

import torch
from core.challenge_base import ChallengeBase


class Challenge(ChallengeBase):
    def __init__(self):
        super().__init__(name="Histogram", atol=0, rtol=0, num_gpus=1, access_tier="free")

    def reference_impl(self, values, histogram, n, bins):
        histogram += torch.bincount(values, minlength=bins).to(torch.int32)

    def get_solve_signature(self):
        return {
            "values": (ctypes.POINTER(ctypes.c_int), "in"),
            "histogram": (ctypes.POINTER(ctypes.c_int), "out"),
            "n": (ctypes.c_int, "in"),
            "bins": (ctypes.c_int, "in"),
        }

    def _test(self, n, bins):
        generator = torch.Generator(device="cuda").manual_seed(n)
        values = torch.randint(0, bins, (n,), device="cuda", dtype=torch.int32, generator=generator)
        histogram = torch.zeros(bins, device="cuda", dtype=torch.int32)
        return {"values": values, "histogram": histogram, "n": n, "bins": bins}

    def generate_example_test(self):
        return self._test(6, 3)

    def generate_functional_test(self):
        return [self._test(1, 1), self._test(1000, 10)]

    def generate_performance_test(self):
        torch.cuda.synchronize()
        return self._test(500_000, 256)
