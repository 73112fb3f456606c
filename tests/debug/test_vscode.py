"""The extension in a real VS Code: code-server, which serves one to a browser. With KGRADE_PICTURES, a folder, it also
takes pictures; those of the documentation are reduced to 64 colours."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import pytest

from grader.core.paths import cache_folder

ROOT = Path(__file__).parents[2]
PROGRAM = ROOT / "build" / "code-server" / "node_modules" / "code-server" / "out" / "node" / "entry.js"
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
KERNELS = ROOT / "problems" / "matmul" / "submissions"
SECONDS = 300

pytestmark = [
    pytest.mark.skipif(not PROGRAM.exists(), reason="code-server is missing; type: scripts/install-code-server"),
    pytest.mark.skipif(CHROMIUM is None, reason="needs a browser: apt-get install chromium"),
]
api = pytest.importorskip("playwright.sync_api", reason="needs Playwright: pip install -e .[dev]")

Found = TypeVar("Found")


def until(look: Callable[[], Found], page: Any) -> Found:
    """What `look` returns once it is true."""
    end = time.monotonic() + SECONDS
    while not (found := look()):
        assert time.monotonic() < end, (
            f"not within {SECONDS} s; the window says:\n{[text_of(each) for each in page.frames]}"
        )
        page.wait_for_timeout(100)
    return found


def text_of(frame: Any) -> str:
    try:
        return str(frame.evaluate("document.body ? document.body.innerText : ''"))
    except api.Error:  # It is being replaced.
        return ""


@contextmanager
def served(folder: Path, extension: Path, kernels: Path) -> Iterator[str]:
    """The address of a VS Code with the extension, opened at a folder with kernels."""
    command = ["node", str(PROGRAM), "--user-data-dir", str(folder / "data"), "--extensions-dir", str(folder / "has")]
    environment = {**os.environ, "HOME": str(folder), "PYTHONPATH": str(ROOT)}
    install = [*command, "--install-extension", str(extension)]
    installed = subprocess.run(install, capture_output=True, text=True, env=environment, timeout=SECONDS, check=False)
    assert "was successfully installed" in installed.stdout, installed.stdout + installed.stderr
    command += ["--auth", "none", "--bind-addr", "127.0.0.1:0", "--disable-telemetry", "--disable-update-check"]
    log = folder / "log"
    with (
        log.open("w") as stream,
        subprocess.Popen(
            [*command, "--disable-workspace-trust"], stdout=stream, stderr=subprocess.STDOUT, env=environment
        ) as server,
    ):
        try:
            end = time.monotonic() + SECONDS
            while not (said := re.search(r"listening on (http://127\.0\.0\.1:\d+)", log.read_text())):
                assert server.poll() is None and time.monotonic() < end, log.read_text()
                time.sleep(0.1)
            yield f"{said[1]}/?folder={kernels}"
        finally:
            server.terminate()


class Window:
    """A VS Code in a browser's page."""

    def __init__(self, page: Any) -> None:
        self.page = page
        page.set_default_timeout(SECONDS * 1000)

    def picture(self, name: str) -> None:
        if folder := os.environ.get("KGRADE_PICTURES"):
            self.page.wait_for_timeout(1000)
            self.page.screenshot(path=str(Path(folder) / name))

    def open(self, name: str) -> None:
        self.page.get_by_role("treeitem", name=name).dblclick()
        self.page.locator(".tab.active", has_text=name).wait_for()

    def run(self, command: str) -> None:
        until(lambda: self.is_offered(command), self.page)
        self.page.keyboard.press("Enter")

    def is_offered(self, command: str) -> bool:
        """Whether the palette finds a command: it knows those of an extension some time after its window is there."""
        self.page.keyboard.press("Escape")
        self.page.locator(".tab.active", has_text=".cu").first.click()
        self.page.keyboard.press("F1")
        self.page.locator(".quick-input-widget input").first.fill(f">{command}")
        try:
            self.page.locator(".quick-input-list .monaco-list-row.focused", has_text=command).wait_for(timeout=5000)
        except api.TimeoutError:
            return False
        return True

    def go_to(self, line: int) -> None:
        self.page.keyboard.press("Control+g")
        self.page.locator(".quick-input-widget input").wait_for()
        self.page.keyboard.type(str(line))
        self.page.keyboard.press("Enter")
        self.is_at(line)

    def is_at(self, line: int) -> None:
        at = re.compile(rf"^Ln {line},")
        self.page.locator('[id="status.editor.selection"]', has_text=at).wait_for()

    def debugger(self, button: str) -> None:
        self.page.locator(f".debug-toolbar a[aria-label^='{button}']").click()

    def variables(self) -> dict[str, str]:
        rows = self.page.locator(".debug-variables .expression").all_inner_texts()
        return dict(re.split(r"\s*=\s*", row, maxsplit=1) for row in rows if "=" in row)

    def panel(self, words: str) -> Any:
        """The frame of the panel that says these words."""

        names = ("active-frame", "pending-frame")
        return until(
            lambda: next((each for each in self.page.frames if each.name in names and words in text_of(each)), None),
            self.page,
        )


