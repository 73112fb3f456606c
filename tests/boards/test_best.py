"""Which entries stand beside one in its roofline."""

from pathlib import Path

from grader.boards.best import best_beside, best_numbers
from grader.boards.ranking import rank
from grader.boards.site import write_site
from grader.store.database import Store

from . import measurements, samples


def filled(folder: Path) -> Store:
    """Five users on an H200, `u4` the best; one on another GPU, and one on the emulator."""
    store = Store(folder / "kgrade.db")
    for n in range(5):
        store.add(samples.measured(1.0 + n, user=f"u{n}"))
    store.add(samples.measured(9.0, user="elsewhere", device="NVIDIA A100"))
    store.add(samples.accepted(user="emulated"))
    return store


def test_the_best_of_other_users_on_the_same_gpu_model(tmp_path: Path) -> None:
    store = filled(tmp_path)
    assert [user for user, _ in best_beside(store, 1)] == ["u4", "u3", "u2"]
    assert [user for user, _ in best_beside(store, 5)] == ["u3", "u2", "u1"]
    assert best_beside(store, 5)[0][1] == measurements.matmul_times(4.0)
    assert best_beside(store, 6) == []


def test_an_entry_without_a_score_has_none_beside_it(tmp_path: Path) -> None:
    store = filled(tmp_path)
    assert best_beside(store, 7) == []


def test_entries_without_a_measurement_are_left_out(tmp_path: Path) -> None:
    store = Store(tmp_path / "kgrade.db")
    store.add(samples.measured(user="ada"))
    store.add(samples.on_gpu("old", 9, 0.9, "NVIDIA H200"))
    rows = rank(store.summaries())
    assert best_numbers(rows, store.summaries()[0]) == (2,)
    assert best_beside(store, 1) == []


def test_a_new_best_entry_appears_on_the_pages_of_the_others(tmp_path: Path) -> None:
    store = filled(tmp_path)
    folder = tmp_path / "site"
    write_site(store, samples.PROBLEMS, folder)
    page = folder / "submissions" / "1.html"
    assert "champion" not in page.read_text() and "<bdi>u4</bdi>" in page.read_text()
    elsewhere = (folder / "submissions" / "6.html").read_text()
    store.add(samples.measured(8.5, user="champion"))
    write_site(store, samples.PROBLEMS, folder)
    assert "<bdi>champion</bdi>" in page.read_text()
    assert (folder / "submissions" / "6.html").read_text() == elsewhere
