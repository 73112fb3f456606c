"""Each problem has an editorial: of its length, with all worked files, and a table that can be refreshed."""

from __future__ import annotations

import importlib.util
import json
import re
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]
EDITORIALS = sorted(ROOT.glob("problems/*/editorial.md"))
LEAST, MOST = 300, 800
"""Words beside the table."""


@pytest.fixture(scope="module")
def refresher() -> ModuleType:
    loader = SourceFileLoader("refresh_editorials", str(ROOT / "scripts" / "refresh-editorials"))
    spec = importlib.util.spec_from_loader(loader.name, loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module


def test_every_problem_has_an_editorial() -> None:
    assert {page.parent for page in EDITORIALS} == {page.parent for page in ROOT.glob("problems/*/problem.py")}


@pytest.mark.parametrize("page", EDITORIALS, ids=lambda page: page.parent.name)
def test_an_editorial_is_whole(refresher: ModuleType, page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    title = re.search(r'title="([^"]+)"', page.with_name("problem.py").read_text(encoding="utf-8"))
    assert title is not None and text.startswith(f"# {title[1]}\n\n")
    assert text.count(refresher.BEGIN) == text.count(refresher.END) == 1
    block = refresher.BLOCK.search(text)
    said, rows = refresher.read_block(block[2])
    # What would be written is what stands there.
    assert refresher.block_of(said, rows) == block[2]
    assert list(rows) == [file.name for file in refresher.worked_files(page.parent.name)]
    rest = refresher.BLOCK.sub("", text)
    assert LEAST <= len(rest.split()) <= MOST
    # It is a page of its own on a server: a relative link leads nowhere. Files that it names are there.
    assert not re.findall(r"\]\((?!https://)", rest)
    assert set(re.findall(r"`(\w+\.cu)`", rest)) <= rows.keys()
    assert max(map(len, rest.splitlines())) <= 120


COUNTED = {
    "verdict": "accepted",
    "kernels": [
        {"totals": {"executed": 999_600, "sectors": 512, "wavefronts": 0, "turns": 0}},
        {"totals": {"executed": 400, "sectors": 0, "wavefronts": 0, "turns": 0}},
    ],
    "model": {"seconds": 2e-6, "bound": "dram", "kernels": [{"dram_bytes": 500.0, "launches": 8}]},
}


def test_a_table_has_what_was_counted_and_no_column_of_zeros(refresher: ModuleType) -> None:
    rows = {"a.cu": refresher.cells(COUNTED), "b.cu": refresher.cells({})}
    assert refresher.block_of("Said.", rows) == (
        "\nSaid.\n\n| file | instructions | sectors | DRAM | model |\n|---|---:|---:|---:|---:|\n"
        "| `a.cu` | 1.00 M | 512 | 4.00 kB | 2.00 µs, dram |\n| `b.cu` | – | – | – | – |\n\n"
    )


@pytest.mark.parametrize(
    ("value", "shown"), [(0, "0"), (999, "999"), (1000, "1.00 k"), (99_960, "100 k"), (1_234_567, "1.23 M")]
)
def test_counts_have_three_digits(refresher: ModuleType, value: float, shown: str) -> None:
    assert refresher.number(value) == shown


def test_new_times_replace_old_ones_and_leave_the_counts(refresher: ModuleType, tmp_path: Path) -> None:
    told = [{"problem": "p", "file": "a.cu", "sizes": "N=4", "seconds": 1e-3, "share_of_light": 0.5, "gpu": "H200"}]
    (tmp_path / "times.json").write_text(json.dumps([*told, {**told[0], "sizes": "N=8", "seconds": 9.0}]))
    before = {"a.cu": {"sectors": "512", "measured": "7.00 ms", "light": "7.0%"}, "b.cu": {"measured": "8.00 ms"}}
    times = refresher.read_rows(tmp_path / "times.json", "H200")
    assert refresher.with_times(before, times, "N=4") == {
        "a.cu": {"sectors": "512", "measured": "1.00 ms", "light": "50.0%"},
        "b.cu": {},
    }
    assert refresher.with_times(before, [], "N=4") == before
