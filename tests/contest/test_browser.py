"""The site in a real browser: a student and a member of staff, at phone and desktop width, in light and dark.

It needs Playwright and a Chromium; the check for accessibility is axe-core's.
"""

import csv
import re
import shutil
from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from grader.contest.explainer import Explainer
from grader.contest.jobs import Answer, outcome_of
from grader.contest.limits import Patience
from grader.core.report import CaseResult
from grader.core.verdict import Verdict

from .site_samples import SLUG, Hall, accepted, in_triton, open_hall

INSTALL = "pip install -e .[dev]"
api = pytest.importorskip("playwright.sync_api", reason=f"needs Playwright: {INSTALL}")
axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason=f"needs axe-core: {INSTALL}")
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="needs a browser: apt-get install chromium")

HOME = f"/contests/{SLUG}"
LOOKS = [(360, "light", False), (360, "dark", True), (1200, "light", True), (1200, "dark", False)]
"""Width and colours; and whether axe-core looks through it, once in each width and in each scheme."""
PAGES = {
    "ada": ["", "/problems/matmul", "/questions", "/submissions", "/submissions/1", "/submissions/3", "/scoreboard"],
    "tutor": [
        "/staff",
        "/staff/submissions",
        "/staff/questions",
        "/staff/people",
        "/staff/settings",
        "/staff/scoreboard",
        "/staff/rejudges/1",
    ],
}


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def hall(tmp_path: Path) -> Iterator[Hall]:
    with open_hall(tmp_path) as opened:
        yield opened


@pytest.fixture
def complaints() -> Iterator[list[str]]:
    """What the browser's console says must be nothing: a blocked script or style would be there."""
    found: list[str] = []
    yield found
    assert found == []


def opened(browser: Any, hall: Hall, complaints: list[str], width: int = 1200, scheme: str = "light") -> Any:
    page = browser.new_context(
        viewport={"width": width, "height": 800}, color_scheme=scheme, base_url=hall.address
    ).new_page()
    page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    return page


def sign_in(page: Any, name: str) -> None:
    page.goto(f"/sign-in/link-of-{name}")
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url(f"**{HOME}")


def test_from_the_personal_link_to_the_report(browser: Any, hall: Hall, complaints: list[str]) -> None:
    page = opened(browser, hall, complaints)
    sign_in(page, "ada")
    page.get_by_role("link", name="Matrix multiplication").click()
    page.get_by_label("Your code").fill("// typed in the browser")
    assert page.locator(".shade .c1").inner_text() == "// typed in the browser"
    page.get_by_role("button", name="Submit").click()
    page.get_by_text("queued at place 1").wait_for()
    job = hall.database.queue.claim("emulator", "stub")
    assert job is not None and job.text == "// typed in the browser"
    hall.database.queue.heartbeat(job, "case 7 of 12: M=1")
    page.get_by_text("7 of 12 cases").first.wait_for()
    hall.database.queue.release(job)
    hall.judge()
    page.get_by_text("every case is right").wait_for()
    page.get_by_role("link", name="Matrix multiplication").click()
    assert page.get_by_text("accepted").count() == 1


def test_a_starter_in_python_is_coloured_and_handed_in_as_python(
    browser: Any, hall: Hall, complaints: list[str]
) -> None:
    page = opened(browser, hall, complaints)
    page.on("dialog", lambda dialog: dialog.accept())
    sign_in(page, "ada")
    page.goto(f"{HOME}/problems/matmul")
    page.get_by_role("link", name="Triton").click()
    page.wait_for_url("**language=triton")
    language = page.get_by_label("Language")
    assert language.input_value() == "triton"
    assert "import" in page.locator(".shade .k").all_inner_texts()
    page.get_by_label("Your code").fill("# it's a comment\nfrom numba import cuda")
    assert page.locator(".shade .c1").inner_text() == "# it's a comment"
    language.select_option("CUDA C++")
    assert page.locator(".shade .c1").count() == 0
    language.select_option("Numba")
    page.get_by_role("button", name="Submit").click()
    page.get_by_text("queued at place 1").wait_for()
    assert hall.database.submission(1).file == "matmul.py"


def test_the_scoreboard_updates_by_itself(browser: Any, hall: Hall, complaints: list[str]) -> None:
    page = opened(browser, hall, complaints)
    sign_in(page, "ada")
    page.goto(f"{HOME}/scoreboard")
    assert page.locator("tr.own").count() == 1
    hall.submit("ada")
    hall.judge()
    page.locator("tr.own", has_text="1.000").wait_for()


