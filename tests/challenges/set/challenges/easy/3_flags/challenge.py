import ctypes

import torch
from core.challenge_base import ChallengeBase


class Challenge(ChallengeBase):
    def __init__(self):
        super().__init__(name="Flags", atol=0.0, rtol=0.0, num_gpus=1, access_tier="free")

    def reference_impl(self, flags, invert, result, n):
        result.copy_(flags ^ invert)

    def get_solve_signature(self):
        return {
            "flags": (ctypes.POINTER(ctypes.c_bool), "in"),
            "invert": (ctypes.c_bool, "in"),
            "result": (ctypes.POINTER(ctypes.c_bool), "out"),
            "n": (ctypes.c_uint, "in"),
        }

    def _test(self, n, invert):
        flags = torch.randint(0, 2, (n,), device="cuda").bool()
        return {"flags": flags, "invert": invert, "result": torch.empty_like(flags), "n": n}

    def generate_example_test(self):
        return self._test(5, True)

    def generate_functional_test(self):
        return [self._test(1, False), self._test(300, True), self._test(1000, False)]

    def generate_performance_test(self):
        return self._test(100_000, True)
