"""Runs a challenge that asks for CUDA on the CPU: replaces "cuda" by another device in every PyTorch call.

PyTorch passes all its calls through a TorchFunctionMode. Tensors claim to be on the GPU, because references assert it.
Queries of the GPU itself, such as its name, are not answered.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

from grader.problem.challenges.tensors import fill_bytes

_EMPTY = (torch.empty, torch.empty_like, torch.empty_strided, torch.Tensor.new_empty)
_CLAIMED = torch.device("cuda", 0)
_DEVICE_OF, _IS_CUDA = torch.Tensor.device.__get__, torch.Tensor.is_cuda.__get__


class _InsteadOfCuda(TorchFunctionMode):  # type: ignore[misc]
    """Replaces each argument that names a GPU. `device` is "cpu", or "meta" for shapes without values."""

    def __init__(self, device: str) -> None:
        super().__init__()
        self._device = device

    def __torch_function__(
        self, func: Any, types: Any, args: Sequence[Any] = (), kwargs: Mapping[str, Any] | None = None
    ) -> Any:
        if func == _DEVICE_OF:
            return _CLAIMED
        if func == _IS_CUDA:
            return True
        if func is torch.Tensor.cuda:
            return args[0]
        # Memory can't be pinned without a GPU.
        given = {name: self._moved(value) for name, value in (kwargs or {}).items() if name != "pin_memory"}
        made = func(*map(self._moved, args), **given)
        if func in _EMPTY and made.device.type != "meta":
            # Uninitialised memory is mostly zeros on the CPU, which a challenge must not rely on.
            fill_bytes(made)
        return made

    def _moved(self, value: Any) -> Any:
        named = isinstance(value, torch.device) and value.type == "cuda"
        if named or (isinstance(value, str) and value.partition(":")[0] == "cuda"):
            return torch.device(self._device)
        return value


@contextmanager
def instead_of_cuda(device: str = "cpu") -> Iterator[None]:
    """While active, tensors created on "cuda" are created on `device`, and torch.cuda.synchronize returns at once."""
    generator, synchronize = torch.Generator, torch.cuda.synchronize
    torch.Generator = lambda device=None: generator()
    torch.cuda.synchronize = lambda device=None: None
    try:
        with _InsteadOfCuda(device), torch.no_grad():
            yield
    finally:
        torch.Generator, torch.cuda.synchronize = generator, synchronize
