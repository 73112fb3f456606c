"""The declaration in a `problem.py`: title, the kernel's parameters and constants, gates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from grader.problem.expressions import inline
from grader.problem.gates import Gates
from grader.problem.parameters import INDICES, Array, Computed, Parameter, Scalar, Size, bf16, e4m3, e5m2, f16, f32, i8

if TYPE_CHECKING:
    from grader.problem.always import Always


class Declaration:
    """The data of a Problem as given; `checks` validates them."""

    def __init__(
        self,
        *,
        title: str,
        difficulty: str,
        kernel: str,
        params: Mapping[str, Parameter],
        gates: Gates,
        tags: Sequence[str] = (),
        constants: Mapping[str, int] | None = None,
        benchmarks: Sequence[Mapping[str, int]] = (),
        always: Sequence[Always] = (),
        baseline: str | None = None,
        races_are_fatal: bool = True,
    ) -> None:
        self.title = title
        self.difficulty = difficulty
        self.tags = (tags,) if isinstance(tags, str) else tuple(tags)
        self.kernel = kernel
        self.params = dict(params)
        self.constants = dict(constants or {})
        self.gates = gates
        self.computed: dict[str, str] = {}
        self.benchmarks = tuple(dict(sizes) for sizes in benchmarks)
        self.always = tuple(always)
        self.baseline_file = baseline
        self.races_are_fatal = races_are_fatal
        self.settle()

    def settle(self) -> None:
        """Replaces the names of computed values in expressions by their own expressions."""
        for name, parameter in self.params.items():
            if isinstance(parameter, Computed):
                self.computed[name] = inline(parameter.expression, self.computed)
        self.params.update({n: p.inlined(self.computed) for n, p in self.params.items() if isinstance(p, Array)})
        self.gates = self.gates.inlined(self.computed) if isinstance(self.gates, Gates) else self.gates

    @cached_property
    def inputs(self) -> dict[str, Array]:
        return {n: p for n, p in self.params.items() if isinstance(p, Array) and not p.output}

    @cached_property
    def outputs(self) -> dict[str, Array]:
        return {n: p for n, p in self.params.items() if isinstance(p, Array) and p.output}

    @cached_property
    def sizes(self) -> dict[str, Size]:
        return {n: p for n, p in self.params.items() if isinstance(p, Size)}

    @cached_property
    def scalars(self) -> dict[str, Scalar]:
        return {n: p for n, p in self.params.items() if isinstance(p, Scalar)}

    @cached_property
    def operands(self) -> dict[str, Array]:
        """The inputs that the gates' arithmetic applies to: float arrays that their family makes."""
        free = {n: a for n, a in self.inputs.items() if a.values is None and not a.structured}
        return {n: a for n, a in free.items() if not a.dtype.whole}

    @cached_property
    def structured(self) -> dict[str, Array]:
        """The inputs that `@problem.structure` makes: those that say so, i32 and i64 arrays without a range."""
        return {n: a for n, a in self.inputs.items() if a.structured or (a.dtype in INDICES and a.values is None)}

    @property
    def precision(self) -> str:
        """The fastest arithmetic that the inputs allow on a GPU: "fp32", "fp16" or "int8"."""
        types = {array.dtype for array in self.inputs.values()}
        # Tensor cores multiply fp8 as fast as int8, and bf16 as fast as fp16.
        return "int8" if types & {i8, e4m3, e5m2} else "fp16" if types & {f16, bf16} else "fp32"

    @property
    def splits(self) -> bool:
        """Whether products of split numbers, by tensor cores, are as accurate as the sums of products asked for."""
        return self.gates.kind == "contraction" and any(array.dtype == f32 for array in self.inputs.values())

    @property
    def c_parameters(self) -> list[tuple[str, str]]:
        """The kernel's parameters in order, as (C type, name)."""
        return [(parameter.c_type, name) for name, parameter in self.params.items()]

    @property
    def signature(self) -> str:
        """The kernel's name and parameter list as C text."""
        return f"{self.kernel}({', '.join(f'{c_type} {name}' for c_type, name in self.c_parameters)})"
