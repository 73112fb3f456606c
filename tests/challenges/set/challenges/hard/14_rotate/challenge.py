import ctypes

import torch
from core.challenge_base import ChallengeBase


class Challenge(ChallengeBase):
    def __init__(self):
        super().__init__(name="Rotate", atol=1e-05, rtol=1e-05, num_gpus=1, access_tier="free")

    def reference_impl(self, signal, angle, n):
        signal.mul_(torch.polar(torch.ones(()), torch.tensor(angle)))

    def get_solve_signature(self):
        return {
            "signal": (ctypes.POINTER(ctypes.c_float), "inout"),
            "angle": (ctypes.c_float, "in"),
            "n": (ctypes.c_int, "in"),
        }

    def _test(self, n, angle):
        return {"signal": torch.randn(n, device="cuda", dtype=torch.complex64), "angle": angle, "n": n}

    def generate_example_test(self):
        return self._test(2, 0.5)

    def generate_functional_test(self):
        return [self._test(1, 0.0), self._test(400, -2.0)]

    def generate_performance_test(self):
        return self._test(1_000_000, 1.0)
