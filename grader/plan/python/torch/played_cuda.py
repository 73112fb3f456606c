"""torch.cuda as a submission sees it: that of the device which this process plays."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NoReturn

import torch

from grader.plan.python.tape import Tape

MULTIPROCESSORS, THREADS_PER_SM, THREADS_PER_BLOCK, L2_BYTES = 16, 39, 1, 38
CLOCK_RATE, MEMORY_CLOCK_RATE, MEMORY_BUS_WIDTH = 13, 36, 37
SHARED_BYTES, SHARED_BYTES_OPTIN, SHARED_BYTES_PER_SM, REGISTERS_PER_SM = 8, 97, 81, 82
"""The numbers of CUdevice_attribute (cuda.h)."""
_REFUSED = {
    "Stream": ("solve() makes a stream", "launch on the default stream"),
    "Event": ("solve() makes an event", "leave the measuring to kgrade"),
    "CUDAGraph": ("solve() makes a graph", "launch the kernels one by one"),
}


class Stream:
    """The default stream."""

    cuda_stream = 0

    def __init__(self, tape: Callable[[], Tape]) -> None:
        self.device = torch.device("cuda", 0)
        self._tape = tape

    def synchronize(self) -> None:
        """Records that the host waits for it."""
        self._tape().synchronize(0)

    def wait_stream(self, stream: Stream) -> None:
        """Nothing: there is one stream, and it is in order."""

    def query(self) -> bool:
        """Whether all work is done, as far as the host can see: a plan runs when solve() has returned."""
        return True

    def record_event(self, event: object = None) -> NoReturn:
        """Refused, as events are."""
        _refuse(self._tape, "Event")


class Properties:
    """What torch.cuda.get_device_properties() answers."""

    warp_size = 32

    def __init__(self, tape: Tape) -> None:
        device, known = tape.device, tape.device.attributes
        self.name, self.total_memory = device.name, device.memory
        self.major, self.minor = device.capability
        self.multi_processor_count = known.get(MULTIPROCESSORS, 0)
        self.max_threads_per_multi_processor = known.get(THREADS_PER_SM, 0)
        self.max_threads_per_block = known.get(THREADS_PER_BLOCK, 0)
        self.clock_rate, self.memory_clock_rate = known.get(CLOCK_RATE, 0), known.get(MEMORY_CLOCK_RATE, 0)
        self.memory_bus_width = known.get(MEMORY_BUS_WIDTH, 0)
        self.shared_memory_per_block = known.get(SHARED_BYTES, 0)
        self.shared_memory_per_block_optin = known.get(SHARED_BYTES_OPTIN, 0)
        self.shared_memory_per_multiprocessor = known.get(SHARED_BYTES_PER_SM, 0)
        self.regs_per_multiprocessor = known.get(REGISTERS_PER_SM, 0)
        self.L2_cache_size = known.get(L2_BYTES, 0)


def play_cuda(tape: Callable[[], Tape]) -> None:
    """Makes torch.cuda speak of the device of the tape that is recorded."""
    answers: Mapping[str, Callable[..., Any]] = {
        "is_available": lambda: True,
        "_lazy_init": lambda: None,
        "is_initialized": lambda: True,
        "init": lambda: None,
        "device_count": lambda: 1,
        "current_device": lambda: 0,
        "set_device": lambda device: None,
        # What "with torch.cuda.device(...)" calls.
        "_exchange_device": lambda device: 0,
        "_maybe_exchange_device": lambda device: 0,
        "synchronize": lambda device=None: tape().synchronize(),
        "current_stream": lambda device=None: Stream(tape),
        "default_stream": lambda device=None: Stream(tape),
        # What "with torch.cuda.stream(...)" calls: any stream is the default one.
        "set_stream": lambda stream: None,
        "empty_cache": lambda: None,
        "reset_peak_memory_stats": lambda device=None: None,
        "mem_get_info": lambda device=None: (tape().device.memory, tape().device.memory),
        "get_device_capability": lambda device=None: tape().device.capability,
        "get_device_name": lambda device=None: tape().device.name,
        "get_device_properties": lambda device=None: Properties(tape()),
        **{name: _refusing(tape, name) for name in _REFUSED},
    }
    for name, answer in answers.items():
        setattr(torch.cuda, name, answer)
    for name in ("range_push", "range_pop", "mark"):
        # Names for a profiler, which there is none of.
        setattr(torch.cuda.nvtx, name, lambda *_: None)


def _refusing(tape: Callable[[], Tape], name: str) -> Callable[..., NoReturn]:
    return lambda *_, **__: _refuse(tape, name)


def _refuse(tape: Callable[[], Tape], name: str) -> NoReturn:
    tape().refuse(f"torch.cuda.{name}", *_REFUSED[name])
