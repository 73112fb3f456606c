"""The pages in a real browser: nothing is asked of any server, and nothing is wider than a phone."""

import json
import re
import shutil
import subprocess
import threading
from collections.abc import Iterator
from functools import partial
from html import unescape
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from grader.boards.pages import write_report
from grader.boards.site import write_site

from . import samples

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="needs a browser: apt-get install chromium")

PROBE = """<!DOCTYPE html><body><script>
const pages = %s, results = {};
const probe = (name, width, dark) => new Promise((done) => {
  const frame = document.createElement("iframe");
  frame.width = width; frame.height = 800; frame.src = name;
  frame.onload = () => {
    const view = frame.contentWindow, page = view.document, root = page.documentElement;
    const background = () => view.getComputedStyle(page.body).backgroundColor;
    const before = background(), button = page.getElementById("theme");
    const label = button.textContent;
    button.click();
    results[`${name} ${width}`] = {
      overflow: root.scrollWidth - root.clientWidth, title: page.title,
      requests: view.performance.getEntriesByType("resource").map((entry) => entry.name),
      label, toggled: before !== background(), relabelled: label !== button.textContent,
      escaped: [...page.querySelectorAll("main > *")].every((part) => part.scrollWidth <= root.clientWidth),
    };
    view.localStorage.clear(); frame.remove(); done();
  };
  document.body.append(frame);
});
(async () => {
  for (const name of pages) for (const width of [360, 1200]) await probe(name, width);
  document.title = "done";
  document.body.textContent = JSON.stringify(results);
})();
</script>"""


class Handler(SimpleHTTPRequestHandler):
    asked: list[str]

    def log_message(self, *_: object) -> None:
        """Requests are counted in `do_GET`, not printed."""

    def do_GET(self) -> None:
        self.asked.append(self.path)
        super().do_GET()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("pages")
    for name, make in samples.REPORTS.items():
        write_report(make(), folder / f"{name}.html")
    write_site(samples.filled_store(folder / "kgrade.db"), samples.PROBLEMS, folder / "site")
    return folder


@pytest.fixture(scope="module")
def pages(folder: Path) -> list[str]:
    reports = [f"{name}.html" for name in samples.REPORTS]
    boards = [str(path.relative_to(folder)) for path in sorted((folder / "site" / "problems").iterdir())]
    return [*reports, *boards, "site/index.html", "site/submissions/1.html"]


@pytest.fixture(scope="module")
def asked() -> list[str]:
    return []


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Skips where the browser that is installed does not start, as a snap in a container."""
    try:
        started = run("about:blank", tmp_path_factory.mktemp("blank")).stdout
    except (OSError, subprocess.SubprocessError) as error:
        pytest.skip(f"{CHROMIUM} does not start ({error}): apt-get install chromium")
    assert "<body>" in started


@pytest.fixture(scope="module")
def results(
    browser: None, folder: Path, pages: list[str], asked: list[str], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[dict[str, dict[str, Any]]]:
    """What a page that shows the others in frames found out about them."""
    (folder / "probe.html").write_text(PROBE % json.dumps(pages))
    handler = type("Counting", (Handler,), {"asked": asked})
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(handler, directory=str(folder)))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield json.loads(dump(f"http://127.0.0.1:{server.server_port}/probe.html", tmp_path_factory.mktemp("profile")))
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def dump(address: str, profile: Path) -> str:
    """The text of a page's body once its scripts are done."""
    done = run(address, profile)
    found = re.search("<body>(.*)</body>", done.stdout, re.DOTALL)
    assert found is not None and "<title>done</title>" in done.stdout, done.stdout[-2000:] + done.stderr[-2000:]
    return unescape(found[1])


def run(address: str, profile: Path) -> "subprocess.CompletedProcess[str]":
    assert CHROMIUM is not None
    return subprocess.run(
        [
            CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run",
            f"--user-data-dir={profile}", "--disable-background-networking",
            "--virtual-time-budget=60000", "--dump-dom", address,
        ],
        capture_output=True, text=True, timeout=120, check=True,
    )  # fmt: skip


def test_every_page_was_looked_at(results: dict[str, dict[str, Any]], pages: list[str]) -> None:
    assert set(results) == {f"{page} {width}" for page in pages for width in (360, 1200)}


def test_no_page_is_wider_than_the_screen(results: dict[str, dict[str, Any]]) -> None:
    assert {name: found["overflow"] for name, found in results.items() if found["overflow"] > 0} == {}
    assert [name for name, found in results.items() if not found["escaped"]] == []


def test_no_page_asks_for_anything(results: dict[str, dict[str, Any]], pages: list[str], asked: list[str]) -> None:
    assert {name: found["requests"] for name, found in results.items() if found["requests"]} == {}
    assert set(asked) - {"/favicon.ico"} == {"/probe.html", *(f"/{page}" for page in pages)}


def test_no_markup_of_a_submission_runs(results: dict[str, dict[str, Any]]) -> None:
    assert [name for name, found in results.items() if found["title"] == "hacked"] == []


def test_the_button_changes_the_theme(results: dict[str, dict[str, Any]]) -> None:
    assert {found["label"] for found in results.values()} == {"Dark theme"}
    assert all(found["toggled"] and found["relabelled"] for found in results.values())
