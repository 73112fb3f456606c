"""The arrays that solve() is called with: torch's where the submission imports torch, else plain ones."""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import math
from collections.abc import Callable
from types import ModuleType
from typing import Any

from grader.plan.python.driver import ITEM_BYTES, Argument, DeviceArray
from grader.plan.python.tape import Tape


class PlainArray:
    """A C-contiguous array of the device, without memory behind it: what a kernel's launch needs to know of one."""

    def __init__(self, array: DeviceArray) -> None:
        self.shape = array.shape
        self.dtype = array.dtype
        self.ndim = len(array.shape)
        self.size = math.prod(array.shape)
        self.itemsize = ITEM_BYTES[array.dtype]
        self._address = array.address

    def data_ptr(self) -> int:
        """The address of the first element."""
        return self._address

    def numel(self) -> int:
        """The number of elements."""
        return self.size

    def stride(self, dimension: int | None = None) -> Any:
        """The strides in elements, or that of one dimension."""
        strides = tuple(math.prod(self.shape[place + 1 :]) for place in range(self.ndim))
        return strides if dimension is None else strides[dimension]

    def is_contiguous(self) -> bool:
        """Whether elements lie one behind the other: they do."""
        return True

    def element_size(self) -> int:
        """The size of an element in bytes."""
        return self.itemsize

    @property
    def strides(self) -> tuple[int, ...]:
        """The strides in elements."""
        found: tuple[int, ...] = self.stride()
        return found

    def __len__(self) -> int:
        return self.shape[0]


def load_torch() -> None:
    """Imports PyTorch, which takes seconds, with what records its calls; does nothing where it is not installed."""
    with contextlib.suppress(ModuleNotFoundError):
        importlib.import_module("grader.plan.python.torch.tensors")


def prepare_torch(text: str, tape: Callable[[], Tape]) -> None:
    """Makes PyTorch record what a submission of this text does with the device, if it does anything."""
    if "torch" in text and importlib.util.find_spec("torch") is not None:
        from grader.plan.python.torch.tensors import play_torch

        play_torch(tape)


def arguments_for(
    module: ModuleType, arguments: list[Argument], tape: Tape, plain: Callable[[DeviceArray], Any] = PlainArray
) -> list[Any]:
    """What solve() of this module is called with; `plain` makes its arrays where it does not import torch."""
    if not _knows_torch(module):
        return [plain(one) if isinstance(one, DeviceArray) else one.value for one in arguments]
    from grader.plan.python.torch.tensors import Tensors

    tensors = Tensors(lambda: tape)
    return [tensors.array(one) if isinstance(one, DeviceArray) else one.value for one in arguments]


def _knows_torch(module: ModuleType) -> bool:
    for value in vars(module).values():
        origin = value.__name__ if isinstance(value, ModuleType) else getattr(value, "__module__", None)
        if isinstance(origin, str) and origin.partition(".")[0] == "torch":
            return True
    return False
