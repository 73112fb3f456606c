import ctypes

import torch
from core.challenge_base import ChallengeBase


class Challenge(ChallengeBase):
    def __init__(self):
        super().__init__(name="Saxpy", atol=1e-05, rtol=1e-05, num_gpus=1, access_tier="free")

    def reference_impl(self, a, x, y, n):
        assert x.device.type == "cuda" and x.is_cuda and y.shape == (n,)
        y.copy_(a * x + y)

    def get_solve_signature(self):
        return {
            "a": (ctypes.c_float, "in"),
            "x": (ctypes.POINTER(ctypes.c_float), "in"),
            "y": (ctypes.POINTER(ctypes.c_float), "inout"),
            "n": (ctypes.c_size_t, "in"),
        }

    def _test(self, a, n):
        draw = {"device": "cuda", "dtype": torch.float32}
        return {"a": a, "x": torch.rand(n, **draw), "y": torch.randn(n, **draw).cuda(), "n": n}

    def generate_example_test(self):
        x = torch.tensor([1.0, 2.0, 3.0], device="cuda")
        return {"a": 2.0, "x": x, "y": torch.ones_like(x), "n": 3}

    def generate_functional_test(self):
        return [self._test(a, n) for a, n in ((0.0, 1), (1.5, 2), (-0.25, 255), (3.0, 1000), (1e-3, 4096))]

    def generate_performance_test(self):
        return self._test(1.25, 5_000_000)
