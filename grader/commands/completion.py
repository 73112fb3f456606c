"""`kgrade completion`: the script that makes a shell complete commands, options and problem names."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

_ENABLE = {
    "bash": "echo 'eval \"$(kgrade completion bash)\"' >> ~/.bashrc",
    "zsh": "echo 'eval \"$(kgrade completion zsh)\"' >> ~/.zshrc",
    "fish": "kgrade completion fish > ~/.config/fish/completions/kgrade.fish",
}


@click.command()
@click.argument("shell", type=click.Choice(list(_ENABLE)), required=False)
@click.pass_context
def command(ctx: click.Context, shell: str | None) -> int:
    """Print the completion script of SHELL, or how to enable it."""
    if shell is None:
        click.echo("Type the line of your shell once, then open a new terminal:\n")
        for name, line in _ENABLE.items():
            click.echo(f"  {name:<5} {line}")
        return 0
    completion = get_completion_class(shell)
    assert completion is not None
    click.echo(completion(ctx.find_root().command, {}, "kgrade", "_KGRADE_COMPLETE").source())
    return 0
