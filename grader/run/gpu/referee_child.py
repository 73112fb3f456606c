"""The referee's process: makes inputs again on the GPU, computes the reference there in float64, and compares.

Only trusted code runs here: kgrade's own and the problem's. It reads outputs and writes nothing that others read.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from grader.check import check_case
from grader.core.errors import JudgeError
from grader.core.paths import place_cupy_cache
from grader.core.report import CaseResult, to_data
from grader.measure.samples import CANDIDATE
from grader.problem import Problem, load_problem
from grader.problem.cases import Case
from grader.problem.inputs import make_inputs
from grader.run.gpu.refill import Refill, replay_key
from grader.run.gpu.timed import inputs_of
from grader.run.gpu.timed_inputs import FAMILY, structure_of
from grader.run.handover import read_array
from grader.sandbox.serving import Message, by_name, child_connection, serve


class Checker:
    """Answers the judge's requests, one at a time."""

    def __init__(self) -> None:
        self._problem: Problem | None = None
        self._refill: Any = None
        self._operate = by_name(self.open, self.begin, self.check, self.check_kept)

    def answer(self, request: Message) -> Message:
        try:
            return self._operate(request)
        except JudgeError:
            raise
        except Exception as error:
            # A reference that CuPy cannot compute, too little memory, memory that cannot be shared: the CPU can check
            # these.
            self._give_back()
            return {"unable": f"{type(error).__name__}: {error}"}

    def open(self, folder: str) -> Message:
        self._problem = load_problem(Path(folder), trial=False)
        return {}

    def begin(self) -> Message:
        """Does what takes time once: starts CUDA, and checks small cases, which loads libraries."""
        from grader.run.gpu.rehearsal import rehearse, start_cuda

        assert self._problem is not None
        start_cuda()
        self._refill = _load_refill()
        for case, inputs in rehearse(self._problem):
            numbers = case.numbers(self._problem)
            expected = self._problem.expected(inputs, numbers)
            outputs = {name: o.stored(expected[name]) for name, o in self._problem.outputs.items()}
            self._result(numbers, case.family, case.seed, inputs, outputs, {}, {})
        return {}

    def check(
        self,
        sizes: Mapping[str, int],
        family: str,
        seed: int,
        changed: Mapping[str, Sequence[int]],
        file: str,
        offsets: Mapping[str, int],
    ) -> Message:
        from grader.run.gpu.philox import GpuPlace

        assert self._problem is not None
        arrays = self._read(sizes, file, offsets)
        inputs = make_inputs(self._problem, sizes, family, seed, GpuPlace())
        masks = {name: arrays[label] for name in self._problem.outputs if (label := f"unwritten {name}") in arrays}
        numbers = Case(sizes, family, seed).numbers(self._problem)
        return self._result(
            numbers, family, seed, inputs, arrays, masks, {name: tuple(index) for name, index in changed.items()}
        )

    def check_kept(
        self,
        sizes: Mapping[str, int],
        seed: int,
        sigma: float,
        structure: int,
        replay: int,
        buffer_set: int,
        handle: str,
    ) -> Message:
        from grader.run.gpu.mailbox import open_mailbox

        assert self._problem is not None
        told = self._problem.outputs
        with open_mailbox(handle, [array.nbytes(sizes) for array in told.values()]) as flat:
            outputs = {
                name: data.copy().view(array.dtype.numpy).reshape(array.shape(sizes))
                for (name, array), data in zip(told.items(), flat, strict=True)
            }
            # The mailbox is closed only when the copies are here.
            self._cupy().cuda.Device().synchronize()
        key = replay_key(seed, CANDIDATE, replay)
        inputs = self._make_timed(sizes, key, sigma, structure, buffer_set)
        return self._result(sizes, FAMILY, key, inputs, outputs, None, {})

    def _result(
        self,
        sizes: Mapping[str, int],
        family: str,
        seed: int,
        inputs: Mapping[str, Any],
        outputs: Mapping[str, Any],
        unwritten: Mapping[str, Any] | None,
        changed: Mapping[str, tuple[int, ...]],
    ) -> Message:
        assert self._problem is not None
        verdict, kind, message, checks = check_case(self._problem, sizes, family, inputs, outputs, unwritten, changed)
        own = {name: sizes[name] for name in self._problem.sizes}
        result = CaseResult(own, family, seed, verdict, kind, message=message, outputs=checks)
        return {"result": to_data(result)}

    def _make_timed(
        self, sizes: Mapping[str, int], key: int, sigma: float, structure: int, buffer_set: int
    ) -> dict[str, Any]:
        """Returns the inputs that one buffer set had in a timed replay."""
        cupy = self._cupy()
        assert self._problem is not None
        if self._refill is None:
            self._refill = _load_refill()
        made = {name: cupy.empty(a.shape(sizes), a.dtype.numpy) for name, a in self._problem.inputs.items()}
        for name, values in structure_of(self._problem, sizes, structure, buffer_set).items():
            made[name] = cupy.asarray(values)
        spans = inputs_of(self._problem, sizes, {name: array.data.ptr for name, array in made.items()})
        if any(span is not None for span in spans):
            Refill(self._refill, [spans], [], buffer_set).enqueue(cupy.cuda.get_current_stream(), key, sigma)
        # The table of addresses is freed with the Refill.
        cupy.cuda.Device().synchronize()
        return made

    def _read(self, sizes: Mapping[str, int], file: str, offsets: Mapping[str, int]) -> dict[str, Any]:
        cupy = self._cupy()
        assert self._problem is not None
        arrays = {}
        descriptor = os.open(file, os.O_RDONLY)
        try:
            for label, offset in offsets.items():
                output = self._problem.outputs[label.removeprefix("unwritten ")]
                here = np.empty(output.shape(sizes), bool if label.startswith("unwritten ") else output.dtype.numpy)
                read_array(descriptor, offset, here)
                arrays[label] = cupy.asarray(here)
        finally:
            os.close(descriptor)
        return arrays

    def _give_back(self) -> None:
        self._cupy().get_default_memory_pool().free_all_blocks()

    def _cupy(self) -> Any:
        import cupy

        return cupy


def _load_refill() -> Any:
    from grader.run.gpu.device_code import load_module
    from grader.run.gpu.refill import SOURCE

    return load_module(SOURCE)


def main() -> None:
    channel = child_connection()
    place_cupy_cache()
    # It takes half a second, which may pass before the first request.
    import cupy  # noqa: F401

    serve(Checker().answer, channel)


if __name__ == "__main__":
    main()
