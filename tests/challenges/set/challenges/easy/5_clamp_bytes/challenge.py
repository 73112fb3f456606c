import ctypes

import torch
from core.challenge_base import ChallengeBase


class Challenge(ChallengeBase):
    def __init__(self):
        super().__init__(name="Clamp bytes", atol=0, rtol=0, num_gpus=1, access_tier="free")

    def reference_impl(self, deltas, pixels, low, high, result, rows, columns):
        sums = pixels.to(torch.int32) + deltas.to(torch.int32)
        result.copy_(sums.clamp(low, high).to(torch.uint8))

    def get_solve_signature(self):
        return {
            "deltas": (ctypes.POINTER(ctypes.c_int8), "in"),
            "pixels": (ctypes.POINTER(ctypes.c_uint8), "in"),
            "low": (ctypes.c_int8, "in"),
            "high": (ctypes.c_uint8, "in"),
            "result": (ctypes.POINTER(ctypes.c_uint8), "out"),
            "rows": (ctypes.c_int16, "in"),
            "columns": (ctypes.c_uint16, "in"),
        }

    def _test(self, rows, columns, low=0, high=255):
        pixels = torch.randint(0, 256, (rows, columns), device="cuda", dtype=torch.uint8)
        deltas = torch.randint(-128, 128, (rows, columns), device="cuda", dtype=torch.int8)
        values = {"deltas": deltas, "pixels": pixels, "low": low, "high": high}
        return {**values, "result": torch.zeros_like(pixels), "rows": rows, "columns": columns}

    def generate_example_test(self):
        return self._test(2, 3)

    def generate_functional_test(self):
        return [self._test(1, 1), self._test(17, 31, 10, 200), self._test(64, 64)]

    def generate_performance_test(self):
        return self._test(2000, 3000)
