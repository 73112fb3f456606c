"""The judge's side of any runner's process: a Runner that starts, asks, stops and replaces a child.

It runs no device code itself. Only plain data comes back, and the outputs through shared memory.
"""

from __future__ import annotations

import re
import signal
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from grader.compile.program import Kernel, Program
from grader.core.limits import USUAL_LIMITS, Limits
from grader.core.plan import Plan, Step, step_to_json
from grader.core.report import FaultReport, KernelInfo
from grader.core.verdict import FaultClass, Form
from grader.plan.poison import Poison, find_poison
from grader.plan.runner import Remark, Run, RunnerStopped, RunStatus
from grader.run import head_start
from grader.run.handover import read_array
from grader.sandbox import Confinement
from grader.sandbox.children import Child, ChildDied, ChildFailed, ChildTimeout

if TYPE_CHECKING:
    from grader.problem import Problem

START_SECONDS = 30.0
"""What making inputs and the like may take: trusted work, late only on a loaded machine."""
OPEN_SECONDS = 240.0
"""What starting and reading the problem may take. A machine's first emulator compiles its routines there, which takes
20 s of a processor of its own; stopped on the way, it would keep nothing, and the next one would start as late."""
LOAD_SECONDS = 180.0
"""What loading and translating a program may take: half a megabyte of PTX, as Triton makes of products of floats, has
taken a loaded machine more than a minute."""
GRACE_SECONDS = 3.0
"""The child enforces the time limit itself, and then may know the line; it is killed only if it fails to."""
TIMED = (
    "load",
    "extend",
    "translate",
    "elapsed",
    "execute",
    "read",
    "measure",
    "go_on",
    "hand_over",
    "replay",
    "refuse",
)
"""Requests whose time counts as the submission's; the others are the judge's own work."""
STATUS = {
    "done": RunStatus.DONE,
    "fault": RunStatus.FAULT,
    "limit": RunStatus.TIME,
    "memory": RunStatus.MEMORY,
}


