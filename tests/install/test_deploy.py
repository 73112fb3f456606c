"""deploy/: the units are valid, the compose files hold together, and every command in them is one of kgrade's."""

import re
import shlex
import shutil
import subprocess
from pathlib import Path
from typing import Any

import click
import pytest

from grader.cli import group
from grader.contest.client_wheel import packed

DEPLOY = Path(__file__).parents[2] / "deploy"
UNITS = sorted((DEPLOY / "systemd").glob("*.service"))
VALUES = {
    "DEVICE": "gpu:0",
    "WORKER_EXTRA": "cuda13-gpu",
    "POSTGRES_PASSWORD": "secret",
    "DOMAIN": "x.org",
    "KGRADE_OIDC_SECRET": "word",
}


def parse(words: list[str]) -> click.Context:
    """Parses a command line of kgrade without carrying it out; raises ClickException if it is none."""
    with group.make_context("kgrade", words[:1]) as ctx:
        command = group.get_command(ctx, words[0])
        assert command is not None, words
        return command.make_context(words[0], words[1:], parent=ctx)


def filled_in(value: Any) -> Any:
    """`value` with ${NAME:-default} and ${NAME:?why} replaced, as compose does."""
    if isinstance(value, dict):
        return {key: filled_in(each) for key, each in value.items()}
    if isinstance(value, list):
        return [filled_in(each) for each in value]
    return re.sub(r"\$\{(\w+)[^}]*\}", lambda m: VALUES[m[1]], value) if isinstance(value, str) else value


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.name)
def test_systemd_takes_the_units(unit: Path, tmp_path: Path) -> None:
    text = unit.read_text()
    (line,) = re.findall(r"^ExecStart=/opt/kgrade/bin/kgrade (.+)$", text, re.MULTILINE)
    parse(shlex.split(line.replace("%i", "gpu:0").replace("${KGRADE_SERVER}", "https://x.org")))
    if shutil.which("systemd-analyze") is None:
        pytest.skip("systemd is not installed")
    # It looks whether the program is there.
    copy = tmp_path / unit.name
    copy.write_text(text.replace("/opt/kgrade/bin/kgrade", "/bin/true"))
    done = subprocess.run(["systemd-analyze", "verify", str(copy)], capture_output=True, text=True, check=False)
    said = [line for line in done.stderr.splitlines() if unit.name.partition("@")[0].removesuffix(".service") in line]
    assert done.returncode == 0 and not said, done.stderr


def test_the_compose_file_holds_together() -> None:
    yaml = pytest.importorskip("yaml", reason="needs PyYAML")
    whole = filled_in(yaml.safe_load((DEPLOY / "compose.yaml").read_text()))
    services = whole["services"]
    assert set(services) == {"database", "server", "worker", "proxy"}
    for name in ("server", "worker"):
        parse(services[name]["command"])
        assert (DEPLOY / services[name]["build"]["context"] / services[name]["build"]["dockerfile"]).is_file()
    for service in services.values():
        assert set(service.get("depends_on", ())) <= set(services)
        named = [volume.partition(":")[0] for volume in service.get("volumes", ()) if not volume.startswith(".")]
        assert set(named) <= set(whole["volumes"])
    assert "name" not in whole, "docker-compose 1.29, which Debian has, refuses it"
    # Links, the server's secret and the provider's stand in the workspace.
    assert [each for each in services["worker"]["volumes"] if "/srv/kgrade" in each] == [
        "problems:/srv/kgrade/problems:ro"
    ]
    # What runs students' code knows no secret, and only the proxy is reached from outside.
    assert "environment" not in services["worker"]
    # The same user in another container could read the hidden seeds and the server's secret in its own files.
    seen = {volume.split(":")[1] for volume in services["worker"]["volumes"] if not volume.startswith("cache:")}
    assert seen == {"/run/worker.token", "/srv/kgrade/problems"}
    assert [name for name, service in services.items() if "ports" in service] == ["proxy"]
    more = yaml.safe_load((DEPLOY / "compose.gpu.yaml").read_text())
    assert set(more["services"]) == {"worker"}


def test_the_image_gets_what_a_wheel_is_built_of() -> None:
    text = (DEPLOY / "Containerfile").read_text()
    copied = {word for line in re.findall(r"^COPY (.+) \S+$", text, re.MULTILINE) for word in line.split()}
    let_in = set(re.findall(r"^!(.+)$", (DEPLOY.parent / ".dockerignore").read_text(), re.MULTILINE))
    read = {"pyproject.toml", "README.md", "LICENSE"}
    assert copied == let_in == read | set(packed(DEPLOY.parent))
