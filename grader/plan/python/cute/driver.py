"""CuTe DSL without a GPU: its compiler as it is, and its host code on a runtime that records."""

from __future__ import annotations

import hashlib
import inspect
import linecache
import re
import traceback
import warnings
from collections.abc import Callable, Hashable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

from cutlass.base_dsl.common import DSLBaseError, DSLCudaRuntimeError
from cutlass.base_dsl.dsl import BaseDSL
from cutlass.base_dsl.runtime.jit_arg_adapters import is_arg_annotation_constexpr
from cutlass.cute import runtime as arguments_of_cute

from grader.plan.python.cute.compiler import Compiled, architecture, play_compiler
from grader.plan.python.cute.cuda_bindings import play_bindings
from grader.plan.python.cute.runtime import HostRuntime
from grader.plan.python.cute.tensors import described, tensor_of
from grader.plan.python.driver import Argument, DeviceArray, Memo
from grader.plan.python.tape import Refusal, Tape

_COLORS = re.compile(r"\x1b\[[0-9;]*m")


class CuteDriver:
    """CuTe DSL's side of the recording process."""

    def __init__(self, memo: Memo) -> None:
        self._memo = memo
        self._alive: list[Any] = []
        self._made: list[Compiled] = []

    def install(self, tape: Callable[[], Tape]) -> None:
        # It says so of each function that cute.compile() is called with.
        warnings.filterwarnings("ignore", message="Cache is disabled")
        play_bindings(tape)
        play_compiler(HostRuntime(tape), self._memo, tape, self._made)
        self._take_arrays()

    def call(self, module: ModuleType, arguments: list[Argument], tape: Tape) -> None:
        # A description has to live as long as the tensors made of it. Those of the last call are done with.
        self._alive.clear()
        given = [tensor_of(one) if isinstance(one, DeviceArray) else one.value for one in arguments]
        try:
            self._solve(module, given, tape)
        except Exception as error:
            refused = next((one for one in _behind(error) if isinstance(one, Refusal)), None)
            if refused is None or refused is error:
                raise
            raise refused from None

    def _solve(self, module: ModuleType, given: list[Any], tape: Tape) -> None:
        """Calls solve(), or what it was compiled to for arguments of these types, which saves tracing it again."""
        if not _is_traced(module.solve):
            module.solve(*given)
            return
        key = _key(module, given, tape)
        if key in self._memo:
            self._memo[key](*given)
            return
        self._made.clear()
        recorded = tape.count
        module.solve(*given)
        # What a trace itself records, such as an allocation, is not in the function.
        if len(self._made) == 1 and self._made[0].recorded == recorded:
            self._memo[key] = self._made[0].function

    def compile_failure(self, error: BaseException) -> tuple[str, int] | None:
        """The message and the line of an error of the DSL, of its compiler, or of a function that it traces; None for
        any other. The line is 0 if only the traceback has it."""
        if isinstance(error, DSLCudaRuntimeError):
            return None
        if not isinstance(error, DSLBaseError):
            return (f"{type(error).__name__}: {error}", 0) if _in_trace(error) else None
        told = [error.message, *([error.cause] if error.cause is not None else [])]
        words = [_COLORS.sub("", str(one)).strip() for one in told]
        # An author is looked for outside of the DSL, and may be found here.
        line = error.line if Path(error.filename or "").parent != Path(__file__).parent else 0
        return ": ".join(word for word in words if word) or type(error).__name__, line or 0

    def _take_arrays(self) -> None:
        """Lets from_dlpack() and calls take what other frameworks have on the device: tensors.described()."""
        alive, usual = self._alive, arguments_of_cute._Tensor.__init__

        def init(self: Any, tensor: object, *args: Any, **kwargs: Any) -> None:
            known = described(tensor)
            alive.append(known)
            usual(self, tensor if known is None else known, *args, **kwargs)
            # As DLPack's capsule does: the framework frees what nobody refers to.
            self.kgrade_owner = tensor

        arguments_of_cute._Tensor.__init__ = init


def _is_traced(solve: Any) -> bool:
    """Whether it is a @cute.jit function that is compiled for types alone, not for values."""
    function: Any = getattr(solve, "__wrapped__", None)
    if getattr(function, "_decorator_kind", "") != "jit":
        return False
    found = inspect.signature(function, eval_str=True).parameters.items()
    return not any(
        is_arg_annotation_constexpr(one.annotation, name, place, None) for place, (name, one) in enumerate(found)
    )


def _key(module: ModuleType, given: list[Any], tape: Tape) -> Hashable:
    """All that decides what solve() is compiled to."""
    # The text need not be in a file.
    text = "".join(linecache.getlines(str(module.__file__))).encode()
    types = [getattr(one, "__cache_key__", type(one).__name__) for one in given]
    return "cute solve", hashlib.sha256(text).hexdigest(), str(types), architecture(tape), tape.machine_code


def _behind(error: BaseException | None) -> Iterator[BaseException]:
    """An error and those that led to it."""
    while error is not None:
        yield error
        error = getattr(error, "cause", None) or error.__cause__ or error.__context__


def _in_trace(error: BaseException) -> bool:
    """Whether an exception comes from a function that the DSL called for its operations, not for its effect."""
    frames = traceback.walk_tb(error.__traceback__)
    return any(frame.f_code is BaseDSL.generate_original_ir.__code__ for frame, _ in frames)
