"""The cases of a grading: which sizes, which family of inputs, which seed, and what one may cost.

Everything follows from the master seed, so that a grading can be repeated; nothing is run here.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import lcm
from typing import Any

from grader.core.errors import UsageError
from grader.core.limits import Limits
from grader.problem.definition import Problem
from grader.problem.inputs import draw_scalars, families
from grader.problem.reach import reach_of
from grader.problem.sizes import Budget, check_sizes, draw_sizes, fit_together

MOST_FLOPS = 20_000_000_000
MOST_BYTES = 500_000_000
"""The most that sizes given by hand may ask of the emulator: some minutes, and what fits its memory."""
MOST_FLOPS_ON_GPU = 2_000_000_000_000
MOST_BYTES_ON_GPU = 4_000_000_000
"""The same for a GPU: there the reference, which the processor computes, takes the time."""
LARGE = Budget(flops=100_000_000_000, bytes=800_000_000)
"""What the largest case may cost on a GPU: its reference in float64 takes a small GPU a second."""
SHARE_OF_MEMORY = 32
"""All arrays of a case are at most this part of the GPU's memory: the reference and its bounds need many times more."""
GPU_SECONDS = 10.0
GPU_FLOPS_PER_SECOND = 10_000_000_000
"""Less than one thread block does alone."""
FLOPS_PER_SECOND = 20_000_000
WARP_INSTRUCTIONS_PER_FLOP = 2
"""What a slow kernel may need: a warp instruction does up to 32 operations, so this is ample."""
UNKNOWN = Limits(seconds=30.0, instructions=400_000_000)
"""What the emulator spends on a test of which nobody knows the work."""
SURE_BYTES = 100_000
"""Up to here such a test has to come to its end within that; a larger one may just be too much for an emulator."""
WARP = 32
OFFSETS = (1, 16, 4, 8, 2)
"""Added to an aligned size: each leaves a multiple of one power of two and of no larger one."""


@dataclass(frozen=True)
class Case:
    sizes: Mapping[str, int]
    family: str
    seed: int

    def numbers(self, problem: Problem) -> dict[str, Any]:
        """All that is passed by value: the sizes, and the scalars that the seed gives."""
        return {**self.sizes, **draw_scalars(problem, self.family, self.seed)}


def draw_cases(
    problem: Problem,
    seed: int,
    count: int,
    given: Sequence[Mapping[str, int]],
    constants: Mapping[str, int] | None = None,
    on_gpu: bool = False,
) -> list[Case]:
    """The cases of a grading: `count` drawn ones, or each given size with every family of inputs.

    `constants` are those of the launches, None for a submission that launches itself. Raises UsageError for a size
    that the problem or the device can't take.
    """
    names = families(problem)
    if problem.tests:
        return _tests(problem, seed, given)
    if not given:
        if count < 1:
            raise UsageError(f"{count} cases asked for; at least 1 is needed", "type: --cases 12")
        drawn = draw_sizes(problem, seed, count, reach=reach_of(problem, constants))
        return [Case(sizes, names[i % len(names)], case_seed(seed, i)) for i, sizes in enumerate(drawn)]
    cases: list[Case] = []
    for sizes in given:
        check_sizes(problem, sizes)
        _check_cost(problem, sizes, on_gpu)
        cases += [Case(dict(sizes), family, case_seed(seed, len(cases) + i)) for i, family in enumerate(names)]
    return cases


def with_other_inputs(problem: Problem, case: Case) -> Case | None:
    """The same sizes with inputs of another family where there are several; None where a test has its own inputs."""
    if problem.tests:
        return None
    names, seed = families(problem), case_seed(case.seed, 1)
    others = [name for name in names if name != case.family] or list(names)
    return Case(case.sizes, others[seed % len(others)], seed)


def _tests(problem: Problem, seed: int, given: Sequence[Mapping[str, int]]) -> list[Case]:
    """A problem's own tests that are here, small to large, or those given."""
    for sizes in given:
        check_sizes(problem, sizes)
        if not problem.tests[sizes["test"]]:
            label, size = problem.labels[sizes["test"]], problem.array_bytes(sizes)
            raise UsageError(
                f"{format_numbers(sizes)}, {label}, is too large for the emulator: {size:,} bytes", "take a GPU for it"
            )
    chosen = given or [{"test": number} for number, here in problem.tests.items() if here]
    if not chosen:
        raise UsageError(
            f"each test of {problem.name} is too large for the emulator", "grade it on a machine with a GPU"
        )
    ordered = sorted(chosen, key=problem.array_bytes)
    return [Case(dict(sizes), families(problem)[0], case_seed(seed, sizes["test"])) for sizes in ordered]


