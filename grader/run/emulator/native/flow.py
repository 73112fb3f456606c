"""Loops and conditions of native code, as Python context managers."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from grader.run.emulator.native.ir import IrFunction


@contextmanager
def for_each_index(f: IrFunction, count: str, hint: str) -> Iterator[str]:
    """Emits the body as a loop; yields the index, an i32 from 0 to `count` - 1."""
    head, body, done = (f.name_block(f"{hint}.{part}") for part in ("head", "body", "done"))
    index = f.alloca("i32", align=4)
    f.store("i32", "0", index)
    f.goto(head)
    f.block(head)
    at = f.load("i32", index)
    f.branch(f.let(f"icmp ult i32 {at}, {count}"), body, done)
    f.block(body)
    f.store("i32", f.let(f"add i32 {at}, 1"), index)
    yield at
    f.goto(head)
    f.block(done)


@contextmanager
def where(f: IrFunction, condition: str, hint: str) -> Iterator[None]:
    """Emits the body to run only if the condition (i1) holds."""
    then, done = f.name_block(hint), f.name_block(f"{hint}.done")
    f.branch(condition, then, done)
    f.block(then)
    yield
    f.goto(done)
    f.block(done)
