"""ncu's CSV is read, and its counts are set against ours: on tables written after `ncu --csv --page raw`."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

from grader.run.emulator.counts import RowCounts

from .counted import run

FILE = Path(__file__).parents[2] / "benchmarks" / "ncu_table.py"
LOADS, SECTORS = (
    "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
)
KINDS = ("wavefronts", "conflicts")
HEAD = '"ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Block Size","Grid Size","Device"'
LOG = f"""==PROF== Connected to process 4711 (/usr/bin/python3.12)
==PROF== Profiling "k" - 0: 0%....50%....100% - 3 passes
==PROF== Disconnected from process 4711
{HEAD},"CC","{LOADS}","{SECTORS}","smsp__inst_executed.sum"
"","","","","","","","","","","","","sector","inst"
"0","4711","python3.12","host","_Z1kPf","1","7","(256, 1, 1)","(64, 1, 1)","0","9.0","512","2,048","n/a"
"1","4711","python3.12","host","_Z1kPf","1","7","(256, 1, 1)","(1, 1, 1)","0","9.0","8","32.000000","n/a"
"2","4711","python3.12","host","other","1","7","(256, 1, 1)","(1, 1, 1)","0","9.0","1","1","1,234,567"
"""


@pytest.fixture(scope="module")
def table() -> ModuleType:
    spec = importlib.util.spec_from_file_location("ncu_table", FILE)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["ncu_table"] = module
    spec.loader.exec_module(module)
    return module


def test_launches_of_a_kernel_are_added_and_other_lines_passed_over(table: ModuleType) -> None:
    assert table.read_csv(LOG) == {
        "_Z1kPf": {"global load requests": 520, "global load sectors": 2080},
        "other": {"global load requests": 1, "global load sectors": 1, "instructions": 1_234_567},
    }


@pytest.mark.parametrize(
    "text", ["", "==ERROR== nothing", '"a","b"\n"1","2"\n', "==WARNING== No kernels were profiled."]
)
def test_without_a_table_there_is_an_error(table: ModuleType, text: str) -> None:
    with pytest.raises(ValueError, match="profiled no kernel"):
        table.read_csv(text)


def test_an_unknown_metric_is_named(table: ModuleType) -> None:
    said = f"==ERROR== Failed to find metric {LOADS}\n==ERROR== Failed to find metric regex:{SECTORS}\n"
    assert [found[1] for found in table.UNKNOWN.finditer(said)] == [LOADS, SECTORS]


@pytest.mark.parametrize("written", ["_Z4tilePf", "tile", "tile(float *)", "void ns::tile<(int)2>(float *)"])
def test_a_kernel_is_found_by_symbol_or_by_its_only_name(table: ModuleType, written: str) -> None:
    measured = {written: {"instructions": 1}, "tiles(float *)": {}, "a_tile(float *)": {}}
    assert table.of_kernel(measured, "_Z4tilePf", "tile") == {"instructions": 1}


def test_of_two_instances_of_a_template_none_is_guessed(table: ModuleType) -> None:
    measured: dict[str, dict[str, int]] = {"tile<(int)2>(float *)": {}, "tile<(int)4>(float *)": {}}
    assert table.of_kernel(measured, "_Z4tileILi2EEvPf", "tile") is None


def test_loads_and_stores_of_each_memory_are_counts_of_their_own(table: ModuleType) -> None:
    counts = table.counts_of(
        run("__shared__ float s[512]; s[2 * t] = x[i]; __syncthreads(); y[i * 8] = s[2 * (t ^ 32)];").rows
    )
    executed = counts.pop("instructions")
    assert executed > 32 * 10
    by_instruction = {name: counts.pop(name) for name in list(counts) if name.endswith(" by instruction")}
    assert by_instruction == {f"{name} by instruction": counts[name] for name in counts if name.endswith(KINDS)}
    assert counts == {
        "global load requests": 32,
        "global load sectors": 128,
        "global store requests": 32,
        "global store sectors": 1024,
        "shared load requests": 32,
        "shared load wavefronts": 64,
        "shared load conflicts": 32,
        "shared store requests": 32,
        "shared store wavefronts": 64,
        "shared store conflicts": 32,
        "divergent branches": 0,
    }


def test_atomics_are_neither_loads_nor_stores(table: ModuleType) -> None:
    row = RowCounts(1, "atom.global.add.f32", "atom", ("global", "add", "f32"), 0, 4, 128, requests=4, sectors=4)
    assert not any(value for name, value in table.counts_of([row]).items() if name != "instructions")


def test_the_table_tells_equal_numbers_from_others_and_says_why_these_differ(table: ModuleType) -> None:
    names = ("global load requests", "global load sectors", "divergent branches", "instructions")
    one = table.paired(
        "one", dict(zip(names, (8, 32, 0, 90), strict=True)), dict(zip(names, (8, 32, 0, 60), strict=True))
    )
    two = table.paired("two", dict(zip(names, (8, 40, 3, 90), strict=True)), {names[0]: 16, names[1]: 40, names[2]: 0})
    assert [pair.metric.name for pair in one] == [names[0], names[1], names[3]]
    assert [pair.ratio for pair in two] == [0.5, 1.0, None]
    lines = table.markdown([*one, *two]).splitlines()
    assert lines[:4] == [
        "| kernel | global load requests | global load sectors | divergent branches | instructions |",
        "| --- | --- | --- | --- | --- |",
        "| one | 8 | 32 |  | 90 and 60 (1.500) |",
        "| two | 8 and 16 (0.500) | 40 | 3 and 0 (—) |  |",
    ]
    assert "| divergent branches | `smsp__sass_branch_targets_threads_divergent.sum` | 0 of 1 | — |" in lines
    assert f"| global load requests | `{LOADS}` | 1 of 2 | 0.500 to 1.000 |" in lines
    assert f"| global load sectors | `{SECTORS}` | 2 of 2 | 1.000 to 1.000 |" in lines
    assert "| instructions | `smsp__inst_executed.sum` | not comparable | 1.500 to 1.500 |" in lines
    assert [line[2:].partition(":")[0] for line in lines if line.startswith("- ")] == [
        "global load requests",
        "divergent branches",
        "instructions",
    ]
