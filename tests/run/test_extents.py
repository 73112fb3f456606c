"""What a plan may touch by address: whole extents, their ends, nothing between them."""

from __future__ import annotations

import base64

import pytest

from grader.core.plan import Copy, Memset, Upload, step_to_json
from grader.plan.extents import Extents, Outside, base64_bytes, scratch_name

BASE = 1 << 40


@pytest.fixture
def extents() -> Extents:
    extents = Extents()
    for name, place in {"c": 3, "a": 1, "b": 2}.items():
        extents.add(name, BASE * place, 100)
    return extents


@pytest.mark.parametrize(("offset", "size"), [(0, 100), (99, 1), (40, 20), (100, 0), (-7, 0)])
def test_inside(extents: Extents, offset: int, size: int) -> None:
    extents.check("memset", 2 * BASE + offset, size)


@pytest.mark.parametrize(
    ("address", "size", "words"),
    [
        (2 * BASE, 101, "memset of 101 bytes from byte 0 of b on, which has 100"),
        (2 * BASE + 99, 2, "from byte 99 of b"),
        (2 * BASE + 100, 1, "belongs to no live array"),
        (2 * BASE - 1, 2, "belongs to no live array"),
        (0, 1, "belongs to no live array"),
        (2 * BASE, 1 << 60, "of b on"),
        (2 * BASE, -1, "of b on"),
    ],
)
def test_outside(extents: Extents, address: int, size: int, words: str) -> None:
    with pytest.raises(Outside, match=words) as outside:
        extents.check("memset", address, size)
    assert outside.value.fault["fault"] == "out_of_bounds"


def test_what_is_removed_is_gone_and_adding_twice_is_adding_once(extents: Extents) -> None:
    extents.add("b", 2 * BASE, 100)
    extents.remove(2 * BASE)
    with pytest.raises(Outside, match="no live array"):
        extents.check("memset", 2 * BASE, 1)
    extents.check("memset", BASE, 100)


@pytest.mark.parametrize(
    "step",
    [
        Memset(BASE, 0, 101),
        Copy(BASE, 2 * BASE + 1, 100),
        Copy(BASE + 1, 2 * BASE, 100),
        Upload(3 * BASE + 98, b"abc"),
    ],
)
def test_each_step_that_touches_memory_is_checked(extents: Extents, step: Memset | Copy | Upload) -> None:
    with pytest.raises(Outside):
        extents.check_step(step_to_json(step))


@pytest.mark.parametrize("size", range(7))
def test_how_many_bytes_a_text_stands_for(size: int) -> None:
    assert base64_bytes(base64.b64encode(bytes(size)).decode()) == size


def test_names_of_scratch() -> None:
    assert scratch_name(2, 1024) == "scratch 2 (1,024 bytes)"
    assert (scratch_name(3), scratch_name(1, 1)) == ("scratch 3", "scratch 1 (1 byte)")
