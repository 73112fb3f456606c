"""A torch.Tensor without memory: its shape, strides and address, and whom it belongs to."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Protocol

import torch

from grader.plan.python.tape import Tape

DEVICE = torch.device("cuda", 0)


class Owner(Protocol):
    """What does with tensors what PyTorch asks for."""

    @property
    def tape(self) -> Tape: ...

    def scratch(self, meta: torch.Tensor) -> DeviceTensor:
        """A tensor like this one in new scratch. Raises OutOfMemory."""

    def dispatch(self, func: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        """Does one of PyTorch's operations. Raises Refusal."""


class Storage:
    """Device memory that tensors share. Scratch is freed with the last of them."""

    def __init__(self, address: int, free: Callable[[int], None] | None = None) -> None:
        self.address = address
        self._free = free

    def __del__(self) -> None:
        if self._free is not None and self.address:
            self._free(self.address)


class DeviceTensor(torch.Tensor):
    """A tensor on the device. `meta` is its twin without memory, which knows shape, strides and offset."""

    meta: torch.Tensor
    memory: Storage
    owner: Owner

    @staticmethod
    def __new__(cls, meta: torch.Tensor, memory: Storage, owner: Owner) -> DeviceTensor:
        made: DeviceTensor = torch.Tensor._make_wrapper_subclass(
            cls,
            meta.shape,
            strides=meta.stride(),
            storage_offset=meta.storage_offset(),
            dtype=meta.dtype,
            device=DEVICE,
        )
        made.meta, made.memory, made.owner = meta, memory, owner
        return made

    def data_ptr(self) -> int:
        """The address of the first element; 0 if there is none."""
        if not self.memory.address:
            return 0
        return self.memory.address + int(self.meta.storage_offset() * self.meta.element_size())

    # What follows asks CUDA to switch to the device before it says what it is.

    def __getitem__(self, index: Any) -> Any:
        found = self.meta[index]
        if not found._is_view():
            return self.owner.dispatch(torch.ops.aten.index.Tensor, (self, index), {})
        return DeviceTensor(found, self.memory, self.owner)

    def __setitem__(self, index: Any, value: Any) -> None:
        if isinstance(value, torch.Tensor):
            self[index].copy_(value)
        else:
            self[index].fill_(value)

    def copy_(self, source: torch.Tensor, non_blocking: bool = False) -> Any:
        return self.owner.dispatch(torch.ops.aten.copy_.default, (self, source), {})

    def contiguous(self, memory_format: torch.memory_format = torch.contiguous_format) -> Any:
        if self.meta.is_contiguous(memory_format=memory_format):
            return self
        return self.owner.dispatch(torch.ops.aten.clone.default, (self,), {"memory_format": memory_format})

    def __int__(self) -> int:
        return int(self.item())

    def __index__(self) -> int:
        return operator.index(self.item())

    def __float__(self) -> float:
        return float(self.item())

    def __bool__(self) -> bool:
        return bool(self.item())

    def tolist(self) -> Any:
        """The values, as lists."""
        return self.cpu().tolist()

    def __format__(self, spec: str) -> str:
        return object.__format__(self, spec) if self.ndim else format(self.item(), spec)

    def numpy(self, *, force: bool = False) -> Any:
        """The values, if they may be copied. Raises TypeError."""
        if not force:
            raise TypeError("can't convert a tensor of the device to NumPy: copy it to the host first, by .cpu()")
        return self.cpu().numpy()

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return self.numpy()

    def new_tensor(self, data: Any, *, dtype: torch.dtype | None = None, device: Any = DEVICE) -> Any:
        """The host's data as a tensor of this one's type."""
        return torch.tensor(data, dtype=dtype or self.dtype, device=device)

    def __repr__(self, **_: Any) -> str:
        return f"<{self.dtype} tensor of {tuple(self.shape)} on the device>"

    __torch_function__ = torch._C._disabled_torch_function_impl

    @classmethod
    def __torch_dispatch__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return next(tensors_in((args, kwargs or {}))).owner.dispatch(func, args, kwargs or {})


def tensors_in(values: Any) -> Iterator[DeviceTensor]:
    """The device's tensors among arguments."""
    if isinstance(values, DeviceTensor):
        yield values
    elif isinstance(values, (list, tuple)):
        for value in values:
            yield from tensors_in(value)
    elif isinstance(values, dict):
        yield from tensors_in(list(values.values()))
