"""Scratch while solve() is recorded: what is given, what is freed, and what is given again."""

from __future__ import annotations

from grader.plan.plan import Alloc, Free
from grader.plan.scratch import NEW_BYTES, NEW_PIECES, Scratch
from grader.plan.validate import ScratchLimit
from tests.plan.recorded import Shelf


class Emulated(Shelf):
    """A device that can take freed memory back, and has so many bytes in all."""

    gives_again = True

    def __init__(self, room: int = 1 << 40) -> None:
        super().__init__()
        self.room = room

    def allocate(self, size: int) -> int | None:
        self.room -= size
        return super().allocate(size) if self.room >= 0 else None


def given(scratch: Scratch, size: int) -> int:
    found = scratch.allocate(size)
    assert isinstance(found, Alloc) and found.size == size
    return found.address


def test_a_freed_piece_stays_freed_while_there_is_plenty() -> None:
    scratch = Scratch(Emulated())
    first = given(scratch, 100)
    scratch.see([Free(first)])
    assert given(scratch, 100) != first
    assert [piece.size for piece in scratch.in_use] == [100]


def test_large_pieces_are_given_again_oldest_first() -> None:
    scratch = Scratch(Emulated())
    one, two = given(scratch, NEW_BYTES), given(scratch, NEW_BYTES)
    scratch.see([Free(two), Free(one)])
    assert given(scratch, 100) == two
    assert given(scratch, NEW_BYTES) == one
    assert {piece.address: piece.size for piece in scratch.in_use} == {two: 100, one: NEW_BYTES}
    # Nothing freed is left.
    assert given(scratch, 1) not in (one, two)


def test_many_small_pieces_are_given_again() -> None:
    scratch = Scratch(Emulated())
    seen = set()
    for _ in range(3 * NEW_PIECES):
        address = given(scratch, 8)
        seen.add(address)
        scratch.see([Free(address)])
    assert len(seen) == NEW_PIECES


def test_a_piece_grows_where_the_device_has_no_more() -> None:
    scratch = Scratch(Emulated(room=1000))
    first = given(scratch, 900)
    scratch.see([Free(first)])
    assert given(scratch, 2000) == first
    assert scratch.given == {first: 2000}


def test_a_gpu_gives_nothing_again() -> None:
    scratch = Scratch(Shelf())
    seen = []
    for _ in range(5):
        seen.append(given(scratch, NEW_BYTES))
        scratch.see([Free(seen[-1])])
    assert len(set(seen)) == 5
    # And what it gave stays taken.
    scratch = Scratch(Shelf(), ScratchLimit(size=1000))
    scratch.see([Free(given(scratch, 600)), Free(given(scratch, 400))])
    assert scratch.allocate(1) == "no room for 1 byte beside 1,000 bytes in 2 allocations"


def test_what_is_too_much_is_told_with_what_is_in_use() -> None:
    scratch = Scratch(Emulated(), ScratchLimit(size=1000, pieces=2))
    assert scratch.allocate(1001) == "no room for 1,001 bytes"
    assert scratch.allocate(0) == "no room for 0 bytes"
    first = given(scratch, 1)
    assert scratch.allocate(1000) == "no room for 1,000 bytes beside 1 byte in 1 allocation"
    given(scratch, 1)
    assert isinstance(scratch.allocate(1), str)
    scratch.see([Free(first), Free(first), Free(12345)])
    assert given(scratch, 999)
