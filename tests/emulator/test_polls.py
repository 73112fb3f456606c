"""Which loops only wait for a barrier object, and when a block that is in them waits for ever."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from grader.run.emulator.ptx.parser import parse_module
from grader.run.emulator.stuck import Polls
from grader.run.emulator.translate.cfg import Program, build_program
from grader.run.emulator.translate.polls import find_polling_loops
from grader.run.emulator.translate.storage import CallAreas, Storage
from grader.run.emulator.translation import Translation

KERNEL = """.version 8.0
.target sm_89
.address_size 64
.visible .entry k()
{
    .reg .pred %p<5>; .reg .b32 %r<9>; .reg .b64 %rd<5>;
    .shared .align 8 .b8 bar[16];
    mov.u32 %r1, bar;
    mov.u32 %r3, 0;
AGAIN:
    BODY
DONE:
    bar.sync 0;
    ret;
}
"""
ASK = "mbarrier.test_wait.parity.shared.b64 %p1, [%r1], 0;"
BACK = "@!%p1 bra AGAIN;"
WAITING = {
    "at once": f"{ASK} {BACK}",
    "by a number": f"{ASK} selp.b32 %r2, 1, 0, %p1; setp.eq.s32 %p2, %r2, 0; @%p2 bra AGAIN;",
    "by the others too": f"{ASK} vote.sync.all.pred %p2, %p1, -1; @!%p2 bra AGAIN;",
    "with pauses": f"""mov.u64 %rd1, %globaltimer; setp.lt.u64 %p3, %rd1, 5; @%p3 bra ASK; nanosleep.u32 20;
        ASK: {ASK} {BACK}""",
    "its address computed anew": f"add.u32 %r4, %r1, 8; {ASK.replace('%r1', '%r4')} {BACK}",
    "through two registers": f"{ASK} not.pred %p2, %p1; mov.pred %p3, %p2; @%p3 bra AGAIN;",
}
DOING_MORE = {
    "so many times": f"add.u32 %r3, %r3, 1; setp.gt.u32 %p2, %r3, 9; @%p2 bra DONE; {ASK} {BACK}",
    "so long": f"mov.u64 %rd1, %clock64; setp.gt.u64 %p2, %rd1, 9; @%p2 bra DONE; {ASK} {BACK}",
    "until another flag": f"{ASK} ld.volatile.shared.u32 %r2, [%r3]; setp.ne.s32 %p2, %r2, 0; @%p2 bra DONE; {BACK}",
    "or the other way round": f"{ASK} @%p1 bra AGAIN;",
    "and stores": f"st.shared.u32 [%r1+8], 1; {ASK} {BACK}",
    "and adds": f"red.shared.add.u32 [%r1+8], 1; {ASK} {BACK}",
    "and arrives": f"mbarrier.arrive.shared.b64 %rd2, [%r1+8]; {ASK} {BACK}",
    "and meets the block": f"bar.sync 1; {ASK} {BACK}",
    "for each parity in turn": f"xor.b32 %r3, %r3, 1; {ASK.replace('0;', '%r3;')} {BACK}",
    "for a parity that another loads": f"ld.shared.u32 %r2, [%r1+8]; {ASK.replace('0;', '%r2;')} {BACK}",
    "for a parity by the clock": f"mov.u32 %r2, %clock; {ASK.replace('0;', '%r2;')} {BACK}",
    "for a parity that some set": f"@%p4 mov.u32 %r2, 1; {ASK.replace('0;', '%r2;')} {BACK}",
    "and asks for another": f"{ASK.replace('%p1', '%p2').replace('%r1', '%r1+8')} {ASK} {BACK}",
    "for two objects": f"""{ASK} {ASK.replace("%p1", "%p2").replace("%r1", "%r1+8")}
        or.pred %p3, %p1, %p2; @!%p3 bra AGAIN;""",
    "if others say so": f"{ASK} vote.sync.any.pred %p2, %p1, -1; @!%p2 bra AGAIN;",
    "or a lane of several": f"@%p4 {ASK} {BACK}",
}


def program(body: str) -> Program:
    return build_program(parse_module(KERNEL.replace("BODY", body)), "k")


@pytest.mark.parametrize("body", WAITING.values(), ids=WAITING)
def test_a_loop_that_only_waits_is_found(body: str) -> None:
    found = program(body)
    loops = find_polling_loops(found)
    assert {found.labels["k", "AGAIN"]} <= set(loops) < {block.pc for block in found.blocks}
    assert {poll.instruction.opcode for poll in loops.values()} == {"mbarrier"}


def test_what_is_around_a_loop_is_no_part_of_it() -> None:
    """As in a ring of tiles: the threads wait, work, and wait again."""
    found = program(f"""ASK: {ASK} @!%p1 bra ASK; st.shared.u32 [%r1+8], 1; add.u32 %r3, %r3, 1;
        setp.lt.u32 %p2, %r3, 9; @%p2 bra AGAIN;""")
    assert set(find_polling_loops(found)) == {found.labels["k", "ASK"]}


@pytest.mark.parametrize("body", DOING_MORE.values(), ids=DOING_MORE)
def test_a_loop_that_does_more_is_none(body: str) -> None:
    assert not find_polling_loops(program(body))


class Block:
    """Stands in for an arena; its threads are where a test says: (warp, lane, program counter, whether it is ready)."""

    def __init__(self, threads: list[tuple[int, int, int, bool]]) -> None:
        self.shape = SimpleNamespace(warps=2)
        self.threads = threads
        self.opened = 0
        self.asked = [0, 0]

    def waiting(self) -> list[tuple[int, int, int, bool]]:
        return self.threads

    def answers(self) -> tuple[int, int]:
        return 7, self.opened

    def polled(self) -> list[int]:
        return self.asked

    def forget_polls(self) -> None:
        self.asked = [0, 0]


def looks(block: Any, *events: Any) -> list[bool]:
    """What is said each time that a block is looked at; before the next time, `asked` are the lanes that have asked."""
    waiting = program(WAITING["at once"])
    polls = Polls(
        Translation(
            "",
            waiting,
            Storage({}, 0, {}, {}, {}, 0, 0, {}, CallAreas((), (), 0)),
            [],
            0,
            loops=find_polling_loops(waiting),
        )
    )
    said = [polls.last_for_ever(block)]
    for asked, opened in events:
        block.asked = [now | more for now, more in zip(block.asked, asked, strict=True)]
        block.opened += opened
        said.append(polls.last_for_ever(block))
    return said


def test_a_block_is_seen_twice_with_an_answer_to_each_thread() -> None:
    found = program(WAITING["at once"])
    loop, barrier = found.labels["k", "AGAIN"], found.labels["k", "DONE"] + 1
    waiting = [(0, 0, loop, True), (0, 5, loop, True), (1, 3, barrier, False)]
    everybody, one = ([0b100001, 0], 0), ([1, 0], 0)
    assert looks(Block(waiting), everybody, everybody) == [False, False, True]
    assert looks(Block(waiting), one, one, everybody, everybody) == [False, False, False, False, True]
    assert looks(Block(waiting), one, ([0b100000, 0], 0), everybody) == [False, False, False, True]
    assert looks(Block(waiting), everybody, ([0b100001, 0], 1), everybody) == [False, False, False, False]


@pytest.mark.parametrize("ready", [False, True])
def test_a_thread_elsewhere_may_still_arrive(ready: bool) -> None:
    found = program(WAITING["at once"])
    loop, barrier = found.labels["k", "AGAIN"], found.labels["k", "DONE"] + 1
    threads = [(0, 0, loop, True), (1, 3, barrier, ready)]
    everybody = ([1, 0], 0)
    assert looks(Block(threads), everybody, everybody, everybody)[-1] is not ready


def test_threads_at_barriers_alone_are_not_this_kind() -> None:
    barrier = program(WAITING["at once"]).labels["k", "DONE"] + 1
    assert not any(looks(Block([(1, 3, barrier, False)]), ([0, 0], 0), ([0, 0], 0), ([0, 0], 0)))
