"""Finds out what a second call of solve() keeps of the first one: its arrays, its sizes, or what it made of them.

Static variables outlive a call: a graph captured in the first call launches on that call's arrays for ever, and weights
packed once are those of the first call. Plans tell, without running any: those of two calls, each in a process of its
own, and that of the second call after the first in one process.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace

from grader.core.plan import Copy, Launch, Memset, Plan, Step, Upload
from grader.plan.recording import Argument

_WORD = 8
_ELSEWHERE = 1 << 45
"""Changes an address to another one that a user's process may have, and that no device gives out."""


def move(arguments: Sequence[Argument]) -> list[Argument]:
    """Returns the arguments with arrays of the same sizes elsewhere."""
    return [replace(a, bits=a.bits ^ _ELSEWHERE) if a.size else a for a in arguments]


def does_work(plan: Plan) -> bool:
    """Whether any step changes memory."""
    return any(isinstance(step, (Launch, Memset, Copy, Upload)) for step in plan.steps)


def describe_kept(
    first: Sequence[Argument], of_first: Plan, second: Sequence[Argument], of_second: Plan, again: Plan
) -> tuple[int | None, str] | None:
    """Returns the step of `again` that shows what is kept, if one does, and a message; None if nothing is known to be.

    `again` is the plan of the second call after the first one in the same process.
    """
    if not does_work(again):
        return None, (
            "solve() does its work in the first call only: called again with the same arguments, it asks the device "
            "for nothing. The data may be new where sizes and addresses are the same: do all of the work in each call"
        )
    kept = _kept_array(first, second, of_second, again) or _kept_size(first, of_first, second, of_second, again)
    return kept and (
        kept[0],
        f"called again in the same process, solve() keeps to its first call: {kept[1]}. Static variables outlive a "
        "call: capture, pack and compute anew in each one",
    )


def _kept_array(
    first: Sequence[Argument], second: Sequence[Argument], of_second: Plan, again: Plan
) -> tuple[int | None, str] | None:
    now = {argument.bits for argument in second if argument.size}
    gone = [argument for argument in first if argument.size and argument.bits not in now]
    for at, step in enumerate(again.steps):
        for argument in gone:
            if _mentions(step, argument):
                return at, f"it uses the array {argument.name} of the first call"
    for argument in second:
        needed = any(_mentions(step, argument) for step in of_second.steps)
        if needed and not any(_mentions(step, argument) for step in again.steps):
            return (
                0,
                f"it leaves out the array {argument.name}, and what it made of the first call's may be out of date",
            )
    return None


def _kept_size(
    first: Sequence[Argument], of_first: Plan, second: Sequence[Argument], of_second: Plan, again: Plan
) -> tuple[int, str] | None:
    """Compares the numbers that kernels get: one that stands for a size has to be that of the second call."""
    before, fresh, late = (_by_kernel(plan) for plan in (of_first, of_second, again))
    sizes = [(a, b) for a, b in zip(first, second, strict=True) if not a.size and not b.size and a.bits != b.bits]
    for kernel, launches in late.items():
        if len(launches) != len(fresh[kernel]):
            # What is left out of the second call, such as setting up a table, leaves nothing to compare with.
            continue
        for (at, launch), (_, wanted), (_, old) in zip(launches, fresh[kernel], before[kernel], strict=False):
            for got, right, stale in zip(launch.arguments, wanted.arguments, old.arguments, strict=False):
                numbers = tuple(int.from_bytes(data, "little") for data in (stale, right))
                for a, b in sizes:
                    if got == stale and numbers == (a.bits, b.bits):
                        return at, f"it hands on the {a.name} of the first call, which is {a.bits}, not {b.bits}"
    return None


def _by_kernel(plan: Plan) -> Mapping[str, list[tuple[int, Launch]]]:
    found: dict[str, list[tuple[int, Launch]]] = defaultdict(list)
    for at, step in enumerate(plan.steps):
        if isinstance(step, Launch):
            found[step.kernel].append((at, step))
    return found


def _mentions(step: Step, argument: Argument) -> bool:
    """Whether a step has an address of this array, be it among the bytes that it hands to the device."""
    import numpy as np

    match step:
        case Launch():
            data, places = list(step.arguments), [placed.tensor_map.address for placed in step.tensor_maps]
        case Upload():
            data, places = [step.data], [step.target]
        case Copy():
            data, places = [], [step.target, step.source]
        case Memset():
            data, places = [], [step.address]
        case _:
            return False
    words = [np.frombuffer(piece, "u8", len(piece) // _WORD) for piece in data]
    offsets = np.concatenate([*words, np.array(places, "u8")]) - np.uint64(argument.bits)
    return bool((offsets < argument.size).any())
