"""Detects a solve() that computes its results on the host, by recording it a second time with altered data.

If solve() copied much to the host, the recording is repeated with the same answers except for the copied data, in
which every nonzero number is changed: a flag stays set, and a count stays small. Whatever solve() passes to the device
in one recording only was computed from the data; the number of such bytes decides. Nothing is run.
"""

from __future__ import annotations

import secrets
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from math import log2
from typing import TYPE_CHECKING

from grader.core.plan import Download, Launch, Memset, Plan, Step, Upload

if TYPE_CHECKING:
    from grader.compile.program import Program
    from grader.core.report import KernelInfo
    from grader.plan.runner import DeviceMemory

WORD = 4
FEW_BYTES = 32
"""Bytes that may be copied to the host from distinct places: a flag, a count, a sum, an extremum and its index."""
QUIET_BYTES = 256
"""Bytes that may be copied to the host in total before the use of the data is checked."""

ORDER_BITS = 16.0
"""Bits that the order of steps may tell of the data: how often a loop goes round. A result needs more."""
_MOST_ORDER_BITS = 1 << 16
_SMALL = 1 << 24
_MANTISSA = 1 << 22
_ELSEWHERE = 1 << 60


@dataclass
class Listening:
    """Wraps a device and remembers its answers."""

    device: DeviceMemory
    pieces: list[tuple[int, int]] = field(default_factory=list)
    symbols: dict[str, int | None] = field(default_factory=dict)
    reads: list[bytes] = field(default_factory=list)
    timed: bool = False

    @property
    def grows(self) -> bool:
        return bool(getattr(self.device, "grows", False))

    def allocate(self, size: int) -> int | None:
        address = self.device.allocate(size)
        if address is not None:
            self.pieces.append((address, size))
        return address

    def extend(self, program: Program) -> tuple[KernelInfo, ...]:
        return self.device.extend(program)

    def time(self, steps: Sequence[Step]) -> float:
        self.timed = True
        return self.device.time(steps)

    def symbol(self, name: str) -> int | None:
        self.symbols[name] = self.device.symbol(name)
        return self.symbols[name]

    def read(self, steps: Sequence[Step], address: int, size: int) -> bytes:
        self.reads.append(self.device.read(steps, address, size))
        return self.reads[-1]


class Echo:
    """A device that repeats the answers of a Listening one with altered data. It runs nothing."""

    def __init__(self, heard: Listening) -> None:
        self.grows = heard.grows
        self._pieces = iter(heard.pieces)
        self._symbols = heard.symbols
        self._reads = iter(heard.reads)
        self._next = _ELSEWHERE

    def allocate(self, size: int) -> int | None:
        address, same = next(self._pieces, (0, -1))
        if same == size:
            return address
        self._next += size + WORD
        return self._next - size - WORD

    def extend(self, program: Program) -> tuple[KernelInfo, ...]:
        return ()

    def time(self, steps: Sequence[Step]) -> float:
        return 0.0

    def symbol(self, name: str) -> int | None:
        return self._symbols.get(name)

    def read(self, steps: Sequence[Step], address: int, size: int) -> bytes:
        return change_bytes(next(self._reads, b""))[:size].ljust(size, b"\0")


def change_bytes(data: bytes) -> bytes:
    """Returns altered data: zeros stay, small integers stay small, and all other words get a different mantissa.

    The change is random, so that host code that notices it can't undo it.
    """
    words = (data[at : at + WORD] for at in range(0, len(data), WORD))
    return b"".join(_other(int.from_bytes(word, "little")).to_bytes(WORD, "little")[: len(word)] for word in words)


def _other(word: int) -> int:
    if word >= _SMALL:
        return word ^ (1 + secrets.randbelow(_MANTISSA - 1))
    near = secrets.randbelow(2 * word + 2) + 1 if word else 0
    return near + (near >= word) if word else 0


def places_read(plan: Plan) -> int:
    """Number of distinct bytes of the device that were copied to the host."""
    spans = sorted((step.source, step.source + step.size) for step in plan.steps if isinstance(step, Download))
    count, end = 0, 0
    for begin, stop in spans:
        count += max(stop - max(begin, end), 0)
        end = max(end, stop)
    return count


