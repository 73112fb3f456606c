"""Whole matrix products on tensor cores, as people write them: with wmma, and with cp.async, ldmatrix and mma."""

from __future__ import annotations

import numpy as np
import pytest

from grader.run.emulator import Memory, Module

from .cases import Case
from .emulated import on_emulator
from .fragments import Array
from .harness import kernel_ptx, scalar_bytes
from .test_hardware import gpu_present, on_gpu

M, N, K = 128, 192, 96


def case(kernel: str) -> Case:
    rng = np.random.default_rng(6)
    a, b = rng.normal(size=(M, K)).astype("f2"), rng.normal(size=(K, N)).astype("f2")
    grid = (N // 64, M // 16, 1) if kernel == "by_wmma" else (N // 64, M // 64, 1)
    given = {"A": a, "B": b.T.copy() if kernel == "by_wmma" else b, "C": np.zeros((M, N), "f4"), "M": M, "N": N, "K": K}
    return Case("matrix_products.cu", kernel, grid, (128, 1, 1), given)


def exact(of: Case) -> tuple[Array, Array]:
    """(the product, and that of the magnitudes)"""
    a, b = (of.arguments[name].astype("f8") for name in "AB")
    b = b.T if of.kernel == "by_wmma" else b
    return a @ b, np.abs(a) @ np.abs(b)


KERNELS = ["by_wmma", "by_mma"]


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("workers", [1, 2])
def test_the_product_is_right(kernel: str, workers: int) -> None:
    of = case(kernel)
    product, terms = exact(of)
    got = on_emulator(kernel_ptx(of.file), of, workers).arrays["C"].reshape(M, N)
    # Every instruction rounds its sum of 16 terms once, to f32.
    assert (np.abs(got - product) <= terms * (K // 16) * 2**-24).all()


@pytest.mark.parametrize("kernel", KERNELS)
def test_nothing_is_found_in_it(kernel: str) -> None:
    of = case(kernel)
    memory = Memory()
    arguments = [
        memory.place(k, v, written=k != "C").to_bytes(8, "little") if isinstance(v, np.ndarray) else scalar_bytes(v)
        for k, v in of.arguments.items()
    ]
    module = Module(kernel_ptx(of.file), sanitize=True)
    result = module.launch(kernel, of.grid, of.block, arguments, memory)
    assert (result.status, result.faults, result.remarks) == ("done", (), ())


@pytest.mark.gpu
@pytest.mark.skipif(not gpu_present(), reason="no NVIDIA GPU")
@pytest.mark.parametrize("kernel", KERNELS)
def test_the_product_on_hardware(kernel: str) -> None:
    of = case(kernel)
    ptx = kernel_ptx(of.file)
    got, wanted = (run(ptx, of).arrays["C"].reshape(M, N).astype("f8") for run in (on_gpu, on_emulator))
    assert (np.abs(got - wanted) <= exact(of)[1] * 2**-19).all()
