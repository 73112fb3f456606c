"""Which branches of a kernel go past a barrier, by its blocks alone."""

from __future__ import annotations

import pytest

from grader.run.emulator.ptx.parser import parse_module
from grader.run.emulator.translate import skips
from grader.run.emulator.translate.cfg import build_program
from grader.run.emulator.translate.dominators import END, post_dominators
from grader.run.emulator.translate.skips import Skips, find_skips

HEAD = ".version 8.0\n.target sm_80\n.address_size 64\n"
STORE = "st.shared.u32 [s], %r1;"
GUARDED = f"@%p1 bra AFTER; bar.sync 0; AFTER: {STORE} ret;"
"""Blocks: 0 the branch, 1 the barrier, 2 what follows."""


def found(body: str, functions: str = "", most_steps: int = skips.MOST_STEPS) -> Skips:
    registers = ".reg .pred %p<3>; .reg .b32 %r<3>; .shared .align 4 .b8 s[64];"
    module = parse_module(f"{HEAD}{functions}.visible .entry k() {{ {registers} {body} }}")
    return find_skips(build_program(module, "k"), most_steps)


@pytest.mark.parametrize(
    ("body", "edges"),
    [
        (GUARDED, {(0, 2)}),
        # Who leaves goes past nothing.
        ("@%p1 bra END; bar.sync 0; END: ret;", set()),
        ("@%p1 ret; bar.sync 0; ret;", set()),
        (f"@%p1 bra END; bar.sync 0; {STORE} END: ret;", set()),
        (f"@%p1 bra ELSE; bar.sync 0; {STORE} ret; ELSE: {STORE} ret;", set()),
        # A loop's condition is no return.
        (f"LOOP: {STORE} bar.sync 0; @%p1 bra LOOP; ret;", {(2, 3)}),
        (f"LOOP: @%p2 ret; {STORE} bar.sync 0; bra LOOP;", set()),
        # One of several ways, a predicated barrier, and one of which all are met.
        (f"T: .branchtargets A, B; brx.idx %r1, T; A: bar.sync 0; B: {STORE} ret;", {(0, 2)}),
        (f"@%p1 bar.sync 0; {STORE} ret;", {(0, 2)}),
        (f"@%p1 bra B; {STORE} B: bar.sync 0; {STORE} ret;", set()),
        # Those that only some threads are meant to come to.
        (f"@%p1 bra AFTER; bar.sync 1, 64; AFTER: {STORE} ret;", set()),
        (f"@%p1 bra AFTER; bar.arrive 1, 64; AFTER: {STORE} ret;", set()),
    ],
)
def test_the_ways_past_a_barrier(body: str, edges: set[tuple[int, int]]) -> None:
    assert set(found(body).edges) == edges


def test_a_function_is_a_barrier_for_its_callers() -> None:
    meet = ".func meet() { .reg .pred %p<2>; @%p1 bra END; bar.sync 0; END: ret; }\n"
    # A function's return goes on in its caller, or leaves the kernel with it.
    assert len(found(f"@%p1 bra AFTER; call meet; AFTER: {STORE} ret;", meet).edges) == 2
    assert not found("@%p1 bra AFTER; call meet; AFTER: ret;", meet).edges


def test_barriers_behind_each_other_are_groups_of_their_own() -> None:
    many = 40
    body = "".join(f"@%p1 bra L{i}; bar.sync 0; L{i}: {STORE}" for i in range(many))
    result = found(f"{body} ret;")
    assert (len(result.edges), len(set(result.barriers.values()))) == (many, skips.GROUPS)


def test_a_search_that_takes_too_long_finds_nothing() -> None:
    assert found(GUARDED, most_steps=3) == Skips()


def test_the_next_block_on_all_paths() -> None:
    ways = {0: [1, 2], 1: [3], 2: [3, 4], 3: [5], 4: [5], 5: [5, 0, 6], 6: [], 7: [7]}
    assert post_dominators(ways) == {0: 5, 1: 3, 2: 5, 3: 5, 4: 5, 5: 6, 6: END}


def test_who_comes_back_by_a_way_that_is_not_followed_is_not_compared() -> None:
    either = "LOOP: @%p1 bra ELSE; @%p2 bra NEXT; bar.sync 0; bra NEXT;"
    lower = (1 << skips.GROUPS) - 1
    for body, followed in ((STORE, True), (f"@%p2 ret; {STORE}", False), (f"@%p2 bra NEXT; {STORE} ret;", False)):
        edges = found(f"{either} ELSE: {body} NEXT: {STORE} @%p1 bra LOOP; {STORE} ret;").edges
        assert any(bits & lower for bits in edges.values()) == followed