def made_of_data(plan: Plan, echo: Plan | None, reads: Sequence[bytes] = ()) -> int:
    """Number of bytes that solve() passes to the device in `plan` but not in `echo`, counted from the first read on.

    If `echo` is None, everything after the first read counts. A table that is passed on unchanged, as one of `reads`
    gave it, does not.
    """
    as_read = {data for data in reads if len(data) > FEW_BYTES}
    first = next((n for n, step in enumerate(plan.steps) if isinstance(step, Download)), len(plan.steps))
    known: dict[object, list[tuple[bytes, ...]]] = defaultdict(list)
    seen = set()
    for other in echo.steps if echo is not None else ():
        for key, words in _handed(other):
            known[key].append(words)
            seen.add((key, words))
    places: dict[object, int] = defaultdict(int)
    made = 0
    for number, step in enumerate(plan.steps):
        if isinstance(step, Upload) and step.data in as_read:
            continue
        for key, words in _handed(step):
            others = known[key]
            # The n-th launch of a kernel is compared with its n-th launch in the other recording.
            like = others[min(places[key], len(others) - 1)] if others else ()
            places[key] += 1
            if number > first and (key, words) not in seen:
                made += WORD * max(_differing(words, like), 1)
    bits = _order_bits(*_orders(plan, echo, as_read)) if echo is not None else 0.0
    return made + (int(bits / 8) if bits > ORDER_BITS else 0)


def uploaded_by_times(plan: Plan, echo: Plan | None) -> int:
    """Number of bytes that solve() uploads in `plan` but not in `echo`, in which all that it timed took no time.

    A kernel may take long where a bit of the data is set. What is launched does not count, since tuners choose that.
    """
    others: dict[object, list[tuple[bytes, ...]]] = defaultdict(list)
    for step in echo.steps if echo is not None else ():
        for key, words in _handed(step) if isinstance(step, Upload) else ():
            others[key].append(words)
    made = 0
    for step in plan.steps:
        for key, words in _handed(step) if isinstance(step, Upload) else ():
            made += min((_differing(words, other) for other in others[key]), default=len(words))
    return WORD * made


def _orders(plan: Plan, echo: Plan, as_read: set[bytes]) -> tuple[Sequence[object], Sequence[object]]:
    """What the steps of both after the first read take from the host, one after the other.

    A table that is passed on as it was read is the same step in both, whose words are not.
    """
    own, other = _after_reading(plan), _after_reading(echo)
    passed = {taken for step, taken in own if isinstance(step, Upload) and step.data in as_read}
    places, known = {key for key, _ in passed}, {taken for _, taken in own}
    return (
        [taken[0] if taken in passed else taken for _, taken in own],
        [taken[0] if taken[0] in places and taken not in known else taken for _, taken in other],
    )


def _after_reading(plan: Plan) -> list[tuple[Step, tuple[object, tuple[bytes, ...]]]]:
    first = next((n for n, step in enumerate(plan.steps) if isinstance(step, Download)), len(plan.steps))
    return [(step, taken) for step in plan.steps[first:] for taken in _handed(step)]


def _order_bits(own: Sequence[object], other: Sequence[object]) -> float:
    """How many bits tell the order of `own` to somebody who knows `other`, where each step may be in both.

    `own` is cut into the longest pieces that occur before, in `other` or in itself, as by Lempel and Ziv (1977); each
    costs its place and its length. A loop that goes round more often is one piece more. What is in neither is counted
    elsewhere, and costs nothing here.
    """
    letters: dict[object, str] = {}
    text = "".join(letters.setdefault(one, chr(len(letters) + 1)) for one in other) + "\0"
    at = len(text)
    text += "".join(letters.setdefault(one, chr(len(letters) + 1)) for one in own)
    bits = 0.0
    while at < len(text) and bits < _MOST_ORDER_BITS:
        length = _longest_before(text, at)
        if length and not (at == len(other) + 1 and text.startswith(text[at : at + length])):
            bits += log2(at) + log2(length)
        at += max(length, 1)
    return bits


def _longest_before(text: str, at: int) -> int:
    """The length of the longest piece from `at` on that also begins before."""
    least, most = 0, len(text) - at
    while least < most:
        length = (least + most + 1) // 2
        if text.find(text[at : at + length], 0, at + length - 1) >= 0:
            least = length
        else:
            most = length - 1
    return least


def _handed(step: Step) -> Iterator[tuple[object, tuple[bytes, ...]]]:
    """Yields (key, words) for the values that a step takes from the host; words with equal keys are compared."""
    if isinstance(step, Launch):
        shape = b"".join(n.to_bytes(WORD, "little") for n in (*step.grid, *step.block, step.shared_bytes))
        yield step.kernel, tuple(word for blob in (shape, *step.arguments) for word in _words(blob))
    elif isinstance(step, Upload):
        yield (step.target, len(step.data)), tuple(_words(step.data))
    elif isinstance(step, Memset):
        yield (
            (step.address, "set"),
            tuple(_words(step.value.to_bytes(WORD, "little") + step.size.to_bytes(8, "little"))),
        )


def _words(blob: bytes) -> Iterator[bytes]:
    return (blob[at : at + WORD] for at in range(0, len(blob), WORD))


def _differing(words: tuple[bytes, ...], others: tuple[bytes, ...]) -> int:
    return sum(a != b for a, b in zip(words, others, strict=False)) + max(len(words) - len(others), 0)
