"""A student's way and an instructor's through the site: `kgrade serve`, its worker on the emulator, and a browser.

With KGRADE_PICTURES=FOLDER, as `scripts/refresh-pictures` calls them, they leave the pictures of the documentation.
"""

import csv
import io
import os
import zipfile
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from grader.contest.jobs import outcome_of
from grader.contest.records import STAFF, NewAccount
from grader.contest.settings import ContestProblem, Settings, settings_to_json

from .browsing import CHROMIUM, INSTALL, editor_of, open_page
from .conftest import load_benchmark
from .site_samples import accepted, secrets, wrong

api = pytest.importorskip("playwright.sync_api", reason=f"needs Playwright: {INSTALL}")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="needs a browser: apt-get install chromium")

SLUG = "cs149-a1"
HOME = f"/contests/{SLUG}"
WIDTH, HEIGHT = 1060, 690
JUDGED = 120_000
"""Milliseconds that a grading may take on a busy machine."""
FAULTY = """\
__global__ void matrix_multiplication_kernel(const float* A, const float* B, float* C, int M, int N, int K) {
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;

    float sum = 0.0f;
    for (int k = 0; k < N; ++k) {
        sum += A[row * N + k] * B[k * K + column];
    }
    C[row * K + column] = sum;
}
"""
ZIP = """\
__global__ void zip_kernel(const float* a, const float* b, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) output[i] = a[i] + b[i];
}
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A site with a contest that runs, in which others have handed in."""
    module = load_benchmark("served_site")
    folder = tmp_path_factory.mktemp("served") / "workspace"
    database = module.new_workspace(folder)
    now = database.now()
    settings = Settings(
        slug=SLUG,
        title="CS 149, assignment 1",
        problems=(ContestProblem("matmul"), ContestProblem("zip", 2.0)),
        start=now - timedelta(hours=1),
        end=now + timedelta(days=2, hours=5),
        hidden_seeds=(4711,),
        gpu_model="emulator",
    )
    database.add_contest(SLUG, settings_to_json(settings), who="test")
    people = [NewAccount(name, f"{name.split()[0].lower()}@example.org") for name in ("Barbara", "Edsger", "Margaret")]
    ada = NewAccount("Ada", "ada@example.org", "student", None, *secrets("ada"))
    database.add_accounts(SLUG, [*people, ada, NewAccount("Donald", "", STAFF, None, *secrets("tutor"))], who="test")
    for name, problem, report in (
        ("Barbara", "matmul", accepted()),
        ("Barbara", "zip", accepted()),
        ("Edsger", "zip", wrong()),
        ("Margaret", "zip", accepted()),
    ):
        account = database.account_by_name(SLUG, name)
        database.submit(account, problem, "kernel.cu", f"// {name}", database.now(), gpu_model="emulator")
        job = database.queue.claim("emulator", "stub")
        assert job is not None and database.queue.finish(job, outcome_of(report))
    try:
        with module.served(folder, database, "--no-sandbox") as served:
            yield served
    finally:
        database.close()


def picture(page: Any, name: str) -> None:
    """Leaves a picture of what the page shows, if pictures are asked for."""
    if folder := os.environ.get("KGRADE_PICTURES"):
        page.evaluate("scrollTo(0, 0)")
        page.screenshot(path=Path(folder) / f"{name}.png", animations="disabled", caret="hide")


def test_a_students_way(browser: Any, site: Any, complaints: list[str]) -> None:
    page = open_page(browser, site.address, complaints, WIDTH, height=HEIGHT)
    page.goto("/sign-in/link-of-ada")
    page.get_by_role("button", name="Sign in").click()
    page.get_by_role("link", name="Matrix multiplication").click()
    page.get_by_role("heading", name="Matrix multiplication", level=1).wait_for()
    api.expect(page.locator("#statement")).to_contain_text("Multiply two matrices")
    editor = editor_of(page)
    editor.fill(FAULTY)
    page.get_by_role("button", name="Run", exact=True).click()
    result = page.locator("#result")
    result.locator(".outcome").wait_for(timeout=JUDGED)
    api.expect(result).to_contain_text("out of bounds")
    # The line at fault says so in the editor, and is one click away.
    api.expect(page.locator(".cm-line.marked-error")).to_contain_text("sum += A[row * N + k]")
    result.get_by_role("button", name="See line 7").click()
    assert page.get_by_role("tab", name="Statement").get_attribute("aria-selected") == "true"
    picture(page, "contest-problem")
    page.locator(".cm-line", has_text="int row =").click()
    page.keyboard.press("End")
    page.keyboard.press("Enter")
    page.keyboard.type("if (row >= M || column >= K) return;")
    page.get_by_role("button", name="Submit").click()
    page.get_by_text("every case is right").wait_for(timeout=JUDGED)
    page.get_by_role("tab", name="Submissions").click()
    page.locator("#history").get_by_text("accepted").wait_for()
    page.get_by_role("link", name="Scoreboard").click()
    api.expect(page.locator("tr.own", has_text="Ada").locator(".rank")).to_have_text("3")
    picture(page, "contest-scoreboard")


