import ctypes

import torch
from core.challenge_base import ChallengeBase


class Challenge(ChallengeBase):
    def __init__(self):
        super().__init__(name="Cipher", atol=0, rtol=0, num_gpus=1, access_tier="free")

    def reference_impl(self, text, key, secret, n):
        secret.copy_(text ^ key)

    def get_solve_signature(self):
        return {
            "text": (ctypes.POINTER(ctypes.c_char), "in"),
            "key": (ctypes.c_char, "in"),
            "secret": (ctypes.POINTER(ctypes.c_char), "out"),
            "n": (ctypes.c_longlong, "in"),
        }

    def _test(self, n, key):
        text = torch.randint(-128, 128, (n,), dtype=torch.int8, device="cuda")
        return {"text": text, "key": key, "secret": torch.zeros(n, dtype=torch.int8, device="cuda"), "n": n}

    def generate_example_test(self):
        return self._test(8, 7)

    def generate_functional_test(self):
        return [self._test(1, -3), self._test(500, 42)]

    def generate_performance_test(self):
        return self._test(200_000, 99)
