"""The player of a report's page in a real browser: its steps, keys and links, and each kind of failure."""

import gzip
import re
import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from coach.samples import explanation

from grader.boards.coach_page import render
from grader.boards.pages import render_report, write_report
from grader.boards.templating import PLAYER_SCRIPT, pages
from grader.core.report import Report
from grader.replay.cutting import one_warp
from grader.replay.model import SourceFile, Type
from grader.replay.packing import pack
from grader.replay.summary import summarize
from grader.replay.trace import Trace
from grader.store.workspace import builtin_folder

from . import samples, traces
from .test_pages import Page

INSTALL = "pip install -e .[dev]"
api = pytest.importorskip("playwright.sync_api", reason=f"needs Playwright: {INSTALL}")
axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason=f"needs axe-core: {INSTALL}")
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
in_browser = pytest.mark.skipif(CHROMIUM is None, reason="needs a browser: apt-get install chromium")

Open = Callable[..., Any]
PARTS = sorted((builtin_folder("templates") / "player").glob("*.js"))


def report_of(trace: Trace) -> Report:
    return replace(samples.out_of_bounds(), source=traces.SOURCE, replay=summarize(trace))


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def played(browser: Any, tmp_path: Path) -> Iterator[Open]:
    """Opens the page of a trace; its console has to stay empty, and it asks for nothing."""
    complaints: list[str] = []
    contexts = []

    def opened(trace: Trace, fragment: str = "", **settings: Any) -> Any:
        path = tmp_path / "report.html"
        write_report(report_of(trace), path)
        contexts.append(browser.new_context(viewport={"width": 1280, "height": 900}, **settings))
        page = contexts[-1].new_page()
        page.on("console", lambda message: complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("request", lambda request: None if request.url.startswith("file:") else complaints.append(request.url))
        page.goto(path.as_uri() + fragment)
        return page

    yield opened
    for context in contexts:
        context.close()
    assert complaints == []


def counter(page: Any) -> str:
    return str(page.locator(".counter").inner_text())


@in_browser
def test_steps_forward_and_back(played: Open) -> None:
    page = played(traces.race())
    api.expect(page.locator(".sentence")).to_contain_text("no barrier stands between")
    assert counter(page) == "22 of 50"
    page.get_by_role("button", name="Start").click()
    assert counter(page) == "1 of 50"
    page.get_by_role("button", name="Back", exact=True).click()
    assert counter(page) == "1 of 50"
    # The thread of the second warp is not at work in the steps of the first.
    page.get_by_role("button", name="Next line").click()
    assert counter(page) == "6 of 50"
    assert page.locator(".row.now").inner_text().startswith("5")
    row = page.locator(".variables tr", has_text="y")
    assert row.get_attribute("class") == "changed" and "4" in row.inner_text()
    page.get_by_role("button", name="Next barrier").click()
    assert "__syncthreads();" in page.locator(".row.now").inner_text()
    page.locator(".slider").fill("50")
    assert (
        page.locator(".sentence")
        .inner_text()
        .startswith("Step 50: 32 lanes of warp 1 at line 13. Thread (0, 4) sets C[4][0]")
    )
    page.get_by_role("button", name="The race").click()
    assert counter(page) == "22 of 50"


@in_browser
def test_by_keyboard_alone(played: Open) -> None:
    page = played(traces.race())
    page.get_by_role("button", name="Step", exact=True).focus()
    for key, step in (
        ("Home", 1),
        ("ArrowRight", 2),
        ("b", 10),
        ("p", 9),
        ("n", 10),
        ("End", 50),
        ("ArrowLeft", 49),
        ("r", 22),
    ):
        page.keyboard.press(key)
        assert counter(page) == f"{step} of 50", key
    # Arrow keys in the grid of threads choose a thread, and do not step.
    page.locator(".strip [tabindex='0']").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    assert counter(page) == "22 of 50" and page.locator(".whose").inner_text() == "Variables of thread (1, 4)"
    assert page.locator(".chosen").input_value() == "33"


@in_browser
def test_a_link_leads_to_a_step_and_a_thread(played: Open) -> None:
    page = played(traces.race(), "#replay-12-3")
    assert counter(page) == "12 of 50" and page.locator(".whose").inner_text() == "Variables of thread (3, 0)"
    page.get_by_role("button", name="Step", exact=True).click()
    page.wait_for_url("**#replay-13-3")
    assert page.get_by_role("link", name="Link to this step").get_attribute("href").endswith("#replay-13-3")
    page.evaluate("location.hash = '#replay-20'")
    api.expect(page.locator(".counter")).to_have_text("20 of 50")
    page.evaluate("location.hash = '#replay-2000'")
    assert counter(page) == "20 of 50"


@in_browser
def test_who_wrote_this(played: Open) -> None:
    page = played(traces.race())
    cell = page.get_by_role("gridcell", name="tile[0][0] = 8, written by thread (0, 0)")
    cell.focus()
    details = page.locator(".shared .details")
    assert "written by thread (0, 0) in line 8" in details.inner_text()
    assert details.get_by_role("button").all_inner_texts() == ["Who wrote this? Go to step 20", "step 4"]
    page.keyboard.press("o")
    assert counter(page) == "20 of 50" and page.locator(".whose").inner_text() == "Variables of thread (0, 0)"
    # Colours tell writers apart.
    colours = page.locator(".shared .known").evaluate_all(
        "cells => cells.map((cell) => getComputedStyle(cell).backgroundColor)"
    )
    assert len(colours) == 64 and len(set(colours)) > 50
    # A variable was written in a step, too.
    page.locator(".variables tr", has_text="sum").get_by_role("button").click()
    assert counter(page) == "18 of 50"
    # The button went with its row, and keys work on.
    page.keyboard.press("n")
    assert counter(page) == "19 of 50"


@in_browser
def test_a_race_has_both_threads_side_by_side(played: Open) -> None:
    page = played(traces.race())
    rows = page.locator(".both tbody tr").all_inner_texts()
    assert "writes tile[0][0] = 8" in rows[-4] and "An order is missing" in rows[-2]
    assert "reads tile[0][0] = 8" in rows[-1]
    assert rows[0] == "… 7 steps …" and len(rows) == 7
    assert page.locator(".pair h4").all_inner_texts() == [
        "Variables of thread (0, 0) after step 20",
        "Variables of thread (0, 4) after step 22",
    ]


@in_browser
def test_a_race_of_two_blocks_names_them(played: Open) -> None:
    page = played(replace(traces.race(), block_dim=(8, 4, 1), blocks=((0, 0, 0), (3, 1, 0))))
    heads = page.locator(".both thead").inner_text()
    assert "thread (0, 0) of block (0, 0)" in heads and "thread (0, 0) of block (3, 1)" in heads
    assert "nothing orders the threads of different blocks" in page.locator(".both .missing").inner_text()
    # Each block has shared memory of its own: the second has not written what the first has.
    page.locator(".chosen").select_option(label="(0, 0) of block (0, 0)")
    assert page.get_by_role("gridcell", name="tile[0][0] = 8, written by").count() == 1
    page.locator(".chosen").select_option(label="(0, 0) of block (3, 1)")
    assert page.get_by_role("gridcell", name="tile[0][0] = no value").count() == 1


@in_browser
def test_a_wrong_element_has_its_writers_and_what_they_read(played: Open) -> None:
    page = played(traces.wrong())
    assert counter(page) == "41 of 50"
    story = page.locator(".story")
    assert "thread (0, 3) wrote 603, expected 30" in story.inner_text()
    row = story.locator("tr", has_text="tile[7][2]").first
    assert "65" in row.inner_text()
    row.get_by_role("button", name="thread (2, 7)").click()
    assert page.locator(".sentence").inner_text().endswith("sets tile[7][2] = 65.")


@in_browser
def test_an_access_of_several_elements_shows_each(played: Open) -> None:
    trace = traces.race()
    halves = Type("half", "scalar", 2, encoding="float")
    tile = replace(trace.shared[0], type=len(trace.types), shape=(8, 16))
    page = played(replace(trace, types=(*trace.types, halves), shared=(tile,)))
    # The bits of a float, as two halves.
    assert "reads tile[0][0] = {0, 2.5" in page.locator(".sentence").inner_text()


@in_browser
def test_a_deadlock_says_who_waits_where(played: Open) -> None:
    page = played(traces.deadlock())
    rows = page.locator(".story tbody tr").all_inner_texts()
    assert [re.sub(r"\s+", " ", row) for row in rows] == [
        "32 threads, thread (0, 0) the first waits at line 9 __syncthreads(); step 5",
        "32 threads, thread (0, 2) the first is at line 8 "
        "tile[y][x] = start + x < N ? A[y * N + start + x] : 0.0f; step 4",
    ]
    assert page.locator(".strip .wait").count() == 16


@in_browser
def test_an_explanation_plays_the_accesses_of_a_warp(browser: Any, tmp_path: Path) -> None:
    path = tmp_path / "explain.html"
    one = summarize(one_warp(traces.race(), 0, 20))
    path.write_text(render(replace(explanation(source=traces.SOURCE), replay=one)))
    page = browser.new_page()
    page.goto(path.as_uri())
    captions = page.locator(".accesses figcaption")
    assert [re.sub(" A box.*", "", each) for each in captions.all_inner_texts()] == [
        "Warp 0 reads A: 32 lanes ask for 128 bytes in 5 sectors of 32 bytes; 4 sectors would hold them.",
        "Warp 0 writes tile: 32 lanes in 1 wavefront of the 32 banks.",
    ]
    assert page.locator(".sector.now").count() == 5 and page.locator(".strip [role=row]").count() == 1
    page.get_by_role("button", name="Next access").click()
    assert captions.all_inner_texts()[0].startswith("Warp 0 reads tile: 32 lanes in 1 wavefront")
    page.locator(".slider").fill("18")
    page.get_by_role("button", name="Play", exact=True).click()
    page.get_by_role("button", name="Pause").wait_for()
    api.expect(page.locator(".counter")).to_have_text("20 of 20")
    page.get_by_role("button", name="Play", exact=True).wait_for()
    page.close()


@in_browser
def test_the_script_reads_what_is_packed(browser: Any) -> None:
    """All columns, with values of each size: those that follow from earlier ones, and those that don't."""
    trace = traces.race()
    sizes = np.array([1, 2, 4, 8])[np.arange(len(trace.writes.step)) % 4]
    value = trace.writes.value << np.uint64(31) | trace.writes.value
    value &= np.uint64(2**64 - 1) >> (64 - 8 * sizes).astype(np.uint64)
    trace = replace(trace, writes=replace(trace.writes, size=sizes, value=value))
    script = "".join(
        (builtin_folder("templates") / "player" / f"{part}.js").read_text() for part in ("text", "columns")
    )
    page = browser.new_page()
    found = page.evaluate(
        f"(bytes) => {{ {script}; return unpacked(Uint8Array.from(bytes)); }}", [*gzip.decompress(pack(trace))]
    )
    page.close()
    for group in ("steps", "reads", "writes", "waits"):
        for name, column in vars(getattr(trace, group)).items():
            wanted = [f"{bits:x}" for bits in column.tolist()] if name == "value" else column.tolist()
            assert found[group][name] == wanted, (group, name)
    for array, read in zip(trace.arrays, found["arrays"], strict=True):
        assert read["elements"] == {str(index): f"{bits:x}" for index, bits in array.elements.items()}


@in_browser
def test_it_fits_and_is_accessible(played: Open) -> None:
    for trace, (width, scheme) in product((traces.race(), traces.wrong()), ((390, "dark"), (1280, "light"))):
        page = played(trace, color_scheme=scheme)
        page.set_viewport_size({"width": width, "height": 900})
        page.locator(".player").wait_for()
        assert page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") == 0
        found = axe.Axe().run(page, context="#replay").response["violations"]
        assert [(each["id"], each["nodes"][0]["html"]) for each in found] == []


@in_browser
def test_what_a_kernel_is_called_is_text(played: Open) -> None:
    hostile = samples.HOSTILE
    trace = replace(
        traces.race(),
        kernel=hostile,
        files=(SourceFile(hostile, (hostile,) * 14),),
        variables=tuple(replace(each, name=hostile) for each in traces.VARIABLES),
        shared=(replace(traces.race().shared[0], name=hostile),),
    )
    page = played(trace)
    page.locator(".player").wait_for()
    assert page.title() != "hacked" and "‹U+202E›" in page.locator(".lines").inner_text()


@pytest.mark.parametrize("part", PARTS, ids=lambda part: part.name)
def test_a_part_of_the_script_is_included_as_it_is(part: Path) -> None:
    text = part.read_text()
    # To Jinja each of these begins something.
    assert not any(sign in text for sign in ("{{", "{%", "{#", "</script"))
    assert text.strip() in pages().render(PLAYER_SCRIPT)


def test_without_scripts_the_last_step_is_told() -> None:
    page = Page(render_report(report_of(traces.race())))
    text = re.sub(r"\s+", " ", page.text)
    assert "Step 22 of 50: 32 lanes of warp 1 at line 10: for (int k = 0; k < TILE; ++k) sum += tile[y ^ 4][k];" in text
    assert "– reads 32 elements of tile. With JavaScript this page plays all steps." in text
    assert "It is built with debug information, which keeps every variable." in text
    assert {href[1:] for href in page.values("href")} <= set(page.values("id"))


def test_a_trace_without_steps_has_a_page() -> None:
    page = Page(render_report(report_of(traces.Recorder().trace())))
    assert "No step was recorded." in page.text and "JavaScript" not in page.text


def test_the_same_trace_makes_the_same_page() -> None:
    assert render_report(report_of(traces.race())) == render_report(report_of(traces.race()))