def test_an_instructors_way(browser: Any, site: Any, complaints: list[str]) -> None:
    page = open_page(browser, site.address, complaints, WIDTH, height=HEIGHT)
    page.on("dialog", lambda dialog: dialog.accept())
    staff = "/contests/hpc-lab/staff"
    # Whoever runs the server makes the contest, and is its first member of staff.
    page.goto("/contests/practice")
    page.get_by_role("link", name="New contest").click()
    now = site.database.now().replace(microsecond=0)
    for label, text in (
        ("Name in addresses", "hpc-lab"),
        ("Title", "High performance lab"),
        ("Start", now.isoformat()),
        ("End", (now + timedelta(days=7)).isoformat()),
        ("Problems, one a line", "zip\nmatmul"),
    ):
        page.get_by_label(label, exact=True).fill(text)
    picture(page, "staff-new-contest")
    page.get_by_role("button", name="Make it").click()
    link = page.get_by_label("Your sign-in link").input_value()
    assert link.startswith(f"{site.address}/sign-in/")
    page.get_by_role("link", name="Add people").click()
    roster = "name,email\nAda,ada@example.org\nEdsger,edsger@example.org"
    page.get_by_label("Roster as CSV").fill(roster)
    page.get_by_role("button", name="Add", exact=True).click()
    page.get_by_text("2 accounts added").wait_for()
    links = csv.DictReader(io.StringIO(page.get_by_label("Sign-in links and tokens").input_value()))
    way_in = {each["name"]: each["link"] for each in links}

    # A student comes, hands in and asks.
    student = open_page(browser, site.address, complaints)
    student.goto(way_in["Ada"])
    student.get_by_role("button", name="Sign in").click()
    student.get_by_role("link", name="Zip", exact=True).click()
    editor_of(student).fill(ZIP)
    student.get_by_role("button", name="Submit").click()
    student.locator("#result .progress, #result .outcome").first.wait_for()
    student.get_by_role("link", name="Ask about this problem").click()
    student.get_by_label("Your question", exact=True).fill("May N be 0?")
    student.get_by_role("button", name="Ask").click()

    page.goto(staff)
    page.get_by_label("New announcement").fill("Doors open at nine.")
    page.get_by_role("button", name="Announce").click()
    page.get_by_role("link", name="Questions of students").click()
    page.get_by_label("Answer").first.fill("No: N is at least 1.")
    picture(page, "staff-questions")
    page.get_by_role("button", name="Answer all").click()
    student.reload()
    student.get_by_text("No: N is at least 1.").first.wait_for()
    student.get_by_text("Doors open at nine.").first.wait_for()

    page.goto(f"{staff}/people")
    page.locator("#extend-who").select_option("Edsger (edsger@example.org)")
    page.get_by_label("Time beyond the end, in all").fill("1d12h")
    page.get_by_role("button", name="Extend").click()
    api.expect(page.locator("tr", has_text="Edsger").first).to_contain_text("1 d 12 h")
    picture(page, "staff-people")

    # The freeze hides what is submitted, and from the first minute here.
    page.goto(f"{staff}/settings")
    page.get_by_label("Scoreboard frozen from").fill(now.isoformat())
    page.get_by_role("button", name="Change").click()
    page.get_by_text("Changed, and in force").wait_for()
    student.goto("/contests/hpc-lab/submissions")
    student.get_by_role("link", name="1", exact=True).or_(student.locator("tbody th a")).first.click()
    student.get_by_text("every case is right").wait_for(timeout=JUDGED)
    student.get_by_role("link", name="Scoreboard").click()
    api.expect(student.get_by_text("1 hidden")).to_be_visible(timeout=JUDGED)

    page.goto(staff)
    page.get_by_label("Reason").fill("Case 3 was wrong.")
    page.get_by_role("button", name="Rejudge").click()
    page.get_by_role("button", name="Apply").click(timeout=JUDGED)
    page.get_by_text("applied").first.wait_for()

    page.goto(staff)
    page.get_by_role("button", name="Unfreeze").click()
    api.expect(student.get_by_text("1 hidden")).to_have_count(0, timeout=JUDGED)
    api.expect(student.locator("tr.own")).to_contain_text("1.000")
    page.goto(staff)
    picture(page, "staff")
    with page.expect_download() as saved:
        page.get_by_role("link", name="Scores as CSV").click()
    rows = list(csv.DictReader(saved.value.path().read_text().splitlines()))
    assert [(each["rank"], each["name"], each["zip_verdict"]) for each in rows[:1]] == [("1", "Ada", "accepted")]
    with page.expect_download() as saved:
        page.get_by_role("link", name="Scores for Gradescope").click()
    with zipfile.ZipFile(saved.value.path()) as archive:
        assert sorted(archive.namelist()) == ["ada@example.org.json", "edsger@example.org.json"]
