"""Maps ncu's metrics to the counts of `kgrade explain`, parses ncu's CSV, and prints both side by side.

It runs nothing. The metrics are those of the Nsight Compute documentation, "Metrics Reference" and "Metrics Decoder";
the CSV is that of `ncu --csv --page raw`: a line of names, a line of units, a line for each launch.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from grader.run.emulator.counts import RowCounts

Counted = Mapping[str, int]
"""A kernel's counts by the name of a Metric, summed over its launches."""

NO_PERMISSION = "ERR_NVGPUCTRPERM"
HEADING = '"Kernel Name"'
UNKNOWN = re.compile(r"Failed to find metric\S* (?:regex:)?([\w.]+)")
_GROUPED = re.compile(r"\d{1,3}(,\d{3})+(\.\d+)?")


@dataclass(frozen=True)
class Metric:
    """A count: its name here, the part that each of our rows adds, and ncu's metric for the same count.

    `why` says what else can make the two differ than a wrong count; `comparable` is False where nothing would follow,
    `everywhere` where not every GPU and every ncu has the metric.
    """

    name: str
    ncu: str
    ours: Callable[[RowCounts], int]
    why: str
    comparable: bool = True
    everywhere: bool = True


def _of(opcode: str, value: Callable[[RowCounts], int]) -> Callable[[RowCounts], int]:
    return lambda row: value(row) if row.opcode == opcode else 0


_MERGED = (
    "the assembler merges neighbouring accesses to a wider one, repeats one instead of keeping its value, or leaves "
    "one out: requests change, and sectors seldom"
)
_PREDICATED = (
    "ncu counts here what a warp's lanes execute under a predicate that none of them has, too, which makes no request; "
    "and the assembler merges neighbouring accesses to a wider one, which makes fewer"
)
_ARBITRATION = (
    "this counter of the GPU also has waits for other users of the banks, such as data that arrives for global loads"
)
_BY_INSTRUCTION = (
    "counted for each instruction by its addresses, without such waits: what differs, the assembler changed"
)
_BRANCHES = "the assembler replaces short branches by predicated instructions, which do not split a warp"
_MACHINE = "here PTX is counted and there machine code, which has other instructions"


def _conflicts(row: RowCounts) -> int:
    return row.wavefronts - row.ideal_wavefronts


def _accesses(verb: str, op: str) -> Iterator[Metric]:
    """The counts of loads or of stores."""
    requests, sectors = _of(op, lambda row: row.requests), _of(op, lambda row: row.sectors)
    shared, waves, conflicts = (
        _of(op, lambda row: row.shared_requests),
        _of(op, lambda row: row.wavefronts),
        _of(op, _conflicts),
    )
    yield Metric(f"global {verb} requests", f"l1tex__t_requests_pipe_lsu_mem_global_op_{op}.sum", requests, _MERGED)
    yield Metric(f"global {verb} sectors", f"l1tex__t_sectors_pipe_lsu_mem_global_op_{op}.sum", sectors, _MERGED)
    yield Metric(f"shared {verb} requests", f"smsp__inst_executed_op_shared_{op}.sum", shared, _PREDICATED)
    for words, stem, ours in (
        ("wavefronts", "data_pipe_lsu_wavefronts_mem_shared_op", waves),
        ("conflicts", "data_bank_conflicts_pipe_lsu_mem_shared_op", conflicts),
    ):
        yield Metric(f"shared {verb} {words}", f"l1tex__{stem}_{op}.sum", ours, _ARBITRATION)
        sass = f"smsp__sass_l1tex_{stem}_{op}.sum"
        yield Metric(f"shared {verb} {words} by instruction", sass, ours, _BY_INSTRUCTION, everywhere=False)


METRICS = (
    *_accesses("load", "ld"),
    *_accesses("store", "st"),
    Metric(
        "divergent branches",
        "smsp__sass_branch_targets_threads_divergent.sum",
        lambda row: row.divergent,
        _BRANCHES,
    ),
    Metric("instructions", "smsp__inst_executed.sum", lambda row: row.executed, _MACHINE, comparable=False),
)


def counts_of(rows: Iterable[RowCounts]) -> dict[str, int]:
    """A kernel's own counts, by the names of METRICS."""
    kept = list(rows)
    return {metric.name: sum(map(metric.ours, kept)) for metric in METRICS}


