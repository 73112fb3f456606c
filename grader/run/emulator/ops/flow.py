"""Control flow: branches and exits. They end a basic block, so translation.py emits them."""

from __future__ import annotations

from grader.run.emulator.ops.common import Row
from grader.run.emulator.ptx.traits import Flow, Traits

TABLE = {
    ("bra", ""): Row(None, Traits(flow=Flow.BRANCH, idle=True, result=False)),
    ("brx", ""): Row(None, Traits(flow=Flow.INDEXED_BRANCH, result=False)),
    ("ret", ""): Row(None, Traits(flow=Flow.RETURN, result=False)),
    ("exit", ""): Row(None, Traits(flow=Flow.EXIT, result=False)),
    ("trap", ""): Row(None, Traits(flow=Flow.TRAP, result=False)),
}
