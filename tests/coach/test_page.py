"""The page of an explanation: one valid file that says what was counted and runs nothing of what it shows."""

from __future__ import annotations

import json
import re
import threading
from dataclasses import replace
from functools import partial
from http.server import ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from grader.boards.coach_page import render, write_page
from grader.boards.coach_picture import draw
from grader.coach.lines import Totals
from grader.core.errors import WorkspaceError
from grader.store.workspace import find_workspace
from tests.boards import test_browser
from tests.boards.test_pages import Page
from tests.sass.samples import kernel as machine_code

from .counted import run
from .samples import EXPLANATIONS, STRIDED, WIDE, explanation, kernel


def page_of(name: str) -> Page:
    return Page(render(EXPLANATIONS[name]()))


@pytest.mark.parametrize("name", EXPLANATIONS)
def test_every_page_is_well_formed_and_alone(name: str) -> None:
    page = page_of(name)
    ids = page.values("id")
    assert len(ids) == len(set(ids))
    for reference in ("aria-labelledby", "aria-describedby"):
        assert {word for value in page.values(reference) for word in value.split()} <= set(ids)
    assert {href for href in page.values("href") if not href.startswith("#")} == set()
    assert {href[1:] for href in page.values("href")} <= set(ids)
    assert page.values("src") == []
    assert page.tags.count("h1") == 1 and page.tags.count("main") == 1
    assert page.tags.count("script") == 1 and "i" not in page.tags and page.tags.count("b") == advised(name)


def test_copies_are_told_where_there_are_any() -> None:
    copied = replace(kernel(WIDE), totals=Totals(executed=640, requests=64, copies=48))
    assert "48 of these requests" in render(explanation(copied, source=WIDE))
    assert "of these requests" not in render(EXPLANATIONS["wide"]())


def test_a_model_time_is_drawn_with_its_parts() -> None:
    page = page_of("modelled")
    for words in ("40.0 µs", "DRAM 50.0 %", "instruction issue 40.0 %", "3 ×", "8 of 1,000 sampled", "Model time, %"):
        assert words in page.text, words
    assert page.text.count("not calibrated") == 1
    assert "there is none: no <i>such</i> instruction" in page_of("timeless").text


def advised(name: str) -> int:
    """The page's own bold words: the gain of each advice."""
    return sum(
        one.share is not None and one.tried is None for kernel in EXPLANATIONS[name]().kernels for one in kernel.advice
    )


def test_what_is_wrong_stands_with_its_line_and_its_numbers() -> None:
    page = page_of("transpose")
    for part in ("32-way bank conflict on tile", "lanes 32 elements apart", "occupancy 33% on sm_89", "128"):
        assert part in page.text, part
    assert "#L8" in page.values("href") and "L8" in page.values("id")


def test_each_line_has_its_counts_and_its_ptx() -> None:
    text = render(EXPLANATIONS["transpose"]())
    row = re.search(r'<tr id="L8">.*?</tr>', text, re.DOTALL)
    assert row is not None
    cells = [re.sub("<[^>]*>", "", cell).strip() for cell in re.findall(r'<td class="number"[^>]*>(.*?)</td>', row[0])]
    # 128 warps: a store of four sectors each, and a read of shared memory in 32 wavefronts each.
    assert cells[1:6] == ["16,384", "4", "4", "32", "4,096"]
    assert "ld.shared.f32" in row[0] and "st.global.f32" in row[0]
    blank = re.search(r'<tr id="L3">.*?</tr>', text, re.DOTALL)
    assert blank is not None and "<details>" not in blank[0]


def test_a_line_opens_to_its_machine_code() -> None:
    machine = machine_code()
    code = machine.by_line()
    # The sample's own source has fewer lines; the code of line 5 stands on the page.
    moved = replace(machine, code=tuple(replace(one, line=5, inner="<b>.h:1") for one in code[1].code))
    text = render(explanation(replace(kernel(WIDE), machine=moved), kernel(STRIDED), source=WIDE + "\n\n\n"))
    row = re.search(r'<tr id="L5">.*?</tr>', text, re.DOTALL)
    assert row is not None and "&lt;b&gt;.h:1" in row[0] and "k&lt;b&gt;old" in row[0]
    assert row[0].count('<span class="muted">B') == len(moved.code)
    assert "control code" in text and "control code" not in render(EXPLANATIONS["wide"]())


def test_columns_that_no_line_has_are_left_out() -> None:
    assert "Bank conflicts, ways" in page_of("transpose").text
    assert "Bank conflicts, ways" not in page_of("wide").text


