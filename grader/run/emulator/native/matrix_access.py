"""What the accesses of matrix instructions share: a checked access with its race checks, counters and journal."""

from __future__ import annotations

from dataclasses import dataclass

from grader.run.emulator.native.access import Access, access_routine
from grader.run.emulator.native.counting import CountedAccess, count_routine
from grader.run.emulator.native.ir import LANES, IrFunction, V, splat
from grader.run.emulator.native.journal import note_values_routine
from grader.run.emulator.native.records import Kind
from grader.run.emulator.native.regions import CheckedAccess
from grader.run.emulator.native.shadow import shadow_routine

ROW_BYTES = 16
"""Bytes moved at once: a row of ldmatrix. Also the largest alignment that wmma requires of a line."""
ARGUMENTS = [("ptr", "ctx"), ("ptr", "warp"), (f"<{LANES} x i64>", "address"), ("i32", "mask"), ("i32", "site")]
ROUTINE = "nounwind noinline"


@dataclass(frozen=True)
class Watch:
    """What accompanies an access: race checks by granules (bytes) of shared and global memory, counting, a journal."""

    granules: tuple[int, int] | None = None
    counted: bool = False
    noted: bool = False

    @property
    def name(self) -> str:
        return "_checked" * (self.granules is not None) + "_counted" * self.counted + "_noted" * self.noted


def record(t: str, count: int) -> str:
    """Returns the struct type of `count` vectors of lanes of type `t`."""
    return "{ " + ", ".join([f"<{LANES} x {t}>"] * count) + " }"


def watch_arguments(watch: Watch) -> list[tuple[str, str]]:
    """Returns the arguments for the counters' row and the journal's site, as far as there are any."""
    return [("i64", "row")] * watch.counted + [("i32", "note")] * watch.noted


def watched_access(f: IrFunction, watch: Watch, access: Access, address: V, mask: str, values: list[V]) -> list[V]:
    """Emits a checked access with what accompanies it; returns the vectors loaded, none for a store."""
    inputs = ["ptr %ctx", "ptr %warp", str(address), f"i32 {mask}"]
    given = [str(value) for value in values]
    if watch.granules is not None:
        kind = Kind(not access.store, access.store)
        shadowed = CheckedAccess(kind, access.space, access.width, access.count, *watch.granules)
        f.call(shadow_routine(f.module, shadowed), "void", [*inputs, "i32 %site", *given])
    if watch.counted:
        counted = CountedAccess("store" if access.store else "load", access.space, access.size)
        f.call(count_routine(f.module, counted), "void", [*inputs, "i64 %row"])
    result = f.call(access_routine(f.module, access), access.returns, [*inputs, "i32 %site", *given])
    if not access.store and access.count == 1:
        values = [V(access.lane_type, result)]
    elif not access.store:
        parts = range(access.count)
        values = [V(access.lane_type, f.let(f"extractvalue {access.returns} {result}, {c}")) for c in parts]
    for number, value in enumerate(values if watch.noted else ()):
        place = f.op("add", address, splat("i64", number * access.width))
        noted = ["ptr %ctx", "ptr %warp", "i32 %note", f"i32 {mask}", str(place), str(f.cast("zext", value, "i64"))]
        f.call(note_values_routine(f.module), "void", noted)
    return [] if access.store else values


def return_words(f: IrFunction, words: list[V]) -> None:
    """Returns the words from the routine, as one struct."""
    returns = record(words[0].t, len(words))
    packed = "poison"
    for index, word in enumerate(words):
        packed = f.let(f"insertvalue {returns} {packed}, {word}, {index}")
    f.do(f"ret {returns} {packed}")
