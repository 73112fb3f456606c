"""How this kgrade was installed, and the commands that add an extra or upgrade it. It installs nothing.

No package index need have kgrade: what works depends on whether it came from a clone, a wheel or an index.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path
from shlex import quote
from urllib.parse import urlsplit
from urllib.request import url2pathname

PACKAGE = Path(__file__).resolve().parents[1]
"""The folder `grader` that runs."""

_EXTRA = re.compile(r"\s*;.*\bextra\s*==\s*['\"]([\w-]+)['\"].*")


@dataclass(frozen=True)
class Origin:
    """Where kgrade came from: the folder of a clone, or the URL of a wheel; both are empty if it came from an index.

    `requirements` are those that its metadata declares, such as "fastapi<1; extra == 'server'".
    """

    clone: Path | None = None
    wheel: str = ""
    requirements: tuple[str, ...] = ()


def own_distribution() -> Distribution | None:
    """The metadata of the installed kgrade; None where the sources run without having been installed."""
    try:
        return distribution("kgrade")
    except PackageNotFoundError:
        return None


def clone_of(package: Path = PACKAGE) -> Path | None:
    """The clone that `package` stands in; None if it was installed without one."""
    folder = package.parent
    return folder if (folder / "pyproject.toml").is_file() and (folder / "problems").is_dir() else None


def find_origin() -> Origin:
    """Where the kgrade that runs came from."""
    if (clone := clone_of()) is not None:
        return Origin(clone=clone)
    found = own_distribution()
    if found is None:
        return Origin()
    requirements = tuple(found.requires or ())
    try:
        url = str(json.loads(found.read_text("direct_url.json") or "{}").get("url", ""))
    except (ValueError, AttributeError):
        url = ""
    return Origin(wheel=url, requirements=requirements)


def extra_command(extra: str, origin: Origin | None = None) -> str:
    """The command that installs an extra of this kgrade, in the way that works for how it was installed."""
    origin = origin or find_origin()
    if origin.clone is not None:
        return f"pip install -e {quote(f'{origin.clone}[{extra}]')}"
    if not origin.wheel:
        return f"pip install 'kgrade[{extra}]'"
    place = urlsplit(origin.wheel)
    gone = place.scheme == "file" and not Path(url2pathname(place.path)).exists()
    # Where the wheel was removed after the installation, what the extra adds can be installed without it.
    if gone and (added := _added_by(extra, origin.requirements)):
        return f"pip install {' '.join(map(quote, added))}"
    return f"pip install {quote(f'kgrade[{extra}] @ {origin.wheel}')}"


def upgrade_command(origin: Origin | None = None) -> str:
    """The command that brings a newer kgrade, in the way in which this one was installed."""
    origin = origin or find_origin()
    if origin.clone is not None:
        return f"git -C {quote(str(origin.clone))} pull && pip install -e {quote(str(origin.clone))}"
    return "pip install NEWER_WHEEL" if origin.wheel else "pip install --upgrade kgrade"


def _added_by(extra: str, requirements: tuple[str, ...]) -> list[str]:
    """The requirements of an extra, and those of kgrade's extras that it names, without their markers."""
    added: list[str] = []
    for requirement in requirements:
        marked = _EXTRA.search(requirement)
        if marked is None or marked[1] != extra:
            continue
        name = requirement[: marked.start()].strip()
        own = re.fullmatch(r"kgrade\[([\w-]+)\]", name)
        added += _added_by(own[1], requirements) if own else [name]
    return added
