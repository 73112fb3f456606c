"""Replaying a Plan on the GPU: a loaded cubin's kernels, launched with the plan's raw argument bytes.

It enqueues and checks each launch; whether the kernels come to their end is the caller's to find out.
"""

from __future__ import annotations

import ctypes
from collections.abc import Mapping, Sequence
from typing import Any

MOST_WITHOUT_ASKING = 48 << 10
"""Dynamic shared memory beyond this has to be allowed for a kernel (CUDA C++ Programming Guide, 20.7.3)."""


class LaunchError(Exception):
    """CUDA refused a launch. `status` is the CUresult, `cause` CuPy's error with CUDA's words."""

    def __init__(self, kernel: str, cause: Exception) -> None:
        super().__init__(str(cause))
        self.kernel = kernel
        self.cause = cause
        self.status = status_of(cause)


class Kernels:
    """The kernels of one loaded module. `symbols` gives each kernel's symbol by its name in the source."""

    def __init__(self, cubin: bytes, symbols: Mapping[str, str]) -> None:
        from cupy.cuda import driver, runtime

        # Starts CUDA on this thread, which loading a module needs.
        runtime.setDevice(0)
        runtime.free(0)
        self._module = driver.moduleLoadData(cubin)
        self._functions = {name: driver.moduleGetFunction(self._module, symbol) for name, symbol in symbols.items()}

    def function(self, name: str) -> int:
        """The driver's handle of a kernel."""
        return int(self._functions[name])

    def describe(self) -> list[dict[str, Any]]:
        """Each kernel's name and what a block or thread of it takes, as the driver knows it."""
        from cupy.cuda import driver

        attributes = {
            "registers": driver.CU_FUNC_ATTRIBUTE_NUM_REGS,
            "shared_bytes": driver.CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES,
            "local_bytes": driver.CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES,
        }
        return [
            {"name": name, **{key: driver.funcGetAttribute(a, function) for key, a in attributes.items()}}
            for name, function in self._functions.items()
        ]

    def replay(self, steps: Sequence[Mapping[str, Any]], stream: int) -> str:
        """Enqueues the steps; gives the last kernel's name. Raises LaunchError."""
        from cupy.cuda import runtime

        last = ""
        for step in steps:
            if "memset" in step:
                address, value, size = step["memset"]
                runtime.memsetAsync(address, value, size, stream)
            else:
                last = step["kernel"]
                self._launch(step, stream)
        return last

    def unload(self) -> None:
        from cupy.cuda import driver

        driver.moduleUnload(self._module)

    def _launch(self, step: Mapping[str, Any], stream: int) -> None:
        from cupy.cuda import driver

        function, shared = self._functions[step["kernel"]], step["shared_bytes"]
        values = [ctypes.create_string_buffer(data, len(data)) for data in map(bytes.fromhex, step["arguments"])]
        pointers = (ctypes.c_void_p * len(values))(*map(ctypes.addressof, values))
        try:
            if shared > MOST_WITHOUT_ASKING:
                driver.funcSetAttribute(function, driver.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, shared)
            driver.launchKernel(function, *step["grid"], *step["block"], shared, stream, ctypes.addressof(pointers), 0)
        except RuntimeError as error:
            raise LaunchError(step["kernel"], error) from None


def status_of(error: Exception) -> int:
    """The number of CUDA's error; 0 where it is none."""
    return int(getattr(error, "status", 0))
