"""Schedules the lanes of a warp: which run next, branches, exits, waiting for each other.

Each lane has a program counter. A converged warp goes directly from block to block. A diverged one stores the counters
and runs the lanes with the smallest first. That order starves lanes that others spin for, so every so often another
lane gets a turn, whatever its counter.
"""

from __future__ import annotations

from grader.run.emulator import layout, pace
from grader.run.emulator.layout import CONTEXT, WARP
from grader.run.emulator.native.ir import LANES, IrFunction, IrModule, V, splat
from grader.run.emulator.native.resolve import report
from grader.run.emulator.native.threads import retire_routine

# Of every FAIR_PERIOD scheduling decisions of a diverged warp, the last FAIR_SHARE go to a lane that is behind.
FAIR_PERIOD = 64
FAIR_SHARE = 32
LOST_SITE = 0
"""The site of lanes whose program counter is no block of the program."""
_COIN_OF_BLOCK, _COIN_OF_PLACE = 0x9E3779B1, 0x85EBCA77
"""The first two primes of xxHash32."""
PATIENT_PERIOD = 1 << 12
"""The period if turns out of order should be rare: the lanes that get one may meet the others later than on a GPU."""


def block_name(pc: int) -> str:
    """Returns the label of the basic block with this number."""
    return f"pc{pc}"


