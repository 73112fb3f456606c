"""Groups of commands whose modules are loaded on demand."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from importlib import import_module

import click


class LazyGroup(click.Group):
    """A group that loads a command's module when the command is called or completed.

    Command `NAME` of the table is in module `NAME` of the package.
    """

    package: str
    table: Mapping[str, str]
    """The commands' names and short help texts."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.table)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.table:
            return None
        command = import_module(f"{self.package}.{cmd_name.replace('-', '_')}").command
        assert isinstance(command, click.Command)
        command.name = cmd_name
        command.short_help = self.table[cmd_name]
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(self.table.items()))

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if not args and not ctx.resilient_parsing:
            # click itself would say this as an error.
            click.echo(ctx.get_help(), err=True)
            ctx.exit(2)
        return super().parse_args(ctx, args)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        if name not in self.table and not name.startswith("-") and not ctx.resilient_parsing:
            close = get_close_matches(name, self.table, n=1)
            guess = f" Did you mean '{close[0]}'?" if close else ""
            raise click.UsageError(f"there is no command '{name}'.{guess}", ctx)
        return super().resolve_command(ctx, args)
