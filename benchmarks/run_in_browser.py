"""How long a Run takes in a browser: from the press of the button until the report stands beside the editor.

    python benchmarks/run_in_browser.py                 # 11 runs of a matrix multiplication, on the emulator
    python benchmarks/run_in_browser.py --runs 5 --problem zip --file mine.cu

A headless Chromium uses `kgrade serve` with one worker, and nothing else waits. Each text is another one, so that no
cache knows it. It ends with an error where the median is above what is allowed.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import sys
import tempfile
import time
from pathlib import Path

from playwright.sync_api import Page, sync_playwright
from served_site import REPOSITORY, new_workspace, served

from grader.core.verdict import LanguageName
from grader.languages.registry import read_submission

MOST = 3.0
"""The most seconds that the median may take."""
KERNEL = REPOSITORY / "problems" / "matmul" / "submissions" / "accepted" / "2_tiled.cu"
PATIENCE = 60_000


def seconds_of_run(page: Page, text: str) -> float:
    """Types the text, runs it, and returns the seconds until its verdict is shown."""
    page.get_by_label("Your code").fill(text)
    result = page.locator("#result")
    began = time.perf_counter()
    page.get_by_role("button", name="Run", exact=True).click()
    # The verdict of the run before is there until the button was pressed.
    result.locator(".progress").wait_for(timeout=PATIENCE)
    result.locator(".outcome").wait_for(timeout=PATIENCE)
    return time.perf_counter() - began


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=11)
    parser.add_argument("--problem", default="matmul")
    parser.add_argument("--file", type=Path, default=KERNEL)
    asked = parser.parse_args()
    chromium = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if chromium is None:
        raise SystemExit("a browser is needed: apt-get install chromium")
    text, language = asked.file.read_text(), read_submission(asked.file).language
    comment = "//" if language is LanguageName.CUDA else "#"
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "workspace"
        database = new_workspace(folder)
        with served(folder, database) as site, sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
            page = browser.new_page(base_url=site.address)
            page.goto(f"/contests/practice/problems/{asked.problem}")
            page.locator(".cm-lineNumbers").wait_for()
            page.get_by_label("Language").select_option(language.value)
            times = [seconds_of_run(page, f"{text}\n{comment} {number}\n") for number in range(asked.runs)]
            verdict = " ".join(page.locator("#result h2").inner_text().split())
            browser.close()
        database.close()
    median = statistics.median(times)
    load = os.getloadavg()[0]
    print(f"{asked.runs} runs of {asked.file.name}: {verdict}; {os.cpu_count()} cores, load {load:.1f}")
    print(f"the first {times[0]:.2f} s, median {median:.2f} s, longest {max(times):.2f} s; asked: at most {MOST:.0f} s")
    return int(median > MOST)


if __name__ == "__main__":
    sys.exit(main())
