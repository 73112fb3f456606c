"""`kgrade doctor`: what grading needs, which parts are here, what a missing part costs and how to get it."""

from __future__ import annotations

import json
from dataclasses import asdict

import click

from grader.commands.engines import engines_of
from grader.commands.options import json_option, workspace_of


@click.command()
@json_option
@click.pass_context
def command(ctx: click.Context, as_json: bool) -> int:
    """Say what grading needs and what of it is here.

    Exit code 0 when kernels can be graded on this machine, 3 when not.
    """
    from grader.doctor.machine import can_grade

    findings = engines_of(ctx).examine(workspace_of(ctx))
    able = can_grade(findings)
    if as_json:
        click.echo(json.dumps({"can_grade": able, "parts": [asdict(finding) for finding in findings]}))
        return 0 if able else 3

    from rich.text import Text

    from grader.terminal.console import output, safe
    from grader.terminal.table import plain_table

    table = plain_table("part", "state", "found")
    for finding in findings:
        state, style = ("here", "green") if finding.here else ("missing", "yellow")
        if not finding.fits:
            state = "does not fit"
        if finding.required and not finding.here:
            state, style = "needed", "bold red"
        found = safe(finding.found)
        if not finding.here:
            found += f"\ncosts: {finding.costs}\nget:   {finding.get}"
        table.add_row(finding.name, Text(state, style=style), found)
    console = output()
    console.print(table)
    console.print()
    if able:
        console.print("Kernels can be graded on this machine.", style="green")
        return 0
    console.print("No kernel can be graded before the needed parts are here.", style="bold red")
    return 3
