"""The times of a submission as a table of 80 columns, and below it the facts they are compared with.

It shows a Measurement and the kernels' resources; the rest of the report is in `report`.
"""

from __future__ import annotations

from collections.abc import Iterator

from rich.table import Table

from grader.boards import words
from grader.core.report import KernelInfo, Measurement, Modelled, Report
from grader.measure.overall import overall_score
from grader.terminal.table import plain_table


def table(measurement: Measurement) -> Table:
    """One row per size: time ± interval, × baseline if there is one, rates, and the share of the speed of light."""
    paired = any(size.ratio for size in measurement.sizes)
    numbers = ("time", "±", *["× baseline"][: int(paired)], "GFLOP/s", "GB/s", "of light")
    found = plain_table("sizes", *numbers, numbers=numbers)
    for size in measurement.sizes:
        cells = [words.sizes(size.sizes).replace(" ", ","), words.duration(size.time.value)]
        cells.append(words.spread(size.time).removeprefix("± "))
        if paired:
            cells.append(words.factor(size.ratio) if size.ratio else "")
        cells.append(words.giga(size.flops / size.time.value) if size.flops else "")
        cells += [words.giga(size.bytes / size.time.value), words.percent(size.sol) if size.sol is not None else ""]
        found.add_row(*cells)
    return found


def model_table(model: Modelled) -> Table:
    """One row per size that has a model time: the time, its interval, the share of the speed of light, the bound."""
    numbers = ("model time", "interval", "of light")
    found = plain_table("sizes", *numbers, "bound by", numbers=numbers, whole=("sizes", *numbers))
    for size in model.sizes:
        if size.time is not None:
            share = words.percent(size.share) if size.share is not None else ""
            cells = (words.duration(size.time.value), words.interval(size.time), share, size.bound)
            found.add_row(words.sizes(size.sizes).replace(" ", ","), *cells)
    return found


def facts(report: Report, measurement: Measurement) -> Iterator[tuple[str, str]]:
    """Yields (name, value) rows: score, ceilings, kernels, clocks."""
    score = overall_score(measurement)
    if report.score is not None and score is not None:
        yield "score", f"{words.score(report.score)} ({words.between(score)}) of the speed of light"
    ceilings = measurement.ceilings
    yield (
        "ceilings",
        f"{words.quantity(ceilings.bandwidth, 'B/s')}, {words.quantity(ceilings.flops, 'FLOP/s')}, "
        f"empty kernel {words.duration(ceilings.floor)}",
    )
    if ceilings.datasheet_bandwidth and ceilings.datasheet_flops:
        sheet = words.quantity(ceilings.datasheet_bandwidth, "B/s"), words.quantity(ceilings.datasheet_flops, "FLOP/s")
        yield "data sheet", ", ".join(sheet)
    for kernel in report.kernels:
        if known := ", ".join(resources(kernel)):
            yield "kernel", known if len(report.kernels) == 1 else f"{kernel.name}: {known}"
    if measurement.sizes:
        clocks = [clock for size in measurement.sizes for clock in size.clock_mhz]
        calm = not any(size.throttled for size in measurement.sizes)
        yield "SM clock", words.clocks((min(clocks), max(clocks))) + (", no throttling" if calm else "")


def resources(kernel: KernelInfo) -> Iterator[str]:
    """Yields the known resources of a kernel and its occupancy."""
    if kernel.registers is not None:
        yield words.several(kernel.registers, "register")
    if kernel.shared_bytes is not None:
        yield f"{words.memory(kernel.shared_bytes)} shared memory"
    if kernel.spill_bytes is not None:
        yield f"{words.memory(kernel.spill_bytes)} spilled" if kernel.spill_bytes else "no spills"
    if kernel.occupancy is not None:
        limit = f" (limited by {kernel.limited_by})" if kernel.limited_by else ""
        yield f"occupancy {words.percent(kernel.occupancy)}{limit}"