def test_a_good_kernel_is_told_so() -> None:
    text = page_of("wide").text
    assert "Nothing was found to change." in text
    assert "Nothing was found to change." not in page_of("transpose").text


def test_advice_that_was_tried_says_its_gain() -> None:
    text = page_of("tried").text
    assert "1.31 → 0.940 ms" in " ".join(text.split()) and "of all counted cycles" not in text
    assert "Nothing was found that would gain 3 % of the model time." in text


def test_a_wrong_answer_is_said_on_top() -> None:
    assert "Wrong answer: y[0] <b>differs</b>" in page_of("strided").text


def test_no_kernel_at_all() -> None:
    assert "No kernel is launched at these sizes." in page_of("none").text


def test_a_picture_of_sectors() -> None:
    (row,) = (row for row in run("y[i] = x[i * 4];").rows if row.array == "x")
    found = draw(row)
    assert found is not None and found.cost == "sectors a request: 16, 4 would do"
    picture = found.picture
    assert (len(picture.lanes), len(picture.lines), len(picture.boxes)) == (32, 32, 16)
    assert all(box.marked for box in picture.boxes)
    assert picture.boxes[0].title == "bytes 0 to 31: 8 of 32 used, by lanes 0 to 1"
    assert [label.label for label in picture.labels] == ["byte 0", "byte 512"]


def test_a_picture_of_sectors_that_are_used_whole() -> None:
    (row,) = (row for row in run("y[i] = x[i];").rows if row.array == "x")
    found = draw(row)
    assert found is not None
    assert [box.marked for box in found.picture.boxes] == [False] * 4
    # Lanes and the places that their lines lead to stand in the same order.
    assert [to for _, to in found.picture.lines] == sorted(to for _, to in found.picture.lines)


def test_a_picture_of_banks() -> None:
    body = "__shared__ float s[1024]; s[t] = x[i]; __syncthreads(); y[i] = s[t % 32 * 4];"
    (row,) = (row for row in run(body).rows if row.opcode == "ld" and row.shared_requests)
    found = draw(row)
    assert found is not None and found.cost == "wavefronts a request: 4, 1 would do"
    boxes = found.picture.boxes
    assert len(boxes) == 32 and sum(box.marked for box in boxes) == 24
    assert len({box.x for box in boxes}) == 8 and len({box.y for box in boxes}) == 4
    assert "in 4 wavefronts" in found.picture.description


def test_a_picture_of_wide_words_has_a_phase_for_each_quarter() -> None:
    body = "__shared__ float4 s[256]; s[t] = ((float4*)x)[i]; __syncthreads(); ((float4*)y)[i] = s[t ^ 1];"
    (row,) = (row for row in run(body).rows if row.opcode == "ld" and row.shared_requests)
    found = draw(row)
    assert found is not None
    assert len(found.picture.boxes) == 128 and not any(box.marked for box in found.picture.boxes)
    assert len({box.y for box in found.picture.boxes}) == 4


def test_writing_where_nothing_can_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(WorkspaceError) as caught:
        write_page(EXPLANATIONS["none"](), tmp_path / "file" / "page.html", find_workspace(None))
    assert "--html" in caught.value.hint


browser = test_browser.browser


@pytest.mark.skipif(test_browser.CHROMIUM is None, reason="needs a browser: apt-get install chromium")
def test_in_a_browser(browser: None, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    """On a phone and on a desk nothing is wider than the screen, asks for anything, or runs."""
    for name, make in EXPLANATIONS.items():
        write_page(make(), tmp_path / f"{name}.html", find_workspace(None))
    names = [f"{name}.html" for name in EXPLANATIONS]
    (tmp_path / "probe.html").write_text(test_browser.PROBE % json.dumps(names))
    asked: list[str] = []
    handler = type("Counting", (test_browser.Handler,), {"asked": asked})
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(handler, directory=str(tmp_path)))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        address = f"http://127.0.0.1:{server.server_port}/probe.html"
        results: dict[str, dict[str, Any]] = json.loads(test_browser.dump(address, tmp_path_factory.mktemp("profile")))
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
    assert set(results) == {f"{name} {width}" for name in names for width in (360, 1200)}
    for name, found in results.items():
        assert found["overflow"] <= 0 and found["escaped"], name
        assert found["requests"] == [] and found["title"] != "hacked", name
        assert found["toggled"] and found["relabelled"], name
    assert set(asked) - {"/favicon.ico"} == {"/probe.html", *(f"/{name}" for name in names)}