@pytest.fixture
def extension() -> Path:
    made = subprocess.run(["make", "vscode"], cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)
    if made.returncode and re.search("ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT", made.stderr):
        pytest.skip("packing the extension takes npm's registry, which can't be reached")
    assert made.returncode == 0, made.stderr
    return ROOT / "dist" / "kgrade.vsix"


def test_the_extension_grades_explains_and_debugs_in_vs_code(tmp_path: Path, extension: Path) -> None:
    subprocess.run(
        [sys.executable, "-m", "grader", "new", tmp_path / "lab"],
        env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, check=True,
    )  # fmt: skip
    kernels = tmp_path / "lab" / "matmul"
    kernels.mkdir()
    shutil.copy(KERNELS / "runtime_error" / "missing_barrier_after_use.cu", kernels / "mine.cu")
    shutil.copy(KERNELS / "accepted" / "2_tiled.cu", kernels / "right.cu")
    kgrade = tmp_path / "kgrade"
    # With the user's cache: to compile the emulator's own code into an empty one takes a busy machine half a minute.
    kgrade.write_text(f'#!/bin/sh\nKGRADE_CACHE={cache_folder()} exec {sys.executable} -m grader "$@"\n')
    kgrade.chmod(0o755)
    # The program is the machine's, not the user's, where VS Code is remote: so says the setting's scope.
    settings = tmp_path / "data" / "Machine" / "settings.json"
    settings.parent.mkdir(parents=True)
    settings.write_text(json.dumps({"kgrade.path": str(kgrade)}))
    with served(tmp_path, extension, kernels) as address, api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1500, "height": 900})
        page.goto(address)
        window = Window(page)
        grade(window)
        debug(window)
        explain(window)
        settings.write_text(json.dumps({"kgrade.path": "/nowhere/kgrade"}))
        debug_without_kgrade(window)
        browser.close()


def grade(window: Window) -> None:
    page = window.page
    window.open("mine.cu")
    window.run("kgrade: Grade")
    page.locator(".squiggly-error").first.wait_for()
    report = window.panel("Watch it fail")
    window.picture("grade-vscode.png")
    page.keyboard.press("F8")
    window.is_at(22)
    assert "__syncthreads() is missing" in page.locator(".marker-widget").inner_text()
    page.keyboard.press("Escape")
    # The page's script runs in the panel.
    counter = report.locator(".counter")
    before = counter.inner_text()
    report.get_by_role("button", name="Back", exact=True).click()
    assert before and counter.inner_text() != before


def debug(window: Window) -> None:
    page = window.page
    page.locator(".tab", has_text="mine.cu").first.click()
    window.go_to(27)
    page.keyboard.press("F9")
    window.run("kgrade: Debug")
    page.locator(".debug-toolbar").wait_for()
    page.locator(".debug-top-stack-frame-line").first.wait_for()
    window.is_at(27)
    values = until(window.variables, page)
    assert values["start"] == "0" and values["k"] == "0", values
    window.debugger("Step Over")
    window.is_at(26)
    window.debugger("Step Back")
    window.is_at(27)
    page.keyboard.press("F9")
    page.locator(".codicon-debug-breakpoint").first.wait_for(state="detached")
    window.debugger("Continue")
    page.locator(".exception-widget").wait_for()
    assert "data race in shared array tile_A" in page.locator(".exception-widget").inner_text()
    window.is_at(22)
    until(lambda: window.variables().get("start") == "16", page)
    window.picture("debugger-vscode.png")
    window.debugger("Step Back")
    window.is_at(21)
    window.debugger("Stop")
    page.locator(".debug-toolbar").wait_for(state="hidden")


def explain(window: Window) -> None:
    window.page.keyboard.press("Control+Shift+E")
    window.open("right.cu")
    window.run("kgrade: Explain")
    window.panel("What right.cu costs")


def debug_without_kgrade(window: Window) -> None:
    """F5 with a problem named asks kgrade for nothing before: it has to say by itself that there is none."""
    page = window.page
    page.locator(".tab", has_text="right.cu").first.click()
    page.keyboard.press("Control+1")
    page.keyboard.press("F5")
    page.get_by_text("/nowhere/kgrade was not found; set kgrade.path").first.wait_for()
