"""Makes a Plan from a problem's `solve()`: the interface through which it says how its kernel is launched.

It records launches and memsets as plain data and checks them; it runs nothing and needs no GPU. A mistake of the
problem's author is a ProblemError; a launch that CUDA would refuse because of a submission's constant is a
LaunchRefused.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING, Any

from grader.core.errors import KgradeError, ProblemError
from grader.core.plan import Launch, Memset, Plan, Step

if TYPE_CHECKING:
    from grader.core.report import Dim3
    from grader.problem.definition import Problem
    from grader.problem.parameters import DType

MOST_THREADS = 1024
MOST_SHARED = 48 * 1024
MOST_BLOCK: Dim3 = (1024, 1024, 64)
MOST_GRID: Dim3 = (2**31 - 1, 65535, 65535)
"""Limits of compute capability 5.0 to 12.x (CUDA C++ Programming Guide, technical specifications)."""

PACKING = {
    "bool": "<?",
    "char": "<b",
    "signed char": "<b",
    "unsigned char": "<B",
    "short": "<h",
    "unsigned short": "<H",
    "int": "<i",
    "unsigned": "<I",
    "unsigned int": "<I",
    "long": "<q",
    "long long": "<q",
    "unsigned long": "<Q",
    "unsigned long long": "<Q",
    "size_t": "<Q",
    "float": "<f",
    "double": "<d",
}
"""struct formats of scalar arguments, by C type on 64-bit Linux."""


class LaunchRefused(Exception):
    """A launch that CUDA would refuse: an outcome of the submission, so no KgradeError.

    `constants` are the launch constants used up to then.
    """

    def __init__(self, message: str, constants: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.message = message
        self.constants = tuple(constants)


@dataclass(frozen=True)
class Buffer:
    """The handle of an array in device memory, which `solve()` passes on to the kernel."""

    name: str
    address: int
    shape: tuple[int, ...]
    dtype: DType

    @property
    def nbytes(self) -> int:
        return prod(self.shape) * self.dtype.itemsize


class Launcher:
    """The `launch` argument of `solve()`: each call records a launch of the kernel."""

    def __init__(
        self, kernel: str, parameters: Sequence[tuple[str, str]], constants: Mapping[str, int], where: str
    ) -> None:
        self.steps: list[Step] = []
        self.used: dict[str, int] = {}
        self._kernel = kernel
        self._parameters = parameters
        self._constants = constants
        self._where = where

    def constant(self, name: str) -> int:
        """The launch constant `name`: the submission's own `#define`, else the problem's default."""
        if name not in self._constants:
            known = ", ".join(self._constants) or "none"
            raise self._mistake(f"constant {name!r} is not declared; declared are: {known}")
        value = self._constants[name]
        self.used[name] = value
        if value < 1:
            raise LaunchRefused(f"{name} is {value}; a launch needs at least 1", [name])
        return value

    def memset(self, buffer: Buffer, value: int = 0) -> None:
        """Sets every byte of the buffer to `value`, before the launches that follow."""
        if not isinstance(buffer, Buffer):
            raise self._mistake(f"memset of {buffer!r}; expected one of the array parameters")
        if not isinstance(value, int) or not 0 <= value <= 255:
            raise self._mistake(f"memset of {buffer.name} to {value!r}; expected a byte, 0 to 255")
        self.steps.append(Memset(buffer.address, value, buffer.nbytes))

    def __call__(self, *, grid: Any, block: Any, arguments: Sequence[Any], shared_bytes: int = 0) -> None:
        """Launches the kernel. `grid` and `block` are one to three numbers; `shared_bytes` is dynamic shared memory."""
        self._check("grid", self._dimensions("grid", grid), MOST_GRID)
        self._check("block", self._dimensions("block", block), MOST_BLOCK)
        x, y, z = self._dimensions("block", block)
        if x * y * z > MOST_THREADS:
            raise self._refused(
                f"block {_shown((x, y, z))} has {x * y * z} threads; a block has at most {MOST_THREADS}"
            )
        if not isinstance(shared_bytes, int) or shared_bytes < 0:
            raise self._mistake(f"shared_bytes is {shared_bytes!r}; expected a number of bytes")
        if shared_bytes > MOST_SHARED:
            raise self._refused(f"{shared_bytes} bytes of shared memory asked for; a block has at most {MOST_SHARED}")
        self.steps.append(
            Launch(self._kernel, self._dimensions("grid", grid), (x, y, z), shared_bytes, self._packed(arguments))
        )

    def _packed(self, arguments: Sequence[Any]) -> tuple[bytes, ...]:
        if len(arguments) != len(self._parameters):
            raise self._mistake(
                f"launch has {len(arguments)} arguments; {self._kernel} takes {len(self._parameters)}: "
                + ", ".join(name for _, name in self._parameters)
            )
        return tuple(
            self._pack(c_type, name, value) for (c_type, name), value in zip(self._parameters, arguments, strict=True)
        )

    def _pack(self, c_type: str, name: str, value: Any) -> bytes:
        if c_type.endswith("*"):
            if not isinstance(value, Buffer):
                raise self._mistake(f"argument {name} is {value!r}; expected an array ({c_type})")
            return struct.pack("<Q", value.address)
        if isinstance(value, Buffer):
            raise self._mistake(f"argument {name} is the array {value.name}; expected a number ({c_type})")
        try:
            return struct.pack(PACKING[c_type], value)
        except struct.error as error:
            raise self._mistake(f"argument {name} is {value!r}; it does not fit a {c_type}") from error

    def _dimensions(self, what: str, given: Any) -> Dim3:
        numbers = tuple(given) if isinstance(given, (tuple, list)) else (given,)
        whole = all(isinstance(n, int) and not isinstance(n, bool) for n in numbers)
        if not 1 <= len(numbers) <= 3 or not whole:
            raise self._mistake(f"{what} is {given!r}; expected an integer or a tuple of one to three")
        x, y, z = (*numbers, 1, 1)[:3]
        return (x, y, z)

    def _check(self, what: str, numbers: Dim3, most: Dim3) -> None:
        for axis, number, limit in zip("xyz", numbers, most, strict=True):
            if not 1 <= number <= limit:
                raise self._refused(f"{what} {_shown(numbers)} has {axis} = {number}; it is 1 to {limit}")

    def _refused(self, message: str) -> LaunchRefused:
        return LaunchRefused(message, tuple(self.used))

    def _mistake(self, message: str) -> ProblemError:
        return ProblemError(f"{self._where}: solve(): {message}", hint="correct solve() in that file")


def build_plan(
    problem: Problem, constants: Mapping[str, int], sizes: Mapping[str, int], addresses: Mapping[str, int]
) -> Plan:
    """Returns the plan that the problem's `solve()` makes for these sizes and buffers.

    Raises ProblemError for a mistake in `solve()`, LaunchRefused for a launch that CUDA would refuse.
    """
    where = str(problem.folder / "problem.py")
    launcher = Launcher(problem.kernel, problem.c_parameters, constants, where)
    values: dict[str, Any] = dict(sizes)
    for name, array in (*problem.inputs.items(), *problem.outputs.items()):
        values[name] = Buffer(name, addresses[name], array.shape(sizes), array.dtype)
    try:
        problem.run_harness(launcher, values)
    except (KgradeError, LaunchRefused):
        raise
    except Exception as error:
        raise ProblemError(
            f"{where}: solve() raised {type(error).__name__}: {error}", hint="correct solve() in that file"
        ) from error
    if not any(isinstance(step, Launch) for step in launcher.steps):
        raise ProblemError(f"{where}: solve() launched no kernel", hint="call launch(grid, block, arguments)")
    return Plan(tuple(launcher.steps))


def _shown(numbers: Dim3) -> str:
    """Formats dimensions as CUDA code would, without trailing ones."""
    shown = list(numbers)
    while len(shown) > 1 and shown[-1] == 1:
        shown.pop()
    return f"({', '.join(map(str, shown))})"
