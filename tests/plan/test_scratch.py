"""Scratch while solve() is recorded: what is given, what is freed, and what is given again."""

from __future__ import annotations

from grader.core.plan import Alloc, Free
from grader.plan.scratch import NEW_BYTES, NEW_PIECES, Scratch
from grader.plan.validate import ScratchLimit
from tests.plan.recorded import Shelf


class Emulated(Shelf):
    """A device that can take freed memory back, and has so many bytes in all."""

    grows = True

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


def test_a_gpus_pieces_keep_their_room() -> None:
    scratch = Scratch(Shelf(), ScratchLimit(size=3 * NEW_BYTES))
    small, large = given(scratch, NEW_BYTES // 2), given(scratch, NEW_BYTES)
    scratch.see([Free(small), Free(large)])
    assert given(scratch, NEW_BYTES) == large
    assert given(scratch, NEW_BYTES) not in (small, large)
    # What is freed takes no room of the limit.
    assert given(scratch, 100) == small
    assert (
        scratch.allocate(NEW_BYTES)
        == f"no room for {NEW_BYTES:,} bytes beside {2 * NEW_BYTES + 100:,} bytes in 3 allocations"
    )
