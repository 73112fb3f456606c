"""What moves the values of the device's tensors: fills, copies, uploads and reads, as steps of a plan."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import torch

from grader.plan.python.torch.device_tensor import DeviceTensor, Owner
from grader.plan.python.torch.strided_copy import copy_strided

CAST_HINT = "convert in a kernel, which has to read the values anyway"
_aten = torch.ops.aten


def fill(target: DeviceTensor, value: Any) -> DeviceTensor:
    """Gives all elements one value."""
    if isinstance(value, torch.Tensor):
        value = value.item()
    element = torch.full((), value, dtype=target.dtype)
    pattern, tape = _bytes_of(element), target.owner.tape
    if _is_dense(target.meta) and len(set(pattern)) == 1:
        tape.fill(target.data_ptr(), pattern, target.numel())
    elif target.numel():
        copy(target, upload_new(target.owner, element))
    return target


def copy(target: torch.Tensor, source: torch.Tensor) -> torch.Tensor:
    """copy_(): within the device, to it or from it."""
    if not isinstance(target, DeviceTensor):
        return target.copy_(read(source))
    if not isinstance(source, DeviceTensor):
        upload(target, source)
        return target
    tape, item = target.owner.tape, target.element_size()
    if source.dtype is not target.dtype:
        message = f"solve() converts {source.dtype} to {target.dtype} on the device, which is not a kernel of this file"
        tape.refuse("torch.Tensor.to", message, CAST_HINT)
    spread = source.meta.expand(target.shape)
    if _is_dense(target.meta) and spread.stride() == target.stride():
        tape.copy(target.data_ptr(), source.data_ptr(), target.numel() * item)
    else:
        addresses = target.data_ptr(), source.data_ptr()
        copy_strided(tape, addresses, target.shape, (target.stride(), spread.stride()), item)
    return target


def upload(target: DeviceTensor, host: torch.Tensor) -> None:
    """Copies the host's values."""
    if target.is_contiguous():
        data = _bytes_of(host.to(target.dtype).expand(target.shape))
        target.owner.tape.upload(target.data_ptr(), data)
    else:
        copy(target, upload_new(target.owner, host.to(target.dtype)))


def upload_new(owner: Owner, host: torch.Tensor) -> DeviceTensor:
    """A tensor of the device with the host's values."""
    made = owner.scratch(torch.empty(host.shape, dtype=host.dtype, device="meta"))
    upload(made, host)
    return made


def read(tensor: torch.Tensor) -> torch.Tensor:
    """The tensor's values on the host."""
    if not isinstance(tensor, DeviceTensor):
        return tensor
    meta = tensor.meta
    if not meta.numel():
        return torch.empty(meta.shape, dtype=meta.dtype)
    span = 1 + sum((size - 1) * step for size, step in zip(meta.shape, meta.stride(), strict=True))
    data = tensor.owner.tape.read(tensor.data_ptr(), span * meta.element_size())
    return torch.frombuffer(bytearray(data), dtype=meta.dtype).as_strided(meta.shape, meta.stride()).clone()


def _clone(owner: Owner, tensor: DeviceTensor, memory_format: Any = torch.preserve_format) -> torch.Tensor:
    return copy(owner.scratch(torch.empty_like(tensor.meta, memory_format=memory_format)), tensor)


def _convert(owner: Owner, tensor: torch.Tensor, **how: Any) -> torch.Tensor:
    """to(), cpu() and cuda()."""
    dtype, device = how.get("dtype") or tensor.dtype, torch.device(how.get("device") or tensor.device)
    if not isinstance(tensor, DeviceTensor):
        return upload_new(owner, tensor.to(dtype))
    if device.type == "cpu":
        return read(tensor).to(dtype)
    return copy(owner.scratch(torch.empty_like(tensor.meta, dtype=dtype)), tensor)


def _refuse_resize(owner: Owner, *_: Any, **__: Any) -> None:
    hint = "allocate another with torch.empty()"
    owner.tape.refuse("torch.resize_", "an array of the device can't be resized", hint)


OPERATIONS: Mapping[Any, Callable[..., Any]] = {
    _aten.fill_.Scalar: lambda owner, target, value: fill(target, value),
    _aten.fill_.Tensor: lambda owner, target, value: fill(target, value),
    _aten.zero_.default: lambda owner, target: fill(target, 0),
    _aten.copy_.default: lambda owner, target, source, non_blocking=False: copy(target, source),
    _aten.clone.default: _clone,
    _aten._to_copy.default: _convert,
    _aten._local_scalar_dense.default: lambda owner, tensor: read(tensor).item(),
    _aten.resize_.default: _refuse_resize,
}
"""What PyTorch calls them, with their owner and its own arguments."""


def _bytes_of(host: torch.Tensor) -> bytes:
    flat = host.contiguous().flatten()
    return bytes(flat.view(torch.uint8).numpy().tobytes()) if flat.numel() else b""


def _is_dense(meta: torch.Tensor) -> bool:
    """Whether the elements fill one range without gaps, in whatever order."""
    expected = 1
    for step, size in sorted(zip(meta.stride(), meta.shape, strict=True)):
        if size == 1:
            continue
        if step != expected:
            return False
        expected *= size
    return True
