"""The reader of nvcc's fat binaries: what it takes out, and that no bytes make it fail in any other way."""

from __future__ import annotations

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.compile.fatbin import ENTRY_LIMIT, FatbinError, Image, read_images


def entry(data: bytes, kind: int = 1, sm: int = 89, flags: int = 0x11, compressed: int = 0, header: int = 64) -> bytes:
    head = struct.pack("<HHIQIIHHI", kind, 0x101, header, len(data), compressed, 0, 0, 9, sm)
    return (head.ljust(40, b"\0") + struct.pack("<Q", flags)).ljust(header, b"\0") + data


def container(*entries: bytes) -> bytes:
    body = b"".join(entries)
    return struct.pack("<IHHQ", 0xBA55ED50, 1, 16, len(body)) + body


PTX = b".version 9.0\n\0\0\0"
WHOLE = container(entry(PTX), entry(b"\x7fELF" * 4, kind=2, sm=90))


def test_images_in_their_order() -> None:
    assert read_images(WHOLE) == (Image("ptx", 89, PTX), Image("cubin", 90, b"\x7fELF" * 4))
    assert read_images(b"") == ()
    assert read_images(bytes(24) + WHOLE + bytes(40) + WHOLE) == (*read_images(WHOLE), *read_images(WHOLE))


def test_other_kinds_are_passed_over() -> None:
    assert read_images(container(entry(b"abcd", kind=8), entry(PTX))) == (Image("ptx", 89, PTX),)


@pytest.mark.parametrize(
    "section",
    [
        b"1234567",
        b"\x50\xed\x55\xba",
        WHOLE[:-1],
        container(entry(PTX, compressed=5)),
        container(entry(PTX, flags=0x2011)),
        container(entry(PTX, flags=0x8011)),
        container(entry(PTX, header=8)),
        container(b"1234"),
        container(*[entry(b"")] * (ENTRY_LIMIT + 1)),
        struct.pack("<IHHQ", 0xBA55ED50, 1, 16, 2**64 - 1),
        struct.pack("<IHHQ", 0xBA55ED50, 2, 16, 0),
        struct.pack("<IHHQ", 0xBA55ED50, 1, 0, 0),
        container(struct.pack("<HHIQ", 1, 1, 64, 2**63).ljust(64, b"\0")),
        WHOLE + b"more of something",
    ],
    ids=range(14),
)
def test_what_nvcc_does_not_write_is_refused(section: bytes) -> None:
    with pytest.raises(FatbinError):
        read_images(section)


@given(st.integers(0, len(WHOLE) - 1), st.binary(min_size=1, max_size=8))
def test_any_other_bytes_are_read_or_refused(place: int, change: bytes) -> None:
    section = WHOLE[:place] + change + WHOLE[place + len(change) :]
    try:
        images = read_images(section)
    except FatbinError:
        return
    assert sum(len(image.data) for image in images) <= len(section)
