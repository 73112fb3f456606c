"""What the documentation shows of the commands' output is what they print."""

from __future__ import annotations

import importlib.util
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import ModuleType

import click
import pytest

from grader.cli import group

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def refresher() -> ModuleType:
    loader = SourceFileLoader("refresh_readme", str(ROOT / "scripts" / "refresh-readme"))
    spec = importlib.util.spec_from_loader(loader.name, loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module


@pytest.fixture
def workspace(refresher: ModuleType, tmp_path: Path) -> Path:
    made = refresher.make_workspace(tmp_path / "w")
    assert isinstance(made, Path)
    return made


def test_the_commands_print_what_is_shown(refresher: ModuleType, workspace: Path) -> None:
    assert list(refresher.find_differences(workspace, "kgrade")) == []


def test_another_output_is_found(refresher: ModuleType, workspace: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("<!-- output: kgrade --version -->\n```\nkgrade, version 0\n```\n<!-- end of output -->\n")
    assert "-kgrade, version 0" in list(refresher.find_differences(workspace, pages=[page]))


def test_only_seconds_sizes_tried_and_the_sandbox_may_differ(refresher: ModuleType) -> None:
    shown = "  12 of 12 right, 0.8 s\n  sandbox   bubblewrap\n  (in all 28 sizes tried)\n"
    assert refresher.masked(shown.replace("0.8", "11").replace("bubblewrap", "none")) == refresher.masked(shown)
    assert refresher.masked(shown.replace("12 right", "11 right")) != refresher.masked(shown)


def test_the_reference_calls_each_command_by_its_name() -> None:
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        assert command.name == name
