"""Calls solve() of files in Python as their languages mean it, in a process of their own: without kgrade.

On a GPU that is the language's own launch, on arrays of PyTorch or numba. Without one, Triton and numba have
interpreters, which compute with NumPy: they show that a file is called rightly, not that bits are equal.
"""

from __future__ import annotations

import importlib.util
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import redirect_stdout, suppress
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from grader.core.verdict import LanguageName
from grader.machine.own_packages import packages_of

UNSET = 0xA5
"""The bytes of outputs before a run."""
ON_CPU: Mapping[str, str] = {"triton": "TRITON_INTERPRET", "numba": "NUMBA_ENABLE_CUDASIM"}
"""What lets a language interpret its kernels."""


class DirectRuns:
    """A process that calls files, started anew when it has failed or `seconds` have passed.

    It interprets unless `on_gpu`; then only files of `ON_CPU` can be called.
    """

    def __init__(self, on_gpu: bool, seconds: float = 120.0) -> None:
        self._on_gpu = on_gpu
        self._seconds = seconds
        self._process: Any = None
        self._channel: Connection | None = None

    def run(self, file: Path, language: str, arguments: Sequence[Any], outputs: Sequence[int]) -> list[Any]:
        """The outputs of a file: of the arguments, those at these places. Raises RuntimeError."""
        if not self._on_gpu and language not in ON_CPU:
            raise RuntimeError(f"{language} has no interpreter for files without a GPU")
        channel = self._channel or self._start()
        try:
            channel.send((str(file), language, list(arguments), list(outputs)))
            if not channel.poll(self._seconds):
                raise RuntimeError(f"the direct run took longer than {self._seconds:g} s")
            failure, found = channel.recv()
        except (EOFError, OSError) as error:
            self.close()
            raise RuntimeError(f"the process of the direct run ended: {error or type(error).__name__}") from None
        except RuntimeError:
            self.close()
            raise
        if failure:
            # What went wrong on a GPU stays wrong in its process.
            self.close()
            raise RuntimeError(failure)
        return list(found)

    def close(self) -> None:
        """Ends the process."""
        if self._channel is not None:
            self._channel.close()
            self._process.kill()
            self._process.join()
        self._channel = self._process = None

    def _start(self) -> Connection:
        here, there = get_context("spawn").Pipe()
        self._process = get_context("spawn").Process(target=_serve, args=(there, self._on_gpu), daemon=True)
        self._process.start()
        there.close()
        self._channel = here
        return here


def _serve(channel: Connection, on_gpu: bool) -> None:
    if not on_gpu:
        os.environ |= dict.fromkeys(ON_CPU.values(), "1")
    with suppress(EOFError):
        while True:
            file, language, arguments, outputs = channel.recv()
            try:
                if language == "cutile":
                    _find_tileiras()
                # What a file prints is nobody's answer.
                with redirect_stdout(sys.stderr):
                    answer = "", _call(Path(file), language, arguments, outputs, on_gpu)
            except Exception as error:
                answer = f"{type(error).__name__}: {str(error)[:300]}", []
            channel.send(answer)


def _find_tileiras() -> None:
    """Gives cuTile its compiler and ptxas, as kgrade has installed them, and no variable that names another CUDA."""
    from cuda.tile import _compile

    compiler, assembler = packages_of(LanguageName.CUTILE, for_gpu=True)
    path = os.pathsep.join([str(assembler.file.parent), os.environ["PATH"]])
    found = _compile._CompilerBinary(str(compiler.file), path, "", pass_cuda_home_var=False)
    _compile._find_compiler_bin = lambda: found


def _call(file: Path, language: str, arguments: Sequence[Any], outputs: Sequence[int], on_gpu: bool) -> list[Any]:
    import numpy as np

    spec = importlib.util.spec_from_file_location(f"worked_{file.stem}", file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    # Some languages look for the module of a function.
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    for place in outputs:
        arguments[place].view(np.uint8)[...] = UNSET
    give, take = (_gpu_arrays if on_gpu else _cpu_arrays)(language)
    given = [give(one) if isinstance(one, np.ndarray) else one for one in arguments]
    module.solve(*given)
    return [take(given[place]) for place in outputs]


Give, Take = Callable[[Any], Any], Callable[[Any], Any]


def _cpu_arrays(language: str) -> tuple[Give, Take]:
    if language == "numba":
        from numba import cuda

        return cuda.to_device, lambda array: array.copy_to_host()
    import torch

    return torch.from_numpy, lambda tensor: tensor.numpy()


def _gpu_arrays(language: str) -> tuple[Give, Take]:
    if language == "numba":
        from numba import cuda

        return cuda.to_device, lambda array: array.copy_to_host()
    import torch

    if language != "cute":
        return lambda array: torch.from_numpy(array).cuda(), lambda tensor: tensor.cpu().numpy()
    from cutlass.cute.runtime import from_dlpack

    tensors: dict[int, Any] = {}

    def give(array: Any) -> Any:
        tensor = torch.from_numpy(array).cuda()
        # As kgrade gives them: shapes that are not constants, aligned as an element is.
        made = from_dlpack(tensor, assumed_align=array.itemsize).mark_layout_dynamic(leading_dim=array.ndim - 1)
        tensors[id(made)] = tensor
        return made

    return give, lambda made: tensors[id(made)].cpu().numpy()
