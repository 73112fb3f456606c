"""Barrier objects in shared memory (mbarrier): arrivals, phases, and who has waited for them.

The layout of the 64 bits is our own: from the lowest bit, the pending arrivals, the arrivals each phase expects, the
bytes still to come, and the parity of the phase. For the race checks, an arrival releases what its lanes have done, and
a waiter acquires all that was released up to the end of the phase. The record of the object's upper half holds the time
of that end.
"""

from __future__ import annotations

from dataclasses import dataclass

from grader.run.emulator import layout
from grader.run.emulator.layout import CONTEXT, RECORD_BYTES, TAG_SHIFT, WARP
from grader.run.emulator.native.between_blocks import take_over_pending
from grader.run.emulator.native.copy_waits import end_phase_routine, settle_phases_routine
from grader.run.emulator.native.epochs import begin_to_hear, time_routine
from grader.run.emulator.native.fences import fence_routine
from grader.run.emulator.native.flow import where
from grader.run.emulator.native.ir import LANES, IrFunction, IrModule, V, splat
from grader.run.emulator.native.part_barriers import hand_on_routine
from grader.run.emulator.native.records import Kind, access_info, warp_record
from grader.run.emulator.native.regions import CheckedAccess, log2, region_at
from grader.run.emulator.native.resolve import checked_host, for_each_lane, next_lane, report

COUNT_BITS = 20
MOST = (1 << COUNT_BITS) - 1
"""The largest number of arrivals that a phase can expect."""
_EXPECTED, _BYTES, _PHASE = COUNT_BITS, 2 * COUNT_BITS, 63
_BYTES_MASK = (1 << 21) - 1
SIZE = 8


@dataclass(frozen=True)
class Operation:
    """A kind of operation. `name` is init, inval, arrive, test or test_parity.

    `drops`: an arrival also lowers the count expected of later phases. `waits`: a test in a loop that does nothing else
    until the phase is over. `granule`: bytes per cell of the race checks in shared memory, 0 if they are off.
    """

    name: str
    releases: bool = False
    acquires: bool = False
    drops: bool = False
    waits: bool = False
    granule: int = 0

    @property
    def routine(self) -> str:
        flags = (("releases", self.releases), ("acquires", self.acquires), ("drops", self.drops), ("waits", self.waits))
        words = [self.name, *(word for word, flag in flags if flag), *(["checked"] if self.granule else [])]
        return "mbarrier_" + "_".join(words)


def barrier_routine(module: IrModule, operation: Operation) -> str:
    """Returns the routine `(ctx, warp, addresses, mask, site, a, b) -> results`; it serves lanes in turn.

    init: `a` is the state. arrive: `a` is the count of arrivals, `b` the bytes to expect, negative for bytes that have
    arrived. test: `a` is a state or a parity. The result is the state before, or for a test 1 if the phase is over.
    """

    def build(owner: IrModule, name: str) -> IrFunction:
        vector = f"<{LANES} x i64>"
        arguments = [("ptr", "ctx"), ("ptr", "warp"), (vector, "address"), ("i32", "mask"), ("i32", "site")]
        f = IrFunction(owner, name, vector, [*arguments, (vector, "a"), (vector, "b")], "internal", "nounwind noinline")
        _Operation(f, operation).emit()
        return f

    return module.routine(operation.routine, build)


