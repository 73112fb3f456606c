import ctypes

import torch
from core.challenge_base import ChallengeBase


class Challenge(ChallengeBase):
    def __init__(self):
        super().__init__(name="Two GPUs", atol=1e-05, rtol=1e-05, num_gpus=2, access_tier="free")

    def reference_impl(self, x, n):
        x.zero_()

    def get_solve_signature(self):
        return {"x": (ctypes.POINTER(ctypes.c_float), "out"), "n": (ctypes.c_int, "in")}

    def generate_example_test(self):
        return {"x": torch.ones(4, device="cuda"), "n": 4}

    def generate_functional_test(self):
        return [self.generate_example_test()]

    def generate_performance_test(self):
        return self.generate_example_test()
