"""The site in a real browser: a student and a member of staff, at phone and desktop width, in light and dark.

It needs Playwright and a Chromium; the check for accessibility is axe-core's.
"""

import csv
import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from boards.samples import PROBLEMS, REPORTS, filled_store
from boards.traces import race
from coach.samples import EXPLANATIONS

from grader.boards.coach_page import render as render_explanation
from grader.boards.pages import write_report
from grader.boards.site import write_site
from grader.contest.explainer import Explainer
from grader.contest.jobs import Answer, outcome_of
from grader.contest.limits import Patience
from grader.core.report import CaseResult, Diagnostic, Mend
from grader.core.verdict import Verdict, WrongKind
from grader.replay.summary import summarize

from .browsing import CHROMIUM, INSTALL, open_page
from .site_samples import SLUG, Hall, accepted, in_triton, open_hall, wrong

api = pytest.importorskip("playwright.sync_api", reason=f"needs Playwright: {INSTALL}")
axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason=f"needs axe-core: {INSTALL}")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="needs a browser: apt-get install chromium")

HOME = f"/contests/{SLUG}"
LOOKS = [(360, "light", False), *((width, scheme, True) for width in (390, 1280) for scheme in ("light", "dark"))]
"""Width and colours; and whether axe-core looks through it."""
GUESTS = [
    "/",
    "/sign-in",
    "/sign-in/link-of-ada",
    "/client",
    "/help",
    "/help/data_race",
    "/nothing",
    f"{HOME}/scoreboard",
    f"{HOME}/questions",
]
PAGES = {
    "ada": [
        "",
        "/problems/matmul",
        "/problems/matmul/changes",
        "/questions",
        "/submissions",
        "/scoreboard",
        "/runs/1",
        "/runs/2",
        *(f"/submissions/{number}" for number in (1, 3, 4, 7)),
        *(f"/submissions/{number}/explanation" for number in (1, 5, 6)),
    ],
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


@pytest.fixture
def hall(tmp_path: Path) -> Iterator[Hall]:
    with open_hall(tmp_path) as opened:
        yield opened


def opened(browser: Any, hall: Hall, complaints: list[str], width: int = 1200, scheme: str = "light") -> Any:
    return open_page(browser, hall.address, complaints, width, scheme)


def sign_in(page: Any, name: str) -> None:
    page.goto(f"/sign-in/link-of-{name}")
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url(f"**{HOME}")


def test_from_the_personal_link_to_the_report(browser: Any, hall: Hall, complaints: list[str]) -> None:
    page = opened(browser, hall, complaints)
    sign_in(page, "ada")
    page.get_by_role("link", name="Matrix multiplication").click()
    # Only then the text is the editor's.
    page.locator(".cm-lineNumbers").wait_for()
    page.get_by_label("Your code").fill("// typed in the browser")
    # Line numbers, in the first screen.
    assert page.locator(".cm-lineNumbers").bounding_box()["y"] < 300
    page.keyboard.press("Control+Enter")
    page.get_by_text("queued at place 1").wait_for()
    job = hall.database.queue.claim("emulator", "stub")
    assert job is not None and job.text == "// typed in the browser"
    hall.database.queue.heartbeat(job, "case 7 of 12: M=1")
    page.get_by_text("7 of 12 cases").first.wait_for()
    hall.database.queue.release(job)
    hall.judge()
    page.get_by_text("every case is right").wait_for()
    page.get_by_role("tab", name="Submissions").click()
    page.locator("#history").get_by_text("accepted").wait_for()
    page.get_by_role("link", name="The whole report").click()
    page.get_by_text("Points", exact=True).wait_for()
    page.get_by_role("link", name="Scoreboard").wait_for()


def test_faults_are_marked_in_the_editors_lines(browser: Any, hall: Hall, complaints: list[str]) -> None:
    page = opened(browser, hall, complaints)
    sign_in(page, "ada")
    page.goto(f"{HOME}/problems/matmul")
    editor = page.get_by_label("Your code")
    editor.fill("int a;\nint b;\n")
    page.get_by_role("button", name="Submit").click()
    page.get_by_text("queued at place 1").wait_for()
    said = (Diagnostic("error", "<b>wrong</b> here", 2), Diagnostic("error", "far below", 99))
    hall.judge(replace(accepted(), verdict=Verdict.COMPILE_ERROR, headline="It does not compile", diagnostics=said))
    remark = page.locator(".cm-content .remark")
    api.expect(remark).to_have_text("<b>wrong</b> here")
    assert page.locator(".cm-line.marked-error").inner_text() == "int b;"
    page.get_by_role("button", name="line 2").click()
    # A correction takes the remark away.
    page.keyboard.insert_text("x")
    api.expect(remark).to_have_count(0)
    assert editor.inner_text().splitlines()[1] == "xint b;"


def test_a_run_shows_everything_and_is_no_submission(browser: Any, hall: Hall, complaints: list[str]) -> None:
    hall.change(hidden_seeds=(1, 2))
    page = opened(browser, hall, complaints)
    sign_in(page, "ada")
    page.goto(f"{HOME}/problems/matmul")
    page.get_by_label("Sizes for Run").fill("M=5 N=7 K=3")
    page.get_by_role("button", name="Run", exact=True).click()
    page.get_by_text("queued at place 1").wait_for()
    job = hall.judge(wrong())
    assert job is not None and job.sizes == {"M": 5, "N": 7, "K": 3} and job.hidden_seed is None
    page.locator("#result svg.map").first.wait_for()
    # On a small screen too the result covers no button.
    page.set_viewport_size({"width": 1100, "height": 600})
    button, result = (page.locator(each).bounding_box() for each in ("#submit", "#result"))
    assert button["y"] + button["height"] <= result["y"]
    assert hall.database.submissions(SLUG) == []


def test_on_a_phone_the_panes_are_tabs(browser: Any, hall: Hall, complaints: list[str]) -> None:
    page = opened(browser, hall, complaints, 390)
    sign_in(page, "ada")
    page.goto(f"{HOME}/problems/matmul")
    editor, statement = page.get_by_label("Your code"), page.get_by_text("Multiply two matrices")
    assert statement.is_visible() and not editor.is_visible()
    page.get_by_role("tab", name="Statement").focus()
    page.keyboard.press("ArrowRight")
    assert editor.is_visible() and not statement.is_visible()
    page.set_viewport_size({"width": 1280, "height": 800})
    api.expect(statement).to_be_visible()
    assert editor.is_visible() and page.get_by_role("tab", name="Code").count() == 0


def test_on_a_phone_a_result_fits(browser: Any, hall: Hall, complaints: list[str]) -> None:
    page = opened(browser, hall, complaints, 390)
    sign_in(page, "ada")
    page.goto(f"{HOME}/problems/matmul")
    page.get_by_role("tab", name="Code").click()
    page.get_by_label("Your code").fill("// " + "long " * 60)
    page.get_by_role("button", name="Run", exact=True).click()
    page.get_by_text("queued at place 1").wait_for()
    said = (Diagnostic("error", "a message that is longer than a phone is wide, and is read to its end", 1),)
    fault = replace(wrong(), verdict=Verdict.WRONG_ANSWER, kind=WrongKind.UNWRITTEN_OUTPUT, diagnostics=said)
    hall.judge(fault)
    page.locator("#result .outcome").wait_for()
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    table = page.locator("#result table.cases")
    assert table.evaluate("e => e.parentElement.scrollWidth <= e.parentElement.clientWidth")
    remark, editor = (page.locator(each).bounding_box() for each in (".cm-content .remark", "#editor"))
    assert remark["x"] + remark["width"] <= editor["x"] + editor["width"] and remark["height"] > 30


def test_a_draft_comes_back_in_its_language(browser: Any, hall: Hall, complaints: list[str]) -> None:
    page = opened(browser, hall, complaints)
    sign_in(page, "ada")
    page.goto(f"{HOME}/problems/matmul")
    editor = page.get_by_label("Your code")
    starter = editor.inner_text()
    editor.fill("// half a kernel")
    page.goto(HOME)
    page.goto(f"{HOME}/problems/matmul")
    page.get_by_text("Your draft of").wait_for()
    assert editor.inner_text() == "// half a kernel"
    page.get_by_label("Language").select_option("Numba")
    api.expect(editor).to_contain_text("numba")
    page.get_by_label("Language").select_option("CUDA C++")
    api.expect(editor).to_have_text("// half a kernel")
    page.get_by_role("button", name="Discard it").click()
    assert editor.inner_text() == starter
    page.reload()
    assert editor.inner_text() == starter and page.get_by_text("Your draft of").count() == 0


def test_a_draft_is_there_on_another_machine(browser: Any, hall: Hall, complaints: list[str]) -> None:
    def typed(page: Any, text: str) -> None:
        with page.expect_response("**/matmul/draft", timeout=30_000):
            page.get_by_label("Your code").fill(text)

    home, lab = opened(browser, hall, complaints), opened(browser, hall, complaints)
    for page in (home, lab):
        sign_in(page, "ada")
    home.goto(f"{HOME}/problems/matmul")
    typed(home, "// at home")
    lab.goto(f"{HOME}/problems/matmul")
    lab.get_by_text("typed elsewhere, is back").wait_for()
    assert lab.get_by_label("Your code").inner_text() == "// at home"
    hall.pass_time(minutes=1)
    typed(lab, "// in the lab")
    # What this browser keeps is older, and still one press away.
    home.reload()
    home.get_by_role("button", name="Take this browser's").wait_for()
    assert home.get_by_label("Your code").inner_text() == "// in the lab"
    home.get_by_role("button", name="Take this browser's").click()
    assert home.get_by_label("Your code").inner_text() == "// at home"
    # Now it is the newer one.
    home.reload()
    home.get_by_text("Your draft of").wait_for()
    assert home.get_by_label("Your code").inner_text() == "// at home"


def test_two_windows_keep_their_own_texts(browser: Any, hall: Hall, complaints: list[str]) -> None:
    one = opened(browser, hall, complaints)
    sign_in(one, "ada")
    other = one.context.new_page()
    for page in (one, other):
        page.goto(f"{HOME}/problems/matmul")
        page.locator(".cm-lineNumbers").wait_for()
    for page, text in ((other, "// other"), (one, "// one")):
        page.get_by_label("Your code").fill(text)
    other.reload()
    other.get_by_text("Your draft of").wait_for()
    assert other.get_by_label("Your code").inner_text() == "// other"
    # What was typed last is in the first window, and one press away.
    other.get_by_role("button", name="Take the other window's").click()
    assert other.get_by_label("Your code").inner_text() == "// one"


def test_leaving_asks_where_the_browser_keeps_nothing(browser: Any, hall: Hall, complaints: list[str]) -> None:
    page = opened(browser, hall, complaints)
    page.add_init_script("Storage.prototype.setItem = () => { throw new Error('full'); }")
    sign_in(page, "ada")
    page.goto(f"{HOME}/problems/matmul")
    asked: list[str] = []

    def leave(dialog: Any) -> None:
        asked.append(dialog.type)
        dialog.accept()

    page.on("dialog", leave)
    page.reload()
    page.get_by_label("Your code").fill("// not kept")
    page.reload()
    assert asked == ["beforeunload"]


def test_a_session_that_ended_loses_nothing(browser: Any, hall: Hall, complaints: list[str]) -> None:
    page = opened(browser, hall, [])
    sign_in(page, "ada")
    page.goto(f"{HOME}/problems/matmul")
    page.get_by_label("Your code").fill("// " + "long " * 5000)
    page.context.clear_cookies()
    page.get_by_role("button", name="Submit").click()
    page.get_by_role("link", name="Sign in again").click()
    page.get_by_label("Your personal link").fill("link-of-ada")
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url("**/problems/matmul")
    page.get_by_text("Your draft of").wait_for()
    assert "long long" in page.get_by_label("Your code").inner_text()


def test_a_text_over_the_limit_is_told_in_place(browser: Any, hall: Hall, complaints: list[str]) -> None:
    page = opened(browser, hall, complaints)
    sign_in(page, "ada")
    page.goto(f"{HOME}/problems/matmul")
    page.get_by_label("Your code").fill("// " + "x" * 1_200_000)
    page.get_by_role("button", name="Submit").click()
    page.get_by_text("The text is too large: 1,200,003 bytes, at most 262,144 are taken").wait_for()
    assert hall.database.submissions(SLUG) == []


def test_a_starter_in_python_is_coloured_and_handed_in_as_python(
    browser: Any, hall: Hall, complaints: list[str]
) -> None:
    page = opened(browser, hall, complaints)
    page.on("dialog", lambda dialog: dialog.accept())
    sign_in(page, "ada")
    page.goto(f"{HOME}/problems/matmul")
    language, editor = page.get_by_label("Language"), page.get_by_label("Your code")
    language.select_option("Triton")
    api.expect(editor).to_contain_text("import triton")
    word = page.locator(".cm-line span", has_text=re.compile("^import$")).first
    assert word.evaluate("e => getComputedStyle(e).color") != editor.evaluate("e => getComputedStyle(e).color")
    language.select_option("Numba")
    api.expect(editor).to_contain_text("numba")
    editor.fill("# it's a comment\nfrom numba import cuda")
    page.get_by_role("button", name="Start over").click()
    api.expect(editor).to_contain_text("numba")
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
    while page.evaluate("document.activeElement.id") != "editor":
        page.keyboard.press("Tab")
    page.keyboard.press("Control+A")
    page.keyboard.type("if (x) {\ny;\n}\n")
    page.keyboard.press("Tab")
    page.keyboard.type("y")
    # What is inside of brackets is indented by itself; Tab indents, and after Escape it leaves.
    assert page.locator("textarea").input_value() == "if (x) {\n    y;\n}\n    y"
    page.keyboard.press("Escape")
    press_until(page, "button", "Submit")
    page.keyboard.press("Enter")
    page.get_by_text("queued at place 1").wait_for()
    assert hall.database.source(1) == "if (x) {\n    y;\n}\n    y"


def press_until(page: Any, tag: str, text: str) -> None:
    for _ in range(30):
        page.keyboard.press("Tab")
        found = page.evaluate("[document.activeElement.localName, document.activeElement.textContent.trim()]")
        if found[0] == tag and (not text or found[1] == text):
            return
    pytest.fail(f"Tab reaches no {tag} '{text}'")


def test_every_page_fits_and_is_accessible(browser: Any, hall: Hall) -> None:
    hall.change(explain=True, scoreboard="public")
    for name in ("ada", "bob", "ada"):
        hall.submit(name)
    unread = replace(
        accepted(), verdict=Verdict.COMPILE_ERROR, diagnostics=(Diagnostic("error", "a ';' is missing", 2),)
    )
    for report in (in_triton(), wrong(), wrong()):
        hall.judge(report)
    hall.submit("ada", source="int a;")
    ask_for_runs(hall)
    for number, text in ((5, "int b;"), (6, "int c;"), (7, "int d;")):
        assert hall.submit("ada", source=text) == number
    while hall.database.submission(7).verdict is None:
        job = hall.database.queue.claim("emulator", "stub")
        assert job is not None
        report = {7: unread}.get(job.submission_id, wrong() if job.run_id else accepted())
        if job.submission_id != 4:
            assert hall.database.queue.finish(job, outcome_of(report))
    explain_in_vain(hall, 5)
    hall.database.ask_explanation(hall.database.submission(6))
    for question in ("may N be 0?", "and\nwhat is\nreturned?"):
        hall.database.ask(hall.database.account_by_name(SLUG, "ada"), "matmul", question)
    hall.database.answer(SLUG, 1, "No", announce_as="Matrix multiplication", who="tutor")
    hall.database.announce(SLUG, "Hello\nworld", who="tutor")
    hall.database.add_rejudge(SLUG, "a reason", [1], who="tutor")
    faults = list(faults_of(opened(browser, hall, []), hall.address, GUESTS))
    for name, paths in PAGES.items():
        page = opened(browser, hall, [])
        sign_in(page, name)
        faults += faults_of(page, hall.address, [HOME + path for path in paths])
    assert faults == []


def ask_for_runs(hall: Hall) -> None:
    """One run of ada's took the place of another."""
    ada = hall.database.account_by_name(SLUG, "ada")
    for _ in range(2):
        hall.site.access.run(hall.site.access.visitor(ada), "matmul", "kernel.cu", b"int x;")


def explain_in_vain(hall: Hall, number: int) -> None:
    hall.database.ask_explanation(hall.database.submission(number))
    question = hall.database.claim_explanation("stub")
    assert question is not None
    answer = Answer(None, "it took too long")
    assert hall.database.answer_explanation("stub", question.number, question.attempt, answer)


def test_what_a_form_answers_is_accessible(browser: Any, tmp_path: Path) -> None:
    with open_hall(tmp_path, practice=True) as hall:
        page = opened(browser, hall, [])
        new_contest = "/contests/practice/new-contest"
        faults = list(faults_of(page, hall.address, ["/contests/practice", new_contest]))
        page.get_by_label("Name in addresses").fill("../mine")
        page.get_by_role("button", name="Make it").click()
        page.get_by_text("can't be used").wait_for()
        faults += faults_of(page, hall.address, [new_contest])
        page.get_by_label("Name in addresses").fill("mine")
        page.get_by_role("button", name="Make it").click()
        page.get_by_role("heading", name="mine is there").wait_for()
        faults += faults_of(page, hall.address, [new_contest])
        page.get_by_role("link", name="Add people").click()
        page.get_by_label("Roster as CSV").fill("name,email\nEve,eve@example.org")
        page.get_by_role("button", name="Add", exact=True).click()
        page.get_by_text("1 account added").wait_for()
        faults += faults_of(page, hall.address, ["/contests/mine/staff/people/roster"])
        sign_in(page, "ada")
        page.goto(f"{HOME}/problems/matmul")
        page.context.clear_cookies()
        page.evaluate("HTMLFormElement.prototype.submit.call(document.getElementById('work'))")
        page.get_by_label("Your text, which was not handed in").wait_for()
        faults += faults_of(page, hall.address, [f"{HOME}/problems/matmul"])
    assert faults == []


def faults_of(page: Any, address: str, paths: list[str]) -> Iterator[tuple[str, int, str]]:
    """What is too wide or not accessible on these pages."""
    checker = axe.Axe()
    for path, (width, scheme, looked_through) in product(paths, LOOKS):
        page.set_viewport_size({"width": width, "height": 800})
        page.emulate_media(color_scheme=scheme)
        if page.url != address + path:
            page.goto(address + path)
        wider = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        if wider > 0:
            yield path, width, f"{wider} pixels too wide"
        background = page.evaluate("getComputedStyle(document.body).backgroundColor")
        lightness = sum(map(int, re.findall(r"\d+", background)[:3]))
        assert (lightness > 380) == (scheme == "light")
        if looked_through:
            found = checker.run(page).response["violations"]
            for each in found:
                yield path, width, f"{each['id']}: {each['nodes'][0]['html'][:200]}"


def test_pages_in_files_are_accessible(browser: Any, tmp_path: Path) -> None:
    for name in ("wrong_last_tile", "compile_error", "measured", "hostile"):
        write_report(REPORTS[name](), tmp_path / f"{name}.html")
    for name in ("transpose", "two"):
        (tmp_path / f"explain-{name}.html").write_text(render_explanation(EXPLANATIONS[name]()))
    write_site(filled_store(tmp_path / "kgrade.db"), PROBLEMS[:1], tmp_path)
    paths = [path.name for path in sorted(tmp_path.glob("*.html"))]
    page = open_page(browser, "", [])
    assert list(faults_of(page, f"{tmp_path.as_uri()}/", paths)) == []


def test_a_failing_report_is_played(browser: Any, hall: Hall, complaints: list[str]) -> None:
    hall.submit("ada")
    hall.judge(replace(wrong(), replay=summarize(race())))
    page = opened(browser, hall, complaints)
    sign_in(page, "ada")
    page.goto(f"{HOME}/submissions/1#replay-12-3")
    api.expect(page.locator(".counter")).to_have_text("12 of 50")
    page.get_by_role("button", name="Step", exact=True).click()
    assert page.locator(".counter").inner_text() == "13 of 50"
    # The colours of writers are set by the script, which the policy allows.
    colours = page.locator(".shared .known").evaluate_all(
        "all => all.map((cell) => getComputedStyle(cell).backgroundColor)"
    )
    assert len(set(colours)) > 50


def test_without_scripts(browser: Any, hall: Hall) -> None:
    page = browser.new_context(java_script_enabled=False, base_url=hall.address).new_page()
    sign_in(page, "ada")
    page.get_by_role("link", name="Matrix multiplication").click()
    page.get_by_label("Your code").fill("// no script")
    page.get_by_role("button", name="Submit").click()
    hall.judge()
    page.get_by_role("link", name="Look again").click()
    page.get_by_text("every case is right").wait_for()
    page.goto(f"{HOME}/problems/matmul")
    page.get_by_label("Your code").fill("x" * 400_000)
    page.get_by_role("button", name="Submit").click()
    page.get_by_text("The file is too large: 400,000 bytes").wait_for()
    assert page.get_by_label("Your code").input_value() == "x" * 400_000


def test_without_scripts_a_text_outlives_its_session(browser: Any, hall: Hall) -> None:
    page = browser.new_context(java_script_enabled=False, base_url=hall.address).new_page()
    sign_in(page, "ada")
    page.goto(f"{HOME}/problems/matmul")
    text = "// " + "x" * 40_000
    page.get_by_label("Your code").fill(text)
    page.context.clear_cookies(name="kgrade_session")
    page.get_by_role("button", name="Submit").click()
    page.get_by_label("Your personal link").fill("link-of-ada")
    page.get_by_role("button", name="Sign in").click()
    page.get_by_text("Your draft of").wait_for()
    assert page.get_by_label("Your code").input_value() == text
    page.get_by_role("button", name="Submit").click()
    page.get_by_text("queued at place 1").wait_for()
    assert hall.database.source(1) == text


def test_practice_from_the_address_to_the_explanation(browser: Any, tmp_path: Path, complaints: list[str]) -> None:
    with open_hall(tmp_path, practice=True) as hall:
        page = opened(browser, hall, complaints)
        page.goto("/")
        page.get_by_role("link", name="Practice").click()
        page.get_by_role("link", name="Matrix multiplication", exact=True).first.click()
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
        assert page.locator(".outcome").get_by_role("link", name="Strided matrix multiplication").count() == 1
        page.get_by_role("link", name="The whole report").click()
        page.get_by_role("button", name="Explain").click()
        page.get_by_text("Waiting for a free machine").wait_for()
        costs = render_explanation(EXPLANATIONS["transpose"]())
        assert Explainer(client, lambda question, progress: Answer(costs))(str)
        # It stands within the site's menu, as tall as it is, and in the colours that the reader chose there.
        framed = page.frame_locator("iframe.whole")
        framed.get_by_role("heading", level=1).wait_for()
        api.expect(framed.locator(".bar")).to_be_hidden()
        assert page.get_by_role("link", name="My submissions").is_visible()
        api.expect(page.locator("iframe.whole")).to_have_css("height", re.compile(r"^\d{4,}"))
        page.get_by_role("button", name="Dark theme").click()
        api.expect(framed.locator("html")).to_have_attribute("data-theme", "dark")
        page.evaluate("localStorage.removeItem('kgrade-theme')")
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
        page.goto(f"{problem}/exercises/second-barrier")
        page.get_by_text("Hint 1").click()
        page.get_by_text("Fast warps and slow warps").wait_for()
        hall.pass_time(minutes=1)
        page.get_by_role("button", name="Submit").click()
        page.get_by_text("queued at place 1").wait_for()
        job = client.claim("emulator", "one")
        assert job is not None
        mended = replace(accepted(), cases=passed(3), mend=Mend("second-barrier", 6, 4))
        assert client.finish(job, outcome_of(mended))
        page.get_by_text("second-barrier, with 6 changed tokens; 4 are enough").wait_for()
        page.goto("/contests/practice")
        page.get_by_text("6 tokens changed").wait_for()
        ends = ("exercises/second-barrier", "leaderboard", "editorial", "changes")
        paths = [problem, *(f"{problem}/{end}" for end in ends)]
        report = "/contests/practice/submissions/2"
        paths += ["/contests/practice", report, f"{report}/explanation"]
        assert list(faults_of(page, hall.address, paths)) == []


def passed(number: int) -> tuple[CaseResult, ...]:
    return tuple(CaseResult({"M": n, "N": n, "K": n}, "exact", n, Verdict.ACCEPTED) for n in range(1, number + 1))
