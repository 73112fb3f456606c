"""Detects threads that skip a barrier of the block at which others wait.

Each lane keeps the groups of barriers it has skipped since it last came to one (translate/skips.py). A barrier that
opens reports a group if a thread waits there that has not skipped it, and another thread of the block has.
"""

from __future__ import annotations

from grader.run.emulator.layout import BARRIER, CONTEXT, WARP
from grader.run.emulator.native.ir import IrFunction, IrModule, splat


def record_skip(f: IrFunction, lanes: str, groups: int) -> None:
    """Records that these lanes take a branch past the barriers of `groups` (bits)."""
    if groups:
        known = f.load_lanes("i64", "%warp", WARP["passed"])
        past = f.op("or", known, splat("i64", groups))
        f.store_lanes(f.select(f.mask(lanes), past, known), "%warp", WARP["passed"])


def record_arrival_routine(module: IrModule) -> str:
    """Returns the routine `(ctx, warp, lanes, barrier, groups)`: lanes arrive at a barrier of `groups` (bits)."""

    def build(owner: IrModule, name: str) -> IrFunction:
        arguments = [("ptr", "ctx"), ("ptr", "warp"), ("i32", "lanes"), ("ptr", "barrier"), ("i64", "groups")]
        f = IrFunction(owner, name, "void", arguments, attributes="nounwind noinline")
        known = f.load_lanes("i64", "%warp", WARP["passed"])
        here = f.mask("%lanes")
        _add(f, f.reduce("or", f.select(here, known, splat("i64", 0))), "%barrier", BARRIER["passed_by"])
        by_all = f.reduce("and", f.select(here, known, splat("i64", -1)))
        _add(f, f.let(f"and i64 %groups, {f.let(f'xor i64 {by_all}, -1')}"), "%barrier", BARRIER["awaited"])
        f.store_lanes(f.select(here, splat("i64", 0), known), "%warp", WARP["passed"])
        f.do("ret void")
        return f

    return module.routine("come_past", build)


def record_exit(f: IrFunction, lanes: str) -> None:
    """Records that these lanes have exited: they never come to the barriers they have skipped."""
    known = f.load_lanes("i64", "%warp", WARP["passed"])
    _add(f, f.reduce("or", f.select(f.mask(lanes), known, splat("i64", 0))), "%ctx", CONTEXT["passed"])


def take_skipped_groups(f: IrFunction, barrier: str) -> str:
    """Returns the groups (bits) that some wait for and others have skipped, when a barrier opens; forgets them."""
    by_waiting, awaited = (f.load("i64", barrier, BARRIER[name]) for name in ("passed_by", "awaited"))
    for name in ("passed_by", "awaited"):
        f.store("i64", "0", barrier, BARRIER[name])
    by_gone = f.load("i64", "%ctx", CONTEXT["passed"])
    found = f.let(f"and i64 {awaited}, {f.let(f'or i64 {by_waiting}, {by_gone}')}")
    f.store("i64", f.let(f"and i64 {by_gone}, {f.let(f'xor i64 {found}, -1')}"), "%ctx", CONTEXT["passed"])
    return found


def _add(f: IrFunction, groups: str, pointer: str, offset: int) -> None:
    f.store("i64", f.let(f"or i64 {f.load('i64', pointer, offset)}, {groups}"), pointer, offset)
