"""Times of PyTorch's attention in half precision, causal, at the benchmark sizes of problems/attention_fp16.

    python benchmarks/attention_library.py

Each of PyTorch's own ways (FlashAttention, cuDNN's, the memory-efficient one) is called ten times in a row between two
events, five times over; the shortest mean of ten counts. Needs a GPU and a PyTorch that was built for it. The times of
the worked files to compare with are those of `benchmarks/catalogue.py`.
"""

from __future__ import annotations

import sys
from pathlib import Path

from grader.problem import load_problem

CALLS, TRIES = 10, 5


def main() -> None:
    try:
        import torch
        from torch.nn.attention import SDPBackend, sdpa_kernel
        from torch.nn.functional import scaled_dot_product_attention
    except ImportError as error:
        sys.exit(f"{error}; type: pip install torch")
    if not torch.cuda.is_available():
        sys.exit("PyTorch finds no GPU here")
    for case in load_problem(Path(__file__).parents[1] / "problems" / "attention_fp16").benchmarks:
        shape = 1, case["H"], case["N"], case["D"]
        q, k, v = (torch.randn(shape, device="cuda", dtype=torch.float16) for _ in range(3))
        for backend in (SDPBackend.FLASH_ATTENTION, SDPBackend.CUDNN_ATTENTION, SDPBackend.EFFICIENT_ATTENTION):
            begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            times = []
            try:
                with sdpa_kernel(backend):
                    for _ in range(TRIES + 1):
                        begin.record()
                        for _ in range(CALLS):
                            scaled_dot_product_attention(q, k, v, is_causal=True)
                        end.record()
                        end.synchronize()
                        times.append(begin.elapsed_time(end) * 1e3 / CALLS)
            except RuntimeError as error:
                print(f"H={case['H']} N={case['N']} D={case['D']} {backend.name}: {error}")
                continue
            # The first try has the libraries loaded and their kernels chosen.
            print(f"H={case['H']} N={case['N']} D={case['D']} {backend.name}: {min(times[1:]):.1f} µs")


if __name__ == "__main__":
    main()
