"""Readers of a cell beyond the two that it has room for: a write has to be ordered after all of them.

Shared memory has a plane for each warp of the block, allocated when first needed, in which a warp that is not the only
reader records itself. In global memory, where any block may read, a cell has a list of further readers.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from grader.run.emulator import layout
from grader.run.emulator.layout import CELL, CONTEXT, LAUNCH, READER, TAG_SHIFT, WARP
from grader.run.emulator.native.epochs import THREAD_BITS
from grader.run.emulator.native.flow import for_each_index, where
from grader.run.emulator.native.ir import LANES, IrFunction, IrModule
from grader.run.emulator.native.order import is_before_routine
from grader.run.emulator.native.resolve import event_routine

NO_PLANES = 1
"""The address of a block's planes if there is no memory for them."""
HEAD_SHIFT = 32
FLAGS = 3 << 30
"""The bits of a record that mark strong accesses (cells.py)."""
_STRONG_BIT = 31
"""Of these, the one that marks accesses that are strong for every block."""
_LOOKED_AT = 32
"""The number of nodes searched for the current warp before a list gets one more."""


def own_plane(f: IrFunction, planes: str) -> str:
    """Returns the byte offset of the warp's own plane of readers of shared memory from the first plane of records."""
    index = f.let(f"zext i32 {f.load('i32', '%warp', WARP['index'])} to i64")
    return _plane_of(f, planes, index)


def _plane_of(f: IrFunction, planes: str, number: str) -> str:
    size = f.load("i64", "%ctx", CONTEXT["plane"])
    first = f.let(f"sub i64 {planes}, {f.load('i64', '%ctx', CONTEXT['shadow'])}")
    return f.let(f"add i64 {first}, {f.let(f'mul i64 {number}, {size}')}")


def note_in_plane_routine(module: IrModule) -> str:
    """Returns the routine `(ctx, warp, cell, record)`, which records one of several readers of a shared cell."""

    def build(owner: IrModule, name: str) -> IrFunction:
        arguments = [("ptr", "ctx"), ("ptr", "warp"), ("ptr", "cell"), ("i64", "record")]
        f = IrFunction(owner, name, "void", arguments, attributes="nounwind noinline")
        none = f.let(f"icmp eq i64 {f.load('i64', '%ctx', CONTEXT['reader_planes'])}, 0")
        with where(f, none, "ask"):
            inputs = ["ptr %ctx", "ptr %warp", f"i32 {layout.EVENT_READERS}", "i32 0", "i32 0"]
            f.call(event_routine(owner), "void", inputs)
        planes = f.load("i64", "%ctx", CONTEXT["reader_planes"])
        with where(f, f.let(f"icmp ne i64 {planes}, {NO_PLANES}"), "known"):
            f.store("i64", "%record", f.field("%cell", own_plane(f, planes)))
        f.do("ret void")
        return f

    return module.routine("note_in_plane", build)


@contextmanager
def each_in_planes(f: IrFunction) -> Iterator[str]:
    """Emits the body for the record of `%cell` in each warp's plane, if the cell is in shared memory."""
    planes = f.load("i64", "%ctx", CONTEXT["reader_planes"])
    some = f.let(f"and i1 %shared, {f.let(f'icmp ugt i64 {planes}, {NO_PLANES}')}")
    count = f.let(f"select i1 {some}, i32 {f.load('i32', '%ctx', CONTEXT['warp_count'])}, i32 0")
    with for_each_index(f, count, "plane") as at:
        yield f.load("i64", f.field("%cell", _plane_of(f, planes, f.let(f"zext i32 {at} to i64"))))


@contextmanager
def each_in_list(f: IrFunction, head: str, but_strong: bool) -> Iterator[str]:
    """Emits the body for the records of a list; `head` is the number of its first node, 0 for an empty list.

    `but_strong` leaves out the end of the list if only strong reads are there: thousands that look at one lock.
    """
    place = f.alloca("i32", align=4)
    f.store("i32", head, place)
    next_node, node, done = (f.name_block(part) for part in ("list", "node", "listed"))
    f.goto(next_node)
    f.block(next_node)
    number = f.load("i32", place)
    f.branch(f.let(f"icmp eq i32 {number}, 0"), done, node)
    f.block(node)
    at = _node(f, number)
    if but_strong:
        weak = f.name_block("weak")
        f.branch(f.let(f"icmp eq i32 {f.load('i32', at, READER['strong'])}, 0"), weak, done)
        f.block(weak)
    f.store("i32", f.load("i32", at, READER["next"]), place)
    yield f.load("i64", at, READER["record"])
    f.goto(next_node)
    f.block(done)


