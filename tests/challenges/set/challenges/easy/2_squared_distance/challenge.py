import ctypes

import torch
from core.challenge_base import ChallengeBase


class Challenge(ChallengeBase):
    def __init__(self):
        super().__init__(name="Squared distance", atol=1e-12, rtol=1e-12, num_gpus=1, access_tier="free")

    def reference_impl(self, p, q, scale, distance, n):
        distance[0] = scale * ((p - q) ** 2).sum()

    def get_solve_signature(self):
        return {
            "p": (ctypes.POINTER(ctypes.c_double), "in"),
            "q": (ctypes.POINTER(ctypes.c_double), "in"),
            "scale": (ctypes.c_double, "in"),
            "distance": (ctypes.POINTER(ctypes.c_double), "out"),
            "n": (ctypes.c_int, "in"),
        }

    def _test(self, n, scale=1.0):
        p, q = torch.randn(2, n, dtype=torch.float64, device=self.device).unbind()
        return {"p": p, "q": q, "scale": scale, "distance": torch.zeros(1, dtype=p.dtype, device="cuda"), "n": n}

    def generate_example_test(self):
        return self._test(4)

    def generate_functional_test(self):
        return [self._test(1), self._test(33, 0.5), self._test(2000, torch.tensor(1e-8, dtype=torch.float64))]

    def generate_performance_test(self):
        return self._test(1_000_000)
