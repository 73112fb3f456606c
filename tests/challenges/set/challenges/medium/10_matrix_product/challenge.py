import ctypes

import torch
from core.challenge_base import ChallengeBase, Drawn, Normal, Result


class Challenge(ChallengeBase):
    name = "Matrix product"
    atol = 1e-04
    rtol = 1e-04
    num_gpus = 1
    access_tier = "free"

    def reference_impl(self, A, B, C, M, N, K):
        assert A.shape == (M, K) and B.shape == (K, N) and C.shape == (M, N)
        torch.matmul(A, B, out=C)

    def get_solve_signature(self):
        matrix = ctypes.POINTER(ctypes.c_float)
        sizes = dict.fromkeys("MNK", (ctypes.c_int, "in"))
        return {"A": (matrix, "in"), "B": (matrix, "in"), "C": (matrix, "out"), **sizes}

    def _test(self, M, N, K):
        A, B = torch.randn(M, K, device=self.device), torch.randn(K, N, device=self.device)
        return {"A": A, "B": B, "C": torch.empty(M, N, device=self.device), "M": M, "N": N, "K": K}

    def generate_example_test(self):
        A = torch.tensor([[1.0, 2.0], [3.0, 4.0]], device="cuda")
        return {"A": A, "B": A.t(), "C": torch.zeros(2, 2, device="cuda"), "M": 2, "N": 2, "K": 2}

    def generate_functional_test(self):
        return [self._test(*sizes) for sizes in ((1, 1, 1), (3, 5, 7), (16, 16, 16), (33, 65, 20), (100, 100, 100))]

    def generate_performance_test(self):
        M, N, K = 4096, 2048, 1024
        matrices = {"A": Normal((M, K)), "B": Drawn((K, N), -1.0, 1.0), "C": Result((M, N))}
        return {**matrices, "M": M, "N": N, "K": K}