class _Operation:
    def __init__(self, f: IrFunction, operation: Operation) -> None:
        self.f = f
        self.operation = operation

    def emit(self) -> None:
        f, operation = self.f, self.operation
        living = f.let(f"xor i32 {f.load('i32', '%warp', WARP['dead'])}, -1")
        mask = f.let(f"and i32 %mask, {living}")
        if operation.releases and operation.granule:
            self._release(mask)
        f.store_lanes(V("i64", "%address"), "%warp", WARP["scratch"])
        outside, misaligned = f.alloca("i32", align=4), f.alloca("i32", align=4)
        f.store("i32", "0", outside)
        f.store("i32", "0", misaligned)
        results = f.alloca(f"<{LANES} x i64>")
        f.store_lanes(splat("i64", 0), results)
        lane, head, after = for_each_lane(f, mask)
        wide = f.let(f"zext i32 {lane} to i64")
        address = f.load("i64", f.field("%warp", WARP["scratch"]), f.let(f"mul i64 {wide}, 8"))
        host = checked_host(f, "shared", lane, address, SIZE, head, outside, misaligned, writes=True)
        a, b = (f.let(f"extractelement <{LANES} x i64> %{name}, i32 {lane}") for name in ("a", "b"))
        result = self._operate(lane, address, host, a, b)
        f.store("i64", result, results, f.let(f"mul i64 {wide}, 8"))
        next_lane(f, head, after)
        report(f, layout.EVENT_OUT_OF_BOUNDS, "%site", f.load("i32", outside))
        report(f, layout.EVENT_MISALIGNED, "%site", f.load("i32", misaligned))
        f.do(f"ret {f.load_lanes('i64', results)}")

    def _release(self, mask: str) -> None:
        """Releases what these lanes have done so far and know of, to whoever waits for the phase."""
        f = self.f
        wanted = f.let(f"icmp ne i32 {f.load('i32', '%ctx', CONTEXT['sanitize'])}, 0")
        some = f.let(f"and i1 {wanted}, {f.let(f'icmp ne i32 {mask}, 0')}")
        with where(f, some, "release"):
            f.call(fence_routine(f.module, far=False), "void", ["ptr %ctx", "ptr %warp", f"i32 {mask}"])
            f.store_lanes(f.load_lanes("i32", "%warp", WARP["fenced"]), "%warp", WARP["published"])
            f.call(hand_on_routine(f.module), "void", ["ptr %ctx", "ptr %warp"])

    def _operate(self, lane: str, address: str, host: str, a: str, b: str) -> str:
        f, name = self.f, self.operation.name
        before = f.load("i64", host)
        if name == "init":
            f.store("i64", a, host)
        elif name == "arrive":
            self._arrive(lane, address, host, before, a, b)
        elif name.startswith("test"):
            return self._test(lane, address, before, a)
        return before

    def _arrive(self, lane: str, address: str, host: str, before: str, count: str, bytes_: str) -> None:
        f = self.f
        pending = f.let(f"and i64 {before}, {MOST}")
        expected = f.let(f"and i64 {f.let(f'lshr i64 {before}, {_EXPECTED}')}, {MOST}")
        if self.operation.drops:
            expected = f.intrinsic("llvm.usub.sat.i64", "i64", [f"i64 {expected}", f"i64 {count}"])
        left = f.intrinsic("llvm.usub.sat.i64", "i64", [f"i64 {pending}", f"i64 {count}"])
        due = f.let(f"add i64 {f.let(f'lshr i64 {before}, {_BYTES}')}, {bytes_}")
        due = f.let(f"and i64 {due}, {_BYTES_MASK}")
        over = f.let(f"icmp eq i64 {f.let(f'or i64 {left}, {due}')}, 0")
        phase = f.let(f"lshr i64 {before}, {_PHASE}")
        phase = f.let(f"xor i64 {phase}, {f.let(f'zext i1 {over} to i64')}")
        left = f.let(f"select i1 {over}, i64 {expected}, i64 {left}")
        state = left
        for value, shift in ((expected, _EXPECTED), (due, _BYTES), (phase, _PHASE)):
            state = f.let(f"or i64 {state}, {f.let(f'shl i64 {value}, {shift}')}")
        f.store("i64", state, host)
        with where(f, over, "over"):
            f.call(end_phase_routine(f.module), "void", ["ptr %ctx", f"i32 {f.let(f'trunc i64 {address} to i32')}"])
            if self.operation.granule:
                with where(f, f.let(f"icmp ne i32 {f.load('i32', '%ctx', CONTEXT['sanitize'])}, 0"), "note"):
                    own = f.let(f"shl i64 {f.let(f'zext i32 {lane} to i64')}, {TAG_SHIFT}")
                    known = f.let(f"or i64 {warp_record(f)}, {access_info(f, Kind(True, True, atomic=True))}")
                    f.store("i64", f.let(f"or i64 {known}, {own}"), self._ended(address))

    def _test(self, lane: str, address: str, state: str, asked: str) -> str:
        f = self.f
        phase = f.let(f"lshr i64 {state}, {_PHASE}")
        parity = f.let(f"and i64 {asked}, 1" if self.operation.name == "test_parity" else f"lshr i64 {asked}, {_PHASE}")
        over = f.let(f"icmp ne i64 {phase}, {parity}")
        if self.operation.waits:
            self._note_answer(lane, over)
        if self.operation.acquires:
            with where(f, over, "over"):
                if self.operation.granule:
                    self._acquire(lane, address)
                inputs = ["ptr %ctx", f"i32 {f.let(f'trunc i64 {address} to i32')}"]
                f.call(settle_phases_routine(f.module, self.operation.granule > 0), "void", inputs)
        return f.let(f"zext i1 {over} to i64")

    def _note_answer(self, lane: str, over: str) -> None:
        """Counts successful and failed tests, to detect a block that waits for ever."""
        f = self.f
        success = f.let(f"zext i1 {over} to i32")
        f.store(
            "i32", f.let(f"add i32 {f.load('i32', '%ctx', CONTEXT['opened'])}, {success}"), "%ctx", CONTEXT["opened"]
        )
        more = f.let(f"add i32 {f.load('i32', '%ctx', CONTEXT['polls'])}, 1")
        f.store("i32", f.let(f"select i1 {over}, i32 0, i32 {more}"), "%ctx", CONTEXT["polls"])
        failed = f.let(f"shl i32 {f.let(f'xor i32 {success}, 1')}, {lane}")
        f.store("i32", f.let(f"or i32 {f.load('i32', '%warp', WARP['polled'])}, {failed}"), "%warp", WARP["polled"])

    def _acquire(self, lane: str, address: str) -> None:
        f = self.f
        with where(f, f.let(f"icmp ne i32 {f.load('i32', '%ctx', CONTEXT['sanitize'])}, 0"), "acquire"):
            record = f.load("i64", self._ended(address))
            time = f.call(time_routine(f.module), "i32", ["ptr %ctx", f"i64 {record}"])
            here = f.mask(f.let(f"shl i32 1, {lane}"))
            for field, lanes in (("learned", None), ("acquired", here)):
                before = f.load_lanes("i32", "%warp", WARP[field])
                later = f.map("llvm.umax", before, f.spread("i32", time))
                f.store_lanes(later if lanes is None else f.select(lanes, later, before), "%warp", WARP[field])
            begin_to_hear(f)
            # Whatever other blocks have released to this block may have come through the barrier too.
            take_over_pending(f, here)

    def _ended(self, address: str) -> str:
        """Returns the address of the record of the object's upper half, which holds the time the last phase ended."""
        f, granule = self.f, self.operation.granule
        access = CheckedAccess(Kind(True, True, atomic=True), "shared", SIZE, 1, granule, granule)
        region = region_at(f, access, address)
        inner = f.let(f"add i64 {f.let(f'sub i64 {address}, {region.base}')}, {SIZE // 2}")
        piece = f.let(f"mul i64 {f.let(f'lshr i64 {inner}, {log2(granule)}')}, {RECORD_BYTES}")
        return f.let(f"inttoptr i64 {f.let(f'add i64 {region.records}, {piece}')} to ptr")


@dataclass(frozen=True)
class Phase:
    """The state of a barrier object: arrivals pending and expected, bytes still to come, parity of the phase."""

    pending: int
    expected: int
    bytes: int
    parity: int


def phase_of(state: int) -> Phase:
    """Decodes the 64 bits of a barrier object."""
    return Phase(state & MOST, state >> _EXPECTED & MOST, state >> _BYTES & _BYTES_MASK, state >> _PHASE & 1)


def initial_state(f: IrFunction, counts: V) -> V:
    """Returns the states of barriers in their first phase, from their arrival counts (both i64 lanes)."""
    known = f.op("and", counts, splat("i64", MOST))
    return f.op("or", known, f.op("shl", known, splat("i64", _EXPECTED)))
