"""Checks one lane's access to one cell of memory against the cell's records, exactly.

A cell holds the last write, the lanes of the warp that read last, and one reader of another warp; readers.py keeps more
readers. Vectors of accesses that are plainly in order take the quick way in vectors.py.
"""

from __future__ import annotations

from grader.run.emulator import layout
from grader.run.emulator.layout import CELL, CHUNK, CONTEXT, LAUNCH, TAG_SHIFT
from grader.run.emulator.native.epochs import owner_of
from grader.run.emulator.native.flags import handed_over_routine, note_flag
from grader.run.emulator.native.flow import where
from grader.run.emulator.native.ir import LANES, IrFunction, IrModule
from grader.run.emulator.native.order import has_seen_write_routine, is_before_routine
from grader.run.emulator.native.readers import (
    HEAD_SHIFT,
    each_in_list,
    each_in_planes,
    keep_routine,
    keep_write_routine,
    note_in_plane_routine,
)
from grader.run.emulator.native.records import (
    OF_BLOCK,
    SITE_MASK,
    SITE_SHIFT,
    STRONG,
    TIME_MASK,
    VOLATILE,
    WRITTEN_BEFORE,
    Kind,
    access_info,
    store_at,
    warp_record,
)
from grader.run.emulator.native.reporting import should_report_routine
from grader.run.emulator.native.resolve import event_routine

# How the value of an unordered write compares with the value in memory.
DIFFERENT, SAME, NOT_YET_SAME = range(3)
"""NOT_YET_SAME: it differs, but the other thread may have recorded its write without having made it yet."""


def cell_routine(module: IrModule, kind: Kind) -> str:
    """Returns the routine `(ctx, warp, lane, cell, plane, shared, site, value) -> i1`: one checked access.

    It returns true, in place of reporting a race, if `value` is NOT_YET_SAME. The caller then compares again and
    repeats the call; nothing has been recorded.
    """

    def build(owner: IrModule, name: str) -> IrFunction:
        arguments = [
            ("ptr", "ctx"),
            ("ptr", "warp"),
            ("i32", "lane"),
            ("ptr", "cell"),
            ("i64", "plane"),
            ("i1", "shared"),
            ("i32", "site"),
            ("i32", "value"),
        ]
        f = IrFunction(owner, name, "i1", arguments, attributes="nounwind noinline")
        _Cell(f, kind).emit()
        return f

    return module.routine(f"cell_{kind.name}", build)


