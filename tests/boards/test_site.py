"""The site: every page there, linked, current, and kept when a new one can't be made."""

import os
import re
import time
from pathlib import Path

import pytest

from grader.boards.files import STAGE, STALE_SECONDS, write_files
from grader.boards.site import slug, write_site
from grader.core.errors import WorkspaceError
from grader.store.database import Store
from grader.store.entry import Entry

from . import samples
from .test_pages import Page


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    return samples.filled_store(tmp_path_factory.mktemp("workspace") / "kgrade.db")


@pytest.fixture(scope="module")
def folder(store: Store, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_site(store, samples.PROBLEMS, tmp_path_factory.mktemp("site")).parent


def files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_every_link_leads_to_a_page_and_every_page_is_reached(folder: Path) -> None:
    reached, waiting = set(), [folder / "index.html"]
    while waiting:
        path = waiting.pop()
        if path in reached:
            continue
        reached.add(path)
        page = Page(path.read_text())
        assert page.values("src") == []
        ids = page.values("id")
        assert len(ids) == len(set(ids))
        for href in page.values("href"):
            target, _, fragment = href.partition("#")
            if target:
                waiting.append((path.parent / target).resolve())
                assert waiting[-1].is_file(), (path, href)
            else:
                assert fragment in ids
    assert reached == set(folder.rglob("*.html"))
    assert {path.suffix for path in folder.rglob("*") if path.is_file()} == {".html"}


def test_the_index_lists_problems_with_who_solved_them(folder: Path) -> None:
    text = Page((folder / "index.html").read_text()).text
    rows = re.sub(r"\s+", " ", text)
    assert "Matrix multiplication easy tilingshared memory 9 users 28 0.710 by ada" in rows
    assert "Sum of a vector medium reductionwarp shufflesatomics 0 users 0 not ranked" in rows


def test_the_board_ranks_what_ran_on_a_gpu_and_lists_what_was_emulated(folder: Path) -> None:
    page = Page((folder / "problems" / "matmul.html").read_text())
    text = re.sub(r"\s+", " ", page.text)
    assert "1 ada 0.710 2.82 ms (2.80 to 2.83 ms) 2026-03-15 09:30 UTC CUDA C++ kernel report" in text
    assert text.index("1 ada 0.710") < text.index("2 grace 0.700") < text.index("3 bob 0.520")
    assert "linus accepted emulator 1 2026-03-02 14:05 UTC CUDA C++ kernel report" in text
    # Both device models have a table, the one with a single point no chart.
    assert "NVIDIA A100" in text and "Best score on NVIDIA A100" not in text
    assert "Best score on NVIDIA H100 80GB HBM3" in text
    assert "bob runtime error: out of bounds" in text


def test_the_board_by_model_time_says_that_nothing_was_measured(folder: Path, store: Store, tmp_path: Path) -> None:
    text = re.sub(r"\s+", " ", Page((folder / "problems" / "matmul.html").read_text()).text)
    board = text[text.index("Model time on H200, not measured") :]
    assert "no GPU has run them" in board
    # No noise: 0.226 and 0.213 are two ranks.
    assert board.index("1 maria 0.227 142 µs (106 to 177 µs)") < board.index("2 noor 0.213 151 µs")
    assert "Best score by model time on H200, not measured" in board
    # Who has none is told why, in the board of those without a rank.
    assert (
        "zoe accepted no model time: the model does not know <b>mbarrier.init.shared.b64 [%r1], 1</b> emulator" in text
    )
    # A board without measured times names the model in the index too.
    alone = Store(tmp_path / "kgrade.db")
    alone.add(samples.modelled("noor", 2, 151.0))
    index = write_site(alone, samples.PROBLEMS, tmp_path / "site").read_text()
    rows = re.sub(r"\s+", " ", Page(index).text)
    assert "1 user 1 0.213 by noor (model time on H200, not measured)" in rows


def test_each_language_has_a_board_of_its_own(folder: Path) -> None:
    text = (folder / "problems" / "matmul.html").read_text()
    views = re.split(r'<div class="view"', text)[1:]
    names = [match and match[1] for match in (re.match(' data-language="([a-z]+)"', view) for view in views)]
    assert names == [None, "cuda", "triton"]
    whole, cuda, triton = (re.sub(r"\s+", " ", re.sub("<[^>]*>", " ", view)) for view in views)
    assert whole.index("1 ada 0.710") < whole.index("2 grace 0.700") and "0.660" not in whole
    assert "1 ada 0.710" in cuda and "Triton" not in cuda
    assert triton.index("1 grace 0.660") < triton.index("2 ada 0.630") and "CUDA C++" not in triton
    assert "Best score on NVIDIA H100 80GB HBM3 in Triton" in triton
    # No id stands twice, and a problem of one language asks for nothing.
    ids = re.findall(r'\bid="([^"]+)"', text)
    assert len(ids) == len(set(ids))
    assert "<fieldset" not in (folder / "problems" / "map.html").read_text()


def test_an_emulated_board_has_no_ranks(tmp_path: Path) -> None:
    store = samples.filled_store(tmp_path / "kgrade.db", ranked=False)
    write_site(store, samples.PROBLEMS, tmp_path / "site")
    text = Page((tmp_path / "site" / "problems" / "matmul.html").read_text()).text
    assert "Accepted, not ranked" in text and "Rank" not in text and "0.710" not in text


def test_the_statement_is_shown_and_its_markup_is_not_run(tmp_path: Path) -> None:
    statement = (
        "# Title\n\n**bold** <script>x</script>\n\n## Example\n\n![picture](http://example.com/x.png)\n"
        "[link](javascript:alert(1))\n"
    )
    problem = samples.SampleProblem("p", "P", "easy", (), statement)
    write_site(Store(tmp_path / "kgrade.db"), [problem], tmp_path / "site")
    html = (tmp_path / "site" / "problems" / "p.html").read_text()
    page = Page(html)
    assert "<strong>bold</strong> &lt;script&gt;" in html and "<h2>Example</h2>" in html
    assert "Title" not in page.text and "img" not in page.tags
    assert not [href for href in page.values("href") if href.startswith("javascript")]
    assert "None yet." in page.text


def test_an_empty_site_says_what_to_do(tmp_path: Path) -> None:
    index = write_site(Store(tmp_path / "kgrade.db"), [], tmp_path / "site")
    assert "There are no problems yet." in Page(index.read_text()).text


class Unread(Store):
    """Its reports are not to be read, as who renders one does."""

    def get(self, number: int) -> Entry:
        pytest.fail("a report was rendered again")


def test_writing_again_changes_nothing_and_renders_no_report(store: Store, folder: Path) -> None:
    before = files(folder)
    write_site(Unread(store.path), samples.PROBLEMS, folder)
    assert files(folder) == before


def test_only_the_new_report_and_the_boards_change(tmp_path: Path) -> None:
    store = samples.filled_store(tmp_path / "kgrade.db", ranked=False)
    write_site(store, samples.PROBLEMS, tmp_path / "site")
    before = files(tmp_path / "site")
    number = store.add(samples.accepted(user="new"))
    write_site(store, samples.PROBLEMS, tmp_path / "site")
    after = files(tmp_path / "site")
    changed = {name for name in after if after[name] != before.get(name)}
    assert changed == {f"submissions/{number}.html", "problems/matmul.html", "index.html"}


def test_pages_of_another_database_or_other_templates_are_replaced(tmp_path: Path) -> None:
    for name in ("one", "two"):
        Store(tmp_path / f"{name}.db").add(samples.accepted(source=f"// {name}\n"))
    page = tmp_path / "site" / "submissions" / "1.html"
    for name in ("one", "two"):
        write_site(Store(tmp_path / f"{name}.db"), samples.PROBLEMS, tmp_path / "site")
        assert f"{name}</span>" in page.read_text()
    templates = tmp_path / "templates"
    templates.mkdir()
    (templates / "report.html").write_text("mine {{ report.user }}")
    write_site(Store(tmp_path / "two.db"), samples.PROBLEMS, tmp_path / "site", [templates])
    assert page.read_text() == "mine ada"


def test_a_failed_rendering_leaves_the_old_pages(store: Store, tmp_path: Path) -> None:
    write_site(store, samples.PROBLEMS, tmp_path / "site")
    before = files(tmp_path / "site")
    templates = tmp_path / "templates"
    templates.mkdir()
    (templates / "index.html").write_text("{{ boards.nothing.there }}")
    with pytest.raises(WorkspaceError, match=r"index\.html:1"):
        write_site(store, samples.PROBLEMS[:1], tmp_path / "site", [templates])
    assert files(tmp_path / "site") == before


def test_a_full_disk_leaves_the_old_pages(store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_site(store, samples.PROBLEMS, tmp_path / "site")
    before = files(tmp_path / "site")
    write_text = Path.write_text

    def full(path: Path, *args: str, **options: str) -> int:
        if path.name == "index.html":
            raise OSError(28, "No space left on device")
        return write_text(path, *args, **options)

    monkeypatch.setattr(Path, "write_text", full)
    with pytest.raises(WorkspaceError, match="No space left on device; the old ones are kept"):
        write_site(store, (), tmp_path / "site")
    assert files(tmp_path / "site") == before


def test_left_over_stages_are_removed_once_they_are_old(tmp_path: Path) -> None:
    for name, age in (("old", 2 * STALE_SECONDS), ("young", 10)):
        stage = tmp_path / f"{STAGE}{name}"
        stage.mkdir()
        os.utime(stage, (time.time() - age,) * 2)
    write_files(tmp_path, [("a/b.html", "text")])
    assert sorted(path.name for path in tmp_path.iterdir()) == [f"{STAGE}young", "a"]


@pytest.mark.parametrize("name", ["matmul", "a_b-2"])
def test_harmless_names_stay(name: str) -> None:
    assert slug(name) == name


def test_any_name_makes_a_safe_and_different_file_name() -> None:
    names = [
        "../../etc/passwd",
        "..",
        "A",
        "a b",
        "a/b",
        "名前",
        "x" * 500,
        "",
        "con.html",
        "-a",
        samples.HOSTILE,
    ]
    slugs = [slug(name) for name in names]
    assert len(set(slugs)) == len(names)
    assert all(re.fullmatch(r"[a-z0-9_][a-z0-9_-]{0,80}", made) for made in slugs)