class ChildRunner:
    """Runs one submission in its own process, which is started at once.

    `module` is what the process runs, `environment` what it gets besides the few variables of every child;
    `confinement` and `scratch` are those of a Child.
    """

    device: str
    checks: tuple[str, ...]
    start_seconds = START_SECONDS
    open_seconds = OPEN_SECONDS
    grace_seconds = GRACE_SECONDS
    patience: float = 1.0
    """How many seconds of wall time a second of Limits may take."""
    when_killed = RunStatus.MEMORY
    """What it means that the system killed the process: here the submission's memory is that of the process."""

    loaded: dict[str, Kernel]
    """The kernels that are loaded, by the names that plans use."""

    def __init__(
        self,
        folder: Path,
        module: str,
        environment: Mapping[str, str] | None = None,
        confinement: Confinement | None = None,
        scratch: Sequence[Path] | None = None,
    ) -> None:
        self._folder = folder
        self._module = module
        self._environment = dict(environment or {})
        self._confinement = confinement
        self._scratch = scratch
        self._program: Program | None = None
        self._more: list[Program] = []
        self.loaded = {}
        self._problem: Problem | None = None
        self._poison = Poison.NAN
        self._sizes: Mapping[str, int] = {}
        self._child: Child | None = None
        self._unanswered: list[str] = []
        self._start()

    def load(self, program: Program) -> tuple[KernelInfo, ...]:
        if self._child is None:
            self._start()
        self._program, self._more, self.loaded = program, [], {}
        return self._add("load", program, self._kind_of(program))

    def extend(self, program: Program) -> tuple[KernelInfo, ...]:
        if self._program is None or launch_names(program).keys() <= self.loaded.keys():
            return ()
        self._more.append(program)
        return self._add("extend", program)

    def time(self, steps: Sequence[Step], limits: Limits = USUAL_LIMITS) -> float:
        return 0.0

    def _add(self, how: str, program: Program, kind: Mapping[str, Any] = {}) -> tuple[KernelInfo, ...]:
        """Sends the child a program by the request `how`."""
        answer = self._ask({"do": how, **self._image_of(program), **kind}, LOAD_SECONDS)
        names = launch_names(program)
        self.loaded.update(names)
        return tuple(KernelInfo(**{**kernel, "name": names[kernel["name"]].name}) for kernel in answer["kernels"])

    def prepare(
        self, problem: Problem, sizes: Mapping[str, int], family: str, seed: int, poison: Poison = Poison.NAN
    ) -> dict[str, int]:
        self.load_anew()
        self._problem, self._sizes, self._poison = problem, sizes, poison
        request = {"sizes": dict(sizes), "family": family, "seed": seed, "poison": str(poison)}
        return dict(self._ask({"do": "prepare", **request}, self.start_seconds)["addresses"])

    def load_anew(self) -> None:
        """Starts a new process with the same program if the last one has ended."""
        if self._child is None:
            if self._program is None:
                self._start()
            else:
                more = self._more
                self.load(self._program)
                for program in more:
                    self.extend(program)

    def allocate(self, size: int) -> int | None:
        address = self._ask({"do": "allocate", "size": size}, self.start_seconds)["address"]
        return None if address is None else int(address)

    def symbol(self, name: str) -> int | None:
        address = self._ask({"do": "symbol", "name": name}, self.start_seconds)["address"]
        return None if address is None else int(address)

    def read(self, steps: Sequence[Step], address: int, size: int, limits: Limits = USUAL_LIMITS) -> bytes:
        request = {"do": "read", "steps": [step_to_json(step) for step in steps], **asdict(limits)}
        answer = self._ask({**request, "address": address, "size": size}, self._wall_seconds(limits))
        return self.read_bytes(answer, size)

    def read_bytes(self, answer: Mapping[str, Any], size: int) -> bytes:
        """Returns the `size` bytes that answer a `read`. Raises RunnerStopped with the Run that stopped it."""
        if "data" not in answer:
            run = self.run_of(answer)
            raise RunnerStopped(run.status, run.message, run=run)
        import numpy as np

        assert self._child is not None
        data = np.empty(size, np.uint8)
        read_array(self._child.memory, answer["data"], data)
        return data.tobytes()

    def execute(self, plan: Plan, limits: Limits) -> Run:
        request = {"do": "execute", "steps": [step_to_json(step) for step in plan.steps], **asdict(limits)}
        return self.run_of(self._ask(request, self._wall_seconds(limits)))

    def _wall_seconds(self, limits: Limits) -> float:
        return limits.seconds * self.patience + self.grace_seconds

    def run_of(self, answer: Mapping[str, Any]) -> Run:
        """Returns the child's answer as a Run."""
        outputs = self._read_prepared(answer.get("outputs", {}))
        names = {handle: kernel.name for handle, kernel in self.loaded.items()}
        return Run(
            status=STATUS[answer["status"]],
            fault=_fault_report(answer["fault"], names) if answer.get("fault") else None,
            outputs=outputs,
            unwritten={name: find_poison(array, self._poison) for name, array in outputs.items()},
            changed={name: tuple(index) for name, index in answer.get("changed", {}).items()},
            lines=tuple(line for line in answer.get("lines", ()) if line),
            instructions=answer.get("instructions"),
            printed=answer.get("printed", ""),
            occupancy={names.get(name, name): tuple(found) for name, found in answer.get("occupancy", {}).items()},
            seconds=answer.get("seconds", 0.0),
            message=answer.get("message", ""),
            remarks=tuple(Remark(**remark) for remark in answer.get("remarks", ())),
            in_no_order=answer.get("in_no_order", False),
        )

    def kill(self) -> None:
        """Kills the process without waiting for its end; `close` waits."""
        if self._child is not None:
            self._child.kill()

    def close(self) -> None:
        self._unanswered.clear()
        if self._child is not None:
            self._child.close()
            self._child = None

    def _image_of(self, program: Program) -> dict[str, Any]:
        """Returns what `load` sends the child about the program."""
        raise NotImplementedError

    def _kind_of(self, program: Program) -> dict[str, Any]:
        """Returns what `load` sends besides, which holds for all that is added to the program later."""
        return {}

    def _new_child(self) -> Child:
        return head_start.take(self._module, self._environment, self._confinement, self._scratch)

    def _shared(self) -> dict[str, Any]:
        """Returns what `open` sends the child besides its folder."""
        return {}

    def _see(self, asked: str, answer: Mapping[str, Any]) -> None:
        """Sees each answer first, with the name of its request."""

    def _start(self) -> None:
        # The problem is opened without waiting, so that it loads while the submission compiles.
        self._child = self._new_child()
        folder = self._child.shown(self._folder.resolve())
        self._ask_later({"do": "open", "folder": str(folder), **self._shared()})

    def _ask_later(self, request: Mapping[str, Any]) -> None:
        """Sends a request whose answer carries no data; the next request waits for it."""
        assert self._child is not None
        self._child.send(request, self.open_seconds)
        self._unanswered.append(request["do"])

    def _ask(self, request: Mapping[str, Any], seconds: float) -> dict[str, Any]:
        """Sends a request and returns its answer. Raises RunnerStopped.

        Any failure ends this process; `prepare` starts the next.
        """
        if self._child is None:
            raise RunnerStopped(RunStatus.CRASHED, f"the process of {self._module} has ended")
        timed = False
        try:
            while self._unanswered:
                self._see(self._unanswered[0], self._child.receive(self.open_seconds))
                del self._unanswered[0]
            timed = request["do"] in TIMED
            self._child.send(request)
            answer = self._child.receive(seconds)
            self._see(request["do"], answer)
            if "error" in answer:
                raise RunnerStopped(RunStatus.MEMORY, answer["error"])
        except BaseException as error:
            # Ctrl-C too: a late answer must never be taken for that of the next request.
            self.close()
            if isinstance(error, ChildTimeout) and timed:
                raise RunnerStopped(RunStatus.TIME, f"no end after {seconds:.0f} s") from None
            if isinstance(error, ChildDied) and error.signal is signal.SIGKILL:
                # kgrade kills no child that it waits for; the system does when memory runs out.
                message = "the system ended it, most likely because memory ran out"
                raise RunnerStopped(self.when_killed, message) from None
            if isinstance(error, (ChildTimeout, ChildDied, ChildFailed)):
                raise RunnerStopped(RunStatus.CRASHED, error.message, error.hint) from None
            raise
        return answer

    def read_outputs(self, problem: Problem, sizes: Mapping[str, int], offsets: Mapping[str, int]) -> dict[str, Any]:
        """Returns the output arrays that the child handed over at these offsets."""
        import numpy as np

        outputs = {}
        for name, offset in offsets.items():
            assert self._child is not None
            array = problem.outputs[name]
            outputs[name] = np.empty(array.shape(sizes), array.dtype.numpy)
            read_array(self._child.memory, offset, outputs[name])
        return outputs

    def _read_prepared(self, offsets: Mapping[str, int]) -> dict[str, Any]:
        if not offsets:
            return {}
        assert self._problem is not None
        return self.read_outputs(self._problem, self._sizes, offsets)