class Dispatcher:
    """The scheduler and the exits of one kernel's warp function, and the jumps of its blocks."""

    def __init__(self, module: IrModule, name: str, block_count: int, patient: bool = False) -> None:
        self.f = IrFunction(module, name, "i32", [("ptr", "ctx"), ("ptr", "warp")], linkage="")
        self._count = block_count
        self._patient = patient
        self._period = PATIENT_PERIOD if patient else FAIR_PERIOD
        f = self.f
        self.current = f.alloca("i32", align=4)
        self.others = f.alloca("i32", align=4)
        # Instructions counted against the slice, and those of them that were yielded, not executed.
        self._executed, self._given = f.alloca("i64", align=8), f.alloca("i64", align=8)
        self._park_lanes, self._park_pc = f.alloca("i32", align=4), f.alloca("i32", align=4)
        self._taken_lanes, self._taken_pc = f.alloca("i32", align=4), f.alloca("i32", align=4)
        self._status = f.alloca("i32", align=4)
        f.store("i64", "0", self._executed)
        f.store("i64", "0", self._given)
        f.goto("schedule")
        self._schedule()
        self._park()
        self._leave()

    # The fixed blocks

    def _schedule(self) -> None:
        f = self.f
        f.block("schedule")
        ready = f.load("i32", "%warp", WARP["ready"])
        f.branch(f.let(f"icmp eq i32 {ready}, 0"), "nobody", "somebody")
        f.block("nobody")
        alive = f.load("i32", "%warp", WARP["alive"])
        gone = f.let(f"icmp eq i32 {alive}, 0")
        self._end(f.let(f"select i1 {gone}, i32 {layout.DONE}, i32 {layout.BLOCKED}"))
        f.block("somebody")
        executed = f.load("i64", self._executed)
        f.branch(f.let(f"icmp ugt i64 {executed}, {pace.WARP_SLICE}"), "slice", "choose")
        f.block("slice")
        self._end(str(layout.SLICE))
        f.block("choose")
        counters = f.load_lanes("i32", "%warp", WARP["pc"])
        keys = f.select(f.mask(ready), counters, splat("i32", 0x7FFFFFFF))
        smallest = f.reduce("umin", keys)
        first = f.bits(f.compare("icmp eq", keys, f.spread("i32", smallest)))
        rest = f.let(f"and i32 {ready}, {f.let(f'xor i32 {first}, -1')}")
        f.store("i32", first, self.current)
        f.store("i32", rest, self.others)
        f.branch(f.let(f"icmp eq i32 {rest}, 0"), "together", "apart")
        f.block("apart")
        turn = f.load("i32", "%warp", WARP["turn"])
        f.store("i32", f.let(f"add i32 {turn}, 1"), "%warp", WARP["turn"])
        phase = f.let(f"and i32 {turn}, {self._period - 1}")
        fair = f.let(f"icmp uge i32 {phase}, {self._period - FAIR_SHARE}")
        if not self._patient:
            odd = f.let(f"trunc i32 {turn} to i1")
            fair = f.let(f"or i1 {fair}, {f.let(f'and i1 {odd}, {self._waits_long()}')}")
        f.branch(fair, "fair", "together")
        f.block("fair")
        # Favours the next lane outside of the first group, from a position that advances each period.
        position = f.let(f"and i32 {f.let(f'udiv i32 {turn}, {self._period}')}, {LANES - 1}")
        turned = f.intrinsic("llvm.fshr.i32", "i32", [f"i32 {rest}", f"i32 {rest}", f"i32 {position}"])
        ahead = f.intrinsic("llvm.cttz.i32", "i32", [f"i32 {turned}", "i1 true"])
        lane = f.let(f"and i32 {f.let(f'add i32 {position}, {ahead}')}, {LANES - 1}")
        offset = f.let(f"zext i32 {f.let(f'mul i32 {lane}, 4')} to i64")
        favoured = f.load("i32", "%warp", f.let(f"add i64 {offset}, {WARP['pc']}"))
        chosen = f.bits(f.compare("icmp eq", keys, f.spread("i32", favoured)))
        f.store("i32", chosen, self.current)
        f.store("i32", f.let(f"and i32 {ready}, {f.let(f'xor i32 {chosen}, -1')}"), self.others)
        f.goto("jump")
        f.block("together")
        f.goto("jump")
        f.block("jump")
        target = f.let(f"phi i32 [ {favoured}, %fair ], [ {smallest}, %together ]")
        cases = " ".join(f"i32 {pc}, label %{block_name(pc)}" for pc in range(self._count))
        f.do(f"switch i32 {target}, label %lost [ {cases} ]")
        # A return address comes from the lane's own stack, which the program may have overwritten.
        f.block("lost")
        lost = f.load("i32", self.current)
        report(f, layout.EVENT_BAD_CALL, str(LOST_SITE), lost)
        self.exit(lost)

    def _park(self) -> None:
        """Emits the blocks that store the program counters of one or two groups of lanes, and schedule."""
        f = self.f
        f.block("park.both")
        self._set_counters(f.load("i32", self._park_lanes), f.load("i32", self._park_pc))
        self._set_counters(f.load("i32", self._taken_lanes), f.load("i32", self._taken_pc))
        f.goto("schedule")
        f.block("park")
        self._set_counters(f.load("i32", self._park_lanes), f.load("i32", self._park_pc))
        f.goto("schedule")

    def _leave(self) -> None:
        f = self.f
        f.block("leave")
        total = f.load("i64", "%ctx", CONTEXT["instructions"])
        spent = f.let(f"sub i64 {f.load('i64', self._executed)}, {f.load('i64', self._given)}")
        f.store("i64", f.let(f"add i64 {total}, {spent}"), "%ctx", CONTEXT["instructions"])
        f.do(f"ret i32 {f.load('i32', self._status)}")

    def _end(self, status: str) -> None:
        self.f.store("i32", status, self._status)
        self.f.goto("leave")

    def _set_counters(self, lanes: str, pc: str) -> None:
        f = self.f
        self.set_counters(lanes, f.spread("i32", pc))

    def set_counters(self, lanes: str, pcs: V) -> None:
        """Stores the program counters of these lanes."""
        f = self.f
        old = f.load_lanes("i32", "%warp", WARP["pc"])
        f.store_lanes(f.select(f.mask(lanes), pcs, old), "%warp", WARP["pc"])

    # For the code of blocks

    def open(self, pc: int, instructions: int, waiting: int, stirred: str = "") -> None:
        """Begins a block of `instructions`, of which `waiting` are of the kind that threads wait for others with.

        `stirred`: the field of the context that says how often the block may still be suspended here.
        """
        f = self.f
        f.block(block_name(pc))
        if stirred:
            self._stir(pc, CONTEXT[stirred])
        if waiting:
            waits = f.let(f"add i64 {f.load('i64', '%ctx', CONTEXT['waits'])}, {waiting}")
            f.store("i64", waits, "%ctx", CONTEXT["waits"])
            alone = f.let(f"icmp eq i32 {f.load('i32', self.others)}, 0")
            # A lane that holds a lock may be behind others of its warp, which then gives way to none.
            self.give_way(f.let(f"and i1 {self._waits_long()}, {alone}"))
        f.store("i64", f.let(f"add i64 {f.load('i64', self._executed)}, {instructions}"), self._executed)

    def active(self) -> str:
        """Returns the lanes that run at present, an i32."""
        return self.f.load("i32", self.current)

    def schedule(self) -> None:
        """Goes to the scheduler, which chooses the lanes to run next."""
        self.f.goto("schedule")

    def park(self, lanes: str, pc: int) -> None:
        """Lets these lanes continue at `pc` when they are scheduled again."""
        f = self.f
        f.store("i32", lanes, self._park_lanes)
        f.store("i32", str(pc), self._park_pc)
        f.goto("park")

    def give_way(self, condition: str) -> None:
        """Ends the warp's slice at its next jump back if the condition holds, because it waits for another warp."""
        f = self.f
        away, on = f.name_block("away"), f.name_block("on")
        f.branch(condition, away, on)
        f.block(away)
        self._spend_slice()
        f.goto(on)
        f.block(on)

    def _waits_long(self) -> str:
        """Returns whether the block has looked for others in vain, an i1."""
        return self.f.let(f"icmp ugt i64 {self.waits_so_far()}, {pace.WARP_WAITS}")

    def waits_so_far(self) -> str:
        """Returns how many instructions the block has waited with since it last changed memory that others look at."""
        return self.f.load("i64", "%ctx", CONTEXT["waits"])

    def settle_waits(self, before: str) -> None:
        """Takes back what `before` waits counted too much against the budget, if they were set to 0 since.

        Looks at a lock were not in vain if memory changes at last: 262,144 threads may take it in turn. The change
        itself is no wait for the slice either, because the next to take the lock is often in the same warp.
        """
        f = self.f
        changed = f.let(f"icmp eq i64 {self.waits_so_far()}, 0")
        all_but_one = f.let(f"sub i64 {before}, 1")
        for variable, sign, count in ((self._executed, "sub", "1"), (self._given, "add", all_but_one)):
            more = f.let(f"mul i64 {count}, {LANES - 1}")
            more = f.let(f"select i1 {changed}, i64 {more}, i64 0")
            f.store("i64", f.let(f"{sign} i64 {f.load('i64', variable)}, {more}"), variable)

    def _stir(self, pc: int, field: int) -> None:
        """Suspends the block at the start of its basic block `pc` if a coin says so, as long as it has any left.

        Blocks that run one after the other would never meet between a look at a lock and its taking, or between two
        stores. Those have coins of their own, which a loop that looks would use up.
        """
        f = self.f
        toss, away, on = f.name_block("toss"), f.name_block("away"), f.name_block("on")
        left = f.load("i32", "%ctx", field)
        f.branch(f.let(f"icmp eq i32 {left}, 0"), on, toss)
        f.block(toss)
        f.store("i32", f.let(f"sub i32 {left}, 1"), "%ctx", field)
        number = f.let(f"trunc i64 {f.load('i64', '%ctx', CONTEXT['block'])} to i32")
        of_block, of_place = f.let(f"mul i32 {number}, {_COIN_OF_BLOCK}"), f.let(f"mul i32 {left}, {_COIN_OF_PLACE}")
        f.branch(f.let(f"icmp slt i32 {f.let(f'add i32 {of_block}, {of_place}')}, 0"), away, on)
        f.block(away)
        f.store("i64", "0", "%ctx", CONTEXT["suspend_at"])
        self._spend_slice()
        self.park(self.active(), pc)
        f.block(on)

    def _spend_slice(self) -> None:
        f = self.f
        for variable in (self._executed, self._given):
            more = f.let(f"add i64 {f.load('i64', variable)}, {pace.WARP_SLICE + 1}")
            f.store("i64", more, variable)

    def jump(self, lanes: str, here: int, target: int) -> None:
        """Sends all active lanes to `target`."""
        f = self.f
        direct, away = f.name_block("direct"), f.name_block("away")
        self._when_alone(direct, away)
        f.block(away)
        self.park(lanes, target)
        f.block(direct)
        self._direct(lanes, here, target)

    def fork(self, lanes: str, taken: str, here: int, target: int, following: int) -> None:
        """Sends the lanes of `taken` to `target`, and the other active ones to `following`."""
        f = self.f
        both, whole, none, alone = (f.name_block(n) for n in ("both", "whole", "none", "alone"))
        self._when_alone(alone, both)
        f.block(alone)
        everyone = f.let(f"icmp eq i32 {taken}, {lanes}")
        nobody = f.name_block("some")
        f.branch(everyone, whole, nobody)
        f.block(nobody)
        f.branch(f.let(f"icmp eq i32 {taken}, 0"), none, both)
        f.block(both)
        f.store("i32", lanes, self._park_lanes)
        f.store("i32", str(following), self._park_pc)
        f.store("i32", taken, self._taken_lanes)
        f.store("i32", str(target), self._taken_pc)
        f.goto("park.both")
        f.block(whole)
        self._direct(lanes, here, target)
        f.block(none)
        self._direct(lanes, here, following)

    def _when_alone(self, alone: str, otherwise: str) -> None:
        f = self.f
        f.branch(f.let(f"icmp eq i32 {f.load('i32', self.others)}, 0"), alone, otherwise)

    def _direct(self, lanes: str, here: int, target: int) -> None:
        f = self.f
        if target > here:
            f.goto(block_name(target))
            return
        spent = f.name_block("spent")
        executed = f.load("i64", self._executed)
        over = f.let(f"icmp ugt i64 {executed}, {pace.WARP_SLICE}")
        f.branch(over, spent, block_name(target), unlikely=True)
        f.block(spent)
        self.park(lanes, target)

    def exit(self, lanes: str) -> None:
        """Ends these lanes."""
        self.f.call(retire_routine(self.f.module), "void", ["ptr %ctx", "ptr %warp", f"i32 {lanes}"])
        self.f.goto("schedule")

    def reap(self, lanes: str) -> str:
        """Retires lanes that a fault has ended; returns the lanes that are left."""
        f = self.f
        dead = f.load("i32", "%warp", WARP["dead"])
        hurt, survivors, whole = f.name_block("hurt"), f.name_block("survivors"), f.name_block("whole")
        before = f.current
        f.branch(f.let(f"icmp eq i32 {dead}, 0"), whole, hurt)
        f.block(hurt)
        left = f.let(f"and i32 {lanes}, {f.let(f'xor i32 {dead}, -1')}")
        f.call(retire_routine(f.module), "void", ["ptr %ctx", "ptr %warp", f"i32 {dead}"])
        # Any value but 0 makes the end of the block store the counters and reschedule.
        f.store("i32", "-1", self.others)
        f.branch(f.let(f"icmp eq i32 {left}, 0"), "schedule", survivors)
        f.block(survivors)
        f.goto(whole)
        f.block(whole)
        return f.let(f"phi i32 [ {lanes}, %{before} ], [ {left}, %{survivors} ]")
