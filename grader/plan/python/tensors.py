"""torch.Tensors of a device that has no memory: what PyTorch does with them is recorded, or refused by name."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_map

from grader.plan.python.driver import DeviceArray
from grader.plan.python.strided_copy import copy_strided
from grader.plan.python.tape import Tape

DEVICE = torch.device("cuda", 0)
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
HINT = "write it as a kernel of this file, or compute it on the host from the sizes alone"
CAST_HINT = "convert in a kernel, which has to read the values anyway"


class DeviceTensor(torch.Tensor):
    """A tensor on the device. `meta` is its twin without memory, which knows shape, strides and offset; `start` is the
    address of its storage."""

    meta: torch.Tensor
    start: int
    tensors: Tensors

    @staticmethod
    def __new__(cls, meta: torch.Tensor, start: int, tensors: Tensors) -> DeviceTensor:
        made: DeviceTensor = torch.Tensor._make_wrapper_subclass(  # type: ignore[attr-defined]
            cls,
            meta.shape,
            strides=meta.stride(),
            storage_offset=meta.storage_offset(),
            dtype=meta.dtype,
            device=DEVICE,
        )
        made.meta, made.start, made.tensors = meta, start, tensors
        return made

    def data_ptr(self) -> int:
        """The address of the first element."""
        return self.start + self.meta.storage_offset() * self.meta.element_size()

    def __repr__(self, **_: Any) -> str:  # type: ignore[override]
        return f"<{self.dtype} tensor of {tuple(self.shape)} on the device>"

    __torch_function__ = torch._C._disabled_torch_function_impl

    @classmethod
    def __torch_dispatch__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        found = next(one for one in _tensors_in((args, kwargs or {})))
        return found.tensors.dispatch(func, args, kwargs or {})


class Tensors(TorchDispatchMode):
    """The tensors of one call of solve(), whose operations go to its tape."""

    _of: weakref.WeakKeyDictionary[Tape, Tensors] = weakref.WeakKeyDictionary()

    def __init__(self, tape: Tape) -> None:
        super().__init__()
        self._tape = tape

    @classmethod
    def of(cls, tape: Tape) -> Tensors:
        """The one of a tape."""
        if tape not in cls._of:
            cls._of[tape] = cls(tape)
        return cls._of[tape]

    def array(self, array: DeviceArray) -> DeviceTensor:
        """An array of the problem as a tensor."""
        meta = torch.empty(array.shape, dtype=getattr(torch, array.dtype), device="meta")
        return DeviceTensor(meta, array.address, self)

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return self.dispatch(func, args, kwargs or {})

    def dispatch(self, func: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        """Does what PyTorch asks for."""
        held = list(_tensors_in((args, kwargs)))
        wanted = kwargs.get("device")
        to_device = wanted is not None and torch.device(wanted).type == "cuda"
        if not held and not to_device:
            return func(*args, **kwargs)
        if func in _EMPTY:
            return self._made(func, args, kwargs)
        if func in _FILLED:
            made = self._made(func, args, kwargs)
            self._fill(made, _FILLED[func](*args))
            return made
        if func in _OWN:
            return _OWN[func](self, *args, **kwargs)
        if func.is_view and held:
            start = held[0].start
            return tree_map(
                lambda one: DeviceTensor(one, start, self) if isinstance(one, torch.Tensor) else one,
                func(*tree_map(_twin, args), **tree_map(_twin, dict(kwargs))),
            )
        name = func.overloadpacket.__name__
        self._tape.refuse(
            f"torch.{name}", f"solve() calls torch.{name} on the device, which is not a kernel of this file", HINT
        )

    def _made(self, func: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> DeviceTensor:
        """What a factory makes, in new scratch."""
        meta = func(*tree_map(_twin, args), **{**tree_map(_twin, dict(kwargs)), "device": "meta", "pin_memory": False})
        return self._scratch(meta)

    def _scratch(self, meta: torch.Tensor) -> DeviceTensor:
        size = meta.untyped_storage().nbytes()
        return DeviceTensor(meta, self._tape.allocate(size) if size else 0, self)

    def _fill(self, tensor: DeviceTensor, value: float) -> DeviceTensor:
        pattern = bytes(torch.tensor([value], dtype=tensor.dtype).view(torch.uint8).tolist())
        for offset, count in _runs(tensor.meta):
            self._tape.fill(tensor.start + offset * tensor.element_size(), pattern, count)
        return tensor

    def _zero(self, tensor: DeviceTensor) -> DeviceTensor:
        return self._fill(tensor, 0)

    def _copy(self, target: torch.Tensor, source: torch.Tensor, non_blocking: bool = False) -> torch.Tensor:
        """copy_(): within the device, to it or from it."""
        if not isinstance(target, DeviceTensor):
            return target.copy_(self._read(source))
        if not isinstance(source, DeviceTensor):
            self._upload(target, source)
            return target
        if source.dtype is not target.dtype:
            self._refuse_cast(source.dtype, target.dtype)
        spread = source.meta.expand(target.shape)
        if _dense(target.meta) and spread.stride() == target.meta.stride():
            self._tape.copy(target.data_ptr(), source.data_ptr(), target.numel() * target.element_size())
        else:
            addresses = target.data_ptr(), source.data_ptr()
            copy_strided(self._tape, addresses, target.shape, (target.stride(), spread.stride()), target.element_size())
        return target

    def _clone(self, tensor: DeviceTensor, memory_format: Any = torch.preserve_format) -> DeviceTensor:
        meta = torch.empty_like(tensor.meta, memory_format=memory_format)
        made = self._scratch(meta)
        self._copy(made, tensor)
        return made

    def _to_copy(self, tensor: torch.Tensor, **how: Any) -> torch.Tensor:
        """to(), cpu() and cuda()."""
        dtype, device = how.get("dtype") or tensor.dtype, torch.device(how.get("device") or tensor.device)
        if not isinstance(tensor, DeviceTensor):
            host = tensor.to(dtype)
            made = self._scratch(torch.empty(host.shape, dtype=dtype, device="meta"))
            self._upload(made, host)
            return made
        if device.type == "cpu":
            return self._read(tensor).to(dtype)
        if dtype is not tensor.dtype:
            self._refuse_cast(tensor.dtype, dtype)
        return self._clone(tensor)

    def _item(self, tensor: DeviceTensor) -> Any:
        return self._read(tensor).item()

    def _resize(self, tensor: DeviceTensor, *_: Any, **__: Any) -> Any:
        self._tape.refuse(
            "torch.resize_", "an array of the device can't be resized", "allocate another with torch.empty()"
        )

    def _read(self, tensor: DeviceTensor) -> torch.Tensor:
        """The tensor's values on the host."""
        meta = tensor.meta
        span = 1 + sum((size - 1) * step for size, step in zip(meta.shape, meta.stride(), strict=True))
        if not meta.numel():
            return torch.empty(meta.shape, dtype=meta.dtype)
        data = self._tape.read(tensor.data_ptr(), span * meta.element_size())
        flat = torch.frombuffer(bytearray(data), dtype=meta.dtype)
        return flat.as_strided(meta.shape, meta.stride()).clone()

    def _upload(self, target: DeviceTensor, host: torch.Tensor) -> None:
        spread = host.to(target.dtype).expand(target.shape).contiguous()
        if not target.is_contiguous():
            made = self._scratch(torch.empty(target.shape, dtype=target.dtype, device="meta"))
            self._upload(made, host)
            self._copy(target, made)
            return
        self._tape.upload(
            target.data_ptr(), bytes(spread.view(torch.uint8).flatten().tolist()) if spread.numel() else b""
        )

    def _refuse_cast(self, one: torch.dtype, other: torch.dtype) -> None:
        self._tape.refuse(
            "torch.Tensor.to",
            f"solve() converts {one} to {other} on the device, which is not a kernel of this file",
            CAST_HINT,
        )


