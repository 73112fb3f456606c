"""The page that says how to install kgrade, and the wheel that it names: from a clone, from installed files, none."""

import io
import subprocess
import sys
import time
import zipfile
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import Distribution
from pathlib import Path

import pytest

from grader import __version__
from grader.contest.client_wheel import ClientWheel, _pack
from grader.core.errors import ToolMissing
from grader.problem import load_problem

from .site_samples import SLUG, open_hall

NAME = f"kgrade-{__version__}-py3-none-any.whl"

pytest.importorskip("hatchling", reason="needs pip install -e '.[server]'")


def names_in(content: bytes) -> set[str]:
    with zipfile.ZipFile(io.BytesIO(content)) as wheel:
        assert wheel.testzip() is None
        return set(wheel.namelist())


def install(wheel: bytes, folder: Path) -> Path:
    """Installs a wheel by pip, without what it requires; returns the folder of the packages."""
    folder.mkdir()
    (folder / NAME).write_bytes(wheel)
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--no-compile"]
    subprocess.run([*command, "--target", str(folder / "packages"), str(folder / NAME)], check=True)
    return folder / "packages"


def test_the_page_names_the_wheel_which_installs(tmp_path: Path) -> None:
    with open_hall(tmp_path / "site") as hall:
        browser = hall.browser()
        page = browser.get("/client").text
        address = f"{hall.address}/client/{NAME}"
        assert f"pip install '{address}'" in page and f"--contest {SLUG}" in page
        assert 'href="/client"' in browser.get("/").text
        answer = browser.get(f"/client/{NAME}")
        assert answer.status_code == 200 and answer.headers["cache-control"] == "no-cache"
        assert browser.get("/client/kgrade-0.0.0-py3-none-any.whl").status_code == 404
    names = names_in(answer.content)
    assert {"grader/cli.py", "grader/builtin/problems/matmul/problem.py"} <= names
    problems = [name for name in names if name.startswith("grader/builtin/problems/")]
    assert not [name for name in problems if "/submissions/" in name or "editorial" in name]

    packages = install(answer.content, tmp_path / "student")
    # A problem whose baseline is a worked submission is graded without it.
    zip_folder = packages / "grader/builtin/problems/zip"
    assert not (zip_folder / "submissions").exists() and load_problem(zip_folder).baseline_file is None
    (installed,) = Distribution.discover(name="kgrade", path=[str(packages)])
    again = _pack(installed)
    assert again.name == NAME and names_in(again.content) == names
    install(again.content, tmp_path / "another")


def test_own_problems_solutions_in_a_clone_stay_there(tmp_path: Path) -> None:
    clone = tmp_path / "clone"
    root = Path(__file__).parents[2]
    mine = "problems/mine"
    for folder in ("grader", "templates", "docs/faults", f"{mine}/submissions/accepted", f"{mine}/exercises"):
        (clone / folder).mkdir(parents=True)
    packed = ("grader/__init__.py", "kgrade.py", "docs/report.schema.json")
    for file in ("pyproject.toml", "README.md", "LICENSE", *packed):
        (clone / file).write_bytes((root / file).read_bytes())
    (clone / "problems/mine/problem.py").touch()
    (clone / "problems/mine/editorial.md").write_text("The solution.")
    (clone / "problems/mine/submissions/accepted/solution.cu").touch()
    (clone / "problems/mine/exercises/near-the-solution.cu").touch()
    names = names_in(ClientWheel(clone).get().content)
    assert "grader/builtin/problems/mine/problem.py" in names
    assert not [name for name in names if "solution" in name or "editorial" in name]


def test_a_server_without_a_wheel_says_so(tmp_path: Path) -> None:
    with pytest.raises(ToolMissing, match="has no wheel of kgrade"):
        _pack(None)
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        (tmp_path / name).write_text("not TOML")
    for name in ("grader", "problems", "templates"):
        (tmp_path / name).mkdir()
    with open_hall(tmp_path / "site") as hall:
        hall.site.client_wheel = ClientWheel(tmp_path)
        page = hall.browser().get("/client")
        assert page.status_code == 200 and "make a wheel of kgrade" in page.text and "pip install" not in page.text
        assert hall.browser().get(f"/client/{NAME}").status_code == 404


def test_nobody_waits_while_the_wheel_is_made(tmp_path: Path) -> None:
    """It takes seconds, and forty requests that waited for it would take all of a server's threads."""
    with open_hall(tmp_path) as hall:
        wheel = hall.site.client_wheel
        with ThreadPoolExecutor(1) as making:
            first = making.submit(wheel.get)
            while not wheel._lock.locked():
                time.sleep(0.001)
            page = hall.browser().get("/client")
            assert page.status_code == 200 and "makes its wheel of kgrade just now" in page.text
            assert not first.done() and first.result().name == NAME
        assert NAME in hall.browser().get("/client").text
