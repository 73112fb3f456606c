"""Resets what a kernel may have pinned in the L2 cache, before its time is measured.

CuPy has no call for it, so ctypes calls the driver. It changes only the current CUDA context.
"""

from __future__ import annotations

import ctypes
from functools import lru_cache

from grader.core.errors import JudgeError

# Values of cuda.h (CUDA 13.0; the same since 11.0, which brought persisting accesses).
LIMIT_PERSISTING_L2_CACHE_SIZE = 0x06
SUCCESS = 0
NOT_SUPPORTED = (215, 801)
"""CUDA_ERROR_UNSUPPORTED_LIMIT and CUDA_ERROR_NOT_SUPPORTED: GPUs before Ampere have nothing to reset."""


def reset_persisting_l2(driver: ctypes.CDLL | None = None) -> None:
    """Makes all lines of the L2 cache normal again, and prevents setting any aside from now on.

    It acts on the context of the calling thread. `driver` is libcuda, None for this machine's. Raises JudgeError if
    there is no context, or CUDA fails otherwise.
    """
    driver = driver or _driver()
    _check(driver, "cuCtxResetPersistingL2Cache", driver.cuCtxResetPersistingL2Cache())
    _check(driver, "cuCtxSetLimit", driver.cuCtxSetLimit(LIMIT_PERSISTING_L2_CACHE_SIZE, 0))


@lru_cache(maxsize=1)
def _driver() -> ctypes.CDLL:
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError as error:
        hint = "kgrade doctor says what is here"
        raise JudgeError(f"NVIDIA's driver library can't be loaded: {error}", hint) from None
    driver.cuCtxSetLimit.argtypes = (ctypes.c_int, ctypes.c_size_t)
    driver.cuGetErrorName.argtypes = (ctypes.c_int, ctypes.POINTER(ctypes.c_char_p))
    return driver


def _check(driver: ctypes.CDLL, call: str, status: int) -> None:
    if status == SUCCESS or status in NOT_SUPPORTED:
        return
    name = ctypes.c_char_p()
    driver.cuGetErrorName(status, ctypes.byref(name))
    said = name.value.decode() if name.value else "an unknown error"
    raise JudgeError(f"the L2 cache can't be reset: {call} fails with {said} ({status})")
