"""cuTile without a GPU: its own launch runs against a CUDA driver that writes down."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

from grader.plan.python.arrays import arguments_for
from grader.plan.python.cutile.arrays import array_of, as_argument
from grader.plan.python.cutile.compiler import Compiled, Tileiras, read_compiled
from grader.plan.python.cutile.libcuda import PlayedLibrary
from grader.plan.python.driver import Argument, Memo
from grader.plan.python.tape import Tape

_LOADER = "cuda.tile._load_libcuda"
"""The module of cuTile's that loads libcuda, at the first launch."""


class CutileDriver:
    """cuTile's side of the recording process. Files are written below the home folder only."""

    def __init__(self, memo: Memo) -> None:
        self._memo = memo
        scratch = Path(tempfile.mkdtemp(prefix="cutile-", dir=Path.home()))
        # cuTile reads these when it is imported, tileiras when it runs. Its cache does not know of the stand-in.
        os.environ.update(CUDA_TILE_CACHE_DIR="off", CUDA_TILE_TEMP_DIR=str(scratch), TMPDIR=str(scratch))
        import cuda.tile

        self._tile = cuda.tile
        self._compiler = Tileiras(scratch)

    def install(self, tape: Callable[[], Tape]) -> None:
        from cuda.tile import _cext, _compile

        library = PlayedLibrary(tape)
        loader = ModuleType(_LOADER)
        loader.cuGetProcAddress_v2_ptrptr = library.lookup_address  # type: ignore[attr-defined]
        sys.modules[_LOADER] = loader
        # cuTile asks it which version of the bytecode it reads.
        _compile._find_compiler_bin = self._compiler.binary

        def compile_kernel(kernel: Any, signature: Any, context: Any, capability: Any = None) -> Any:
            made = self._compiled(kernel, signature, tape())
            return library.image(made), made.symbol, None, ()

        def launch(stream: Any, grid: Any, kernel: Any, kernel_args: Any, /, **how: Any) -> None:
            library.raised = None
            try:
                usual(_stream(stream), grid, kernel, as_argument(kernel_args), **how)
            except Exception:
                if library.raised is not None:
                    raise library.raised from None
                raise

        usual = _cext.launch
        self._tile.kernel._compile = compile_kernel
        self._tile.launch = _cext.launch = launch
        self._tile.tune.exhaustive_search = _Tuner(self._memo, tape).search

    def call(self, module: ModuleType, arguments: list[Argument], tape: Tape) -> None:
        module.solve(*arguments_for(module, arguments, tape, array_of))

    def compile_failure(self, error: BaseException) -> tuple[str, int] | None:
        """The message and the line of an error of cuTile's compiler; None for any other."""
        if not isinstance(error, self._tile.TileError):
            return None
        message = str(getattr(error, "message", "") or error).strip()
        return message, getattr(error.loc, "line", 0) or 0

    def _compiled(self, kernel: Any, signature: Any, tape: Tape) -> Compiled:
        """The kernel for a signature: cuTile's bytecode is made each time, and compiled once."""
        from cuda.tile import _compile

        target = _compile.format_sm_arch(*tape.device.capability)
        options = kernel._compiler_options
        function = kernel._annotated_function
        made = _compile.compile_tile(function, (signature,), target, options, return_bytecode=True, return_cubin=False)
        bytecode = bytes(made.bytecode)
        key = ("cutile", bytecode, target, options.opt_level_for_target(target), tape.machine_code)
        if key not in self._memo:
            tape.compiling(function.pyfunc.__name__)
            ptx, cubin = self._compiler.compile(bytecode, target, options, tape.machine_code)
            self._memo[key] = read_compiled(function.pyfunc.__name__, ptx, cubin)
        found: Compiled = self._memo[key]
        return found


def _stream(stream: Any) -> int:
    """The handle of a stream: of torch's and CuPy's objects, of a number, and the default one for None."""
    for name in ("cuda_stream", "ptr", "handle"):
        stream = getattr(stream, name, stream)
    return int(stream or 0)


class _Tuner:
    """cuTile's tuner, which here has the judge time each configuration. Without a GPU the first one is the best."""

    def __init__(self, memo: Memo, tape: Callable[[], Tape]) -> None:
        self._memo = memo
        self._tape = tape

    def search(
        self,
        search_space: Any,
        stream: Any,
        grid_fn: Callable[[Any], Any],
        kernel: Any,
        args_fn: Callable[[Any], Any],
        hints_fn: Callable[[Any], Any] | None = None,
        **_: Any,
    ) -> Any:
        """Takes the place of `cuda.tile.tune.exhaustive_search`, with its parameters."""
        from cuda.tile.tune import Measurement, TuningResult

        if not len(search_space):
            raise ValueError("Search space is empty.")
        tuned = self._tape().machine_code
        chances = search_space if tuned else [next(iter(search_space))]
        results = [self._try(config, stream, grid_fn, kernel, args_fn, hints_fn) for config in chances]
        successes = [
            Measurement(config=config, mean_us=1e6 * found, num_samples=1, error_margin_us=0.0)
            for config, found in zip(chances, results, strict=True)
            if not isinstance(found, Exception)
        ]
        failures = [
            (config, type(found), str(found))
            for config, found in zip(chances, results, strict=True)
            if isinstance(found, Exception)
        ]
        if not successes:
            raise ValueError(f"No valid config found: {failures[0][2]}")
        best = min(successes, key=lambda one: one.mean_us)
        if tuned:
            self._tape().note(f"cuTile's tuner chose {best.config}")
        return TuningResult(best=best, successes=tuple(successes), failures=tuple(failures))

    def _try(
        self,
        config: Any,
        stream: Any,
        grid_fn: Callable[[Any], Any],
        kernel: Any,
        args_fn: Callable[[Any], Any],
        hints_fn: Callable[[Any], Any] | None,
    ) -> float | Exception:
        """The seconds of one launch, timed once for each kernel, configuration and shape of arguments, or an error of
        cuTile's compiler. 0 without a GPU."""
        from cuda import tile

        if not self._tape().machine_code:
            return 0.0
        chosen = kernel if isinstance(kernel, tile.kernel) else kernel(config)
        if hints_fn is not None:
            chosen = chosen.replace_hints(**hints_fn(config))
        grid, arguments = grid_fn(config), args_fn(config)
        shapes = str([getattr(one, "shape", one) for one in arguments])
        key = ("tuned", chosen._annotated_function.pyfunc.__name__, str(config), str(grid), shapes)
        if key not in self._memo:
            try:
                self._memo[key] = self._tape().time(lambda: tile.launch(stream, grid, chosen, arguments))
            except tile.TileError as error:
                refused: Exception = error
                return refused
        seconds: float = self._memo[key]
        return seconds
