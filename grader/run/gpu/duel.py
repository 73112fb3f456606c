"""Times several contenders on the GPU in turns, in the runner's process: rounds A B C C B A, another first each time.

`timing` times one replay; this module decides whose turn it is. It returns samples and ranks nobody.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from grader.measure.duel import MOST_CONTENDERS, Contest, Round, order_of, round_of
from grader.measure.samples import CANDIDATE
from grader.measure.standings import is_over
from grader.measure.statistics import StoppingRule
from grader.run.gpu.mailbox import Mailbox
from grader.run.gpu.reservoir import Keep, Reservoir
from grader.run.gpu.shortened import Shortened, WrittenEarly
from grader.run.gpu.timing import MakeSet, Session, Side

_RULE = StoppingRule()
_drawn = secrets.SystemRandom()


@dataclass(frozen=True)
class Entrant:
    """One contender. `seed` is secret and decides the inputs of all its replays, as for a candidate."""

    name: str
    seed: int
    make_set: MakeSet


class EntrantFailed(Exception):
    """An entrant failed alone, or a launch of it did the work of others; `cause` is how."""

    def __init__(self, name: str, cause: Exception) -> None:
        super().__init__(f"{name}: {cause}")
        self.name = name
        self.cause = cause


@dataclass(frozen=True)
class Equipment:
    """What a contest is held with; each is made as its class is."""

    session: Callable[[int, float, float], Session] = Session
    side: Callable[[Session, str, MakeSet], Side] = Side
    shortened: Callable[[Side, Any, Any], Shortened] = Shortened
    mailbox: Callable[[Sequence[int]], Mailbox] = Mailbox


_EQUIPMENT = Equipment()


def contest(
    entrants: Sequence[Entrant],
    *,
    sigma: float = 1.0,
    rule: StoppingRule = _RULE,
    limit: float = 60.0,
    keep: Callable[[str], Keep] | None = None,
    verified: int = 20,
    equipment: Equipment = _EQUIPMENT,
) -> Contest:
    """Times the entrants in turns until `rule` ends it, on the current device.

    `sigma` and `limit` are those of `timing.measure`. `keep` returns, by name, what gets the outputs of that entrant's
    replays: `verified` of them or more, or one per `len(entrants)` rounds if there are fewer. Raises EntrantFailed. An
    error in the middle of the rounds, which cannot be blamed on one entrant, is CUDA's own.
    """
    names = [entrant.name for entrant in entrants]
    if not 1 <= len(names) <= MOST_CONTENDERS or len(set(names)) < len(names):
        raise ValueError(f"entrants {names}; 1 to {MOST_CONTENDERS} are needed, each with a name of its own")
    # Each is a candidate in its own session, so that its kept outputs are checked like a candidate's. The sessions
    # share stream and instruments; the first one's clock counts.
    sessions = [equipment.session(entrant.seed, sigma, limit) for entrant in entrants]
    sides = [_side(equipment, session, entrant) for session, entrant in zip(sessions, entrants, strict=True)]
    session = sessions[0]
    warm, _ = session.warm_up(sides[0], sides[-1])
    # The others have run only alone so far: each takes one turn before it counts.
    session.round([sides[i] for i in order_of(len(sides), 0)])
    kept: list[_Reservoir] = []
    if keep is not None:
        kept += [
            _Reservoir(keep(name), verified, [buffers.outputs for buffers in side.sets], equipment.mailbox)
            for name, side in zip(names, sides, strict=True)
        ]
    session.late = 0
    try:
        shortened = [equipment.shortened(side, session.stream, session.instruments.module) for side in sides]
        rounds = _run(session, sides, rule, kept, names, shortened)
    finally:
        for reservoir in kept:
            reservoir.free()
    return Contest(
        names=tuple(names),
        rounds=tuple(rounds),
        kept={name: tuple(reservoir.kept) for name, reservoir in zip(names, kept, strict=False)},
        copies={name: len(side.sets) for name, side in zip(names, sides, strict=True)},
        graph_bytes={n: sum(buffers.bytes for buffers in s.sets) for n, s in zip(names, sides, strict=True)},
        floor=session.instruments.floor(),
        warm=warm,
        late=session.late,
        throttled=session.throttling.reasons,
        event_seconds=session.event_seconds,
        wall_seconds=session.wall_seconds,
    )


class _Reservoir(Reservoir):
    """Samples only the replays of this entrant; a round mixes the replays of all."""

    places: Sequence[int] = ()

    def choose(self, _places: Sequence[int]) -> int | None:
        return super().choose(self.places)


def _side(equipment: Equipment, session: Session, entrant: Entrant) -> Side:
    try:
        return equipment.side(session, CANDIDATE, entrant.make_set)
    except Exception as error:
        # Whatever it was: the caller decides which errors are a kernel's own.
        raise EntrantFailed(entrant.name, error) from error


def _run(
    session: Session,
    sides: Sequence[Side],
    rule: StoppingRule,
    reservoirs: Sequence[_Reservoir],
    names: Sequence[str],
    shortened: Sequence[Shortened],
) -> Sequence[Round]:
    """Runs rounds until the rule ends them, and keeps the outputs of at most one entrant from each."""
    rounds: list[Round] = []
    deck: list[int] = []
    # The session's clock stands still while outputs are handed over and checked.
    start = session.wall_seconds
    while True:
        over = is_over(rounds, session.wall_seconds - start, rule)
        owing = [number for number, each in enumerate(shortened) if each.owed]
        if over and not owing:
            break
        if len(rounds) % rule.every == 0:
            session.throttling.look()
        order = order_of(len(sides), len(rounds))
        # One entrant is watched per round: copying everybody's outputs would take longer than the replays. It is drawn
        # as from a shuffled deck: a kernel can count its launches, and would behave whenever its turn came.
        deck = deck or _drawn.sample(range(len(sides)), len(sides))
        watched = owing[0] if over else deck.pop()
        short = shortened[watched].draw(must=over)
        reservoir = reservoirs[watched] if reservoirs else None
        if reservoir is not None:
            reservoir.places = [place for place, entrant in enumerate(order) if entrant == watched]
        try:
            times, clocks = session.round([sides[i] for i in order], reservoir, short)
        except WrittenEarly as early:
            raise EntrantFailed(names[watched], early) from early
        if short is None:
            rounds.append(round_of(order, times, clocks))
    session.throttling.look()
    return rounds
