"""`import kgrade`, `%%kgrade` in an IPython of its own, and a notebook that a kernel executes."""

from __future__ import annotations

import html
import re
import shutil
import subprocess
import sys
import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config

import kgrade
from grader.core.errors import UsageError
from grader.core.report import Report, from_json, to_json
from grader.core.verdict import Verdict
from grader.notebook.shown import ShownReport

ROOT = Path(__file__).parents[2]
WORKED = ROOT / "problems" / "matmul" / "submissions"
RIGHT = WORKED / "accepted" / "1_naive.cu"
WRONG = WORKED / "runtime_error" / "missing_bounds_check.cu"
SMALL = {"M": 17, "N": 5, "K": 3}
LINE = "matmul --device emulator --case M=17,N=5,K=3"
HOSTILE = '"></iframe><script>alert(1)</script><img src=x onerror=alert(1)>\u202e'
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


@pytest.fixture(scope="module")
def wrong() -> ShownReport:
    report = kgrade.grade("matmul", WRONG.read_text(), sizes=SMALL, device="emulator", seed=7)
    assert isinstance(report, ShownReport)
    return report


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> InteractiveShell:
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path))
    config = Config({"HistoryManager": {"enabled": False}})
    made = InteractiveShell(config=config)
    made.run_line_magic("load_ext", "kgrade")
    return made


def test_the_module_has_two_names_and_loads_nothing_for_them() -> None:
    code = (
        "import sys, kgrade; print(kgrade.__all__, sorted(m for m in sys.modules if m.startswith('grader')));"
        "print(callable(kgrade.grade), callable(kgrade.load_ipython_extension), hasattr(kgrade, 'other'))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout.splitlines() == ["['grade', 'load_ipython_extension'] []", "True True False"]
    assert kgrade.grade.__doc__ and "Raises UsageError" in kgrade.grade.__doc__


def test_a_text_is_graded_to_a_report(wrong: ShownReport) -> None:
    assert isinstance(wrong, Report)
    assert (wrong.verdict, wrong.line, wrong.seed, wrong.own_sizes) == (Verdict.RUNTIME_ERROR, 14, 7, True)
    assert repr(wrong) == "<Report of matmul: runtime_error>"
    assert str(wrong).startswith("✗ runtime_error / out_of_bounds   Matrix multiplication") and "\x1b" not in str(wrong)
    assert from_json(to_json(wrong)).headline == wrong.headline


def test_a_file_is_graded_by_its_path() -> None:
    report = kgrade.grade("matmul", RIGHT, sizes=[SMALL, SMALL | {"M": 2}], device="emulator")
    assert report.verdict is Verdict.ACCEPTED and report.file == RIGHT.name
    assert {case.sizes["M"] for case in report.cases} == {17, 2}


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"problem": "matmull"}, "Did you mean 'matmul'?"),
        ({"source": " "}, "empty"),
        ({"source": "x" * (1 << 20) + "x"}, "too large"),
        ({"language": "cobol"}, "there is no language 'cobol'"),
        ({"sizes": {"M": 1}}, "N"),
        ({"workspace": "/nowhere"}, "/nowhere"),
        ({"problem": None}, "the problem is None, where a name"),
        ({"problem": ["map"]}, "the problem is ['map'], where a name"),
        ({"problem": "x" * 10_000}, f"there is no problem '{'x' * 80}…'"),
        ({"source": None}, "the source is None, where a text"),
        ({"source": Path("/" + "x" * 5000)}, "xxx"),
        ({"language": 5}, "there is no language 5"),
        ({"sizes": 5}, "the sizes are 5, where"),
        ({"sizes": "M=1"}, "the sizes are 'M=1', where"),
        ({"workspace": 5}, "the workspace is 5, where"),
    ],
)
def test_what_cannot_be_graded_is_said(given: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError, match=re.escape(said)):
        kgrade.grade(**{"problem": "matmul", "source": RIGHT.read_text(), "device": "emulator", **given})


