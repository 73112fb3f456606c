"""The filters above the list of problems and on a problem's page, in a real browser, by mouse's and keyboard's ways."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from grader.boards.site import write_site
from grader.problem import load_problem
from grader.store.database import Store

from . import samples

api = pytest.importorskip("playwright.sync_api", reason="needs Playwright: pip install -e .[dev]")
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="needs a browser: apt-get install chromium")

PROBLEMS = Path(__file__).parents[2] / "problems"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    store: Store = samples.filled_store(folder / "kgrade.db")
    return write_site(store, [load_problem(one.parent) for one in PROBLEMS.glob("*/problem.py")], folder / "site")


@pytest.fixture(params=[360, 1200])
def page(site: Path, request: pytest.FixtureRequest) -> Iterator[Any]:
    with api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": request.param, "height": 900})
        page.goto(site.as_uri())
        yield page
        browser.close()


def titles(page: Any) -> list[str]:
    return [
        title
        for row in page.locator("tbody tr").all()
        if row.is_visible()
        for title in [row.locator("a").first.inner_text()]
    ]


def test_rows_that_do_not_fit_go_away_and_come_back(page: Any) -> None:
    everything = titles(page)
    assert page.locator("#filter output").inner_text() == f"{len(everything)} of {len(everything)}"
    page.get_by_label("Difficulty").select_option("hard")
    hard = titles(page)
    assert "Zip" not in hard and 0 < len(hard) < len(everything)
    page.get_by_label("Topic").select_option("attention")
    assert titles(page) == [
        "Attention",
        "Attention in half precision",
        "Attention, backward",
        "Paged attention",
    ]
    assert page.locator("#filter output").inner_text() == f"4 of {len(everything)}"
    page.get_by_label("Topic").select_option("any")
    assert titles(page) == hard
    page.get_by_label("Difficulty").select_option("any")
    page.get_by_label("Solved").select_option("by somebody")
    solved = titles(page)
    page.get_by_label("Solved").select_option("by nobody yet")
    assert sorted([*solved, *titles(page)]) == sorted(everything) and solved


def test_the_keyboard_alone_will_do(page: Any) -> None:
    count = len(titles(page))
    page.get_by_label("Difficulty").focus()
    page.keyboard.type("easy")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.name") == "tag"
    assert 0 < len(titles(page)) < count


def test_without_scripts_the_whole_list_is_there(site: Path) -> None:
    with api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        page = browser.new_context(java_script_enabled=False).new_page()
        page.goto(site.as_uri())
        assert not page.locator("#filter").is_visible()
        assert page.locator("tbody tr").count() == len(titles(page)) > 30
        browser.close()


@pytest.mark.parametrize("width", [390, 1200])
def test_a_language_is_chosen_without_scripts_by_the_keyboard(site: Path, width: int) -> None:
    with api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        context = browser.new_context(java_script_enabled=False, viewport={"width": width, "height": 900})
        page = context.new_page()
        page.goto((site.parent / "problems" / "matmul.html").as_uri())
        shown = page.locator(".view:visible")
        assert shown.count() == 1 and "0.710" in shown.inner_text()
        page.get_by_role("radio", name="all").focus()
        page.keyboard.press("ArrowDown")
        assert page.get_by_role("radio", name="CUDA C++").is_checked()
        assert shown.count() == 1 and "Triton" not in shown.inner_text()
        page.keyboard.press("ArrowDown")
        assert shown.count() == 1 and "0.660" in shown.inner_text() and "0.710" not in shown.inner_text()
        page.get_by_text("all", exact=True).click()
        assert shown.count() == 1 and "0.710" in shown.inner_text()
        browser.close()
