"""Extracts PTX and machine code from the "fat binary" of device images that nvcc embeds in a library.

NVIDIA does not document the format: a container is a header followed by entries, each with its own header. Only
uncompressed images are read.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass

ENTRY_LIMIT = 256

_CONTAINER = struct.Struct("<IHHQ")
"""Magic number, version, size of this header, size of all entries."""
_ENTRY = struct.Struct("<HHIQIIHHI")
"""Kind, version, size of this header, stored size of the image, compressed size, then minor, major, SM."""
_FLAGS_AT = 40
_MAGIC = 0xBA55ED50
_KINDS = {1: "ptx", 2: "cubin"}
_COMPRESSED = 0xF000
"""Flag bits of an entry that denote compression: LZ4, zstd and others."""


class FatbinError(ValueError):
    """The bytes are not a fat binary as written by nvcc."""


@dataclass(frozen=True)
class Image:
    """One device image. `kind` is "ptx" or "cubin"; `sm` is its compute capability, such as 89."""

    kind: str
    sm: int
    data: bytes


def read_images(section: bytes) -> tuple[Image, ...]:
    """Returns all images in a library's section `.nv_fatbin`. Raises FatbinError."""
    return tuple(_images(section))


def _images(section: bytes) -> Iterator[Image]:
    place, count = 0, 0
    while place < len(section):
        if not any(section[place : place + 8]):
            # Containers begin at multiples of 8.
            place += 8
            continue
        _, end, place = _container(section, place)
        while place < end:
            count += 1
            if count > ENTRY_LIMIT:
                raise FatbinError(f"more than {ENTRY_LIMIT} device images")
            image, place = _entry(section, place, end)
            if image is not None:
                yield image


def _container(section: bytes, place: int) -> tuple[int, int, int]:
    if place + _CONTAINER.size > len(section):
        raise FatbinError(f"a header at {place} of {len(section)} bytes")
    magic, version, header, size = _CONTAINER.unpack_from(section, place)
    if magic != _MAGIC or version != 1 or header < _CONTAINER.size:
        raise FatbinError(f"no header at {place}: {magic:#x}, version {version}")
    end = place + header + size
    if end > len(section):
        raise FatbinError(f"{size} bytes at {place} of {len(section)} bytes")
    return version, end, place + header


def _entry(section: bytes, place: int, end: int) -> tuple[Image | None, int]:
    if place + _FLAGS_AT + 8 > end:
        raise FatbinError(f"an image's header at {place} of {end} bytes")
    kind, _, header, size, compressed, _, _, _, sm = _ENTRY.unpack_from(section, place)
    (flags,) = struct.unpack_from("<Q", section, place + _FLAGS_AT)
    after = place + header + size
    if header < _FLAGS_AT + 8 or after > end:
        raise FatbinError(f"an image of {size} bytes at {place} of {end} bytes")
    if kind not in _KINDS:
        return None, after
    if compressed or flags & _COMPRESSED:
        raise FatbinError("a compressed image")
    return Image(_KINDS[kind], sm, section[place + header : after]), after
