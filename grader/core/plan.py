"""The Plan: the ordered steps that a submission's launch code asked for, as plain data.

Addresses are those of the runner's own buffers, so a plan is replayed as it stands.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

from grader.core.report import Dim3

DEFAULT_STREAM = 0
"""CUDA's legacy default stream: it waits for all other streams, and they wait for it."""
NON_BLOCKING = 1 << 16
"""The numbers of streams that the default stream does not wait for, nor they for it, begin here."""
ALL_STREAMS = -1
"""In WaitEvent and Synchronize: all of them. In Alloc and Free: the host's, at once."""
NO_CLUSTER: Dim3 = (0, 0, 0)
TENSOR_MAP_BYTES = 128
"""The size of a CUtensorMap (cuda.h)."""


@dataclass(frozen=True)
class TensorMap:
    """What cuTensorMapEncodeTiled was called with. The words are the numbers of cuda.h's enumerations.

    `dims`, `box` and `element_strides` have `rank` entries, `strides` (in bytes) one less: the first dimension's
    stride is the size of an element.
    """

    dtype: int
    rank: int
    address: int
    dims: tuple[int, ...]
    strides: tuple[int, ...]
    box: tuple[int, ...]
    element_strides: tuple[int, ...]
    interleave: int = 0
    swizzle: int = 0
    l2: int = 0
    oob: int = 0


@dataclass(frozen=True)
class PlacedTensorMap:
    """A tensor map that the runner writes over TENSOR_MAP_BYTES bytes of an argument, from `offset` on."""

    argument: int
    offset: int
    tensor_map: TensorMap


@dataclass(frozen=True)
class Launch:
    """One kernel launch. `arguments` holds each argument's raw bytes, little-endian, in the kernel's order.

    `kernel` is a name of the Program's: in the solve form the symbol. `line` is where the source launches it.
    """

    kernel: str
    grid: Dim3
    block: Dim3
    shared_bytes: int
    arguments: tuple[bytes, ...]
    stream: int = DEFAULT_STREAM
    cooperative: bool = False
    cluster: Dim3 = NO_CLUSTER
    tensor_maps: tuple[PlacedTensorMap, ...] = ()
    line: int | None = None


@dataclass(frozen=True)
class Memset:
    """`size` bytes from `address` on are set to `value` (0 to 255)."""

    address: int
    value: int
    size: int
    stream: int = DEFAULT_STREAM
    line: int | None = None


@dataclass(frozen=True)
class Copy:
    """`size` bytes are copied from one place in device memory to another; the two do not overlap."""

    target: int
    source: int
    size: int
    stream: int = DEFAULT_STREAM
    line: int | None = None


@dataclass(frozen=True)
class Upload:
    """Bytes of the host, as they were at the call, are written to device memory."""

    target: int
    data: bytes
    stream: int = DEFAULT_STREAM
    line: int | None = None


@dataclass(frozen=True)
class Download:
    """The host has read these bytes, when the stream had come so far: to a replay nothing but a place in the order."""

    source: int
    size: int
    stream: int = DEFAULT_STREAM
    line: int | None = None


@dataclass(frozen=True)
class Alloc:
    """Scratch that the runner has given already, from here on in use: new, or freed before. `line` asks for it.

    What cudaMallocAsync gives may be used after this point of its stream, what cudaMalloc gives by all later steps.
    """

    address: int
    size: int
    line: int | None = None
    stream: int = ALL_STREAMS


@dataclass(frozen=True)
class Free:
    """Scratch that no later step may use, nor one that this point of its stream does not come after.

    In a replay later steps wait for all earlier ones, as with cudaFree.
    """

    address: int
    line: int | None = None
    stream: int = DEFAULT_STREAM


@dataclass(frozen=True)
class RecordEvent:
    """The event stands from here on for all work so far of the stream."""

    event: int
    stream: int = DEFAULT_STREAM


@dataclass(frozen=True)
class WaitEvent:
    """Later work of the stream waits for what the event stands for; an event never recorded stands for nothing.

    With ALL_STREAMS it is the host that waited (cudaEventSynchronize), so that every later step comes after.
    """

    event: int
    stream: int = DEFAULT_STREAM


@dataclass(frozen=True)
class Synchronize:
    """The host waited for all work so far of the stream, or of all: every later step of any stream comes after.

    It comes of cudaStreamSynchronize, cudaDeviceSynchronize and cudaFree, and of each copy to the host.
    """

    stream: int = ALL_STREAMS


Step = Launch | Memset | Copy | Upload | Download | Alloc | Free | RecordEvent | WaitEvent | Synchronize


def with_line(step: Step, line: int | None) -> Step:
    """The step with the line that asks for it, where it has one."""
    return step if isinstance(step, (RecordEvent, WaitEvent, Synchronize)) else replace(step, line=line)


def uses_streams(steps: Iterable[Step]) -> bool:
    """Whether some step is on another stream than the default one."""
    return any(getattr(step, "stream", DEFAULT_STREAM) not in (DEFAULT_STREAM, ALL_STREAMS) for step in steps)


@dataclass(frozen=True)
class Plan:
    steps: tuple[Step, ...]


def step_to_json(step: Step) -> dict[str, Any]:
    """A step as plain data: as a child is told it, and as it is replayed. Its `do` says which step it is."""
    return _TOLD[type(step)](step)


def _launch(step: Launch) -> dict[str, Any]:
    return {
        "do": "launch",
        "kernel": step.kernel,
        "grid": step.grid,
        "block": step.block,
        "shared_bytes": step.shared_bytes,
        "arguments": [argument.hex() for argument in step.arguments],
        "stream": step.stream,
        "line": step.line,
        "cooperative": step.cooperative,
        "cluster": step.cluster,
        "tensor_maps": [
            {"argument": placed.argument, "offset": placed.offset, "map": vars(placed.tensor_map)}
            for placed in step.tensor_maps
        ],
    }


def _upload(step: Upload) -> dict[str, Any]:
    data = base64.b64encode(step.data).decode()
    return {"do": "upload", **vars(step), "data": data}


_TOLD: dict[type, Callable[[Any], dict[str, Any]]] = {
    Launch: _launch,
    Upload: _upload,
    Memset: lambda step: {"do": "memset", **vars(step)},
    Copy: lambda step: {"do": "copy", **vars(step)},
    Download: lambda step: {"do": "download", **vars(step)},
    Alloc: lambda step: {"do": "alloc", **vars(step)},
    Free: lambda step: {"do": "free", **vars(step)},
    RecordEvent: lambda step: {"do": "record_event", **vars(step)},
    WaitEvent: lambda step: {"do": "wait_event", **vars(step)},
    Synchronize: lambda step: {"do": "synchronize", **vars(step)},
}
