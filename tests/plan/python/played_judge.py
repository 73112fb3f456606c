"""Calls of solve() without a sandbox and without a judge: what is recorded runs on the emulator as it is told."""

from __future__ import annotations

import importlib
import linecache
import sys
import traceback
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grader.plan.device_table import EMULATED
from grader.plan.python.driver import Argument, DeviceArray, Scalar
from grader.plan.python.tape import Device, Refusal, Tape
from grader.run.emulator.faults import Fault
from grader.run.emulator.memory import Memory
from grader.run.emulator.module import Module

ROOM = 256 << 20
"""Bytes of scratch that a call may have."""
Arrays = dict[str, NDArray[Any]]


@dataclass(frozen=True)
class Call:
    """One call of solve(). `arguments` are arrays, which are inputs, and numbers, in the order of the parameters; of
    the arrays, those in `outputs` are unwritten when the call begins."""

    arguments: Mapping[str, Any]
    outputs: tuple[str, ...] = ("output",)
    device: Device = field(default_factory=lambda: emulated())
    machine_code: bool = False


@dataclass(frozen=True)
class Played:
    """What came of a call: the arrays afterwards, the kernels' faults, what was told to the judge.

    `compiled` is how much was added to the memo. `refusal` is the call and message of a Refusal; `error` an
    exception's type and message, `failure` what the driver says of it as a compile error.
    """

    arrays: Arrays
    faults: tuple[Fault, ...]
    messages: list[dict[str, Any]]
    compiled: int
    refusal: tuple[str, str] | None = None
    error: tuple[str, str] | None = None
    failure: tuple[str, int] | None = None
    line: int = 0

    def steps(self, op: str) -> list[dict[str, Any]]:
        """All steps of one kind, in their order."""
        return [step for one in self.messages if one["op"] == "steps" for step in one["steps"] if step["op"] == op]

    def kernels(self) -> list[dict[str, Any]]:
        """All kernels that were told."""
        return [one for one in self.messages if one["op"] == "kernel"]


class PlayedJudge:
    """A Judge that carries out each message at once, in an emulated memory."""

    def __init__(self, memory: Memory, room: int, execute: bool = True) -> None:
        self.messages: list[dict[str, Any]] = []
        self.faults: list[Fault] = []
        self._memory, self._room, self._execute = memory, room, execute
        self._modules: dict[str, tuple[Module, str]] = {}
        self._answer = b""
        self._allocated = 0

    def receive(self) -> dict[str, Any]:
        return {"payload": self._answer.hex()}

    def send(self, message: Mapping[str, Any]) -> None:
        self.messages.append(dict(message))
        match message["op"]:
            case "kernel":
                self._modules[message["handle"]] = Module(message["ptx"], sanitize=True), message["symbol"]
            case "alloc":
                self._answer = self._allocate(message["size"])
            case "read":
                self._answer = self._memory.span(message["address"], message["size"]).tobytes()
            case "time":
                # More blocks take longer.
                self._answer = b"%d" % sum(1000 * step["grid"][0] for step in message["steps"])
            case "steps":
                for step in message["steps"]:
                    self._perform(step)

    def _allocate(self, size: int) -> bytes:
        if size > self._room:
            return f"full {size} bytes are more than the device has".encode()
        self._room -= size
        self._allocated += 1
        return f"address {self._memory.allocate(f'scratch {self._allocated}', size, 0xAA)}".encode()

    def _perform(self, step: Mapping[str, Any]) -> None:
        if self.faults or not self._execute:
            return
        memory = self._memory
        match step["op"]:
            case "launch":
                module, symbol = self._modules[step["kernel"]]
                arguments = [bytes.fromhex(one) for one in step["arguments"]]
                grid, block = tuple(step["grid"]), tuple(step["block"])
                shared, cooperative = step["shared"], step["cooperative"]
                result = module.launch(symbol, grid, block, arguments, memory, shared, cooperative=cooperative)
                self.faults += result.faults
            case "memset":
                memory.span(step["address"], step["size"])[:] = step["value"]
                memory.wrote(step["address"], step["size"])
            case "upload":
                data = bytes.fromhex(step["data"])
                memory.span(step["target"], len(data))[:] = np.frombuffer(data, np.uint8)
                memory.wrote(step["target"], len(data))
            case "copy":
                size = step["size"]
                memory.span(step["target"], size)[:] = memory.span(step["source"], size).copy()
                memory.copied(step["target"], step["source"], size)
            case "free":
                memory.free(step["address"])


def emulated(capability: tuple[int, int] = (8, 9)) -> Device:
    """The device that recordings see on the emulator, or one like it of another compute capability."""
    attributes = {**EMULATED.attributes, 75: capability[0], 76: capability[1]}
    return Device(EMULATED.name, EMULATED.total_memory, attributes)


def play(driver: str, file: Path, calls: Sequence[Call]) -> list[Played]:
    """Records calls of a submission's solve(), one after the other, with one driver, "module:class"."""
    module, _, name = driver.partition(":")
    memo: dict[Any, Any] = {}
    tapes: list[Tape] = []
    made = getattr(importlib.import_module(module), name)(memo)

    def current() -> Tape:
        if not tapes:
            raise Refusal("the import", "nothing is recorded yet", "call solve()")
        return tapes[-1]

    made.install(current)
    return [_one(made, file, call, memo, tapes) for call in calls]


def _one(driver: Any, file: Path, call: Call, memo: dict[Any, Any], tapes: list[Tape]) -> Played:
    memory = Memory()
    judge = PlayedJudge(memory, ROOM, execute=call.device.capability == (8, 9))
    tape = Tape(judge, call.device, call.machine_code, str(file))
    tapes.append(tape)
    arguments = [_argument(memory, name, value, name in call.outputs) for name, value in call.arguments.items()]
    before = len(memo)
    ending: dict[str, Any] = {}
    try:
        driver.call(imported(file), arguments, tape)
        tape.flush()
    except Refusal as refused:
        ending = {"refusal": (refused.call, refused.message), "line": _line(refused, file)}
    except Exception as error:
        failure = driver.compile_failure(error) if hasattr(driver, "compile_failure") else None
        ending = {"error": (type(error).__name__, str(error)), "failure": failure, "line": _line(error, file)}
    names = [name for name, value in call.arguments.items() if isinstance(value, np.ndarray)]
    arrays = {name: memory.read(name).copy() for name in names}
    return Played(arrays, tuple(judge.faults), judge.messages, len(memo) - before, **ending)


def imported(file: Path) -> ModuleType:
    """The submission as a module of its own."""
    module = ModuleType("submission")
    module.__file__ = str(file)
    sys.modules["submission"] = module
    linecache.checkcache(str(file))
    exec(compile(file.read_text(encoding="utf-8"), str(file), "exec"), module.__dict__)
    return module


def _argument(memory: Memory, name: str, value: Any, output: bool) -> Argument:
    if not isinstance(value, np.ndarray):
        kind = type(value).__name__
        return Scalar(name, kind, value)
    return DeviceArray(name, str(value.dtype), value.shape, memory.place(name, value, written=not output))


def _line(error: BaseException, file: Path) -> int:
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == str(file)]
    return lines[-1] or 0 if lines else 0
