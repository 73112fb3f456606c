"""The emulator as a Runner: what its process gets to know of a program, and what its runs are checked for.

How the process is started, asked and replaced is the same for every runner and is written elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from grader.compile.program import Program
from grader.core.limits import SANITIZED_THREADS, USUAL_LIMITS, Limits
from grader.core.plan import Launch, Plan, Step
from grader.core.report import FaultReport, KernelInfo
from grader.core.verdict import FaultClass, LanguageName
from grader.plan.runner import Run, RunnerStopped, RunStatus
from grader.run import head_start
from grader.run.child_runner import LOAD_SECONDS, ChildRunner, launch_names, symbols_of
from grader.run.confined import compute
from grader.run.object_cache import SHARED, ObjectCache, key_of
from grader.sandbox import Sandbox

MODULE = head_start.EMULATOR
COMPILERS_OWN = {LanguageName.TRITON: "global_smem"}
"""Shared memory that a language's compiler lays out. In Triton's, threads that hold one value each write it, rounded as
each computed it."""
CHECKS = (
    "accesses out of bounds of each array",
    "misaligned accesses",
    f"data races in shared and global memory, in launches of up to {SANITIZED_THREADS:,} threads",
    "reads of shared and global memory that nobody wrote, in such launches",
    "barriers that threads of a block reach at different places",
    "deadlocks",
)


class EmulatorRunner(ChildRunner):
    """Runs one submission on the emulator, in a sandbox. `cache`: the folder of translated kernels."""

    device: str = "emulator"
    checks: tuple[str, ...] = CHECKS
    shared_key = SHARED
    """The key of the object code that all its processes share."""
    # Its limits count CPU time, and it ends by itself at them. A busy machine gives it only a part of a second: with 4
    # a scan of 276,000 elements was killed beside twenty other programs.
    patience = 8.0

    def __init__(self, folder: Path, sandbox: Sandbox, cache: Path | None = None, module: str = MODULE) -> None:
        self._cache = ObjectCache(cache)
        self._key = ""
        self._translated: set[str] = set()
        super().__init__(folder, module, confinement=compute(sandbox, folder))

    def load(self, program: Program) -> tuple[KernelInfo, ...]:
        if not program.image and not program.script:
            message = "the file compiles for this GPU's own target alone, which the emulator does not know"
            fault = FaultReport(FaultClass.ILLEGAL_INSTRUCTION, message)
            raise RunnerStopped(RunStatus.FAULT, message, run=Run(RunStatus.FAULT, fault=fault))
        self._translated = set()
        kernels = super().load(program)
        if len(program.kernels) == 1:
            self._translate(symbols_of(program))
        return kernels

    def extend(self, program: Program) -> tuple[KernelInfo, ...]:
        added = super().extend(program)
        if added:
            # At once, while what is compiled belongs to this image.
            self._translate(symbols_of(program))
        return added

    def image_of(self, name: str) -> str:
        """The PTX of a loaded kernel, by the name that plans use; "" if there is none."""
        programs = () if self._program is None else (self._program, *self._more)
        return next((one.image for one in programs if name in launch_names(one)), "")

    def read(self, steps: Sequence[Step], address: int, size: int, limits: Limits = USUAL_LIMITS) -> bytes:
        self._translate_for(steps)
        return super().read(steps, address, size, limits)

    def execute(self, plan: Plan, limits: Limits) -> Run:
        self._translate_for(plan.steps)
        return super().execute(plan, limits)

    def _translate_for(self, steps: Sequence[Step]) -> None:
        # Of a library's many kernels, only those that are launched.
        self._translate(dict.fromkeys(step.kernel for step in steps if isinstance(step, Launch)))

    def _translate(self, names: Iterable[str]) -> None:
        """Translates kernels that are not translated yet, with a time limit of its own."""
        new = [name for name in names if name not in self._translated]
        if new:
            self._ask({"do": "translate", "kernels": new}, LOAD_SECONDS)
            self._translated.update(new)

    def _shared(self) -> dict[str, Any]:
        assert self._child is not None
        return {"objects": {} if self._child.is_forked else self._cache.load(self.shared_key)}

    def _image_of(self, program: Program) -> dict[str, Any]:
        # A process may have seen other kernels of the same script, which alone gets what they could have spoiled.
        known = key_of(self._module, f"{program.script}\0{program.image}", program.debug)
        self._key = known if program.kept else ""
        objects = self._cache.load(self._key) if self._key else {}
        return {"image": program.image, "symbols": symbols_of(program), "objects": objects}

    def _kind_of(self, program: Program) -> dict[str, Any]:
        return {"values": program.debug, "compilers_own": COMPILERS_OWN.get(program.language, "")}

    def _see(self, asked: str, answer: Mapping[str, Any]) -> None:
        key = self.shared_key if asked == "open" else self._key
        if "objects" in answer and key:
            # What is compiled when a problem opens has seen no submission; later code belongs to this image alone.
            self._cache.add(key, answer["objects"])
