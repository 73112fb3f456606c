"""Times a candidate against a baseline on the GPU, in the runner's process, by replaying graphs in turns.

It returns samples and computes no score. What it times are callables that enqueue launches. The judge checks
correctness, for which this module keeps the outputs of replays that nobody could predict.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

from grader.measure.overall import null_test
from grader.measure.samples import BASELINE, CANDIDATE, Timing
from grader.measure.statistics import Quad, StoppingRule, agree
from grader.run.gpu.buffer_set import BufferSet
from grader.run.gpu.copies import LEAST_SECONDS, MOST_SECONDS, copies_for
from grader.run.gpu.instruments import MARKS, Instruments, Throttling, capture
from grader.run.gpu.refill import Refill, replay_key
from grader.run.gpu.reservoir import Keep, Reservoir
from grader.run.gpu.shortened import Short, Shortened

WARM_REPLAYS, WARM_TOLERANCE, WARM_SECONDS = 10, 0.01, 1.0

POLL_SECONDS = 0.0001
NOT_READY = 600
"""CUDA's answer while work goes on in a stream; no error."""

_RULE = StoppingRule()
_drawn = secrets.SystemRandom()


MakeSet = Callable[[int], BufferSet]
"""Makes buffer set number i, with its own arrays; called once for each number from 0."""


def measure(
    candidate: MakeSet,
    baseline: MakeSet | None = None,
    *,
    seed: int,
    sigma: float = 1.0,
    rule: StoppingRule = _RULE,
    limit: float = 60.0,
    keep: Keep | None = None,
    verified: int = 20,
    null: StoppingRule | None = None,
) -> Timing:
    """Times `candidate` in turns with `baseline` until `rule` ends it, on the current device.

    `seed` is secret and decides all inputs, which have standard deviation `sigma`. `keep` gets the outputs of at least
    `verified` replays drawn from all. `null` asks for the null test too, which is repeated once if it fails.

    Raises Overtime if a first launch has not ended after `limit` seconds, and WrittenEarly if a launch does the work of
    another.
    """
    session = Session(seed, sigma, limit)
    sides = [Side(session, CANDIDATE, candidate)]
    if baseline is not None:
        sides.append(Side(session, BASELINE, baseline))
    mine, other = sides[0], sides[-1]
    warm, warm_replays = session.warm_up(mine, other)
    session.late = 0
    order = (mine, mine) if mine is other else (other, mine, mine, other)
    reservoir = None if keep is None else Reservoir(keep, verified, [s.outputs for s in mine.sets])
    try:
        quads = session.run(order, rule, reservoir, Shortened(mine, session.stream, session.instruments.module))
    finally:
        if reservoir is not None:
            reservoir.free()
    return Timing(
        quads=tuple(quads),
        null=null_test(lambda: session.run((other,) * 4, null)) if null is not None else (),
        kept=tuple(reservoir.kept) if reservoir else (),
        copies={side.name: len(side.sets) for side in sides},
        graph_bytes={side.name: sum(s.bytes for s in side.sets) for side in sides},
        l2_bytes=session.l2_bytes,
        tick=session.tick,
        floor=session.instruments.floor(),
        warm=warm,
        warm_replays=warm_replays,
        late=session.late,
        throttled=session.throttling.reasons,
        event_seconds=session.event_seconds,
        wall_seconds=session.wall_seconds,
    )


class Overtime(Exception):
    """A launch sequence has not finished in time; the GPU may still be busy with it."""