def launch_names(program: Program) -> dict[str, Kernel]:
    """Returns the kernels by the name that plans use: the symbol in the solve form, where names may repeat."""
    return {kernel.handle if program.form is Form.SOLVE else kernel.name: kernel for kernel in program.kernels}


def symbols_of(program: Program) -> dict[str, str]:
    """Returns each kernel's symbol by the name that plans use, in the form sent to the runner's process."""
    return {name: kernel.symbol for name, kernel in launch_names(program).items()}


def _fault_report(fields: Mapping[str, Any], names: Mapping[str, str]) -> FaultReport:
    """Returns the child's fault as a FaultReport, with kernels by their `names` in the source."""
    known = {name: value for name, value in fields.items() if value is not None}
    # There are two if two launches conflict. One symbol may be a prefix of another, and a name may hold a symbol.
    if names:
        symbols = "|".join(re.escape(symbol) for symbol in sorted(names, key=len, reverse=True))
        known["message"] = re.sub(symbols, lambda found: names[found[0]], known["message"])
    known["kernel"] = names.get(known.get("kernel", ""), known.get("kernel", ""))
    for name in ("block", "thread"):
        if name in known:
            known[name] = tuple(known[name])
    known["fault"] = FaultClass(fields["fault"])
    known["line"] = fields.get("line") or None
    return FaultReport(**known)
