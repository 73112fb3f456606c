"""The Plan: the steps that a submission's launch code asked for, in order, as plain data.

Addresses are those of the runner's own buffers, so a plan can be replayed as it is.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

from grader.core.report import Dim3

DEFAULT_STREAM = 0
"""CUDA's legacy default stream: it waits for all blocking streams, and they wait for it."""
NON_BLOCKING = 1 << 16
"""Stream numbers from here on are non-blocking: they do not synchronize with the default stream."""
ALL_STREAMS = -1
"""Means all streams in WaitEvent and Synchronize; in Alloc and Free: immediate, ordered with the host's calls."""
NO_CLUSTER: Dim3 = (0, 0, 0)
TENSOR_MAP_BYTES = 128
"""Size of a CUtensorMap (cuda.h)."""


@dataclass(frozen=True)
class TensorMap:
    """The arguments of cuTensorMapEncodeTiled; enumerations are cuda.h's numbers.

    `dims`, `box` and `element_strides` have `rank` entries, `strides` (in bytes) one fewer: the first dimension's
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
    """A tensor map that the runner writes into an argument: TENSOR_MAP_BYTES bytes at `offset`."""

    argument: int
    offset: int
    tensor_map: TensorMap


@dataclass(frozen=True)
class Launch:
    """One kernel launch. `arguments` holds the raw little-endian bytes of each argument, in the kernel's order.

    `kernel` is the kernel's name in the Program, in the solve form its symbol. `line` is the line of the launch.
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
    """Sets `size` bytes at `address` to `value` (0 to 255)."""

    address: int
    value: int
    size: int
    stream: int = DEFAULT_STREAM
    line: int | None = None


@dataclass(frozen=True)
class Copy:
    """Copies `size` bytes within device memory; source and target do not overlap."""

    target: int
    source: int
    size: int
    stream: int = DEFAULT_STREAM
    line: int | None = None


@dataclass(frozen=True)
class Upload:
    """Writes bytes of the host, as they were at the time of the call, to device memory."""

    target: int
    data: bytes
    stream: int = DEFAULT_STREAM
    line: int | None = None


@dataclass(frozen=True)
class Download:
    """The host read these bytes when the stream had reached this point. A replay does nothing here."""

    source: int
    size: int
    stream: int = DEFAULT_STREAM
    line: int | None = None


@dataclass(frozen=True)
class Alloc:
    """Scratch, new or freed earlier, is in use from here on; the runner has already allocated it.

    Memory of cudaMallocAsync may be used after this point of its stream, memory of cudaMalloc by all later steps.
    """

    address: int
    size: int
    line: int | None = None
    stream: int = ALL_STREAMS


@dataclass(frozen=True)
class Free:
    """Frees scratch: no later step may use it, nor any step that is not ordered before this point of its stream.

    In a replay, later steps wait for all earlier ones, as with cudaFree.
    """

    address: int
    line: int | None = None
    stream: int = DEFAULT_STREAM


@dataclass(frozen=True)
class RecordEvent:
    """From here on the event stands for all work submitted to the stream so far."""

    event: int
    stream: int = DEFAULT_STREAM


@dataclass(frozen=True)
class WaitEvent:
    """Later work of the stream waits for the event; an event that was never recorded causes no wait.

    With ALL_STREAMS the host waited (cudaEventSynchronize), so every later step comes after the event.
    """

    event: int
    stream: int = DEFAULT_STREAM


@dataclass(frozen=True)
class Synchronize:
    """The host waited for all work of this stream or of all streams: later steps of any stream come after it.

    Recorded for cudaStreamSynchronize, cudaDeviceSynchronize and cudaFree, and for each copy to the host.
    """

    stream: int = ALL_STREAMS


Step = Launch | Memset | Copy | Upload | Download | Alloc | Free | RecordEvent | WaitEvent | Synchronize


def with_line(step: Step, line: int | None) -> Step:
    """Returns the step with its source line set; events and synchronizations carry none and come back as they are."""
    return step if isinstance(step, (RecordEvent, WaitEvent, Synchronize)) else replace(step, line=line)


def uses_streams(steps: Iterable[Step]) -> bool:
    """Whether any step uses a stream other than the default stream."""
    return any(getattr(step, "stream", DEFAULT_STREAM) not in (DEFAULT_STREAM, ALL_STREAMS) for step in steps)


@dataclass(frozen=True)
class Plan:
    steps: tuple[Step, ...]


def step_to_json(step: Step) -> dict[str, Any]:
    """The step in the form sent to runner processes and replayed there; `do` names the kind of step."""
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
