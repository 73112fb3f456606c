"""How model times are compared with measured ones."""

from __future__ import annotations

import pytest

from benchmarks.model_table import Modelled, by_problem, spearman, summary, table


def row(seconds, measured, problem="p", file="a.cu", sizes="N=1", **more):
    given = {"low": 0.8 * (seconds or 0), "high": 1.25 * (seconds or 0), "bound": "dram", **more}
    return Modelled(problem, file, sizes, seconds, measured=measured, **given)


def test_ranks_decide_not_values():
    assert spearman([1, 2, 3, 4], [10, 20, 1000, 2000]) == pytest.approx(1)
    assert spearman([1, 2, 3, 4], [4, 3, 2, 1]) == pytest.approx(-1)
    assert spearman([1, 2, 3], [2, 1, 3]) == pytest.approx(0.5)
    assert spearman([1, 1, 2], [1, 2, 3]) == pytest.approx(0.866, abs=1e-3)


def test_one_value_has_no_rank_correlation():
    with pytest.raises(ValueError, match="at least two"):
        spearman([1], [1])


def test_the_summary_counts_errors_and_intervals():
    rows = [row(1.0, 1.1), row(2.0, 4.0, file="b.cu"), row(3.0, 3.0, file="c.cu"), row(None, 1.0, why_not="no such")]
    first, second, third = summary(rows)
    assert first == "3 of 4 rows have a model time."
    assert second == (
        "Measured: 3. Error: median 9.1%; 67% of rows within 40 %. "
        "The measured time lies in the interval in 67% of rows."
    )
    assert third == "Rank correlation within a problem: median 0.50, at least 0.8 in 0 of 1."
    assert by_problem(rows) == {"p": pytest.approx(0.5)}


def test_the_table_has_every_row():
    text = table([row(1e-3, 1.25e-3), row(None, None, why_not="the model does not know wgmma")])
    assert "| 1.00 ms | 800 µs to 1.25 ms | dram | 1.25 ms | -20% |" in text
    assert "none: the model does not know wgmma" in text