_OWN: Mapping[Any, Callable[..., Any]] = {
    _aten.fill_.Scalar: Tensors._fill,
    _aten.zero_.default: Tensors._zero,
    _aten.copy_.default: Tensors._copy,
    _aten.clone.default: Tensors._clone,
    _aten._to_copy.default: Tensors._to_copy,
    _aten._local_scalar_dense.default: Tensors._item,
    _aten.resize_.default: Tensors._resize,
}


def _tensors_in(values: Any) -> Any:
    """The device's tensors among arguments."""
    if isinstance(values, DeviceTensor):
        yield values
    elif isinstance(values, (list, tuple)):
        for value in values:
            yield from _tensors_in(value)
    elif isinstance(values, dict):
        yield from _tensors_in(list(values.values()))


def _twin(value: Any) -> Any:
    return value.meta if isinstance(value, DeviceTensor) else value


def _dense(meta: torch.Tensor) -> bool:
    """Whether the elements fill one range without gaps, in whatever order."""
    expected = 1
    for step, size in sorted(zip(meta.stride(), meta.shape, strict=True)):
        if size == 1:
            continue
        if step != expected:
            return False
        expected *= size
    return True


def _runs(meta: torch.Tensor) -> Any:
    """The ranges of elements that a tensor covers, each as the offset in its storage and a count."""
    if not meta.numel():
        return
    if _dense(meta):
        yield meta.storage_offset(), meta.numel()
        return
    for row in meta.unbind(0):
        yield from _runs(row)


def play_cuda(tape: Callable[[], Tape]) -> None:
    """Makes torch.cuda speak of the device that this process plays."""
    cuda = torch.cuda

    def attribute(number: int) -> int:
        return tape().device.attributes.get(number, 0)

    class Stream:
        cuda_stream = 0
        device = DEVICE

        def synchronize(self) -> None:
            tape().synchronize(0)

    class Properties:
        warp_size = 32

        def __init__(self) -> None:
            device = tape().device
            self.name, self.total_memory = device.name, device.memory
            self.major, self.minor = device.capability
            self.multi_processor_count = attribute(16)
            self.shared_memory_per_block_optin = attribute(97)
            self.L2_cache_size = attribute(38)

    answers: Mapping[str, Callable[..., Any]] = {
        "is_available": lambda: True,
        "_lazy_init": lambda: None,
        "is_initialized": lambda: True,
        "init": lambda: None,
        "device_count": lambda: 1,
        "current_device": lambda: 0,
        "set_device": lambda device: None,
        "synchronize": lambda device=None: tape().synchronize(),
        "current_stream": lambda device=None: Stream(),
        "default_stream": lambda device=None: Stream(),
        "empty_cache": lambda: None,
        "get_device_capability": lambda device=None: tape().device.capability,
        "get_device_name": lambda device=None: tape().device.name,
        "get_device_properties": lambda device=None: Properties(),
    }
    for name, answer in answers.items():
        setattr(cuda, name, answer)

    def stream(*_: Any, **__: Any) -> None:
        tape().refuse("torch.cuda.Stream", "solve() makes a stream", "launch on the default stream")

    cuda.Stream = stream  # type: ignore[assignment,misc]
