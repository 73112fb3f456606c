"""Lets a challenge that asks for CUDA work in the processor's memory: "cuda" becomes another device where it is named.

PyTorch hands every call of its own to a TorchFunctionMode first. Tensors say that they are on the GPU, because
references assert it. What asks the GPU itself, such as its name, is not answered.
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
    """Rewrites each argument that names a GPU. `device` is "cpu", or "meta" for shapes without values."""

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
        # Memory can't be pinned where there is no GPU, and a generator is one of the processor's.
        given = {name: self._moved(value) for name, value in (kwargs or {}).items() if name != "pin_memory"}
        made = func(*map(self._moved, args), **given)
        if func in _EMPTY and made.device.type != "meta":
            # What it holds is nobody's promise, and on the processor mostly zeros.
            fill_bytes(made)
        return made

    def _moved(self, value: Any) -> Any:
        named = isinstance(value, torch.device) and value.type == "cuda"
        if named or (isinstance(value, str) and value.partition(":")[0] == "cuda"):
            return torch.device(self._device)
        return value


@contextmanager
def instead_of_cuda(device: str = "cpu") -> Iterator[None]:
    """Inside, what a challenge makes on "cuda" is made on `device`, and waiting for the GPU returns at once."""
    generator, synchronize = torch.Generator, torch.cuda.synchronize
    torch.Generator = lambda device=None: generator()
    torch.cuda.synchronize = lambda device=None: None
    try:
        with _InsteadOfCuda(device), torch.no_grad():
            yield
    finally:
        torch.Generator, torch.cuda.synchronize = generator, synchronize
