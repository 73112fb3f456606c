"""The offsets of what native code and Python share follow from the fields alone."""

from __future__ import annotations

import pytest

from grader.run.emulator import counter_layout, layout
from grader.run.emulator.structure import WIDE, WORD, Structure, array, lanes


def test_fields_follow_each_other_as_aligned_as_they_ask() -> None:
    inner = Structure(a=WORD, b=WIDE, c=WORD)
    assert inner == {"a": 0, "b": 8, "c": 16}
    assert (inner.size, inner.align) == (24, 8)
    outer = Structure(first=WORD, inner=array(inner, 2), flag=WORD, vector=lanes(WORD))
    assert outer == {"first": 0, "inner": 8, "flag": 56, "vector": 64}
    assert (outer.size, outer.align) == (192, 64)


def test_a_structure_may_be_longer_than_its_fields() -> None:
    assert Structure(least_align=64, a=WORD).size == 64


def test_words_are_in_the_order_of_the_fields() -> None:
    assert layout.ENTRY.words(size=3, shadow=4, delta=1, base=2) == (1, 2, 3, 4)
    with pytest.raises(AssertionError):
        layout.ENTRY.words(delta=1)


def test_what_cpus_write_to_as_vectors_begins_at_a_multiple_of_their_width() -> None:
    for structure, names in ((layout.WARP, ("pc", "frame", "scratch", "heard", "passed")), (layout.LOG, ("address",))):
        assert not [name for name in names if structure[name] % 64]
        assert structure.size % 64 == 0
    assert counter_layout.ARRAY.size == 64
