"""What is known of each piece of shared memory, and what one lane's access to a piece has to say to it, exactly.

A cell holds the last write, the lanes of one warp that read last, and a reader of another warp. Vectors of accesses
that are plainly in order take the quick way in shadow.py.
"""

from __future__ import annotations

from dataclasses import dataclass

from grader.run.emulator import layout
from grader.run.emulator.layout import CELL, CONTEXT, WARP
from grader.run.emulator.native.ir import LANES, IrFunction, IrModule
from grader.run.emulator.native.order import THREAD_BITS, ordered_routine
from grader.run.emulator.native.resolve import event_routine, report

THREADS = 1 << THREAD_BITS
# An access: its time, its site, and whether it is meant for what others do at the same time.
TIME_MASK = (1 << 16) - 1
SITE_SHIFT = 16
SITE_MASK = (1 << 14) - 1
VOLATILE, STRONG = 1 << 30, 1 << 31


@dataclass(frozen=True)
class Kind:
    """An access to shared memory as the race checks see it."""

    reads: bool
    writes: bool
    atomic: bool = False
    volatile: bool = False

    @property
    def strong(self) -> bool:
        return self.atomic or self.volatile

    @property
    def flags(self) -> int:
        return (STRONG if self.strong else 0) | (VOLATILE if self.volatile else 0)

    @property
    def name(self) -> str:
        words = ("read" * self.reads, "write" * self.writes, "atomic" * self.atomic, "volatile" * self.volatile)
        return "_".join(word for word in words if word)


def info(f: IrFunction, kind: Kind) -> str:
    """Flags, site and time of the access at hand."""
    placed = f.let(f"or i32 {f.let(f'shl i32 %site, {SITE_SHIFT}')}, {kind.flags - (1 << 32) * (kind.flags >> 31)}")
    return f.let(f"or i32 {placed}, {f.load('i32', '%ctx', CONTEXT['time'])}")


def cell_routine(module: IrModule, kind: Kind) -> str:
    """`(ctx, warp, lane, cell, site, same)`: `same` says that the value is the one that is there already."""

    def build(owner: IrModule, name: str) -> IrFunction:
        arguments = [
            ("ptr", "ctx"),
            ("ptr", "warp"),
            ("i32", "lane"),
            ("ptr", "cell"),
            ("i32", "site"),
            ("i1", "same"),
        ]
        f = IrFunction(owner, name, "void", arguments, attributes="nounwind noinline")
        _Cell(f, kind).emit()
        return f

    return module.routine(f"cell_{kind.name}", build)