def draw_largest(problem: Problem, seed: int, number: int, memory: int) -> Case:
    """A further case for a GPU with so many bytes of memory: near the largest sizes whose reference comes soon."""
    names, own = families(problem), case_seed(seed, number)
    budget = Budget(LARGE.flops, min(LARGE.bytes, memory // SHARE_OF_MEMORY))
    return Case(draw_sizes(problem, own, 1, budget)[0], names[own % len(names)], own)


def fits_emulator(problem: Problem, case: Case) -> bool:
    """Whether a case costs the emulator no more than one drawn for it."""
    return Budget().allows(problem, case.sizes)


def draw_probes(problem: Problem, constants: Mapping[str, int]) -> list[dict[str, int]]:
    """Sizes that tell one cause of failure from another: aligned and equal ones, then one at a time off.

    Drawn sizes differ in everything at once, so that few of them agree with many causes. Aligned means to the
    launch constants and to a warp. What is out of range or beyond a case's budget is left out.
    """
    unit = lcm(WARP, *constants.values())
    choices = {name: size.high for name, size in problem.sizes.items() if size.is_choice}
    aligned, doubled = ({**dict.fromkeys(problem.sizes, length), **choices} for length in (unit, 2 * unit))
    off = [{**aligned, name: unit + offset} for offset in OFFSETS for name in problem.sizes if name not in choices]
    ranges, budget = problem.sizes, Budget()
    return [
        sizes
        for sizes in [aligned, doubled, *off]
        if all(ranges[name].low <= value <= ranges[name].high for name, value in sizes.items())
        and fit_together(problem, sizes)
        and budget.allows(problem, sizes)
    ]


def case_seed(seed: int, number: int) -> int:
    """The seed of one case. It tells nothing of the master seed or of another case's."""
    digest = hashlib.blake2b(f"{seed}/{number}".encode(), digest_size=6).digest()
    return int.from_bytes(digest, "little")


def limits_of(problem: Problem, sizes: Mapping[str, int]) -> Limits:
    """What a run of these sizes may take. Drawn sizes get the default; larger ones, given by hand, more."""
    if not problem.cost_is_known:
        return UNKNOWN
    flops, least = problem.cost_of(sizes).flops, Limits()
    return Limits(
        seconds=max(least.seconds, flops / FLOPS_PER_SECOND),
        instructions=max(least.instructions, flops * WARP_INSTRUCTIONS_PER_FLOP),
    )


def may_be_too_large(problem: Problem, case: Case, sure_bytes: int = SURE_BYTES) -> bool:
    """Whether a run without an end on the emulator says nothing, since nobody knows the case's work."""
    return not problem.cost_is_known and problem.array_bytes(case.sizes) > sure_bytes


def gpu_limits_of(problem: Problem, sizes: Mapping[str, int]) -> Limits:
    """The same on a GPU."""
    return Limits(seconds=max(GPU_SECONDS, problem.cost_of(sizes).flops / GPU_FLOPS_PER_SECOND))


def format_numbers(numbers: Mapping[str, float]) -> str:
    """Sizes as `--case` takes them: "M=17,N=1,K=3"; scalars in the same way."""
    return ",".join(
        f"{name}={value:.9g}" if isinstance(value, float) else f"{name}={value}" for name, value in numbers.items()
    )


def _check_cost(problem: Problem, sizes: Mapping[str, int], on_gpu: bool) -> None:
    flops, size = problem.cost_of(sizes).flops, problem.array_bytes(sizes)
    device = "the judge beside a GPU" if on_gpu else "the emulator"
    most = Budget(MOST_FLOPS_ON_GPU, MOST_BYTES_ON_GPU) if on_gpu else Budget(MOST_FLOPS, MOST_BYTES)
    if not most.allows(problem, sizes):
        raise UsageError(
            f"{format_numbers(sizes)} is too large for {device}: {flops:,} operations on {size:,} bytes; "
            f"it takes up to {most.flops:,} and {most.bytes:,}",
            "type smaller sizes after --case",
        )