def _node(f: IrFunction, number: str) -> str:
    nodes = f.load("ptr", f.load("ptr", "%ctx", CONTEXT["launch"]), LAUNCH["readers"])
    return f.field(nodes, f.let(f"mul i64 {f.let(f'zext i32 {number} to i64')}, {layout.READER.size}"))


def room_left(f: IrFunction) -> str:
    """Returns whether there are nodes left for lists."""
    launch = f.load("ptr", "%ctx", CONTEXT["launch"])
    return f.let(f"icmp ult i32 {f.load('i32', launch, LAUNCH['reader_count'])}, {layout.MOST_READERS}")


def _warp_of(f: IrFunction, record: str) -> str:
    """Returns a number for the record's block, as far as its chunk of epochs tells, and its warp."""
    launch = f.load("ptr", "%ctx", CONTEXT["launch"])
    epoch = f.let(f"trunc i64 {f.let(f'lshr i64 {record}, {layout.EPOCH_SHIFT}')} to i32")
    since = f.let(f"sub i32 {epoch}, {f.load('i32', launch, LAUNCH['first_epoch'])}")
    chunk = f.let(f"lshr i32 {since}, {f.load('i32', launch, LAUNCH['chunk_bits'])}")
    warp = f.let(f"and i64 {f.let(f'lshr i64 {record}, {TAG_SHIFT + 5}')}, {(1 << THREAD_BITS - 5) - 1}")
    block = f.let(f"zext i32 {chunk} to i64")
    return f.let(f"or i64 {f.let(f'shl i64 {block}, 5')}, {warp}")


def keep_routine(module: IrModule) -> str:
    """Returns the routine `(ctx, warp, lane, cell, plane, shared, warp's record, record)`.

    It keeps `record`, a read by another warp, when the current warp's read takes its place in the cell.
    """

    def build(owner: IrModule, name: str) -> IrFunction:
        arguments = [("ptr", "ctx"), ("ptr", "warp"), ("i32", "lane"), ("ptr", "cell"), ("i64", "plane")]
        arguments += [("i1", "shared"), ("i64", "own"), ("i64", "record")]
        f = IrFunction(owner, name, "void", arguments, attributes="nounwind noinline")
        place = f.field("%cell", f.let(f"mul i64 %plane, {CELL['earlier']}"))
        earlier = f.let(f"load atomic i64, ptr {place} monotonic, align 8")
        since, begin = f.load("i64", "%ctx", CONTEXT["since"]), f.load("i64", "%ctx", CONTEXT["begin"])
        first = f.let(f"select i1 %shared, i64 {since}, i64 {begin}")
        old = f.let(f"icmp ult i64 {earlier}, {first}")
        for other in ("%own", "%record"):
            alike = f.let(f"icmp ult i64 {f.let(f'xor i64 {earlier}, {other}')}, {32 << TAG_SHIFT}")
            old = f.let(f"or i1 {old}, {alike}")
        f.branch(old, "free", "taken")
        f.block("free")
        f.do(f"store atomic i64 %record, ptr {place} monotonic, align 8")
        f.do("ret void")
        f.block("taken")
        f.branch("%shared", "done", "far")
        f.block("far")
        before = f.call(is_before_routine(owner), "i1", ["ptr %ctx", "ptr %warp", "i32 %lane", "i64 %record"])
        f.branch(before, "done", "list")
        f.block("list")
        _put_into_list(f)
        f.block("done")
        f.do("ret void")
        return f

    return module.routine("keep_reader", build)


