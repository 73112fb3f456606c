"""Counts what a warp's accesses cost: sectors of global memory, wavefronts of shared memory, serialised atomics.

The definitions are those of Nsight Compute's memory tables. Counting changes nothing that a kernel computes.
"""

from __future__ import annotations

from dataclasses import dataclass

from grader.run.emulator import layout
from grader.run.emulator.counter_layout import ARRAY, CELL, MANY, ROW, SECTOR, STEP, TOUCH, TRACE, TRACES
from grader.run.emulator.layout import CONTEXT, WARP
from grader.run.emulator.native.ir import LANES, IrFunction, IrModule, V, splat
from grader.run.emulator.native.resolve import slot_entry

BANKS = 32
BANK_BYTES = 4


@dataclass(frozen=True)
class CountedAccess:
    """A kind of access: `role` is "load", "store" or "atomic", `size` the bytes of a lane.

    The space "words" is that of constants, and of threads' own memory by places in it.
    """

    role: str
    space: str
    size: int

    @property
    def name(self) -> str:
        return f"count_{self.role}_{self.space}_{self.size}"


_ARGUMENTS = [
    ("ptr", "ctx"),
    ("ptr", "warp"),
    (f"<{LANES} x i64>", "address"),
    ("i32", "mask"),
    ("i64", "row"),
]


def add_to(f: IrFunction, pointer: str, offset: int | str, value: str) -> None:
    """Adds an i64 to a counter."""
    f.store("i64", f.let(f"add i64 {f.load('i64', pointer, offset)}, {value}"), pointer, offset)


def trace_step(f: IrFunction, buffer: str, block: int) -> None:
    """Adds a step to the trace: the warp `%warp` executes this basic block."""
    warp = f.let(f"zext i32 {f.load('i32', '%warp', WARP['index'])} to i64")
    where = f.let(f"or i64 {f.let(f'shl i64 {warp}, 32')}, {block}")
    _trace(f, buffer, ("steps", "last_step"), STEP.size, {STEP["where"]: where})


def _trace(f: IrFunction, buffer: str, ends: tuple[str, str], size: int, values: dict[int, str]) -> None:
    """Writes a record of `size` bytes and moves on, but not beyond the last one's place."""
    at, last = (f.load("i64", buffer, TRACES + TRACE[name]) for name in ends)
    place = f.let(f"inttoptr i64 {at} to ptr")
    for offset, value in values.items():
        f.store("i64", value, place, offset)
    after = f.intrinsic("llvm.umin.i64", "i64", [f"i64 {f.let(f'add i64 {at}, {size}')}", f"i64 {last}"])
    f.store("i64", after, buffer, TRACES + TRACE[ends[0]])


def popcount(f: IrFunction, bits: str) -> str:
    """Returns the number of set bits of an i32, as an i64."""
    return f.let(f"zext i32 {f.intrinsic('llvm.ctpop.i32', 'i32', [f'i32 {bits}'])} to i64")


def count_routine(module: IrModule, access: CountedAccess) -> str:
    """Returns the routine `(ctx, warp, addresses, mask, row offset)`, which counts one request of a warp."""

    def build(owner: IrModule, name: str) -> IrFunction:
        f = IrFunction(owner, name, "void", _ARGUMENTS, attributes="nounwind noinline")
        if access.space == "generic":
            _split(f, access)
            return f
        living = f.let(f"xor i32 {f.load('i32', '%warp', WARP['dead'])}, -1")
        active = f.let(f"and i32 %mask, {living}")
        f.branch(f.let(f"icmp eq i32 {active}, 0"), "none", "some")
        f.block("none")
        f.do("ret void")
        f.block("some")
        request = _Request(f, access, active)
        if access.space == "words":
            request.words()
        elif access.space == "shared":
            request.shared()
        else:
            request.global_()
        f.do("ret void")
        return f

    return module.routine(access.name, build)


def _split(f: IrFunction, access: CountedAccess) -> None:
    """Counts a generic access as one access of its lanes in shared memory and one of those in global memory."""
    window = f.op("lshr", V("i64", "%address"), splat("i64", layout.SLOT_BITS))
    for space, condition, limit, base in (
        ("shared", "icmp eq", layout.SHARED_WINDOW >> layout.SLOT_BITS, layout.SHARED_WINDOW),
        ("global", "icmp uge", layout.FIRST_VARIABLE_SLOT, 0),
    ):
        here = f.let(f"and i32 %mask, {f.bits(f.compare(condition, window, splat('i64', limit)))}")
        address = f.op("sub", V("i64", "%address"), splat("i64", base))
        routine = count_routine(f.module, CountedAccess(access.role, space, access.size))
        f.call(routine, "void", ["ptr %ctx", "ptr %warp", str(address), f"i32 {here}", "i64 %row"])
    f.do("ret void")


