import ctypes

import torch
from core.challenge_base import ChallengeBase, Drawn, Filled, Normal, Result


class Challenge(ChallengeBase):
    def __init__(self):
        super().__init__(name="Triad", atol=1e-05, rtol=1e-05, num_gpus=1, access_tier="free")

    def reference_impl(self, a, b, s, c, n):
        torch.add(a, b, alpha=s, out=c)

    def get_solve_signature(self):
        array = ctypes.POINTER(ctypes.c_float)
        return {
            "a": (array, "in"),
            "b": (array, "in"),
            "s": (ctypes.c_float, "in"),
            "c": (array, "out"),
            "n": (ctypes.c_size_t, "in"),
        }

    def _test(self, n):
        a, b = torch.rand(n, device="cuda"), Filled((n,), 0.5)
        return {"a": a, "b": b, "s": 3.0, "c": Result((n,)), "n": n}

    def generate_example_test(self):
        return self._test(2)

    def generate_functional_test(self):
        return [self._test(1), self._test(1000)]

    def generate_performance_test(self):
        n = 50_000_000
        return {"a": Drawn((n,), -1.0, 1.0), "b": Normal((n,)), "s": -2.5, "c": Result((n,)), "n": n}