class Session:
    """One measurement's stream, instruments and clocks."""

    def __init__(self, seed: int, sigma: float, limit: float) -> None:
        import cupy

        self.seed = seed
        self.sigma = sigma
        self.limit = limit
        self.instruments = instruments_of(cupy.cuda.Device().id)
        self.stream = self.instruments.stream
        self.throttling = Throttling()
        self.tick = self.instruments.tick()
        self.l2_bytes = int(cupy.cuda.Device().attributes["L2CacheSize"])
        self.late = 0
        self.event_seconds = self.wall_seconds = self.paused_seconds = 0.0
        self._events = [(cupy.cuda.Event(), cupy.cuda.Event()) for _ in range(MARKS // 2)]
        self._host_seconds = 1e-3

    def try_out(self, launch: Callable[[Any], None]) -> float:
        """Launches once outside a graph, where it may hang or initialise; returns the seconds, roughly."""
        from cupy.cuda import runtime

        began = time.perf_counter()
        with self.stream:
            launch(self.stream)
        while runtime.streamQuery(self.stream.ptr) == NOT_READY:
            if time.perf_counter() - began > self.limit:
                raise Overtime
            time.sleep(POLL_SECONDS)
        self.stream.synchronize()
        return time.perf_counter() - began

    def warm_up(self, mine: Side, other: Side) -> tuple[bool, int]:
        """Alternates until the baseline's times agree; returns whether they did, and after how many replays."""
        times: list[float] = []
        end = time.perf_counter() + WARM_SECONDS
        while time.perf_counter() < end or len(times) < 2:
            last, _ = self.round((other, mine))
            times.append(last[0])
            if len(times) >= WARM_REPLAYS and agree(times[-WARM_REPLAYS:], WARM_TOLERANCE):
                return True, len(times)
        return False, len(times)

    def run(
        self,
        order: Sequence[Side],
        rule: StoppingRule,
        reservoir: Reservoir | None = None,
        shortened: Shortened | None = None,
    ) -> list[Quad]:
        """Returns rounds in this order until the rule ends them: R C C R, or C C without a baseline."""
        quads: list[Quad] = []
        start, paused = time.perf_counter(), self.paused_seconds
        while True:
            over = rule.is_over(quads, time.perf_counter() - start - (self.paused_seconds - paused))
            if over and (shortened is None or not shortened.owed):
                break
            if len(quads) % rule.every == 0:
                self.throttling.look()
            short = shortened.draw(must=over) if shortened is not None else None
            times, clocks = self.round(order, reservoir, short)
            if short is not None:
                continue
            if len(times) == 2:
                quads.append(Quad((times[0], times[1]), None, clocks))
            else:
                quads.append(Quad((times[1], times[2]), (times[0], times[3]), clocks))
        self.throttling.look()
        return quads

    def round(
        self, order: Sequence[Side], reservoir: Reservoir | None = None, short: Short | None = None
    ) -> tuple[list[float], tuple[float, ...] | None]:
        """Replays each side's graph once in this order; returns seconds of one launch sequence, and SM clocks in MHz.

        One of its side's replays is that of `short`; the outputs of the last set that ran are then kept.
        """
        import cupy

        began = time.perf_counter()
        places = [i for i, side in enumerate(order) if side.name == CANDIDATE]
        cut = None if short is None else _drawn.choice([i for i in places if order[i] is short.side])
        chosen = cut
        if reservoir is not None and cut is None:
            chosen = reservoir.choose(places)
        spin = 1.5 * self._host_seconds
        self.instruments.spin(spin)
        for i, side in enumerate(order):
            start, end = self._events[i]
            side.refresh()
            self.instruments.mark(2 * i)
            start.record(self.stream)
            (short.graph if short is not None and i == cut else side.graph).launch(self.stream)
            end.record(self.stream)
            self.instruments.mark(2 * i + 1)
            if reservoir is not None and i == chosen:
                reservoir.copy(self.stream, side.replays, None if short is None else short.launches - 1)
            if short is not None and i == cut:
                short.rest.enqueue(self.stream)
        # One more that doesn't count. A replay with nothing behind it is faster: by 0.8 % on an H200, if a graph also
        # sets memory; then the four of a quad would not be alike.
        order[-1].refresh()
        order[-1].graph.launch(self.stream)
        host = time.perf_counter() - began
        self.late += host > spin
        self._host_seconds = max(host, 0.9 * self._host_seconds)
        clocks = self.instruments.clocks(len(order))
        self.stream.synchronize()
        elapsed = [cupy.cuda.get_elapsed_time(*events) * 1e-3 for events in self._events[: len(order)]]
        self.event_seconds += sum(elapsed)
        ended = time.perf_counter()
        self.wall_seconds += ended - began
        if short is not None:
            short.rest.check()
        if reservoir is not None and chosen is not None:
            reservoir.hand_over()
            self.paused_seconds += time.perf_counter() - ended
        return [seconds / len(side.sets) for seconds, side in zip(elapsed, order, strict=True)], clocks


class Side:
    """One contender: its buffer sets, its graph, and the number of its replays."""

    def __init__(self, session: Session, name: str, make_set: MakeSet) -> None:
        import cupy

        self.name = name
        self.replays = 0
        self._session = session
        free, _ = cupy.cuda.runtime.memGetInfo()
        self.sets = [make_set(0)]
        seconds = self._estimate()
        # The baseline has to find as much again, and the outputs that are kept need room too.
        copies = copies_for(seconds, self.sets[0].bytes, session.l2_bytes, session.tick, int(0.4 * free))
        self.sets += [make_set(number) for number in range(1, copies)]
        self._build(self.sets)

    def refresh(self) -> None:
        """Enqueues fresh inputs and poisoned outputs. They are not timed, and flush both sides' caches alike."""
        self.replays += 1
        key = replay_key(self._session.seed, self.name, self.replays)
        self._refill.enqueue(self._session.stream, key, self._session.sigma)

    def _build(self, sets: Sequence[BufferSet], copies: int = 1) -> None:
        session = self._session
        written = [(*s.outputs, *s.scratch) for s in sets]
        self._refill = Refill(session.instruments.module, [s.inputs for s in sets], written)
        # The table of arrays came through another stream.
        _synchronize()
        if self.replays == 0:
            self.refresh()
            session.stream.synchronize()
            # Twice: the first one may also load code.
            self._first = min(session.try_out(sets[0].launch) for _ in range(2))
        self.graph = capture(session.stream, [s.launch for s in sets] * copies)

    def _estimate(self) -> float:
        """Returns the seconds of one launch sequence, roughly."""
        best = float("inf")
        for count in (1, 32):
            self._build(self.sets, count)
            if self._first > MOST_SECONDS:
                return self._first
            best = min(best, *(self._session.round((self,))[0][0] / count for _ in range(4)))
            if best > LEAST_SECONDS / 10:
                break
        return best


@lru_cache(maxsize=1)
def instruments_of(_device: int) -> Instruments:
    """Returns one stream and one set of instruments for all measurements of the process on a device.

    On an H200, an empty kernel in a graph took 0.51 µs in the first measurement of a process, and 0.69 µs in later ones
    that had a stream and a module of their own.
    """
    import cupy

    return Instruments(cupy.cuda.Stream(non_blocking=True))


def _synchronize() -> None:
    import cupy

    cupy.cuda.Device().synchronize()
