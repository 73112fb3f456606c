"""The cases of a grading: their sizes, input families and seeds, and how much a case may cost.

Everything follows from the master seed, so that a grading can be repeated.
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
"""Upper limits for sizes given by hand on the emulator: some minutes of work, and what fits its memory."""
MOST_FLOPS_ON_GPU = 2_000_000_000_000
MOST_BYTES_ON_GPU = 4_000_000_000
"""The same for a GPU, where the reference on the CPU takes most of the time."""
LARGE = Budget(flops=100_000_000_000, bytes=800_000_000)
"""Budget of the largest case on a GPU: a small GPU computes its float64 reference in a second."""
SHARE_OF_MEMORY = 32
"""The arrays of a case take at most 1/32 of the GPU's memory: the reference and its bounds need many times more."""
GPU_SECONDS = 10.0
GPU_FLOPS_PER_SECOND = 10_000_000_000
"""Less than a single thread block achieves."""
UNKNOWN = Limits(seconds=30.0, instructions=400_000_000)
"""The emulator's limits for a test whose work is unknown."""
SLOWER = 4
"""How many times longer than in proportion a case beyond the budget may take."""
SURE_BYTES = 100_000
"""Array bytes up to which such a test has to finish within UNKNOWN; a larger one may just be too much to emulate."""
WARP = 32
OFFSETS = (1, 16, 4, 8, 2)
"""Added to an aligned size, each leaves a multiple of exactly that power of two."""


@dataclass(frozen=True)
class Case:
    sizes: Mapping[str, int]
    family: str
    seed: int

    def numbers(self, problem: Problem) -> dict[str, Any]:
        """All by-value arguments: the sizes, and the scalars drawn from the seed."""
        return {**self.sizes, **draw_scalars(problem, self.family, self.seed)}


def draw_cases(
    problem: Problem,
    seed: int,
    count: int,
    given: Sequence[Mapping[str, int]],
    constants: Mapping[str, int] | None = None,
    on_gpu: bool = False,
) -> list[Case]:
    """Returns the cases of a grading: `count` drawn ones and those that the problem always tries, small to large; or
    each given size with every input family.

    `constants` are the launch constants, None for a submission with its own solve(). Raises UsageError for a size
    that the problem or the device can't take.
    """
    names = families(problem)
    if problem.tests:
        return _tests(problem, seed, given)
    if not given:
        if count < 1:
            raise UsageError(f"{count} cases asked for; at least 1 is needed", "type: --cases 12")
        drawn = draw_sizes(problem, seed, count, reach=reach_of(problem, constants))
        cases = [Case(sizes, names[i % len(names)], case_seed(seed, i)) for i, sizes in enumerate(drawn)]
        for i, each in enumerate(problem.always, count):
            cases.append(Case(each.sizes, each.family or names[i % len(names)], case_seed(seed, i)))
        return sorted(cases, key=lambda case: problem.array_bytes(case.sizes))
    cases = []
    for sizes in given:
        check_sizes(problem, sizes)
        _check_cost(problem, sizes, on_gpu)
        cases += [Case(dict(sizes), family, case_seed(seed, len(cases) + i)) for i, family in enumerate(names)]
    return cases


def with_other_inputs(problem: Problem, case: Case) -> Case | None:
    """The case with other inputs, of another family if there are several; None if the problem brings its own tests."""
    if problem.tests:
        return None
    names, seed = families(problem), case_seed(case.seed, 1)
    others = [name for name in names if name != case.family] or list(names)
    return Case(case.sizes, others[seed % len(others)], seed)


def _tests(problem: Problem, seed: int, given: Sequence[Mapping[str, int]]) -> list[Case]:
    """The given tests of a problem with its own tests, or all whose arrays were written, small to large."""
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
    """An extra case for a GPU with `memory` bytes: near the largest sizes whose reference is quick to compute."""
    names, own = families(problem), case_seed(seed, number)
    budget = Budget(LARGE.flops, min(LARGE.bytes, memory // SHARE_OF_MEMORY))
    return Case(draw_sizes(problem, own, 1, budget)[0], names[own % len(names)], own)


def fits_emulator(problem: Problem, case: Case) -> bool:
    """Whether a case is within the budget of cases drawn for the emulator."""
    return Budget().allows(problem, case.sizes)


def draw_probes(problem: Problem, constants: Mapping[str, int]) -> list[dict[str, int]]:
    """Sizes that separate causes of failure: equal aligned ones, then one dimension at a time unaligned.

    Drawn sizes differ in everything at once, so they separate few causes. Aligned means to the launch constants and to
    a warp. Sizes out of range or beyond the emulator's budget are left out.
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
    """The seed of one case; it reveals neither the master seed nor other cases' seeds."""
    digest = hashlib.blake2b(f"{seed}/{number}".encode(), digest_size=6).digest()
    return int.from_bytes(digest, "little")


def limits_of(problem: Problem, sizes: Mapping[str, int]) -> Limits:
    """The limits of a run with these sizes. Drawn sizes get the default; larger ones get as many times more.

    They get SLOWER times that: nobody draws them, so a kernel that is slow and right was never fitted to the limits.
    """
    if not problem.cost_is_known:
        return UNKNOWN
    least, drawn = Limits(), Budget()
    more = max(problem.array_bytes(sizes) / drawn.bytes, problem.cost_of(sizes).flops / drawn.flops)
    more = SLOWER * more if more > 1 else 1.0
    return Limits(least.seconds * more, int(least.instructions * more))


def may_be_too_large(problem: Problem, case: Case, sure_bytes: int = SURE_BYTES) -> bool:
    """Whether a timeout on the emulator means nothing, because the case's work is unknown and may be too much."""
    return not problem.cost_is_known and problem.array_bytes(case.sizes) > sure_bytes


def gpu_limits_of(problem: Problem, sizes: Mapping[str, int]) -> Limits:
    """The limits of a run with these sizes on a GPU."""
    return Limits(seconds=max(GPU_SECONDS, problem.cost_of(sizes).flops / GPU_FLOPS_PER_SECOND))


def format_numbers(numbers: Mapping[str, float]) -> str:
    """Formats sizes as `--case` takes them, "M=17,N=1,K=3"; scalars in the same way."""
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