def test_staff_announce_and_rejudge(browser: Any, hall: Hall, complaints: list[str]) -> None:
    hall.submit("ada")
    hall.judge()
    page = opened(browser, hall, complaints)
    page.on("dialog", lambda dialog: dialog.accept())
    sign_in(page, "tutor")
    page.get_by_role("link", name="Staff").click()
    page.get_by_label("New announcement").fill("Lunch at one")
    page.get_by_role("button", name="Announce").click()
    page.get_by_text("Lunch at one").first.wait_for()
    page.get_by_label("Reason").fill("a case was wrong")
    page.get_by_role("button", name="Rejudge").click()
    page.get_by_text("Not judged yet").wait_for()
    hall.judge(accepted())
    # The page follows by itself, and asks although the button came later.
    page.get_by_role("button", name="Apply").click()
    page.get_by_text("applied").first.wait_for()


def test_an_announcement_comes_by_itself_and_stays_away_once_dismissed(
    browser: Any, tmp_path: Path, complaints: list[str]
) -> None:
    with open_hall(tmp_path, patience=Patience(news=0.5)) as hall:
        page = opened(browser, hall, complaints)
        sign_in(page, "ada")
        page.goto(f"{HOME}/scoreboard")
        hall.database.announce(SLUG, "Lunch at one", who="tutor")
        page.get_by_text("Lunch at one").wait_for()
        page.get_by_role("button", name="Dismiss").click()
        assert not page.get_by_text("Lunch at one").is_visible()
        hall.database.announce(SLUG, "Supper at six", who="tutor")
        page.get_by_text("Supper at six").wait_for()
        page.goto(f"{HOME}/submissions")
        assert page.get_by_text("Supper at six").is_visible() and not page.get_by_text("Lunch at one").is_visible()


def test_times_are_the_readers(browser: Any, hall: Hall, complaints: list[str]) -> None:
    context = browser.new_context(base_url=hall.address, timezone_id="Asia/Tokyo")
    page = context.new_page()
    sign_in(page, "ada")
    start = page.locator("dd time").first
    assert start.inner_text() == "2026-10-01 20:00 GMT+9" and start.get_attribute("title") == "2026-10-01 11:00 UTC"
    plain = browser.new_context(base_url=hall.address, timezone_id="Asia/Tokyo", java_script_enabled=False).new_page()
    sign_in(plain, "ada")
    assert plain.locator("dd time").first.inner_text() == "2026-10-01 11:00 UTC"


def test_what_the_freeze_hides_is_revealed_while_all_look(browser: Any, hall: Hall, complaints: list[str]) -> None:
    hall.pass_time(hours=4, minutes=1)
    for name in ("ada", "bob"):
        hall.submit(name)
        hall.judge()
    beamer, page = opened(browser, hall, complaints), opened(browser, hall, complaints)
    sign_in(beamer, "carol")
    beamer.goto(f"{HOME}/scoreboard")
    # On a busy machine the board is made beside the answers, and comes a bit later.
    api.expect(beamer.get_by_text("1 hidden")).to_have_count(2, timeout=20_000)
    assert beamer.get_by_text("Frozen since").count() == 1
    page.on("dialog", lambda dialog: dialog.accept())
    sign_in(page, "tutor")
    page.goto(f"{HOME}/staff")
    page.get_by_role("button", name="Reveal the next result").click()
    beamer.locator("tr", has_text="bob").get_by_text("1.000").first.wait_for()
    api.expect(beamer.get_by_text("1 hidden")).to_have_count(1)
    page.get_by_role("button", name="Unfreeze").click()
    beamer.locator("tr", has_text="ada").get_by_text("1.000").first.wait_for()
    api.expect(beamer.get_by_text("Frozen since")).to_have_count(0)
    api.expect(page.get_by_role("button", name="Unfreeze")).to_have_count(0)


def test_scores_are_saved_as_a_file(browser: Any, hall: Hall, complaints: list[str]) -> None:
    hall.submit("ada")
    hall.judge()
    page = opened(browser, hall, complaints)
    sign_in(page, "tutor")
    page.goto(f"{HOME}/staff")
    with page.expect_download() as saved:
        page.get_by_role("link", name="Scores as CSV").click()
    assert saved.value.suggested_filename == f"{SLUG}.csv"
    rows = list(csv.DictReader(saved.value.path().read_text().splitlines()))
    assert (rows[0]["rank"], rows[0]["name"], rows[0]["matmul_verdict"]) == ("1", "ada", "accepted")


def test_by_keyboard_alone(browser: Any, hall: Hall, complaints: list[str]) -> None:
    page = opened(browser, hall, complaints)
    page.goto("/sign-in/link-of-ada")
    press_until(page, "button", "Sign in")
    page.keyboard.press("Enter")
    page.wait_for_url(f"**{HOME}")
    press_until(page, "a", "Matrix multiplication")
    page.keyboard.press("Enter")
    page.wait_for_url("**/problems/matmul")
    press_until(page, "textarea", "")
    page.keyboard.press("Control+A")
    page.keyboard.type("int x;\n")
    page.keyboard.press("Tab")
    page.keyboard.type("y")
    # Tab indents, and after Escape it leaves.
    assert page.locator("textarea").input_value() == "int x;\n    y"
    page.keyboard.press("Escape")
    press_until(page, "button", "Submit")
    page.keyboard.press("Enter")
    page.wait_for_url("**/submissions/1")
    assert hall.database.source(1) == "int x;\n    y"