def read_csv(text: str) -> dict[str, dict[str, int]]:
    """What ncu measured, by kernel and by the names of METRICS, summed over launches; lines of its log are passed over.

    A metric that this GPU does not have is left out. Raises ValueError where there is no table.
    """
    lines = [line for line in text.splitlines() if line.startswith('"')]
    rows = list(csv.DictReader(lines))
    if not rows or "Kernel Name" not in rows[0]:
        raise ValueError("ncu wrote no table: it profiled no kernel")
    found: dict[str, dict[str, int]] = {}
    for row in rows:
        if not row["ID"]:
            # The row of units.
            continue
        sums = found.setdefault(row["Kernel Name"], {})
        for metric in METRICS:
            value = _number(row.get(metric.ncu))
            if value is not None:
                sums[metric.name] = sums.get(metric.name, 0) + value
    return found


def _number(text: str | None) -> int | None:
    """ "1,024" and "1024.000000" are numbers, "n/a" is none."""
    plain = (text or "").strip()
    if _GROUPED.fullmatch(plain):
        plain = plain.replace(",", "")
    try:
        return round(float(plain))
    except ValueError:
        return None


def of_kernel(measured: Mapping[str, Counted], symbol: str, name: str) -> Counted | None:
    """What was measured of a kernel: by its symbol, or, where ncu writes functions, by the only one of this name."""
    if symbol in measured:
        return measured[symbol]
    same = [counts for words, counts in measured.items() if re.search(rf"(^|[\s:]){re.escape(name)}($|[<(])", words)]
    return same[0] if len(same) == 1 else None


@dataclass(frozen=True)
class Pair:
    """One count of one kernel, here and by ncu."""

    kernel: str
    metric: Metric
    here: int
    ncu: int

    @property
    def ratio(self) -> float | None:
        """Our count divided by ncu's; None if only ncu's is 0."""
        return self.here / self.ncu if self.ncu else None if self.here else 1.0


def paired(kernel: str, here: Counted, measured: Counted) -> list[Pair]:
    """The counts that both sides have, without those that are 0 on both."""
    both = [(m, here[m.name], measured[m.name]) for m in METRICS if m.name in here and m.name in measured]
    return [Pair(kernel, metric, ours, theirs) for metric, ours, theirs in both if ours or theirs]


LEGEND = (
    "One number: ncu counts the same. Two: here and by ncu, with the first divided by the second. None: no such access."
)


def markdown(pairs: Sequence[Pair]) -> str:
    """A line a kernel with its counts, then how many agree, then why those that differ may do so."""
    differing = {pair.metric.name for pair in pairs if pair.here != pair.ncu}
    why: dict[str, list[str]] = {}
    for metric in METRICS:
        if metric.name in differing:
            why.setdefault(metric.why, []).append(metric.name)
    reasons = "\n".join(f"- {', '.join(names)}: {reason}." for reason, names in why.items())
    return "\n\n".join(filter(None, (_by_kernel(pairs), LEGEND, _summary(pairs), reasons)))


def _by_kernel(pairs: Sequence[Pair]) -> str:
    kernels: dict[str, dict[str, str]] = {}
    for pair in pairs:
        kernels.setdefault(pair.kernel, {})[pair.metric.name] = _cell(pair)
    shown = [metric.name for metric in METRICS if any(metric.name in cells for cells in kernels.values())]
    rows = ((kernel, *(cells.get(name, "") for name in shown)) for kernel, cells in kernels.items())
    return _table(("kernel", *shown), rows)


def _cell(pair: Pair) -> str:
    if pair.here == pair.ncu:
        return f"{pair.here:,}"
    ratio = "—" if pair.ratio is None else f"{pair.ratio:.3f}"
    return f"{pair.here:,} and {pair.ncu:,} ({ratio})"


def _summary(pairs: Sequence[Pair]) -> str:
    rows = []
    for metric in METRICS:
        own = [pair for pair in pairs if pair.metric is metric]
        ratios = [pair.ratio for pair in own if pair.ratio is not None]
        if not own:
            continue
        spread = f"{min(ratios):.3f} to {max(ratios):.3f}" if ratios else "—"
        equal = sum(pair.here == pair.ncu for pair in own) if metric.comparable else None
        rows.append(
            (metric.name, f"`{metric.ncu}`", "not comparable" if equal is None else f"{equal} of {len(own)}", spread)
        )
    return _table(("count", "in ncu", "kernels with the same number", "here / ncu"), rows)


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