class _Request:
    """One request: the lanes of a warp that execute one access."""

    def __init__(self, f: IrFunction, access: CountedAccess, active: str) -> None:
        self.f = f
        self.access = access
        self.active = active
        self.address = V("i64", "%address")
        self.buffer = f.load("ptr", "%ctx", CONTEXT["counters"])
        self.row = f.field(self.buffer, "%row")
        leader = f.intrinsic("llvm.cttz.i32", "i32", [f"i32 {active}", "i1 true"])
        self.first = f.let(f"extractelement {self.address}, i32 {leader}")
        self.asked = f.let(f"mul i64 {popcount(f, active)}, {access.size}")

    def global_(self) -> None:
        f, access = self.f, self.access
        slot = f.intrinsic(
            "llvm.umin.i64",
            "i64",
            [f"i64 {f.let(f'lshr i64 {self.first}, {layout.SLOT_BITS}')}", f"i64 {layout.SLOT_COUNT - 1}"],
        )
        array = f.field(self.buffer, f.let(f"mul i64 {slot}, {ARRAY.size}"))
        sectors, fresh = self._sectors()
        full = f.let(f"lshr i64 {f.let(f'add i64 {self.asked}, {SECTOR - 1}')}, {SECTOR.bit_length() - 1}")
        ideal = f.intrinsic("llvm.umin.i64", "i64", [f"i64 {sectors}", f"i64 {full}"])
        self._add({"requests": "1", "sectors": sectors, "ideal_sectors": ideal, "bytes": self.asked})
        self._name("array", slot)
        for name, value in (
            (f"{access.role}_bytes", self.asked),
            (f"{access.role}_sectors", sectors),
            ("block_sectors", fresh),
        ):
            add_to(f, array, ARRAY[name], value)
        if access.role == "atomic":
            self._count_turns()
        self._sample(sectors)

    def _sectors(self) -> tuple[str, str]:
        """Returns the number of sectors the lanes touch, and how many of these the block reads for the first time."""
        f, reads = self.f, self.access.role == "load"
        entry = slot_entry(f, "global", self.first)
        base, size = f.load("i64", entry, layout.ENTRY["base"]), f.load("i64", entry, layout.ENTRY["size"])
        maps = f.load("i64", entry, layout.ENTRY["shadow"])
        mapped = f.let(f"icmp ne i64 {maps}, 0")
        extent = f.let(f"select i1 {mapped}, i64 {size}, i64 0")
        limit = f.let(f"lshr i64 {f.let(f'add i64 {extent}, {SECTOR - 1}')}, 5")
        block = f.load("i64", "%ctx", CONTEXT["block"])
        mark = f.let(f"trunc i64 {f.let(f'add i64 {block}, 1')} to i32")
        start = f.let(f"lshr i64 {base}, 5")
        keys = f.op("lshr", self.address, splat("i64", 5))
        count, fresh = f.alloca("i64", align=8), f.alloca("i64", align=8)
        f.store("i64", "0", count)
        f.store("i64", "0", fresh)
        if reads:
            within = f.cast("trunc", f.op("and", self.address, splat("i64", SECTOR - 1)), "i32")
            own = f.op("shl", splat("i32", (1 << self.access.size) - 1), within)
        warp = f.let(f"zext i32 {f.load('i32', '%warp', WARP['index'])} to i64")
        request = f.let(f"and i64 {f.load('i64', self.row, ROW['requests'])}, {(1 << 16) - 1}")
        of_row = f.let(f"or i64 {f.let('shl i64 %row, 32')}, {f.let(f'shl i64 {request}, 16')}")
        where = f.let(f"or i64 {of_row}, {warp}")
        key, same, head, after = _for_each_value(f, keys, self.active)
        add_to(f, count, 0, "1")
        touch = {TOUCH["sector"]: key, TOUCH["where"]: where}
        _trace(f, self.buffer, ("sectors", "last_sector"), TOUCH.size, touch)
        if reads:
            index = f.let(f"sub i64 {key}, {start}")
            known = f.name_block("known")
            f.branch(f.let(f"icmp ult i64 {index}, {limit}"), known, head)
            f.block(known)
            place = f.let(f"mul i64 {index}, {CELL.size}")
            cell = f.let(f"inttoptr i64 {f.let(f'add i64 {maps}, {place}')} to ptr")
            new = f.let(f"icmp ne i32 {f.load('i32', cell, CELL['block'])}, {mark}")
            f.store("i32", mark, cell, CELL["block"])
            add_to(f, fresh, 0, f.let(f"zext i1 {new} to i64"))
            read = f.reduce("or", f.select(f.mask(same), own, splat("i32", 0)))
            before = f.load("i32", cell, CELL["bytes"])
            f.store("i32", f.let(f"or i32 {before}, {read}"), cell, CELL["bytes"])
        f.goto(head)
        f.block(after)
        return f.load("i64", count), f.load("i64", fresh)

    def shared(self) -> None:
        """Counts wavefronts.

        Lanes whose accesses are wider than a bank are served in phases; in each phase a bank delivers one word at a
        time.
        """
        f, unit = self.f, max(self.access.size, BANK_BYTES)
        banks = max(BANKS * BANK_BYTES // unit, 1)
        keys = f.cast("trunc", f.op("lshr", self.address, splat("i64", unit.bit_length() - 1)), "i32")
        routine = _ways_routine(f.module, banks)
        total, ideal, most = "0", "0", "0"
        for part in self._phases(keys, max(unit // BANK_BYTES, 1)):
            ways = f.call(routine, "i64", [str(keys), f"i32 {part}"])
            total = f.let(f"add i64 {total}, {ways}")
            busy = f.let(f"icmp ne i32 {part}, 0")
            ideal = f.let(f"add i64 {ideal}, {f.let(f'zext i1 {busy} to i64')}")
            most = f.intrinsic("llvm.umax.i64", "i64", [f"i64 {most}", f"i64 {ways}"])
        names = {"shared_requests": "1", "wavefronts": total, "ideal_wavefronts": ideal, "shared_bytes": self.asked}
        self._add(names)
        worst = f.intrinsic("llvm.umax.i64", "i64", [f"i64 {f.load('i64', self.row, ROW['ways'])}", f"i64 {most}"])
        f.store("i64", worst, self.row, ROW["ways"])
        self._name("shared_array", f.let(f"lshr i64 {self.first}, {layout.SHARED_SLOT_BITS}"))
        if self.access.role == "atomic":
            self._count_turns()
        self._sample(total)

    def words(self) -> None:
        """Counts the different words that the lanes ask for: the cache of constants serves one at a time, and a word
        of each thread's own memory lies beside those of the other lanes."""
        f = self.f
        count = f.alloca("i64", align=8)
        f.store("i64", "0", count)
        keys = f.op("lshr", self.address, splat("i64", BANK_BYTES.bit_length() - 1))
        _, _, head, after = _for_each_value(f, keys, self.active)
        add_to(f, count, 0, "1")
        f.goto(head)
        f.block(after)
        self._add({"words": f.load("i64", count)})

    def _phases(self, keys: V, count: int) -> list[str]:
        """Returns the active lanes of each phase.

        Two phases of a load are merged if all lanes agree with their neighbours, or with the lanes two apart, on the
        address; an idle partner counts as agreeing. This is undocumented: it is what Nsight Compute counts on an H200
        (benchmarks/kernels/access_patterns.cu).
        """
        f, width = self.f, LANES // count
        parts = [f.let(f"and i32 {self.active}, {_signed(((1 << width) - 1) << n * width)}") for n in range(count)]
        if count == 1 or self.access.role != "load":
            return parts
        unlike = [self._unlike_partner(keys, distance) for distance in (1, 2)]
        phases = []
        for first, second in zip(parts[::2], parts[1::2], strict=True):
            both = f.let(f"or i32 {first}, {second}")
            alike = [f.let(f"icmp eq i32 {f.let(f'and i32 {both}, {lanes}')}, 0") for lanes in unlike]
            joined = f.let(f"or i1 {alike[0]}, {alike[1]}")
            phases.append(f.let(f"select i1 {joined}, i32 {both}, i32 {first}"))
            phases.append(f.let(f"select i1 {joined}, i32 0, i32 {second}"))
        return phases

    def _unlike_partner(self, keys: V, distance: int) -> str:
        """Returns the active lanes whose partner (lane number xor `distance`) is active with another key."""
        f = self.f
        partners = f.swap(keys, distance)
        active = f.swap(f.mask(self.active), distance)
        both = f.let(f"and i32 {self.active}, {f.bits(active)}")
        return f.let(f"and i32 {both}, {f.bits(f.compare('icmp ne', keys, partners))}")

    def _count_turns(self) -> None:
        """Counts the rounds of an atomic: lanes on one address are served one after the other."""
        f = self.f
        most = f.alloca("i64", align=8)
        f.store("i64", "0", most)
        _, same, head, after = _for_each_value(f, self.address, self.active)
        larger = f.intrinsic("llvm.umax.i64", "i64", [f"i64 {f.load('i64', most)}", f"i64 {popcount(f, same)}"])
        f.store("i64", larger, most)
        f.goto(head)
        f.block(after)
        self._add({"turns": f.load("i64", most)})

    def _add(self, values: dict[str, str]) -> None:
        for name, value in values.items():
            add_to(self.f, self.row, ROW[name], value)

    def _name(self, field: str, slot: str) -> None:
        """Records the array that the row touches; MANY if there are several."""
        f = self.f
        before = f.load("i64", self.row, ROW[field])
        free = f.let(f"icmp eq i64 {before}, 0")
        same = f.let(f"icmp eq i64 {before}, {slot}")
        fits = f.let(f"or i1 {free}, {same}")
        f.store("i64", f.let(f"select i1 {fits}, i64 {slot}, i64 {MANY}"), self.row, ROW[field])

    def _sample(self, measure: str) -> None:
        """Keeps the addresses of the row's most expensive request, the first if several cost the same."""
        f = self.f
        keep, later = f.name_block("keep"), f.name_block("later")
        best = f.load("i64", self.row, ROW["sample_measure"])
        f.branch(f.let(f"icmp ugt i64 {measure}, {best}"), keep, later)
        f.block(keep)
        index = f.load("i32", "%warp", WARP["index"])
        for name, value in (
            ("sample_measure", measure),
            ("sample_mask", f.let(f"zext i32 {self.active} to i64")),
            ("sample_block", f.load("i64", "%ctx", CONTEXT["block"])),
            ("sample_warp", f.let(f"zext i32 {index} to i64")),
        ):
            f.store("i64", value, self.row, ROW[name])
        f.store_lanes(self.address, self.row, ROW["sample"], align=8)
        f.goto(later)
        f.block(later)


def _signed(mask: int) -> int:
    """Returns 32 bits as the literal of an i32."""
    return mask if mask < 1 << 31 else mask - (1 << 32)


def _for_each_value(f: IrFunction, keys: V, active: str) -> tuple[str, str, str, str]:
    """Opens a loop over the distinct values that the active lanes hold.

    Returns (value, the lanes that hold it, label of the loop's head, label after the loop).
    """
    head, body, after = f.name_block("value"), f.name_block("body"), f.name_block("after")
    rest = f.alloca("i32", align=4)
    f.store("i32", active, rest)
    f.goto(head)
    f.block(head)
    left = f.load("i32", rest)
    f.branch(f.let(f"icmp eq i32 {left}, 0"), after, body)
    f.block(body)
    leader = f.intrinsic("llvm.cttz.i32", "i32", [f"i32 {left}", "i1 true"])
    key = f.let(f"extractelement {keys}, i32 {leader}")
    same = f.let(f"and i32 {left}, {f.bits(f.compare('icmp eq', keys, f.spread(keys.t, key)))}")
    f.store("i32", f.let(f"xor i32 {left}, {same}"), rest)
    return key, same, head, after


def _ways_routine(module: IrModule, banks: int) -> str:
    """Returns the routine `(words, lanes) -> i64`: the distinct words in the fullest bank; 0 without lanes."""

    def build(owner: IrModule, name: str) -> IrFunction:
        arguments = [(f"<{LANES} x i32>", "words"), ("i32", "active")]
        f = IrFunction(owner, name, "i64", arguments, attributes="nounwind noinline")
        words = V("i32", "%words")
        counts, most = f.alloca(f"[{banks} x i64]"), f.alloca("i64", align=8)
        f.do(f"store [{banks} x i64] zeroinitializer, ptr {counts}")
        f.store("i64", "0", most)
        key, _, head, after = _for_each_value(f, words, "%active")
        bank = f.let(f"zext i32 {f.let(f'and i32 {key}, {banks - 1}')} to i64")
        cell = f.field(counts, f.let(f"mul i64 {bank}, 8"))
        count = f.let(f"add i64 {f.load('i64', cell)}, 1")
        f.store("i64", count, cell)
        f.store("i64", f.intrinsic("llvm.umax.i64", "i64", [f"i64 {f.load('i64', most)}", f"i64 {count}"]), most)
        f.goto(head)
        f.block(after)
        f.do(f"ret i64 {f.load('i64', most)}")
        return f

    return module.routine(f"ways_of_{banks}_banks", build)
