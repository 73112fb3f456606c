"""torch.Tensors of a device that has no memory: what PyTorch does with them is recorded, or refused by name.

The tensors are in `device_tensor`, what moves their values in `values`, torch.cuda in `played_cuda`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_map

from grader.plan.python.driver import DeviceArray
from grader.plan.python.tape import Tape
from grader.plan.python.torch.device_tensor import DEVICE, DeviceTensor, Storage, tensors_in
from grader.plan.python.torch.played_cuda import play_cuda
from grader.plan.python.torch.values import OPERATIONS, fill, upload_new

HINT = "write it as a kernel of this file, or compute it on the host from the sizes alone"
ONE_NUMBER_HINT = "take the number to the host first, by .item(); solve() may then decide by it what it launches"
_aten = torch.ops.aten

_EMPTY = (
    *(_aten.empty.memory_format, _aten.empty_strided.default, _aten.empty_like.default),
    *(_aten.new_empty.default, _aten.new_empty_strided.default),
)
_FILLED: Mapping[Any, Callable[..., float]] = {
    _aten.zeros.default: lambda *_: 0,
    _aten.zeros_like.default: lambda *_: 0,
    _aten.new_zeros.default: lambda *_: 0,
    _aten.ones.default: lambda *_: 1,
    _aten.ones_like.default: lambda *_: 1,
    _aten.new_ones.default: lambda *_: 1,
    _aten.full.default: lambda size, value, *_: value,
    _aten.full_like.default: lambda like, value, *_: value,
    _aten.new_full.default: lambda like, size, value, *_: value,
}
"""What creates a tensor with one value in all elements: the value, from the operation's arguments."""
_VIEWS = (_aten._unsafe_view.default, _aten._reshape_alias.default)
"""Views that PyTorch does not call so, beside those that it does."""


class Tensors(TorchDispatchMode):
    """All tensors of a process. What is done with them goes to the tape of the call that is under way."""

    def __init__(self, tape: Callable[[], Tape]) -> None:
        super().__init__()
        self._tape = tape

    @property
    def tape(self) -> Tape:
        return self._tape()

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        # Else the first tensor imports PyTorch's compiler, for more than a second.
        return False

    def array(self, array: DeviceArray) -> DeviceTensor:
        """An array of the problem as a tensor."""
        meta = torch.empty(array.shape, dtype=getattr(torch, array.dtype), device="meta")
        return DeviceTensor(meta, Storage(array.address), self)

    def scratch(self, meta: torch.Tensor) -> DeviceTensor:
        """A tensor like this one in new scratch. Raises OutOfMemory."""
        size, tape = meta.untyped_storage().nbytes(), self.tape

        def free(address: int) -> None:
            # Tensors may outlive their call, whose memory is gone as a whole.
            if tape is self._tape():
                tape.free(address)

        return DeviceTensor(meta, Storage(tape.allocate(size), free) if size else Storage(0), self)

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return self.dispatch(func, args, kwargs or {})

    def dispatch(self, func: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        """Does what PyTorch asks for. Raises Refusal."""
        held = next(tensors_in((args, kwargs)), None)
        wanted = torch.device(kwargs.get("device") or ("cpu" if held is None else DEVICE))
        if held is None and wanted.type != "cuda":
            return func(*args, **kwargs)
        if func in _EMPTY or func in _FILLED:
            if wanted.type != "cuda":
                return func(*_twins(args), **_twins(dict(kwargs)))
            made = self.scratch(func(*_twins(args), **{**_twins(dict(kwargs)), "device": "meta", "pin_memory": False}))
            return fill(made, _FILLED[func](*args)) if func in _FILLED else made
        if func in OPERATIONS:
            return OPERATIONS[func](self, *args, **kwargs)
        if held is None:
            # Made of numbers alone, as by torch.arange().
            return upload_new(self, func(*args, **{**kwargs, "device": "cpu"}))
        if func.is_view or func in _VIEWS:
            memory = held.memory
            return tree_map(
                lambda one: DeviceTensor(one, memory, self) if isinstance(one, torch.Tensor) else one,
                func(*_twins(args), **_twins(dict(kwargs))),
            )
        name = func.overloadpacket.__name__
        message = f"solve() calls torch.{name} on the device, which is not a kernel of this file"
        # As in "if shape[0] == 1".
        one_number = all(one.ndim == 0 for one in tensors_in((args, kwargs)))
        return self.tape.refuse(f"torch.{name}", message, ONE_NUMBER_HINT if one_number else HINT)


class Numbered(TorchFunctionMode):
    """Gives the device its number. PyTorch asks CUDA for that of "cuda", which a build without CUDA can't answer."""

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if func is torch.Tensor.cuda:
            return args[0].to(DEVICE)
        if func is torch.device:
            return func(*args, **(kwargs or {}))
        return func(*map(_numbered, args), **{name: _numbered(value) for name, value in (kwargs or {}).items()})


def _numbered(value: Any) -> Any:
    if isinstance(value, str) and value == "cuda":
        return str(DEVICE)
    return DEVICE if isinstance(value, torch.device) and str(value) == "cuda" else value


def _twins(values: Any) -> Any:
    return tree_map(lambda one: one.meta if isinstance(one, DeviceTensor) else one, values)


def play_torch(tape: Callable[[], Tape]) -> None:
    """Makes PyTorch record what it does with the device from now on, in this thread."""
    play_cuda(tape)
    # torch.tensor(..., device="cuda") builds a tensor of the host and copies it by a call that is recorded.
    torch._C._set_only_lift_cpu_tensors(True)
    # A build with CUDA, where no GPU is to be seen, switches devices without a driver.
    torch._C._ensureCUDADeviceGuardSet()
    Numbered().__enter__()
    Tensors(tape).__enter__()