def press_until(page: Any, tag: str, text: str) -> None:
    for _ in range(30):
        page.keyboard.press("Tab")
        found = page.evaluate("[document.activeElement.localName, document.activeElement.textContent.trim()]")
        if found[0] == tag and (not text or found[1] == text):
            return
    pytest.fail(f"Tab reaches no {tag} '{text}'")


def test_every_page_fits_and_is_accessible(browser: Any, hall: Hall, complaints: list[str]) -> None:
    for name in ("ada", "bob", "ada"):
        hall.submit(name)
    hall.judge(in_triton())
    for question in ("may N be 0?", "and\nwhat is\nreturned?"):
        hall.database.ask(hall.database.account_by_name(SLUG, "ada"), "matmul", question)
    hall.database.answer(SLUG, 1, "No", announce_as="Matrix multiplication", who="tutor")
    hall.database.announce(SLUG, "Hello\nworld", who="tutor")
    hall.database.add_rejudge(SLUG, "a reason", [1], who="tutor")
    faults: list[tuple[str, int, str]] = []
    for name, paths in PAGES.items():
        page = opened(browser, hall, complaints)
        page.goto("/sign-in")
        sign_in(page, name)
        faults += faults_of(page, hall, [HOME + path for path in paths])
    assert faults == []


def faults_of(page: Any, hall: Hall, paths: list[str]) -> Iterator[tuple[str, int, str]]:
    """What is too wide or not accessible on these pages."""
    checker = axe.Axe()
    for path, (width, scheme, looked_through) in product(paths, LOOKS):
        page.set_viewport_size({"width": width, "height": 800})
        page.emulate_media(color_scheme=scheme)
        if page.url != hall.address + path:
            page.goto(path)
        wider = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        if wider > 0:
            yield path, width, f"{wider} pixels too wide"
        background = page.evaluate("getComputedStyle(document.body).backgroundColor")
        lightness = sum(map(int, re.findall(r"\d+", background)[:3]))
        assert (lightness > 380) == (scheme == "light")
        if looked_through:
            found = checker.run(page).response["violations"]
            for each in found:
                if each["impact"] in ("serious", "critical"):
                    yield path, width, each["id"]


def test_without_scripts(browser: Any, hall: Hall) -> None:
    page = browser.new_context(java_script_enabled=False, base_url=hall.address).new_page()
    sign_in(page, "ada")
    page.get_by_role("link", name="Matrix multiplication").click()
    page.get_by_label("Your code").fill("// no script")
    page.get_by_role("button", name="Submit").click()
    hall.judge()
    page.get_by_role("link", name="Look again").click()
    page.get_by_text("every case is right").wait_for()


def test_practice_from_the_address_to_the_explanation(browser: Any, tmp_path: Path, complaints: list[str]) -> None:
    with open_hall(tmp_path, practice=True) as hall:
        page = opened(browser, hall, complaints)
        page.goto("/")
        page.get_by_role("link", name="Practice").click()
        page.get_by_role("link", name="Matrix multiplication", exact=True).click()
        for text in ("int a;\nint b;", "int a;\nint c;"):
            page.goto("/contests/practice/problems/matmul")
            page.get_by_label("Your code").fill(text)
            page.get_by_role("button", name="Submit").click()
            page.get_by_text("queued at place 1").wait_for()
            client = hall.worker()
            job = client.claim("emulator", "one")
            assert job is not None and client.finish(job, outcome_of(replace(accepted(), cases=passed(3))))
            page.get_by_text("every case is right").wait_for()
            hall.pass_time(minutes=1)
        page.get_by_role("button", name="Explain").click()
        page.get_by_text("Waiting for a free machine").wait_for()
        assert Explainer(client, lambda question, progress: Answer("<!DOCTYPE html><h1>It costs</h1>"))(str)
        page.get_by_role("heading", name="It costs").wait_for()
        page.goto("/contests/practice/problems/matmul/leaderboard")
        assert page.locator("tr.own").count() == 1
        page.get_by_role("link", name="Editorial").click()
        page.get_by_role("heading", name="From shared memory").wait_for()
        page.get_by_role("link", name="Changes").click()
        assert page.locator(".added code").inner_text() == "int c;"
        page.get_by_label("From", exact=True).select_option("2")
        page.get_by_role("button", name="Compare").click()
        page.get_by_text("They have the same text").wait_for()
        problem = "/contests/practice/problems/matmul"
        paths = [problem, *(f"{problem}/{name}" for name in ("leaderboard", "editorial", "changes"))]
        paths += ["/contests/practice", "/contests/practice/submissions/2"]
        assert list(faults_of(page, hall, paths)) == []


def passed(number: int) -> tuple[CaseResult, ...]:
    return tuple(CaseResult({"M": n, "N": n, "K": n}, "exact", n, Verdict.ACCEPTED) for n in range(1, number + 1))