class _Cell:
    def __init__(self, f: IrFunction, kind: Kind) -> None:
        self.f = f
        self.kind = kind
        since, begin = f.load("i64", "%ctx", CONTEXT["since"]), f.load("i64", "%ctx", CONTEXT["begin"])
        self.begin = f.let(f"select i1 %shared, i64 {since}, i64 {begin}")
        never = f.load("i64", "%ctx", CONTEXT["never"])
        self.never = f.let(f"select i1 %shared, i64 {never}, i64 {WRITTEN_BEFORE}")
        self.warp = warp_record(f)
        self.lane = f.let("zext i32 %lane to i64")
        self.own = f.let(f"or i64 {self.warp}, {f.let(f'shl i64 {self.lane}, {TAG_SHIFT}')}")
        self.bit = f.let("shl i32 1, %lane")

    def _place(self, plane: str) -> str:
        return self.f.field("%cell", self.f.let(f"mul i64 %plane, {CELL[plane]}"))

    def _load(self, plane: str) -> str:
        # Atomic, because another core may be writing it.
        return self.f.let(f"load atomic i64, ptr {self._place(plane)} monotonic, align 8")

    def _store(self, plane: str, value: str) -> None:
        self.f.do(f"store atomic i64 {value}, ptr {self._place(plane)} monotonic, align 8")

    def emit(self) -> None:
        f, kind = self.f, self.kind
        last = self._last_write()
        if kind.writes:
            self._readers()
            if kind.strong:
                self._keep_plain_write(last)
            self._store("write", f.let(f"or i64 {self.own}, {access_info(f, kind)}"))
            if not kind.strong:
                # Whatever comes after this write also comes after the reads it is ordered behind; the other reads were
                # reported.
                for plane in ("read", "earlier"):
                    self._store(plane, "0")
        else:
            if kind.strong:
                self._kept_writes()
            self._record_read()
        f.do("ret i1 false")

    def _live(self, record: str) -> str:
        """Returns whether a record belongs to this launch or, in shared memory, to this epoch."""
        return self.f.let(f"icmp uge i64 {record}, {self.begin}")

    def _same(self, record: str, tag: str) -> str:
        """Returns whether a record belongs to the thread of `tag` or, if `tag` is a warp's, to that warp."""
        f = self.f
        return f.let(f"icmp ult i64 {f.let(f'xor i64 {record}, {tag}')}, {1 << TAG_SHIFT}")

    def _report_unless_ordered(
        self, record: str, event: str, passed: str, written: bool = False, again: str | None = None
    ) -> None:
        """Continues in block `passed`; first reports `event` if the access of `record` is not ordered before this one.

        `written`: once the write has been reported often enough, marks it as old, so that it costs no more time. If
        `again` holds, returns true in place of reporting.
        """
        f = self.f
        fine = f.call(is_before_routine(f.module), "i1", ["ptr %ctx", "ptr %warp", "i32 %lane", f"i64 {record}"])
        race = f.name_block("race")
        f.branch(fine, passed, race)
        f.block(race)
        if again is not None:
            look, tell = f.name_block("again"), f.name_block("race")
            f.branch(again, look, tell)
            f.block(look)
            f.do("ret i1 true")
            f.block(tell)
        thread = f.let(f"trunc i64 {f.let(f'lshr i64 {record}, {TAG_SHIFT}')} to i32")
        f.store("i32", f.let(f"and i32 {thread}, {layout.MAX_THREADS - 1}"), "%ctx", CONTEXT["other_thread"])
        f.store("i32", f.let(f"trunc i64 {record} to i32"), "%ctx", CONTEXT["other_access"])
        pending = f.let(f"icmp ne i32 {f.load('i32', '%ctx', CONTEXT['other_pending'])}, 0")
        event = f.let(f"select i1 {pending}, i32 {layout.EVENT_RACE}, i32 {event}")
        far = f.let(f"icmp uge i64 {f.let(f'xor i64 {record}, {self.warp}')}, {LANES << TAG_SHIFT}")
        other_site = f.let(f"and i32 {f.let(f'trunc i64 {record} to i32')}, {SITE_MASK << SITE_SHIFT}")
        reported = self._report(event, f.let(f"or i32 {other_site}, {f.let(f'zext i1 {far} to i32')}"))
        if written:
            with where(f, f.let(f"xor i1 {reported}, true"), "silent"):
                self._store("write", self.never)
        f.goto(passed)

    def _report(self, event: str, detail: str) -> str:
        """Reports an event unless its like was reported often enough; returns whether it did."""
        f = self.f
        asked = ["ptr %ctx", f"i32 {event}", "i32 %site", f"i32 {detail}"]
        wanted = f.call(should_report_routine(f.module), "i1", asked)
        with where(f, wanted, "tell"):
            inputs = ["ptr %ctx", "ptr %warp", f"i32 {event}", "i32 %site", f"i32 {self.bit}"]
            f.call(event_routine(f.module), "void", inputs)
        return wanted

    def _last_write(self) -> str:
        """Checks that this access is ordered after the last write; returns that write's record."""
        f, kind = self.f, self.kind
        record = self._load("write")
        if kind.cached:
            with where(f, self._live(record), "stale"):
                f.store("i32", f.let(f"trunc i64 {record} to i32"), "%ctx", CONTEXT["other_access"])
                self._report(str(layout.EVENT_STALE), "0")
        f.branch(self._same(record, self.own), "written", "foreign")
        f.block("foreign")
        never = f.let(f"icmp ult i64 {record}, {self.never}")
        f.branch(never, "unwritten", "initialised")
        f.block("unwritten")
        if kind.writes:
            # Counts down the cells of shared memory that nobody has written yet.
            one = f.let("zext i1 %shared to i32")
            left = f.let(f"sub i32 {f.load('i32', '%ctx', CONTEXT['unwritten'])}, {one}")
            f.store("i32", left, "%ctx", CONTEXT["unwritten"])
        if kind.reads and not kind.padding:
            self._report(str(layout.EVENT_UNINITIALIZED), "0")
        f.goto("written")
        f.block("initialised")
        f.branch(self._live(record), "concurrent", "written")
        f.block("concurrent")
        if kind.waits:
            note_flag(f, record)
        inputs = ["ptr %ctx", "ptr %warp", "i32 %lane"]
        if kind.counts:
            seen = f.call(has_seen_write_routine(f.module), "i1", [*inputs, f"i64 {record}"])
            f.branch(seen, "written", "plain")
            f.block("plain")
        elif kind.strong:
            f.branch(self._is_mutually_strong(record), "strong" if kind.looks else "written", "plain")
            if kind.looks:
                f.block("strong")
                f.branch(f.call(handed_over_routine(f.module), "i1", [*inputs, f"i64 {record}"]), "plain", "written")
            f.block("plain")
        event, again = str(layout.EVENT_RACE), None
        if kind.writes and not kind.reads and not kind.counts:
            same = f.let(f"icmp eq i32 %value, {SAME}")
            event = f.let(f"select i1 {same}, i32 {layout.EVENT_SAME_VALUE}, i32 {layout.EVENT_RACE}")
            again = f.let(f"icmp eq i32 %value, {NOT_YET_SAME}")
        self._report_unless_ordered(record, event, "written", written=not kind.writes, again=again)
        f.block("written")
        return record

    def _is_mutually_strong(self, record: str) -> str:
        """Returns whether the write of a record is strong too, and each of the two accesses is in the other's scope."""
        f, kind = self.f, self.kind
        known = f.let(f"trunc i64 {record} to i32")
        strong = f.let(f"icmp slt i32 {known}, 0")
        flags = f.let(f"and i32 {known}, {STRONG | VOLATILE}")
        of_block = f.let(f"icmp eq i32 {flags}, {OF_BLOCK}")
        # An asynchronous access is not strong for anybody.
        epoch = f.let(f"trunc i64 {f.let(f'lshr i64 {record}, {layout.EPOCH_SHIFT}')} to i32")
        over = f.let(f"icmp ne i32 {epoch}, {layout.LAST_EPOCH}")
        mine = f.let(f"select i1 {over}, i32 {epoch}, i32 {f.load('i32', '%ctx', CONTEXT['epoch'])}")
        number = f.let(f"trunc i64 {f.load('i64', '%ctx', CONTEXT['block'])} to i32")
        same_block = f.let(f"icmp eq i32 {f.load('i32', owner_of(f, mine), CHUNK['block'])}, {number}")
        here = f.let(f"and i1 {over}, {same_block}")
        if kind.of_block:
            return f.let(f"and i1 {f.let(f'or i1 {strong}, {of_block}')}, {here}")
        if kind.volatile:
            # Lanes of one warp that rely on volatile alone rely on lockstep, which no GPU since Volta promises: they
            # exchange results through shared memory. In global memory what they share are flags.
            apart = f.let(f"icmp uge i64 {f.let(f'xor i64 {record}, {self.own}')}, {LANES << TAG_SHIFT}")
            plain = f.let(f"icmp eq i32 {f.let(f'and i32 {known}, {VOLATILE}')}, 0")
            elsewhere = f.let("xor i1 %shared, true")
            meant = f.let(f"or i1 {f.let(f'or i1 {apart}, {plain}')}, {elsewhere}")
            strong = f.let(f"and i1 {strong}, {meant}")
        return f.let(f"or i1 {strong}, {f.let(f'and i1 {of_block}, {here}')}")

    def _kept_writes(self) -> None:
        """Checks that this strong read is ordered after plain writes whose place in the cell a strong one took."""
        f = self.f
        kept = f.load("i32", f.load("ptr", "%ctx", CONTEXT["launch"]), LAUNCH["kept_writes"])
        with where(f, f.let(f"icmp ne i32 {kept}, 0"), "kept_writes"):
            self._readers()

    def _is_plain_write(self, record: str) -> str:
        """Returns whether a record among the reads is a plain write that was kept there."""
        f = self.f
        low = f.let(f"trunc i64 {record} to i32")
        plain = f.let(f"icmp eq i32 {f.let(f'and i32 {low}, {STRONG | VOLATILE}')}, 0")
        stored = store_at(f, low)
        return f.let(f"and i1 {plain}, {f.let(f'icmp eq i8 {stored}, {layout.PLAIN_STORE}')}")

    def _readers(self) -> None:
        """Checks that this access is ordered after the reads, or if it is a read, after writes that are kept there."""
        f = self.f
        record, readers = self._load("read"), self._load("readers")
        f.branch(self._live(record), "read", "unread")
        f.block("read")
        bit = f.let(f"select i1 {self._same(record, self.warp)}, i32 {self.bit}, i32 0")
        rest = f.alloca("i32", align=4)
        lanes = f.let(f"trunc i64 {readers} to i32")
        f.store("i32", f.let(f"and i32 {lanes}, {f.let(f'xor i32 {bit}, -1')}"), rest)
        f.goto("next")
        f.block("next")
        left = f.load("i32", rest)
        f.branch(f.let(f"icmp eq i32 {left}, 0"), "others", "reader")
        f.block("reader")
        lane = f.let(f"zext i32 {f.intrinsic('llvm.cttz.i32', 'i32', [f'i32 {left}', 'i1 true'])} to i64")
        f.store("i32", f.let(f"and i32 {left}, {f.let(f'sub i32 {left}, 1')}"), rest)
        self._check_unless_mutual(f.let(f"or i64 {record}, {f.let(f'shl i64 {lane}, {TAG_SHIFT}')}"))
        f.goto("next")
        f.block("others")
        far = f.let("xor i1 %shared, true")
        head = f.let(f"trunc i64 {f.let(f'lshr i64 {readers}, {HEAD_SHIFT}')} to i32")
        but_strong = self.kind.strong and not self.kind.of_block
        with each_in_list(f, f.let(f"select i1 {far}, i32 {head}, i32 0"), but_strong) as one:
            self._check_reader(one)
        f.goto("unread")
        f.block("unread")
        earlier = self._load("earlier")
        self._check_reader(earlier)
        with where(f, self._live(earlier), "several"), each_in_planes(f) as one:
            # `record` already has the last read of its warp.
            fresh = f.let(f"xor i1 {self._same(one, self._of_warp(record))}, true")
            with where(f, f.let(f"and i1 {fresh}, {f.let(f'icmp ne i64 {one}, {earlier}')}"), "fresh"):
                self._check_reader(one)

    def _of_warp(self, record: str) -> str:
        return self.f.let(f"and i64 {record}, {-LANES << TAG_SHIFT}")

    def _check_reader(self, record: str) -> None:
        """Checks a read by another thread, if it belongs to this launch or epoch."""
        f = self.f
        other = f.let(f"xor i1 {self._same(record, self.own)}, true")
        with where(f, f.let(f"and i1 {self._live(record)}, {other}"), "one"):
            self._check_unless_mutual(record)

    def _check_unless_mutual(self, record: str) -> None:
        f = self.f
        fine = f.name_block("fine")
        if not self.kind.writes:
            check = f.name_block("check")
            f.branch(self._is_plain_write(record), check, fine)
            f.block(check)
        elif self.kind.strong:
            check = f.name_block("check")
            f.branch(self._is_mutually_strong(record), fine, check)
            f.block(check)
        self._report_unless_ordered(record, str(layout.EVENT_RACE), fine)
        f.block(fine)

    def _keep_plain_write(self, record: str) -> None:
        """Keeps a plain write among the reads when a strong write takes its place, so that it is still found.

        Strong writes of others may be in no order with it, whatever their order with the strong one: a counter that
        one thread clears and all count with.
        """
        f = self.f
        low = f.let(f"trunc i64 {record} to i32")
        plain = f.let(f"icmp eq i32 {f.let(f'and i32 {low}, {STRONG | VOLATILE}')}, 0")
        with where(f, f.let(f"and i1 {plain}, {self._live(record)}"), "plain_write"):
            f.store("i32", "1", f.load("ptr", "%ctx", CONTEXT["launch"]), LAUNCH["kept_writes"])
            inputs = ["ptr %ctx", "ptr %warp", "i32 %lane", "ptr %cell", "i64 %plane", "i1 %shared", f"i64 {record}"]
            f.call(keep_write_routine(f.module), "void", inputs)

    def _record_read(self) -> None:
        f, kind = self.f, self.kind
        record = self._load("read")
        live, mine = self._live(record), self._same(record, self.warp)
        low = f.let(f"trunc i64 {record} to i32")
        if kind.strong:
            # A plain read by the warp tells more: it conflicts with strong writes too.
            plain = f.let(f"icmp eq i32 {f.let(f'and i32 {low}, {STRONG | VOLATILE}')}, 0")
            f.branch(f.let(f"and i1 {plain}, {f.let(f'and i1 {live}, {mine}')}"), "kept", "note")
            f.block("note")
        foreign = f.let(f"and i1 {live}, {f.let(f'xor i1 {mine}, true')}")
        with where(f, foreign, "foreign"):
            lane = f.intrinsic("llvm.cttz.i64", "i64", [f"i64 {self._load('readers')}", "i1 false"])
            shifted = f.let(f"shl i64 {f.let(f'and i64 {lane}, 31')}, {TAG_SHIFT}")
            inputs = ["ptr %ctx", "ptr %warp", "i32 %lane", "ptr %cell", "i64 %plane", "i1 %shared", f"i64 {self.warp}"]
            f.call(keep_routine(f.module), "void", [*inputs, f"i64 {f.let(f'or i64 {record}, {shifted}')}"])
        known = access_info(f, kind)
        several = f.let(f"or i1 {foreign}, {self._live(self._load('earlier'))}")
        with where(f, f.let(f"and i1 %shared, {several}"), "several"):
            inputs = ["ptr %ctx", "ptr %warp", "ptr %cell", f"i64 {f.let(f'or i64 {self.own}, {known}')}"]
            f.call(note_in_plane_routine(f.module), "void", inputs)
        self._store("read", f.let(f"or i64 {self.warp}, {known}"))
        readers = self._load("readers")
        at = f.let(f"and i32 {low}, {TIME_MASK}")
        at_once = f.let(f"icmp eq i32 {at}, {f.load('i32', '%ctx', CONTEXT['time'])}")
        joined = f.let(f"select i1 {f.let(f'and i1 {mine}, {at_once}')}, i64 -1, i64 {-1 << HEAD_SHIFT}")
        kept = f.let(f"and i64 {readers}, {f.let(f'select i1 {live}, i64 {joined}, i64 0')}")
        self._store("readers", f.let(f"or i64 {kept}, {f.let(f'zext i32 {self.bit} to i64')}"))
        if kind.strong:
            f.goto("kept")
            f.block("kept")
