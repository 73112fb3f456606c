"""Plans for other arrays: what two recordings teach, and what they must not."""

from __future__ import annotations

import struct
from dataclasses import replace

import pytest

from grader.core.plan import (
    Alloc,
    Copy,
    Free,
    Launch,
    Memset,
    PlacedTensorMap,
    Plan,
    RecordEvent,
    Step,
    TensorMap,
    Upload,
)
from grader.plan.relocation import Place, learn

SIZES = (400, 800, 64)
FIRST, SECOND, THIRD = (1 << 30, 2 << 30, 3 << 30), (4 << 30, 6 << 30, 5 << 30), (9 << 30, 8 << 30, 7 << 30)
VARIABLE = 77 << 30


def word(*values: int) -> bytes:
    return struct.pack(f"<{len(values)}Q", *values)


def plan_on(addresses: tuple[int, ...]) -> Plan:
    x, y, scratch = addresses
    fields = TensorMap(7, 2, x + 16, (20, 50), (80,), (32, 8), (1, 1))
    return Plan(
        (
            Alloc(scratch, 64),
            Memset(scratch + 8, 3, 8),
            Upload(VARIABLE, word(x, 5, y + 800) + b"end", 1),
            Upload(scratch, b"12345678"),
            # A struct of a number and two pointers, and a number alone.
            Launch("k", (1, 1, 1), (32, 1, 1), 0, (word(1, x, scratch + 64), b"\1\2\3\4")),
            Launch("t", (1, 1, 1), (32, 1, 1), 0, (bytes(128),), tensor_maps=(PlacedTensorMap(0, 0, fields),)),
            RecordEvent(1, 1),
            Copy(y + 4, x, 100, 1),
            Free(scratch),
        )
    )


def places(addresses: tuple[int, ...]) -> list[Place]:
    return [Place(*pair) for pair in zip(addresses, SIZES, strict=True)]


def test_a_third_plan_is_what_would_have_been_recorded() -> None:
    found = learn((plan_on(FIRST), places(FIRST)), (plan_on(SECOND), places(SECOND)))
    assert found is not None
    for addresses in (FIRST, SECOND, THIRD):
        assert found.plan(addresses) == plan_on(addresses)


LAUNCH = Launch("k", (1, 1, 1), (32, 1, 1), 0, (word(FIRST[0]),))


@pytest.mark.parametrize(
    ("mine", "theirs"),
    [
        (LAUNCH, replace(LAUNCH, arguments=(word(SECOND[0] + 4),))),
        (LAUNCH, replace(LAUNCH, arguments=(word(SECOND[1]),))),
        (LAUNCH, replace(LAUNCH, arguments=(word(SECOND[0]),), grid=(2, 1, 1))),
        (LAUNCH, replace(LAUNCH, arguments=(word(SECOND[0]), b"\0"))),
        (LAUNCH, replace(LAUNCH, arguments=(word(SECOND[0]) + b"\0",))),
        (replace(LAUNCH, arguments=(b"abcd",)), replace(LAUNCH, arguments=(b"abce",))),
        # A hash of an address, and the distance between two.
        (replace(LAUNCH, arguments=(word(FIRST[0] >> 7),)), replace(LAUNCH, arguments=(word(SECOND[0] >> 7),))),
        (Memset(FIRST[1] + 801, 0, 4), Memset(SECOND[1] + 801, 0, 4)),
        (Memset(FIRST[0], 0, 4), Memset(SECOND[0], 0, 8)),
        (Upload(FIRST[0], b"1234"), Upload(SECOND[0], b"12345")),
        (Memset(FIRST[0], 0, 4), Alloc(SECOND[0], 4)),
    ],
)
def test_what_differs_in_more_than_addresses_teaches_nothing(mine: Step, theirs: Step) -> None:
    assert learn((Plan((mine,)), places(FIRST)), (Plan((theirs,)), places(SECOND))) is None


def test_scratch_of_other_sizes_teaches_nothing() -> None:
    other = [*places(SECOND)[:2], Place(SECOND[2], 65)]
    assert learn((plan_on(FIRST), places(FIRST)), (plan_on(SECOND), other)) is None
    assert learn((Plan(()), places(FIRST)), (plan_on(SECOND), places(SECOND))) is None
