"""Plans that may be replayed, and those that may not."""

from __future__ import annotations

from dataclasses import replace

import pytest

from grader.compile.program import Kernel
from grader.core.plan import NON_BLOCKING, Alloc, Copy, Free, Launch, Memset, Plan, Step, Upload, WaitEvent
from grader.plan.device_table import EMULATED
from grader.plan.limits import MOST_STEPS
from grader.plan.validate import Extent, InvalidPlan, ScratchLimit, Validator, validate

KERNELS = (Kernel("k", "_Z1kPfi", (8, 4)),)
EXTENTS = (Extent("A", 0x1000, 100), Extent("C", 0x2000, 100))
GIVEN = {0x3000: 64, 0x4000: 64}
LAUNCH = Launch("_Z1kPfi", (4, 1, 1), (256, 1, 1), 0, (bytes(8), bytes(4)))


def check(*steps: Step) -> None:
    validate(Plan(steps), KERNELS, EXTENTS, EMULATED, GIVEN, ScratchLimit(size=100, pieces=1))


@pytest.mark.parametrize(
    "steps",
    [
        [LAUNCH, replace(LAUNCH, shared_bytes=99 << 10), replace(LAUNCH, block=(1, 1, 64), grid=(2**31 - 1, 65535, 1))],
        [Memset(0x1000, 0, 100), Memset(0x1063, 0, 1), Upload(0x2000, bytes(100)), Copy(0x2000, 0x1000, 100)],
        [Copy(0x1000, 0x1032, 50), Memset(0x1000, 0, 0)],
        [Alloc(0x3000, 64), Memset(0x3000, 0, 64), Free(0x3000), Alloc(0x4000, 64), Free(0x4000), Alloc(0x3000, 64)],
    ],
)
def test_what_may_be_replayed(steps: list[Step]) -> None:
    check(*steps)


@pytest.mark.parametrize(
    "steps",
    [
        [replace(LAUNCH, kernel="reference")],
        [replace(LAUNCH, arguments=(bytes(8),))],
        [replace(LAUNCH, arguments=(bytes(8), bytes(8)))],
        [replace(LAUNCH, grid=(0, 1, 1))],
        [replace(LAUNCH, grid=(1, 65536, 1))],
        [replace(LAUNCH, block=(1025, 1, 1))],
        [replace(LAUNCH, block=(32, 33, 1))],
        [replace(LAUNCH, block=(1, 1, 65))],
        [replace(LAUNCH, shared_bytes=(99 << 10) + 1)],
        [replace(LAUNCH, cluster=(3, 1, 1))],
        [replace(LAUNCH, cluster=(4, 0, 1))],
        [replace(LAUNCH, stream=4097)],
        [replace(LAUNCH, stream=2 * NON_BLOCKING + 1)],
        [WaitEvent(1, 5000)],
        [Memset(0x0FFF, 0, 1)],
        [Memset(0x1000, 0, 101)],
        [Memset(0x1000, 0, 2**64 - 1)],
        [Memset(0x1064, 0, 1)],
        [Memset(0x3000, 0, 1)],
        [Upload(0x2001, bytes(100))],
        [Copy(0x2000, 0x1001, 100)],
        [Copy(0x1001, 0x2000, 100)],
        [Copy(0x1000, 0x1010, 50)],
        [Alloc(0x5000, 64)],
        [Alloc(0x3000, 65)],
        [Alloc(0x3000, 64), Alloc(0x3000, 64)],
        [Alloc(0x3000, 64), Alloc(0x4000, 64)],
        [Alloc(0x3000, 64), Free(0x3000), Memset(0x3000, 0, 1)],
        [Alloc(0x3000, 64), Free(0x3000), Free(0x3000)],
        [Free(0x1000)],
    ],
    ids=str,
)
def test_what_may_not(steps: list[Step]) -> None:
    with pytest.raises(InvalidPlan) as raised:
        check(LAUNCH, *steps)
    assert raised.value.step == len(steps)
    assert raised.value.message


def test_too_many_steps() -> None:
    with pytest.raises(InvalidPlan):
        check(*[Memset(0x1000, 0, 1)] * (MOST_STEPS + 1))


def test_a_plan_may_come_in_pieces() -> None:
    given = {0x3000: 64}
    validator = Validator(KERNELS, EXTENTS, EMULATED, given)
    validator.check([Alloc(0x3000, 64), Memset(0x3000, 0, 64), Free(0x3000)])
    # Given again, in part; and a variable that was asked for meanwhile.
    validator.check([Alloc(0x3000, 32), Memset(0x3000, 0, 32)])
    validator.add(Extent("table", 0x7000, 8))
    validator.add(Extent("table", 0x7000, 8))
    given[0x6000] = 16
    validator.check([Upload(0x7000, bytes(8)), Alloc(0x6000, 16), Memset(0x6000, 0, 16)])
    with pytest.raises(InvalidPlan, match="step 10: 33 bytes") as raised:
        validator.check([Memset(0x7000, 0, 1), Memset(0x3000, 0, 33)])
    assert raised.value.step == 9
