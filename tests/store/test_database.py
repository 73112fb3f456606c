"""The store keeps what it is given and finds it again."""

import json
import sqlite3
import stat
import time
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from grader.core.errors import StoreError, UsageError
from grader.core.report import (
    Ceilings,
    FaultReport,
    Interval,
    KernelInfo,
    Measurement,
    SizeMeasurement,
    from_json,
    to_data,
)
from grader.core.verdict import FaultClass, Verdict
from grader.store.database import Store
from grader.store.entry import parse_utc, summarize

from .writer import make_report


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "submissions" / "kgrade.db")


def test_a_report_comes_back_as_it_went_in(store: Store) -> None:
    fault = FaultReport(FaultClass.OUT_OF_BOUNDS, "reads past the end", line=3, index=17, extent=17)
    report = make_report(verdict=Verdict.RUNTIME_ERROR, fault=fault, line=3, source="// ünïcode\n", score=float("inf"))
    number = store.add(report)
    entry = store.get(number)
    assert (entry.id, entry.report, entry.source) == (number, report, report.source)
    assert (entry.fault, entry.line) == (FaultClass.OUT_OF_BOUNDS, 3)
    assert entry.submitted == datetime(2026, 3, 1, 12, tzinfo=timezone.utc)


def test_another_store_on_the_same_file_sees_it(store: Store) -> None:
    late = Store(store.path)
    number = store.add(make_report())
    assert [summary.id for summary in late.summaries()] == [number]
    assert late.get(number).user == "ada"


def test_a_summary_from_the_database_equals_one_from_the_report(store: Store) -> None:
    report = make_report(score=0.25, time=Interval(2e-3, 1.9e-3, 2.1e-3), seconds=1.5, line=None)
    number = store.add(report)
    expected = replace(summarize(number, report), source_hash=sha256(report.source.encode()).hexdigest())
    assert store.summaries() == [expected]


def test_a_measurement_comes_back_and_its_score_has_an_interval(store: Store) -> None:
    ceilings = Ceilings("NVIDIA H200", "GPU-1", "580", 1e12, 1e13, None, 2e13, 1e-6)
    size = SizeMeasurement(
        {"N": 1},
        Interval(2e-3, 1.6e-3, 2.5e-3),
        None,
        10,
        10**9,
        0.5,
        20,
        1,
        20,
        1e-6,
        (1900.0, 1980.5),
        ("power cap",),
    )
    measurement = Measurement((size,), ceilings, Interval(1.0, 0.999, 1.001))
    kernel = KernelInfo("add", 32, 0, 0, 16, 0.5, "registers")
    report = make_report(device="NVIDIA H200", score=0.5, measurement=measurement, kernels=(kernel,))
    assert store.get(store.add(report)).report == report
    (summary,) = store.summaries()
    assert (summary.score, summary.score_low, summary.score_high) == pytest.approx((0.5, 0.4, 0.625))


def test_a_measurement_that_does_not_count_leaves_no_interval(store: Store) -> None:
    ceilings = Ceilings("NVIDIA H200", "GPU-1", "580", 1e12, 1e13, None, None, 1e-6)
    time = Interval(2e-3, 1.9e-3, 2.1e-3)
    size = SizeMeasurement({"N": 1}, time, None, 10, 10**9, 0.5, 20, 1, 20, 1e-6, (1900.0, 1900.0))
    store.add(make_report(score=None, measurement=Measurement((size,), ceilings, None)))
    (summary,) = store.summaries()
    assert (summary.score, summary.score_low, summary.score_high) == (None, None, None)


def test_lists_can_be_narrowed_and_are_oldest_first(store: Store) -> None:
    times = ["2026-03-02T00:00:00Z", "2026-03-01T00:00:00+00:00", "2026-03-01T00:00:00"]
    for user, problem, submitted in zip(["ada", "bob", "ada"], ["zip", "zip", "map"], times, strict=True):
        store.add(make_report(user=user, problem=problem, submitted=submitted))
    assert [summary.id for summary in store.summaries()] == [2, 3, 1]
    assert [entry.id for entry in store.entries("zip")] == [2, 1]
    assert [entry.id for entry in store.entries("zip", "ada")] == [1]
    assert [summary.id for summary in store.summaries(user="ada")] == [3, 1]


def test_a_source_is_kept_once(store: Store) -> None:
    for user in ("ada", "bob", "cy"):
        store.add(make_report(user=user, source="same\n"))
    connection = sqlite3.connect(store.path)
    sources = connection.execute("SELECT text FROM sources").fetchall()
    (json,) = connection.execute("SELECT json FROM reports LIMIT 1").fetchone()
    connection.close()
    assert sources == [("same\n",)]
    assert "same" not in json


@pytest.mark.parametrize("name", ["O'Brien; DROP TABLE submissions;--", "\udcff\udcfe.cu", "a\0b", "", "名前"])
def test_any_name_can_be_recorded(store: Store, name: str) -> None:
    number = store.add(make_report(user=name, file=name))
    assert len(store.summaries()) == 1
    assert store.get(number).report.user == name


def test_nothing_is_made_before_the_first_write(store: Store) -> None:
    assert store.summaries() == []
    with pytest.raises(UsageError, match="no submission 5"):
        store.get(5)
    assert not store.path.parent.exists()
    store.check_writable()
    assert store.path.exists()
    assert store.summaries() == []


def test_the_database_is_one_file_at_rest(store: Store) -> None:
    store.add(make_report())
    assert [path.name for path in store.path.parent.iterdir()] == ["kgrade.db"]
    assert stat.S_ISREG(store.path.stat().st_mode)


def test_a_report_that_cannot_be_read_is_named(store: Store) -> None:
    number = store.add(make_report())
    connection = sqlite3.connect(store.path)
    connection.execute("""UPDATE reports SET json = '{"verdict": "splendid"}'""")
    connection.commit()
    connection.close()
    with pytest.raises(StoreError, match=f"submission {number} "):
        store.get(number)
    assert store.summaries()[0].id == number


@pytest.mark.parametrize(
    "odd",
    [
        {"cases": "x" * 1_000_000},
        {"cases": [1]},
        {"seed": float("inf")},
        {"seconds": 10**400},
        {"seconds": []},
        {"launch": 5},
        {"verdict": {}},
        {"fault": "x"},
    ],
    ids=lambda odd: next(iter(odd)),
)
def test_what_is_no_report_is_refused_at_its_first_mistake(odd: dict[str, Any]) -> None:
    text = json.dumps({**to_data(make_report()), **odd})
    began = time.process_time()
    with pytest.raises(ValueError, match="this is no report"):
        from_json(text)
    assert time.process_time() - began < 5
    with pytest.raises(ValueError, match="this is no report"):
        from_json("[" * 100_000)


@pytest.mark.parametrize("text", ["2026-03-01T13:00:00+01:00", "2026-03-01T12:00:00Z", "2026-03-01T12:00:00"])
def test_times_are_read_as_utc(text: str) -> None:
    time = parse_utc(text)
    assert time == datetime(2026, 3, 1, 12, tzinfo=timezone.utc)
    assert time.utcoffset() == timedelta(0)
