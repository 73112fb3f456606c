"""Prepares a program whose plans the judge records for timing: one plan per buffer set, on the set's arrays.

While it records, the judge asks for scratch, for variables, and for what earlier steps wrote; this module answers.
"""

from __future__ import annotations

import base64
import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from grader.plan.extents import Extents
from grader.problem import Problem
from grader.problem.harness import LaunchRefused
from grader.run.gpu.buffers import read_memory
from grader.run.gpu.device_code import load_module
from grader.run.gpu.refill import SOURCE, Refill
from grader.run.gpu.replay import Kernels, Replay
from grader.run.gpu.scratch import Scratch
from grader.run.gpu.timed import Addresses, Prepared, Started, inputs_of
from grader.run.gpu.timing import NOT_READY, POLL_SECONDS, Overtime
from grader.run.handover import Outputs
from grader.sandbox.serving import Message, by_name


class Recorded:
    """A `Prepare` for one program, whose launch code runs at the judge's.

    The judge is sent {"record": {"set": number, "addresses": …, **label}}. It may answer with requests `allocate`,
    `symbol` and `read`, as a runner gets them. At last it answers with {"do": "replay", "steps": …}, the steps that no
    read ran, or with {"do": "refuse", "message": …} if CUDA would refuse. `sigma` and `limit` are those of the timing.
    """

    replay = Replay
    """The class that launches recorded steps on the GPU."""

    def __init__(
        self,
        problem: Problem,
        sizes: Mapping[str, int],
        kernels: Kernels,
        outputs: Outputs,
        ask: Callable[[Message], Message],
        *,
        sigma: float,
        limit: float,
        **label: Any,
    ) -> None:
        self.problem, self.sizes, self.kernels, self.outputs = problem, sizes, kernels, outputs
        self.sigma, self.limit = sigma, limit
        self.variables: dict[str, tuple[int, int]] = {}
        """Address and size of the variables that an earlier set's plan asked for: they belong to all sets."""
        self._ask = ask
        self._label = label

    def __call__(self, number: int, addresses: Addresses) -> Prepared:
        recording = _Recording(self, addresses)
        answer = by_name(recording.allocate, recording.extend, recording.symbol, recording.read)
        told = self._ask({"record": {"set": number, "addresses": dict(addresses), **self._label}})
        while told["do"] not in ("replay", "refuse"):
            told = self._ask(answer(told))
        if told["do"] == "refuse":
            raise LaunchRefused(told["message"])
        replay = self.replay(self.kernels, [*recording.ran, *recording.checked(told["steps"])])

        def release() -> None:
            replay.free()
            recording.scratch.free()

        return Prepared(replay.enqueue_forked, recording.scratch.arrays, release)


class _Recording:
    """The recording of one buffer set, while it goes on. `ran` are the steps that ran for reads."""

    def __init__(self, owner: Recorded, addresses: Addresses) -> None:
        self.ran: list[Message] = []
        self._owner = owner
        self._addresses = addresses
        extents = self._extents = Extents()
        for name, array in (*owner.problem.inputs.items(), *owner.problem.outputs.items()):
            extents.add(name, addresses[name], array.nbytes(owner.sizes))
        for name, (address, size) in owner.variables.items():
            extents.add(name, address, size)
        self.scratch = Scratch(extents)

    def allocate(self, size: int) -> Message:
        return {"address": self.scratch.allocate(size)}

    def extend(self, image: str, symbols: Mapping[str, str]) -> Message:
        self._owner.kernels.extend(base64.b64decode(image), symbols)
        return {"kernels": self._owner.kernels.describe(symbols)}

    def symbol(self, name: str) -> Message:
        found = self._owner.kernels.variable(name)
        if found is None:
            return {"address": None}
        self._owner.variables[name] = found
        self._extents.add(name, *found)
        return {"address": found[0]}

    def read(self, steps: Sequence[Message], address: int, size: int, **_: Any) -> Message:
        """Runs the steps, on inputs like those of the replays, and hands the bytes over."""
        if not self.ran:
            self._fill()
        replay = self._owner.replay(self._owner.kernels, self.checked(steps))
        replay.enqueue(0)
        self._wait()
        replay.free()
        self.ran += steps
        self._extents.check("copy to the host", address, size)
        return {"data": self._owner.outputs.hand_over([("data", read_memory(address, size))])["data"]}

    def checked(self, steps: Sequence[Message]) -> Sequence[Message]:
        """Returns the steps. Raises Outside for one that reaches outside of the set's arrays, scratch and variables."""
        for step in steps:
            self.scratch.check_step(step)
        return steps

    def _fill(self) -> None:
        """Makes inputs, and outputs as replays find them."""
        import cupy

        owner, place = self._owner, self._addresses
        inputs, started = inputs_of(owner.problem, owner.sizes, place), Started(owner.problem, owner.sizes)
        refill = Refill(load_module(SOURCE), [inputs], [started.outputs_of(place)])
        # Another key than any replay's: no replay's inputs are known beforehand.
        refill.enqueue(cupy.cuda.Stream.null, secrets.randbits(64), owner.sigma)
        # The table of addresses is freed with the Refill, and the sources of copies with `started`.
        cupy.cuda.Device().synchronize()
        started.free()

    def _wait(self) -> None:
        from cupy.cuda import runtime

        began = time.monotonic()
        while runtime.streamQuery(0) == NOT_READY:
            if time.monotonic() - began > self._owner.limit:
                raise Overtime
            time.sleep(POLL_SECONDS)
        runtime.streamSynchronize(0)
