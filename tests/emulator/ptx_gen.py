"""Builds a PTX module around a few instructions: operands in from arrays, results out to arrays.

The kernel is `apply`; thread i handles element i. Its parameters are the inputs' addresses, the outputs'
addresses and the number of elements.
"""

from __future__ import annotations

from dataclasses import dataclass

REGISTER = {"u8": "b16", "s8": "b16", "u16": "b16", "s16": "b16", "b16": "b16", "f16": "b16", "bf16": "b16",
            "u32": "b32", "s32": "b32", "b32": "b32", "f32": "f32", "f16x2": "b32", "bf16x2": "b32",
            "u64": "b64", "s64": "b64", "b64": "b64", "f64": "f64", "pred": "pred"}  # fmt: skip
WIDTH = {"u8": 1, "s8": 1, "u16": 2, "s16": 2, "b16": 2, "f16": 2, "bf16": 2, "pred": 4, "u32": 4, "s32": 4, "b32": 4,
         "f32": 4, "f16x2": 4, "bf16x2": 4, "u64": 8, "s64": 8, "b64": 8, "f64": 8}  # fmt: skip


@dataclass(frozen=True)
class Op:
    """Instructions with `{d}` for the result and `{a}`, `{b}`, `{c}`, `{e}` for the operands."""

    text: str
    output: str


def access(kind: str) -> str:
    """The type of a load or store of this kind."""
    return kind if kind in ("u8", "s8") else f"b{8 * WIDTH[kind]}"


def module(ops: tuple[Op, ...], inputs: tuple[str, ...]) -> str:
    """All `ops` on the same operands, one output array each."""
    count = len(inputs) + len(ops)
    lines = [".version 8.0", ".target sm_89", ".address_size 64", "", ".visible .entry apply("]
    lines += [f"\t.param .u64 apply_param_{i}," for i in range(count)]
    lines += [f"\t.param .u32 apply_param_{count}", ")", "{"]
    lines += [f"\t.reg .{REGISTER[k]} \t%in{i};" for i, k in enumerate(inputs)]
    lines += [f"\t.reg .{REGISTER[op.output]} \t%out{i};" for i, op in enumerate(ops)]
    lines += ["\t.reg .b32 \t%n, %i, %t<4>;", "\t.reg .b64 \t%at, %base;", "\t.reg .pred \t%p<4>;"]
    lines += ["\tmov.u32 \t%t1, %ctaid.x;", "\tmov.u32 \t%t2, %ntid.x;", "\tmov.u32 \t%t3, %tid.x;"]
    lines += ["\tmad.lo.s32 \t%i, %t1, %t2, %t3;", f"\tld.param.u32 \t%n, [apply_param_{count}];"]
    lines += ["\tsetp.ge.u32 \t%p1, %i, %n;", "\t@%p1 bra \t$done;"]

    def place(parameter: int, kind: str) -> list[str]:
        return [f"\tld.param.u64 \t%base, [apply_param_{parameter}];", "\tcvta.to.global.u64 \t%base, %base;",
                f"\tmul.wide.u32 \t%at, %i, {WIDTH[kind]};", "\tadd.s64 \t%at, %base, %at;"]  # fmt: skip

    for i, kind in enumerate(inputs):
        lines += place(i, kind)
        if kind == "pred":
            lines += ["\tld.global.u32 \t%t1, [%at];", f"\tsetp.ne.u32 \t%in{i}, %t1, 0;"]
        else:
            lines += [f"\tld.global.{access(kind)} \t%in{i}, [%at];"]
    names = {letter: f"%in{i}" for i, letter in enumerate("abce"[: len(inputs)])}
    for i, op in enumerate(ops):
        text = op.text.replace("{d}", f"%out{i}")
        for letter, name in names.items():
            text = text.replace("{" + letter + "}", name)
        lines += [f"\t.loc\t1 {i + 1} 1", *(f"\t{part.strip()};" for part in text.split(";") if part.strip())]
    for i, op in enumerate(ops):
        lines += place(len(inputs) + i, op.output)
        if op.output == "pred":
            lines += [f"\tselp.u32 \t%t1, 1, 0, %out{i};", "\tst.global.u32 \t[%at], %t1;"]
        else:
            lines += [f"\tst.global.{access(op.output)} \t[%at], %out{i};"]
    lines += ["$done:", "\tret;", "}", '\t.file\t1 "generated.ptx"', ""]
    return "\n".join(lines)
