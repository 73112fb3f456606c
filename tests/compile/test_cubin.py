"""The reader of cubins and of ELF files: attributes of kernels, and files that contradict themselves."""

from __future__ import annotations

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.compile.cubin import KernelFacts, read_cubin
from grader.compile.elf import ElfError, by_name, read_sections, read_symbols

PARAMETER, PARAMETER_V2, TOTAL, BOUNDS = 0x17, 0x45, 0x19, 0x05


def elf(sections: dict[str, bytes]) -> bytes:
    """An ELF file of these sections and one of names."""
    names = b"\0" + b"".join(name.encode() + b"\0" for name in (*sections, ".shstrtab"))
    data, rows = bytearray(64), [bytes(64)]
    for name, content in {**sections, ".shstrtab": names}.items():
        place = names.index(b"\0" + name.encode() + b"\0") + 1
        rows.append(struct.pack("<IIQQQQIIQQ", place, 1, 0, 0, len(data), len(content), 0, 0, 1, 0))
        data += content
    header = struct.pack(
        "<16sHHIQQQIHHHHHH",
        b"\x7fELF\x02\x01\x01",
        2,
        190,
        1,
        0,
        0,
        len(data),
        0,
        64,
        0,
        0,
        64,
        len(rows),
        len(rows) - 1,
    )
    return header + bytes(data[64:]) + b"".join(rows)


def parameter(ordinal: int, offset: int, size: int) -> bytes:
    return struct.pack("<BBHIHHI", 4, PARAMETER, 12, 0, ordinal, offset, size << 18 | 0xF000)


def large_parameter(ordinal: int, offset: int, size: int) -> bytes:
    return struct.pack("<BBHIHHHH", 4, PARAMETER_V2, 12, 0, ordinal, offset, size, 0)


def cubin(*attributes: bytes, registers: int = 32, **more: bytes) -> bytes:
    names = b"\0k\0f\0"
    symbols = [struct.pack("<IBBHQQ", 0, 0, 0, 0, 0, 0)]
    symbols += [struct.pack("<IBBHQQ", name, 0x12, other, 1, 0, 0) for name, other in ((1, 0x10), (3, 0))]
    whole = struct.pack("<BBHII", 4, 0x2F, 8, 1, registers) + struct.pack("<BBHII", 4, 0x11, 8, 1, 48)
    return elf(
        {
            ".strtab": names,
            ".symtab": b"".join(symbols),
            ".nv.info": whole,
            ".nv.info.k": b"".join(attributes),
            ".text.k": b"code",
            ".text.f": b"code",
            **{name.replace("_", "."): data for name, data in more.items()},
        }
    )


def total(size: int) -> bytes:
    return struct.pack("<BBH", 3, TOTAL, size)


def test_a_kernel_and_no_other_function() -> None:
    data = cubin(parameter(1, 8, 4), parameter(0, 0, 8), total(12), _nv_shared_k=bytes(300))
    assert read_cubin(data) == {"k": KernelFacts("k", (8, 4), 32, 300, 48, 1024)}


def test_large_parameters_have_an_attribute_of_their_own() -> None:
    data = cubin(large_parameter(1, 20000, 8), large_parameter(0, 0, 20000), total(20008))
    assert read_cubin(data)["k"].parameter_bytes == (20000, 8)


def test_a_kernel_without_parameters() -> None:
    assert read_cubin(cubin())["k"].parameter_bytes == ()


def test_shared_memory_without_what_cuda_takes_itself() -> None:
    data = cubin(_nv_shared_k=bytes(1324), _nv_shared_reserved_0=b"")
    assert read_cubin(data)["k"].shared_bytes == 300
    less = cubin(_nv_shared_k=bytes(24), _nv_shared_reserved_0=b"")
    assert read_cubin(less)["k"].shared_bytes == 0


@pytest.mark.parametrize(
    ("registers", "bounds", "threads"),
    [(32, None, 1024), (64, None, 1024), (65, None, 896), (128, None, 512), (255, None, 256), (32, (128, 2, 1), 256)],
)
def test_threads_a_block(registers: int, bounds: tuple[int, int, int] | None, threads: int) -> None:
    attributes = [struct.pack("<BBHIII", 4, BOUNDS, 12, *bounds)] if bounds else []
    assert read_cubin(cubin(*attributes, registers=registers))["k"].max_threads == threads


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\x7fELF",
        elf({}),
        cubin(parameter(0, 0, 8), total(4)),
        cubin(parameter(0, 0, 8), parameter(1, 4, 8), total(12)),
        cubin(parameter(1, 0, 8), total(8)),
        cubin(parameter(0, 0, 4), parameter(0, 4, 4), total(8)),
        cubin(total(40000)),
        cubin(b"\x09\x17\x00\x00"),
        cubin(struct.pack("<BBH", 4, PARAMETER, 400)),
        cubin(struct.pack("<BBHI", 4, PARAMETER, 4, 0), total(4)),
        cubin(struct.pack("<BBH", 4, TOTAL, 60_000) + b"\xff" * 60_000),
        cubin(struct.pack("<BBH", 1, 1, 0) * ((1 << 18) + 1)),
        cubin(_nv_info=struct.pack("<BBH", 1, 1, 0) * ((1 << 18) + 1)),
    ],
    ids=range(14),
)
def test_a_file_that_contradicts_itself(data: bytes) -> None:
    with pytest.raises(ElfError):
        read_cubin(data)


WHOLE = cubin(parameter(1, 8, 4), parameter(0, 0, 8), total(12))


@given(st.integers(0, len(WHOLE) - 1), st.binary(min_size=1, max_size=8))
def test_any_other_bytes_are_read_or_refused(place: int, change: bytes) -> None:
    data = WHOLE[:place] + change + WHOLE[place + len(change) :]
    try:
        facts = read_cubin(data)
    except ElfError:
        return
    assert all(size <= 32764 for one in facts.values() for size in one.parameter_bytes)


def test_sections_and_symbols() -> None:
    named = by_name(read_sections(WHOLE))
    assert named[".text.k"].data == b"code"
    assert [(s.name, s.other) for s in read_symbols(named[".symtab"], named[".strtab"])] == [
        ("", 0),
        ("k", 16),
        ("f", 0),
    ]
