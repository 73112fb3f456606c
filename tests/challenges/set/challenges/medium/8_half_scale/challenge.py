import ctypes

import torch
from core.challenge_base import ChallengeBase


class Challenge(ChallengeBase):
    def __init__(self):
        super().__init__(name="Half scale", atol=0.001, rtol=0.001, num_gpus=1, access_tier="free")

    def reference_impl(self, x, scale, y, rows, columns):
        y.copy_((x.float() * scale.float()[:, None]).half())

    def get_solve_signature(self):
        return {
            "x": (ctypes.POINTER(ctypes.c_uint16), "in"),
            "scale": (ctypes.POINTER(ctypes.c_uint16), "in"),
            "y": (ctypes.POINTER(ctypes.c_uint16), "out"),
            "rows": (ctypes.c_int, "in"),
            "columns": (ctypes.c_int, "in"),
        }

    def _test(self, rows, columns):
        x = torch.randn(rows, columns, device="cuda", dtype=torch.float16)
        scale = torch.rand(rows, device="cuda").half()
        return {"x": x, "scale": scale, "y": torch.empty_like(x), "rows": rows, "columns": columns}

    def generate_example_test(self):
        return self._test(2, 2)

    def generate_functional_test(self):
        return [self._test(1, 1), self._test(3, 100), self._test(65, 33)]

    def generate_performance_test(self):
        return self._test(4096, 4096)
