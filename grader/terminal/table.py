"""The table style of all commands: no lines, column names on top, numbers right-aligned."""

from __future__ import annotations

from collections.abc import Collection

from rich.table import Table


def plain_table(*columns: str, numbers: Collection[str] = (), whole: Collection[str] = ()) -> Table:
    """A table with these columns; those in `numbers` are right-aligned, those in `whole` are not wrapped."""
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="bold")
    for name in columns:
        table.add_column(name, justify="right" if name in numbers else "left", overflow="fold", no_wrap=name in whole)
    return table
