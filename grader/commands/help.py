"""`kgrade help`: what a fault is, what causes it, and how to see it; or the help of a command."""

from __future__ import annotations

import click
from click.shell_completion import CompletionItem


def complete_word(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Completes the faults' names."""
    from grader.boards.faults import WORDS

    return [CompletionItem(word) for word in WORDS if word.startswith(incomplete)]


@click.command()
@click.argument("word", metavar="[FAULT]", required=False, shell_complete=complete_word)
@click.pass_context
def command(ctx: click.Context, word: str | None) -> int:
    """Say what FAULT is, such as data_race, with its usual causes, a wrong and a right example, and how to see it.

    Without FAULT, list what there is to read; with a command's name, show that command's help.
    """
    from rich.markdown import Markdown

    from grader.boards.faults import WORDS, read_fault
    from grader.terminal.console import output
    from grader.terminal.table import plain_table

    console = output()
    parent = ctx.parent
    assert parent is not None and isinstance(parent.command, click.Group)
    if word is None:
        table = plain_table("fault", "what it is", whole=("fault",))
        for each in WORDS:
            table.add_row(each, read_fault(each).summary)
        console.print(table)
        console.print("\nMore on each: kgrade help data_race. The commands: kgrade --help", style="dim")
        return 0
    if (known := parent.command.get_command(parent, word)) is not None:
        with click.Context(known, info_name=word, parent=parent) as own:
            click.echo(known.get_help(own))
        return 0
    page = read_fault(word)
    console.print(Markdown(page.text, code_theme="ansi_dark", hyperlinks=False))
    return 0
