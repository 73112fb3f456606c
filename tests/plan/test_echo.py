"""What solve() makes of data that it has copied to the host, told by a second recording with other data."""

from __future__ import annotations

import random
import struct

import pytest

from grader.core.plan import Download, Launch, Memset, Plan, Step, Upload
from grader.plan.echo import Echo, Listening, change_bytes, made_of_data, places_read
from tests.plan.recorded import Shelf


def put(*values: int, kernel: str = "put") -> Launch:
    return Launch(kernel, (1, 1, 1), (32, 1, 1), 0, tuple(struct.pack("<i", value) for value in values))


READ = Download(0x1000, 4)
ORDER = [value >> 7 & 1 for value in bytes(random.Random(1).randbytes(128))]


@pytest.mark.parametrize(
    ("one", "other", "made"),
    [
        # The same steps; what is handed over before the first read; flags that end a loop.
        ([READ, put(1, 5)], [READ, put(1, 5)], 0),
        ([put(1, 5), READ], [put(1, 6), READ], 0),
        ([READ, put(0), READ, put(1)], [READ, put(0), READ, put(1), READ, put(2)], 0),
        # A count that a launch takes, and one that says how many launches there are.
        ([READ, put(1, 5)], [READ, put(1, 6)], 4),
        ([READ, put(0), put(1), put(2)], [READ, put(0)], 8),
        # Results in arguments, in copies, in memsets, in the choice of kernels.
        ([READ, *(put(i, i * i) for i in range(9))], [READ, *(put(i, 2 * i) for i in range(9))], 28),
        ([READ, Upload(64, bytes(range(40)))], [READ, Upload(64, bytes(range(1, 41)))], 40),
        ([READ, Memset(64, 3, 1)], [READ, Memset(64, 4, 1)], 4),
        ([READ, put(7, kernel="one")], [READ, put(7, kernel="two")], 32),
        ([READ, put(1, 2)], None, 36),
        # Loops that go round more often, or less; results in the order of steps that both have.
        ([READ, *[put(1), put(2)] * 400], [READ, *[put(1), put(2)] * 3], 0),
        ([READ, *[put(1), put(2)] * 3, put(9)], [READ, *[put(1), put(2)] * 400, put(9)], 0),
        (
            [READ, *map(put, range(256)), put(7), put(99), put(3)],
            [READ, *map(put, range(256)), put(8), put(1), put(4)],
            3,
        ),
        ([READ, *map(put, ORDER[:64])], [READ, *map(put, ORDER[64:])], 10),
    ],
    ids=str,
)
def test_what_is_made_of_the_data(one: list[Step], other: list[Step] | None, made: int) -> None:
    assert made_of_data(Plan(tuple(one)), None if other is None else Plan(tuple(other))) == made


def test_a_table_that_is_handed_on_is_not_made() -> None:
    table, words = bytes(range(36)), struct.pack("<2i", 3, 4)
    steps = (READ, Upload(64, table), Upload(128, words))
    assert made_of_data(Plan(steps), Plan((READ,)), [table, words]) == len(words)


def test_tables_that_are_handed_on_do_not_break_the_order() -> None:
    tables = [bytes([n]) * 64 for n in range(1, 9)]
    others = [bytes([n]) * 64 for n in range(101, 109)]

    def steps(given: list[bytes]) -> Plan:
        return Plan((READ, *(one for data in given for one in (Upload(64, data), put(1), put(2), put(3)))))

    assert made_of_data(steps(tables), steps(others), tables) == 0


def test_places_count_once() -> None:
    steps = (Download(100, 4), Download(100, 4), Download(102, 8), put(1), Download(50, 1))
    assert places_read(Plan(steps)) == 11


def test_other_data() -> None:
    given = struct.pack("<5i2f", 0, 1, 2, 7, 1000, 1.5, -2.25)
    for _ in range(100):
        flag, one, two, seven, count, a, b = struct.unpack("<5i2f", change_bytes(given))
        assert flag == 0 and one in (2, 3, 4, 5) and two in range(1, 8) and seven in range(1, 18) and 0 < count < 2004
        assert one != 1 and two != 2 and seven != 7 and count != 1000
        assert a != 1.5 and 1 <= a < 2 and b != -2.25 and -4 < b <= -2
    assert len(change_bytes(b"abcdefg")) == 7 and change_bytes(b"abcdefg") != b"abcdefg"


def test_an_echo_answers_what_was_answered() -> None:
    heard = Listening(Shelf(byte=5))
    first, second = heard.allocate(64), heard.allocate(8)
    place = heard.symbol("table")
    heard.read([], 0, 8)
    echo = Echo(heard)
    assert [echo.allocate(64), echo.symbol("table"), echo.symbol("nowhere")] == [first, place, None]
    other = echo.allocate(16)
    assert other is not None and other not in (first, second)
    data = echo.read([], 0, 8)
    assert len(data) == 8 and data != bytes([5]) * 8
    # What was never asked for is zero: a loop comes to its end.
    assert echo.read([], 0, 4) == bytes(4)
