"""The command that adds an extra, for each way in which kgrade may have been installed."""

import shlex
from pathlib import Path

import pytest

from grader.machine.own_install import Origin, clone_of, extra_command, find_origin, upgrade_command

REQUIREMENTS = (
    "click<9,>=8.1.8",
    "tomli<3,>=2.0.1; python_version < '3.11'",
    "fastapi<1,>=0.115; extra == 'server'",
    'uvicorn<1,>=0.34; python_version >= "3.10" and extra == "server"',
    "cupy-cuda13x<15,>=14.0; extra == 'cuda13'",
    "kgrade[cuda13]; extra == 'cuda13-gpu'",
    "cuda-toolkit[cublas]==13.0.*; extra == 'cuda13-gpu'",
)


def test_these_tests_run_from_a_clone(tmp_path: Path) -> None:
    clone = Path(__file__).parents[2]
    assert find_origin() == Origin(clone=clone)
    assert clone_of(tmp_path / "site-packages" / "grader") is None


def test_a_clone_is_installed_again_with_the_extra(tmp_path: Path) -> None:
    words = shlex.split(extra_command("server", Origin(clone=tmp_path / "my clone")))
    assert words == ["pip", "install", "-e", f"{tmp_path}/my clone[server]"]


def test_a_wheel_is_named_where_it_is(tmp_path: Path) -> None:
    wheel = tmp_path / "kgrade-0.1.0-py3-none-any.whl"
    wheel.touch()
    origin = Origin(wheel=wheel.as_uri(), requirements=REQUIREMENTS)
    assert shlex.split(extra_command("server", origin))[2:] == [f"kgrade[server] @ {wheel.as_uri()}"]
    address = "https://grader.example.org/client/kgrade-0.1.0-py3-none-any.whl"
    assert extra_command("server", Origin(wheel=address)) == f"pip install 'kgrade[server] @ {address}'"


@pytest.mark.parametrize(
    ("extra", "packages"),
    [
        ("server", ["fastapi<1,>=0.115", "uvicorn<1,>=0.34"]),
        ("cuda13-gpu", ["cupy-cuda13x<15,>=14.0", "cuda-toolkit[cublas]==13.0.*"]),
    ],
)
def test_without_its_wheel_the_packages_are_named(tmp_path: Path, extra: str, packages: list[str]) -> None:
    gone = Origin(wheel=(tmp_path / "kgrade.whl").as_uri(), requirements=REQUIREMENTS)
    assert shlex.split(extra_command(extra, gone))[2:] == packages


def test_an_index_has_kgrade_if_it_came_from_there() -> None:
    assert extra_command("server", Origin(requirements=REQUIREMENTS)) == "pip install 'kgrade[server]'"


def test_a_newer_one_comes_from_where_this_one_did(tmp_path: Path) -> None:
    pull, install = upgrade_command(Origin(clone=tmp_path)).split(" && ")
    assert shlex.split(pull) == ["git", "-C", str(tmp_path), "pull"]
    assert shlex.split(install) == ["pip", "install", "-e", str(tmp_path)]
    assert upgrade_command(Origin(wheel="https://x.org/kgrade.whl")) == "pip install NEWER_WHEEL"
    assert upgrade_command(Origin()) == "pip install --upgrade kgrade"
