import ctypes

import torch
from core.challenge_base import ChallengeBase


class Challenge(ChallengeBase):
    def __init__(self):
        super().__init__(name="Shorts", atol=0, rtol=0, num_gpus=1, access_tier="free")

    def reference_impl(self, a, b, difference, n):
        difference.copy_(a.to(torch.int32) - b.to(torch.int32))

    def get_solve_signature(self):
        return {
            "a": (ctypes.POINTER(ctypes.c_int16), "in"),
            "b": (ctypes.POINTER(ctypes.c_uint16), "in"),
            "difference": (ctypes.POINTER(ctypes.c_int), "out"),
            "n": (ctypes.c_int, "in"),
        }

    def _test(self, n):
        a = torch.randint(-32768, 32768, (n,), device="cuda").to(torch.int16)
        b = torch.randint(0, 65536, (n,), device="cuda").to(torch.uint16)
        return {"a": a, "b": b, "difference": torch.zeros(n, dtype=torch.int32, device="cuda"), "n": n}

    def generate_example_test(self):
        return self._test(3)

    def generate_functional_test(self):
        return [self._test(n) for n in (1, 100, 777)]

    def generate_performance_test(self):
        return self._test(50_000)
