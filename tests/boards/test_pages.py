"""The report page: one valid file that says everything and runs nothing of what it shows."""

import re
from html import unescape
from html.parser import HTMLParser
from pathlib import Path

import pytest

from grader.boards.pages import render_report, write_report
from grader.core.errors import WorkspaceError

from . import measurements, samples

VOID = {"meta", "link", "br", "img", "input", "hr"}


class Page(HTMLParser):
    """Reads a page: every element closed in order, its ids, links, and text outside of style and script."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str, str]] = []
        self.text = ""
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_startendtag(tag, attrs)
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(tag, name, value or "") for name, value in attrs]

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if not {"style", "script"} & set(self.open):
            self.text += data

    def values(self, name: str) -> list[str]:
        return [value for _, attribute, value in self.attributes if attribute == name]


def page_of(name: str) -> Page:
    return Page(render_report(samples.REPORTS[name]()))


@pytest.mark.parametrize("name", samples.REPORTS)
def test_every_page_is_well_formed_and_alone(name: str) -> None:
    page = page_of(name)
    ids = page.values("id")
    assert len(ids) == len(set(ids))
    # Whatever is named by an attribute is there: labels, and places in the page.
    for reference in ("aria-labelledby", "aria-describedby"):
        assert {word for value in page.values(reference) for word in value.split()} <= set(ids)
    assert {href for href in page.values("href") if not href.startswith("#")} == set()
    assert {href[1:] for href in page.values("href")} <= set(ids)
    assert page.values("src") == []
    assert page.tags.count("h1") == 1 and page.tags.count("main") == 1
    assert page.tags.count("script") == 1


def test_an_accepted_page() -> None:
    text = page_of("accepted").text
    for part in (
        "accepted",
        "All 8 cases are right.",
        "8 of 8",
        "2026-03-02 14:05 UTC",
        "0.31",
        *samples.CHECKS,
    ):
        assert part in text
    assert "2 KiB" in text and "seed 123" in text
    assert "kgrade test matmul naive.cu --seed 123" in text
    assert "Smallest failing" not in text and "What happened" not in text


def test_an_emulated_page_has_nothing_of_times() -> None:
    page = page_of("accepted")
    for part in ("Roofline", "Speed of light", "Occupancy", "Spills", "How it was timed"):
        assert part not in page.text, part


def test_a_measured_page_shows_times_rates_and_the_kernel() -> None:
    page = page_of("measured")
    text = re.sub(r"\s+", " ", page.text)
    for part in (
        "0.102 (0.1015 to 0.1018)",
        "2 M=4096 N=4096 K=4096 26.0 ms ± 0.20 % 9.61 5,278 7.73 10.3 % arithmetic",
        "26.014 to 26.092 ms 9.5944 to 9.6204 30 1 24 1,905 to 1,980 MHz nothing",
        "4.31 TB/s reached, 4.80 TB/s by the data sheet", "51.2 TFLOP/s reached, 66.9 TFLOP/s by the data sheet",
        "driver 580.95.05", "1.0002 (0.9991 to 1.0011)",
        "matrix_multiplication_kernel322 KiB0 B 0 B100 %threads",
    ):  # fmt: skip
        assert part in text, part
    assert "svg" in page.tags and page.tags.count("desc") == 1
    assert "careful" not in " ".join(page.values("class"))


def test_a_measured_page_without_a_baseline_says_what_is_wrong_with_its_times() -> None:
    page = page_of("measured_vector")
    text = re.sub(r"\s+", " ", page.text)
    assert "× baseline" not in text and "Score" not in text
    assert page.values("class").count("callout careful") == 4
    assert "1 N=1000 1.24 µs ± 0.20 % 0.806 9.68 96.0 % launch" in text
    assert "1,410 MHz power cap, thermal slowdown" in text
    assert "416 B12.5 %registers" in text and "4.31 TB/s reached Arithmetic" in text


def test_the_best_entries_stand_in_the_roofline() -> None:
    html = render_report(samples.measured(), beside=[("</svg>grace", measurements.matmul_times(7.0))])
    page = Page(html)
    assert "</svg>grace, M=1024 N=1024 K=1024: 58.6 µs" in page.text and "&lt;/svg&gt;grace" in html


def test_a_fault_is_told_with_its_line_and_its_threads() -> None:
    report = samples.out_of_bounds()
    page = page_of("out_of_bounds")
    assert report.fault is not None
    for part in (
        "runtime error: out of bounds", report.headline, "read of A[17]", "A has 17 elements, from 0 to 16",
        "block (0, 1, 0), thread (0, 1, 0)", "225 threads", report.fault.instruction, report.fault.hint,
        "block 0: row 17\n", "kgrade test matmul no_bounds.cu --case M=17,N=1,K=3 --seed 123", report.pattern,
    ):  # fmt: skip
        assert part in page.text, part
    html = render_report(report)
    assert re.search(r'<div class="row error" id="L14">.*\n<p class="remark error"><b>error</b> reads A\[17\]', html)
    assert "#L14" in page.values("href")


def test_wrong_answers_show_the_large_map_and_the_smallest_sizes() -> None:
    page = page_of("wrong_last_tile")
    assert page.tags.count("desc") == 2
    large, small = page.text.index("M=120 N=40 K=200"), page.text.rindex("M=17 N=1 K=3")
    assert large < small
    for part in ("2,496 of 24,000 elements wrong", "C[0, 192]", "176,166 ×", "NaN", "In common:"):
        assert part in page.text, part


def test_a_smallest_case_that_is_the_only_one_is_shown_once() -> None:
    assert page_of("wrong_vector").tags.count("desc") == 1
    assert "not written" in page_of("wrong_vector").text


def test_diagnostics_have_excerpt_caret_and_hint() -> None:
    page = page_of("compile_error")
    assert "\t\t^" in page.text
    assert 'error line 13:3 expected a ";"' in page.text
    assert "Hint: The statement before, in line 11, lacks its semicolon." in page.text
    assert "\nexpected: sum = 0.0f;\nfound:    sum = 0.0f" in page.text
    assert page.text.index("expected a") < page.text.index("never referenced")


def test_a_flood_of_diagnostics_is_cut() -> None:
    report = samples.accepted(diagnostics=samples.compile_error().diagnostics * 30)
    assert "And 70 more." in Page(render_report(report)).text


def test_hostile_texts_are_text() -> None:
    html = render_report(samples.hostile())
    page = Page(html)
    assert "<img" not in html and html.count("</style>") == 1 and html.count("</script>") == 1
    assert not [name for _, name, _ in page.attributes if name.startswith("on")]
    assert not [value for value in page.values("href") if not value.startswith("#")]
    assert page.text.count('<script>document.title="hacked"</script>') > 25
    assert "\u202e" not in html and "\x1b" not in html and "‹U+202E›" in page.text


def test_the_policy_allows_the_one_script_and_no_request() -> None:
    from base64 import b64encode
    from hashlib import sha256

    html = render_report(samples.accepted())
    found = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', html)
    script = re.search(r"<script>(.*?)</script>", html, re.DOTALL)
    assert found and script
    digest = b64encode(sha256(script[1].encode()).digest()).decode()
    assert f"'sha256-{digest}'" in unescape(found[1])
    assert unescape(found[1]).startswith("default-src 'none';")
    # Nothing is allowed before the policy is read.
    assert html.index("Content-Security-Policy") < html.index("<script>") < html.index("<style>")


def test_a_workspace_replaces_a_template_and_keeps_the_rest(tmp_path: Path) -> None:
    (tmp_path / "base.html").write_text("<h1>CS 149</h1>{% block content %}{% endblock %}")
    html = render_report(samples.accepted(), [tmp_path])
    assert html.startswith("<h1>CS 149</h1>") and "All 8 cases are right." in html
    assert "CS 149" not in render_report(samples.accepted())


@pytest.mark.parametrize(
    ("template", "message"),
    [
        ("\n\n{% if %}", r"report\.html:3 can't be used: Expected an expression"),
        ("\n{{ report.colour }}", r"report\.html:2 can't be used: .*no attribute 'colour'"),
        ("{% include 'absent.html' %}", r"report\.html:1 can't be used: .*absent\.html"),
    ],
)
def test_a_mistake_in_a_template_is_named(tmp_path: Path, template: str, message: str) -> None:
    (tmp_path / "report.html").write_text(template)
    with pytest.raises(WorkspaceError, match=message) as caught:
        render_report(samples.accepted(), [tmp_path])
    assert "templates/" in caught.value.hint


def test_a_page_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "reports" / "1.html"
    write_report(samples.accepted(), path)
    before = path.read_text()
    assert before == render_report(samples.accepted())
    templates = tmp_path / "templates"
    templates.mkdir()
    (templates / "report.html").write_text("half {{ nothing.at.all }}")
    with pytest.raises(WorkspaceError):
        write_report(samples.accepted(user="bob"), path, [templates])
    assert path.read_text() == before
    assert [child.name for child in path.parent.iterdir()] == ["1.html"]


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(WorkspaceError, match="pages can't be written to") as caught:
        write_report(samples.accepted(), tmp_path / "file" / "reports" / "1.html")
    assert "kgrade leaderboard --html DIR" in caught.value.hint