def keep_write_routine(module: IrModule) -> str:
    """Returns the routine `(ctx, warp, lane, cell, plane, shared, record)`, which keeps a write as if it were a read.

    It becomes the last read if there is none, or only a strong one by its own warp; a plain one by its warp, which came
    later, tells as much.
    """

    def build(owner: IrModule, name: str) -> IrFunction:
        arguments = [("ptr", "ctx"), ("ptr", "warp"), ("i32", "lane"), ("ptr", "cell"), ("i64", "plane")]
        arguments += [("i1", "shared"), ("i64", "record")]
        f = IrFunction(owner, name, "void", arguments, attributes="nounwind noinline cold")
        place, readers = (f.field("%cell", f.let(f"mul i64 %plane, {CELL[each]}")) for each in ("read", "readers"))
        read = f.let(f"load atomic i64, ptr {place} monotonic, align 8")
        since, begin = f.load("i64", "%ctx", CONTEXT["since"]), f.load("i64", "%ctx", CONTEXT["begin"])
        dead = f.let(f"icmp ult i64 {read}, {f.let(f'select i1 %shared, i64 {since}, i64 {begin}')}")
        own = f.let(f"icmp ult i64 {f.let(f'xor i64 %record, {read}')}, {LANES << TAG_SHIFT}")
        strong = f.let(f"icmp ne i64 {f.let(f'and i64 {read}, {FLAGS}')}, 0")
        f.branch(f.let(f"or i1 {dead}, {f.let(f'and i1 {own}, {strong}')}"), "alone", "others")
        f.block("alone")
        of_warp = f.let(f"and i64 %record, {~((LANES - 1) << TAG_SHIFT)}")
        f.do(f"store atomic i64 {of_warp}, ptr {place} monotonic, align 8")
        lane = f.let(f"and i64 {f.let(f'lshr i64 %record, {TAG_SHIFT}')}, {LANES - 1}")
        known = f.let(f"load atomic i64, ptr {readers} monotonic, align 8")
        head = f.let(f"and i64 {known}, {f.let(f'select i1 {dead}, i64 0, i64 {-1 << HEAD_SHIFT}')}")
        both = f.let(f"or i64 {head}, {f.let(f'shl i64 1, {lane}')}")
        f.do(f"store atomic i64 {both}, ptr {readers} monotonic, align 8")
        f.do("ret void")
        f.block("others")
        f.branch(own, "done", "several")
        f.block("several")
        inputs = ["ptr %ctx", "ptr %warp", "i32 %lane", "ptr %cell", "i64 %plane", "i1 %shared"]
        f.call(keep_routine(owner), "void", [*inputs, "i64 %record", "i64 %record"])
        f.goto("done")
        f.block("done")
        f.do("ret void")
        return f

    return module.routine("keep_write", build)


def _put_into_list(f: IrFunction) -> None:
    """Puts the record into the node of the same warp, or a new node; ends in the block `done`."""
    readers = f.field("%cell", f.let(f"mul i64 %plane, {CELL['readers']}"))
    known = f.let(f"load atomic i64, ptr {readers} monotonic, align 8")
    head = f.let(f"trunc i64 {f.let(f'lshr i64 {known}, {HEAD_SHIFT}')} to i32")
    wanted = _warp_of(f, "%record")
    shifted = f.let(f"lshr i64 %record, {_STRONG_BIT}")
    strong = f.let(f"and i32 {f.let(f'trunc i64 {shifted} to i32')}, 1")
    place, looked = f.alloca("i32", align=4), f.alloca("i32", align=4)
    f.store("i32", head, place)
    f.store("i32", "0", looked)
    f.goto("look")
    f.block("look")
    number, times = f.load("i32", place), f.load("i32", looked)
    f.store("i32", f.let(f"add i32 {times}, 1"), looked)
    ended = f.let(f"icmp eq i32 {number}, 0")
    enough = f.let(f"icmp uge i32 {times}, {_LOOKED_AT}")
    f.branch(f.let(f"or i1 {ended}, {enough}"), "new", "compare")
    f.block("compare")
    at = _node(f, number)
    f.store("i32", f.load("i32", at, READER["next"]), place)
    same = f.let(f"icmp eq i64 {_warp_of(f, f.load('i64', at, READER['record']))}, {wanted}")
    # A weak read in the place of a strong one would be behind nodes that say otherwise.
    stays = f.let(f"icmp uge i32 {strong}, {f.load('i32', at, READER['strong'])}")
    f.branch(f.let(f"and i1 {same}, {stays}"), "same", "look")
    f.block("same")
    f.store("i64", "%record", at, READER["record"])
    f.goto("done")
    f.block("new")
    f.branch(room_left(f), "room", "done")
    f.block("room")
    count = f.field(f.load("ptr", "%ctx", CONTEXT["launch"]), LAUNCH["reader_count"])
    fresh = f.let(f"add i32 {f.let(f'atomicrmw add ptr {count}, i32 1 monotonic')}, 1")
    at = _node(f, fresh)
    f.store("i64", "%record", at, READER["record"])
    f.store("i32", head, at, READER["next"])
    after = f.load("i32", _node(f, head), READER["strong"])
    after = f.let(f"select i1 {f.let(f'icmp eq i32 {head}, 0')}, i32 1, i32 {after}")
    f.store("i32", f.let(f"and i32 {strong}, {after}"), at, READER["strong"])
    wide = f.let(f"shl i64 {f.let(f'zext i32 {fresh} to i64')}, {HEAD_SHIFT}")
    lanes = f.let(f"and i64 {known}, {(1 << HEAD_SHIFT) - 1}")
    f.do(f"store atomic i64 {f.let(f'or i64 {lanes}, {wide}')}, ptr {readers} monotonic, align 8")
    f.goto("done")
