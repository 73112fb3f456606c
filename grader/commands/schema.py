"""`kgrade schema`: the JSON Schema of reports as `test --json` and `submit --json` print them."""

from __future__ import annotations

import click

SCHEMA = "report.schema.json"


@click.command()
def command() -> int:
    """Print the JSON Schema (Draft 2020-12) of what test and submit print with --json."""
    from grader.store.workspace import builtin_folder

    click.echo((builtin_folder("docs") / SCHEMA).read_text(encoding="utf-8"), nl=False)
    return 0
