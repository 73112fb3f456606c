"""Copies between arrays of other strides, which contiguous() and copies into slices need: a kernel of ours, in PTX."""

from __future__ import annotations

import struct
from collections.abc import Sequence

from grader.plan.python.tape import Tape

DIMENSIONS = 6
THREADS = 256
_TYPES = {1: "u8", 2: "u16", 4: "u32", 8: "u64"}


def copy_strided(
    tape: Tape,
    addresses: tuple[int, int],
    shape: Sequence[int],
    strides: tuple[Sequence[int], Sequence[int]],
    item: int,
) -> None:
    """Records a copy of an array of up to DIMENSIONS dimensions. `addresses` and `strides` are those of target and
    source; strides count elements of `item` bytes."""
    if len(shape) > DIMENSIONS:
        tape.refuse("torch.Tensor.copy_", f"a copy of {len(shape)} dimensions", f"at most {DIMENSIONS} can be copied")
    count = 1
    for size in shape:
        count *= size
    if not count:
        return
    missing = DIMENSIONS - len(shape)
    sizes = [*([1] * missing), *shape]
    steps = [[*([0] * missing), *(step * item for step in each)] for each in strides]
    words = [*addresses, count, *sizes, *steps[0], *steps[1]]
    name = f"kgrade_copy_{8 * item}"
    handle = tape.kernel(name, name, [8] * len(words), _text(name, item))
    arguments = [struct.pack("<q", word) if word < 0 else struct.pack("<Q", word) for word in words]
    tape.launch(handle, ((count + THREADS - 1) // THREADS,), (THREADS,), arguments)


def _text(name: str, item: int) -> str:
    """The kernel: each thread finds the place of one element in both arrays, innermost dimension first."""
    words = 3 + 3 * DIMENSIONS
    parameters = ",\n".join(f"\t.param .u64 {name}_{number}" for number in range(words))

    def load(register: str, number: int) -> str:
        return f"\tld.param.u64 {register}, [{name}_{number}];"

    lines = [load("%target", 0), load("%source", 1), load("%count", 2)]
    lines += [
        "\tcvta.to.global.u64 %target, %target;",
        "\tcvta.to.global.u64 %source, %source;",
        "\tmov.u32 %block, %ctaid.x;",
        "\tmov.u32 %size, %ntid.x;",
        "\tmov.u32 %thread, %tid.x;",
        "\tmul.wide.u32 %rest, %block, %size;",
        "\tcvt.u64.u32 %index, %thread;",
        "\tadd.u64 %rest, %rest, %index;",
        "\tsetp.ge.u64 %beyond, %rest, %count;",
        "\t@%beyond ret;",
    ]
    for dimension in reversed(range(DIMENSIONS)):
        lines += [
            load("%extent", 3 + dimension),
            "\trem.u64 %index, %rest, %extent;",
            "\tdiv.u64 %rest, %rest, %extent;",
            load("%step", 3 + DIMENSIONS + dimension),
            "\tmad.lo.u64 %target, %index, %step, %target;",
            load("%step", 3 + 2 * DIMENSIONS + dimension),
            "\tmad.lo.u64 %source, %index, %step, %source;",
        ]
    kind = _TYPES[item]
    value = "%short" if item < 4 else ("%word" if item == 4 else "%extent")
    lines += [f"\tld.global.{kind} {value}, [%source];", f"\tst.global.{kind} [%target], {value};", "\tret;"]
    wide = "%target, %source, %count, %rest, %index, %extent, %step"
    registers = (
        f"\t.reg .u64 {wide};\n\t.reg .u32 %block, %size, %thread, %word;\n\t.reg .u16 %short;\n\t.reg .pred %beyond;"
    )
    body = "\n".join(lines)
    head = ".version 7.0\n.target sm_70\n.address_size 64\n"
    return f"{head}\n.visible .entry {name}(\n{parameters}\n)\n{{\n{registers}\n{body}\n}}\n"
