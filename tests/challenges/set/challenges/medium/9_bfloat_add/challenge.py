import ctypes

import torch
from core.challenge_base import ChallengeBase


class Challenge(ChallengeBase):
    def __init__(self):
        super().__init__(name="Bfloat16 addition", atol=0.01, rtol=0.01, num_gpus=1, access_tier="free")

    def reference_impl(self, x, y, z, n):
        z.copy_(x + y)

    def get_solve_signature(self):
        array = ctypes.c_void_p
        return {"x": (array, "in"), "y": (array, "in"), "z": (array, "out"), "n": (ctypes.c_int, "in")}

    def _test(self, n):
        x, y = (torch.randn(n, device="cuda").to(torch.bfloat16) for _ in range(2))
        return {"x": x, "y": y, "z": torch.zeros(n, device="cuda", dtype=torch.bfloat16), "n": n}

    def generate_example_test(self):
        return self._test(3)

    def generate_functional_test(self):
        return [self._test(1), self._test(130), self._test(999)]

    def generate_performance_test(self):
        return self._test(20_000_000)
