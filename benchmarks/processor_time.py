"""Processor time of this process and all that it starts, however they are started, reaped and confined.

Children that nobody waits for, as those of a template, appear in no parent's times; the kernel's counter of tasks has
them too.
"""

from __future__ import annotations

import ctypes
import os
import platform
import struct
from pathlib import Path

_PERF_EVENT_OPEN = {"x86_64": 298, "aarch64": 241}
_SOFTWARE, _TASK_CLOCK = 1, 1
_INHERIT, _EXCLUDE_KERNEL = 1 << 1, 1 << 5
_ATTRIBUTES = struct.Struct("<IIQQQQQ")
"""perf_event_open(2), the start of struct perf_event_attr: type, size, config, period, samples, format, flags."""
_SIZE = 64
_CLOSE_ON_EXEC = 8


class ProcessorClock:
    """Counts from here on what this process and all processes and threads that it starts take; call it for seconds."""

    def __init__(self) -> None:
        self._events = [self._open(int(thread.name)) for thread in Path("/proc/self/task").iterdir()]

    def __call__(self) -> float:
        return sum(int.from_bytes(os.read(event, 8), "little") for event in self._events) * 1e-9

    @staticmethod
    def _open(thread: int) -> int:
        # Users may count only without what the kernel does, which a task's clock has in it all the same.
        flags = _INHERIT | _EXCLUDE_KERNEL
        attributes = _ATTRIBUTES.pack(_SOFTWARE, _SIZE, _TASK_CLOCK, 0, 0, 0, flags).ljust(_SIZE, b"\0")
        number = _PERF_EVENT_OPEN[platform.machine()]
        event = int(ctypes.CDLL(None, use_errno=True).syscall(number, attributes, thread, -1, -1, _CLOSE_ON_EXEC))
        if event < 0:
            raise SystemExit(f"the kernel counts no processor time here: {os.strerror(ctypes.get_errno())}")
        return event
