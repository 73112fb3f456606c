"""`kgrade ceilings`: a GPU's best measured rates, beside those of its data sheet."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from grader.commands.engines import engines_of
from grader.commands.options import json_option
from grader.core.errors import UsageError

if TYPE_CHECKING:
    from rich.table import Table

    from grader.core.report import Ceilings
    from grader.machine.gpus import Gpu
    from grader.run.gpu.ceilings import Figures


@click.command()
@click.option("--device", default="gpu", show_default=True, metavar="GPU", help="Which GPU: gpu, gpu:0, gpu:1, …")
@click.option("--fresh", is_flag=True, help="Measure again, whatever is known from before.")
@json_option
@click.pass_context
def command(ctx: click.Context, device: str, fresh: bool, as_json: bool) -> int:
    """Show what a GPU reached at best, and what its data sheet promises.

    Scores are shares of these ceilings. They are measured once for each GPU and driver and kept.
    Exit code 2 where there is no GPU.
    """
    from grader.core.paths import cache_folder
    from grader.run.gpu.lock import Turn
    from grader.terminal.console import messages

    gpu = _chosen(device)
    with (
        messages().status(f"measuring {gpu.name}") as status,
        # A grading on the same GPU would slow the measurement down, and vice versa.
        Turn(gpu.uuid, lambda: status.update(f"waiting for {gpu.name}: a grading uses it")),
    ):
        found, figures = engines_of(ctx).ceilings(gpu, cache_folder(), fresh)
    if as_json:
        click.echo(json.dumps(asdict(found) | {"measured": asdict(figures)}))
        return 0

    from grader.terminal.console import output, safe

    console = output()
    console.print(f"{safe(gpu.name)}, driver {safe(gpu.driver)}", style="bold")
    console.print(safe(gpu.uuid), style="dim")
    console.print()
    console.print(_table(found, figures))
    return 0


def _chosen(device: str) -> Gpu:
    """The GPU that `device` names. Raises UsageError if there is none."""
    from grader.machine.gpus import find_gpus
    from grader.run.devices import choose_gpu

    if not find_gpus():
        raise UsageError(
            "no NVIDIA GPU was found on this machine, so there is none to measure",
            "type: kgrade doctor, which says what a GPU needs; kernels are graded on the emulator without one",
        )
    gpu = choose_gpu("gpu" if device == "auto" else device)
    if gpu is None:
        raise UsageError(f"{device!r} is no GPU: an emulator's time says nothing", "use gpu, gpu:0, gpu:1, …")
    return gpu


def _table(found: Ceilings, figures: Figures) -> Table:
    """One row per ceiling: its name, the rate reached, the data sheet's rate, and the share reached."""
    from grader.boards.words import duration, percent, quantity
    from grader.measure.datasheet import datasheet
    from grader.run.gpu.ceilings import PRECISIONS
    from grader.terminal.table import plain_table

    sheet = datasheet(found.gpu)
    numbers = ("reached", "data sheet", "share")
    table = plain_table("ceiling", *numbers, numbers=numbers)
    rows = (
        ("memory, reading", figures.read, found.datasheet_bandwidth, "B/s"),
        ("memory, writing", figures.write, found.datasheet_bandwidth, "B/s"),
        ("memory, copying", figures.copy, found.datasheet_bandwidth, "B/s"),
        *(
            (
                f"arithmetic, {name}",
                figures.rate(name),
                sheet.rate(name) if sheet else None,
                "OP/s" if name == "int8" else "FLOP/s",
            )
            for name in PRECISIONS
        ),
    )
    for name, reached, promised, unit in rows:
        beside = ("unknown", "") if promised is None else (quantity(promised, unit), percent(reached / promised))
        table.add_row(name, quantity(reached, unit), *beside)
    table.add_row("an empty kernel", duration(found.floor), "", "")
    return table