@pytest.mark.parametrize("replayed", [False, True])
def test_the_page_stands_in_a_frame_of_its_own(wrong: ShownReport, replayed: bool) -> None:
    report = replace(wrong, headline=HOSTILE, problem=HOSTILE, source=HOSTILE, file=HOSTILE, printed=HOSTILE)
    report = report if replayed else replace(report, replay=None)
    frame = re.fullmatch(
        r'<iframe sandbox="(.*?)" srcdoc="([^"]*)" title="[^"<>]*" style="[^"]*"></iframe>', report._repr_html_()
    )
    assert frame and frame[1] == ("allow-scripts" if replayed else "")
    page = html.unescape(frame[2])
    assert page.startswith("<!DOCTYPE html>") and "<img" not in page and "\u202e" not in page
    assert "default-src &#39;none&#39;" in page and 'href="#' not in page


@pytest.mark.skipif(CHROMIUM is None, reason="needs a browser: apt-get install chromium")
def test_a_browser_shows_it_and_goes_to_the_line(wrong: ShownReport, tmp_path: Path) -> None:
    from playwright.sync_api import sync_playwright

    notebook = tmp_path / "notebook.html"
    notebook.write_text(f"<!DOCTYPE html><h1>Mine</h1>{wrong._repr_html_()}")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        page = browser.new_page()
        page.goto(notebook.as_uri())
        frame = page.frames[1]
        assert "out of bounds" in frame.locator("h1").inner_text().lower()
        frame.get_by_role("link", name="See line 14").click()
        page.wait_for_function("() => true")
        assert page.frames[1].url == "about:srcdoc#L14"
        # The replay plays there, and its links stay in the frame.
        before = frame.locator(".counter").inner_text()
        frame.get_by_role("button", name="Back", exact=True).click()
        assert frame.locator(".counter").inner_text() != before
        frame.get_by_role("link", name="Link to this step").click()
        assert page.frames[1].url.startswith("about:srcdoc#replay-")
        assert page.url == notebook.as_uri() and page.locator("h1").inner_text() == "Mine"
        browser.close()


def test_the_magic_grades_the_cell(shell: InteractiveShell) -> None:
    report = shell.run_cell(f"%%kgrade {LINE} --seed 7\n{RIGHT.read_text()}").result
    assert isinstance(report, ShownReport)
    assert (report.verdict, report.seed, report.own_sizes) == (Verdict.ACCEPTED, 7, True)
    assert all(case.sizes == SMALL for case in report.cases)
    assert shell.display_formatter is not None
    assert "<iframe" in shell.display_formatter.format(report)[0]["text/html"]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("matmull", "Did you mean 'matmul'?"),
        ("", "Missing argument 'PROBLEM'"),
        ("matmul --cases many", "'many'"),
        ("matmul --case M=1", "--case"),
        ("matmul 'x", "No closing quotation"),
        ("matmul --language cobol", "'cobol'"),
    ],
)
def test_the_magic_says_what_is_wrong(
    shell: InteractiveShell, line: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    done = shell.run_cell(f"%%kgrade {line}\n__global__ void f() {{}}")
    assert done.success and done.result is None
    err = capsys.readouterr().err
    assert err.startswith("kgrade: ") and said in err and "Traceback" not in err


def test_the_magic_has_help(shell: InteractiveShell, capsys: pytest.CaptureFixture[str]) -> None:
    for typed in ("%%kgrade --help\n// nothing", "%kgrade", "%kgrade matmul"):
        assert shell.run_cell(typed).result is None
        assert "Usage: %%kgrade [OPTIONS] PROBLEM" in capsys.readouterr().out


def test_a_kernel_executes_a_notebook(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path))
    with warnings.catch_warnings():
        # Jupyter's own.
        warnings.simplefilter("ignore")
        from nbclient import NotebookClient
        from nbformat.v4 import new_code_cell, new_notebook

        cells = ["%load_ext kgrade", f"%%kgrade {LINE}\n{WRONG.read_text()}", "print(_.verdict, _.line)"]
        notebook = new_notebook(cells=[new_code_cell(cell) for cell in cells])
        NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
    loaded, graded, printed = (cell.outputs for cell in notebook.cells)
    assert loaded == []
    (shown,) = graded
    assert shown.output_type == "execute_result" and shown.data["text/html"].startswith("<iframe sandbox=")
    assert "out_of_bounds" in shown.data["text/plain"]
    assert [output.text for output in printed] == ["runtime_error 14\n"]