class _Cell:
    def __init__(self, f: IrFunction, kind: Kind) -> None:
        self.f = f
        self.kind = kind
        epoch = f.load("i32", "%ctx", CONTEXT["epoch"])
        self.epoch = epoch
        self.plane = f.load("i64", "%ctx", CONTEXT["plane"])
        number = f.let(f"shl i32 {f.load('i32', '%warp', WARP['index'])}, 5")
        self.warp_tag = f.let(f"or i32 {f.let(f'shl i32 {epoch}, {THREAD_BITS}')}, {number}")
        self.tag = f.let(f"or i32 {self.warp_tag}, %lane")
        self.bit = f.let("shl i32 1, %lane")

    def _field(self, name: str) -> str:
        return self.f.field("%cell", self.f.let(f"mul i64 {self.plane}, {CELL[name]}"))

    def _load(self, name: str) -> str:
        return self.f.load("i32", self._field(name))

    def _store(self, name: str, value: str) -> None:
        self.f.store("i32", value, self._field(name))

    def emit(self) -> None:
        f, kind = self.f, self.kind
        self._last_write()
        if kind.writes:
            self._readers()
            self._store("write", self.tag)
            self._store("write_info", info(f, kind))
        elif not kind.strong:
            self._record_read()
        f.do("ret void")

    def _now(self, tag: str) -> str:
        """Whether a tag is of this epoch."""
        return self.f.let(f"icmp eq i32 {self.f.let(f'lshr i32 {tag}, {THREAD_BITS}')}, {self.epoch}")

    def _unless_ordered(self, tag: str, known: str, event: str, passed: str) -> None:
        """Goes to `passed`, after an event if the access of `tag` and `known` is not ordered before this one."""
        f = self.f
        thread = f.let(f"and i32 {tag}, {THREADS - 1}")
        time = f.let(f"and i32 {known}, {TIME_MASK}")
        arguments = ["ptr %ctx", "ptr %warp", "i32 %lane", f"i32 {thread}", f"i32 {time}"]
        fine = f.call(ordered_routine(f.module), "i1", arguments)
        race = f.name_block("race")
        f.branch(fine, passed, race)
        f.block(race)
        f.store("i32", thread, "%ctx", CONTEXT["other_thread"])
        f.store("i32", known, "%ctx", CONTEXT["other_access"])
        f.call(
            event_routine(f.module), "void", ["ptr %ctx", "ptr %warp", f"i32 {event}", "i32 %site", f"i32 {self.bit}"]
        )
        f.goto(passed)

    def _last_write(self) -> None:
        f, kind = self.f, self.kind
        tag = self._load("write")
        known = self._load("write_info")
        f.branch(f.let(f"icmp eq i32 {tag}, {self.tag}"), "written", "foreign")
        f.block("foreign")
        if kind.reads:
            never = f.let(f"icmp ult i32 {tag}, {f.load('i32', '%ctx', CONTEXT['first'])}")
            f.branch(never, "unwritten", "initialised")
            f.block("unwritten")
            report(f, layout.EVENT_UNINITIALIZED, "%site", self.bit)
            f.goto("written")
            f.block("initialised")
        f.branch(self._now(tag), "concurrent", "written")
        f.block("concurrent")
        if kind.strong:
            other_strong = f.let(f"icmp slt i32 {known}, 0")
            if kind.volatile:
                # Lanes of a warp that rely on volatile alone rely on lockstep, which no GPU since Volta promises.
                apart = f.let(f"icmp uge i32 {f.let(f'xor i32 {tag}, {self.tag}')}, {LANES}")
                plain = f.let(f"icmp eq i32 {f.let(f'and i32 {known}, {VOLATILE}')}, 0")
                meant = f.let(f"or i1 {apart}, {plain}")
                other_strong = f.let(f"and i1 {other_strong}, {meant}")
            f.branch(other_strong, "written", "plain")
            f.block("plain")
        event = str(layout.EVENT_RACE)
        if kind.writes and not kind.reads:
            event = f.let(f"select i1 %same, i32 {layout.EVENT_SAME_VALUE}, i32 {layout.EVENT_RACE}")
        self._unless_ordered(tag, known, event, "written")
        f.block("written")

    def _readers(self) -> None:
        f = self.f
        event = str(layout.EVENT_RACE)
        tag = self._load("read")
        known = self._load("read_info")
        readers = self._load("readers")
        f.branch(self._now(tag), "read", "unread")
        f.block("read")
        own = f.let(f"icmp eq i32 {tag}, {self.warp_tag}")
        bit = f.let(f"select i1 {own}, i32 {self.bit}, i32 0")
        rest = f.alloca("i32", align=4)
        f.store("i32", f.let(f"and i32 {readers}, {f.let(f'xor i32 {bit}, -1')}"), rest)
        f.goto("next")
        f.block("next")
        left = f.load("i32", rest)
        f.branch(f.let(f"icmp eq i32 {left}, 0"), "unread", "reader")
        f.block("reader")
        lane = f.intrinsic("llvm.cttz.i32", "i32", [f"i32 {left}", "i1 true"])
        f.store("i32", f.let(f"and i32 {left}, {f.let(f'sub i32 {left}, 1')}"), rest)
        self._unless_ordered(f.let(f"or i32 {tag}, {lane}"), known, event, "next")
        f.block("unread")
        earlier = self._load("earlier")
        other = f.let(f"icmp ne i32 {earlier}, {self.tag}")
        f.branch(f.let(f"and i1 {self._now(earlier)}, {other}"), "again", "clear")
        f.block("again")
        self._unless_ordered(earlier, self._load("earlier_info"), event, "clear")
        f.block("clear")

    def _record_read(self) -> None:
        f = self.f
        tag = self._load("read")
        known = self._load("read_info")
        readers = self._load("readers")
        mine = f.let(f"icmp eq i32 {tag}, {self.warp_tag}")
        time = f.load("i32", "%ctx", CONTEXT["time"])
        at_once = f.let(f"icmp eq i32 {f.let(f'and i32 {known}, {TIME_MASK}')}, {time}")
        joined = f.let(f"select i1 {f.let(f'and i1 {mine}, {at_once}')}, i32 {readers}, i32 0")
        foreign = f.let(f"and i1 {self._now(tag)}, {f.let(f'xor i1 {mine}, true')}")
        f.branch(foreign, "keep", "replace")
        f.block("keep")
        lane = f.intrinsic("llvm.cttz.i32", "i32", [f"i32 {readers}", "i1 false"])
        self._store("earlier", f.let(f"or i32 {tag}, {f.let(f'and i32 {lane}, 31')}"))
        self._store("earlier_info", known)
        f.goto("replace")
        f.block("replace")
        self._store("read", self.warp_tag)
        self._store("read_info", info(f, self.kind))
        self._store("readers", f.let(f"or i32 {joined}, {self.bit}"))
