"""Runs: tried beside the record, seen by their account alone, and forgotten."""

import pytest
from boards.samples import NAIVE
from sqlalchemy import func, select

from grader.contest.access import RUNS_OF_ONE, Refused
from grader.contest.jobs import Outcome
from grader.contest.run_sizes import parse_sizes
from grader.contest.schema import Judging, Run

from .site_samples import SLUG, Hall, form_token, wrong

HOME = f"/contests/{SLUG}"
PAGE = f"{HOME}/problems/matmul"


def send(hall: Hall, name: str = "ada", **more: str) -> tuple[int, str]:
    browser = hall.signed_in(name)
    data = {"csrf": form_token(browser.get(PAGE).text), "language": "cuda", "source": NAIVE, **more}
    answer = browser.post(f"{PAGE}/run", data=data, headers={"accept": "application/json"})
    return answer.status_code, answer.json().get("url") or answer.json()["error"]


def test_a_run_leaves_no_record_and_knows_no_hidden_seed(hall: Hall) -> None:
    hall.change(hidden_seeds=(1, 2))
    status, address = send(hall, sizes="M=5 N=7, K=3")
    assert (status, address) == (201, f"{HOME}/runs/1")
    job = hall.judge(wrong())
    assert job is not None and (job.hidden_seed, job.sizes, job.run_id) == (None, {"M": 5, "N": 7, "K": 3}, 1)
    ada = hall.signed_in("ada")
    # The whole report with sizes and values, in spite of the contest's hidden seeds.
    assert "Smallest failing sizes" in ada.get(f"{address}/result").text
    assert "Smallest failing sizes" in ada.get(address).text
    assert "event: done" in ada.get(f"{address}/events").text
    assert hall.database.submissions(SLUG) == [] and "None yet" in ada.get(PAGE).text
    assert all(
        row.attempts == 0 for each in hall.site.boards.board(hall.site.access.contest(SLUG)).rows for row in each.cells
    )
    assert hall.signed_in("bob").get(address).status_code == 404
    assert hall.signed_in("tutor").get(f"{address}/result").status_code == 404


def test_a_run_takes_the_place_of_the_one_before_and_is_forgotten(hall: Hall) -> None:
    first, second = send(hall)[1], send(hall)[1]
    job = hall.database.queue.claim("emulator", "stub")
    assert job is not None and job.run_id == 2 and hall.database.queue.claim("emulator", "stub") is None
    assert hall.database.queue.finish(job, Outcome("accepted"))
    assert "a later run took its place" in hall.signed_in("ada").get(first).text
    hall.pass_time(hours=1, minutes=1)
    send(hall, "bob")
    assert hall.signed_in("ada").get(second).status_code == 404
    with hall.database.reading() as connection:
        assert connection.execute(select(func.count()).select_from(Run)).scalar_one() == 1
        assert connection.execute(select(func.count()).select_from(Judging)).scalar_one() == 1


def test_runs_have_a_limit_of_their_own(hall: Hall) -> None:
    hall.change(per_hour=1)
    assert [send(hall)[0] for _ in range(RUNS_OF_ONE + 1)] == [201] * RUNS_OF_ONE + [429]
    assert hall.submit("ada")


def test_sizes_that_the_problem_does_not_take_are_named(hall: Hall) -> None:
    assert send(hall, sizes="M=5")[1].startswith("size N is missing")
    assert send(hall, sizes="M=5 N=0 K=1")[0] == 400
    assert send(hall, sizes="<b>")[1] == "'<b>' is no size, or one that is given twice"


def test_sizes_that_would_fill_a_judge_s_memory_are_refused(hall: Hall) -> None:
    """Beyond the emulator's own limit a worker took them for a failure of its machine, and tested itself."""
    for large in ("M=8192 N=8192 K=1", "M=2048 N=2048 K=2048"):
        assert send(hall, sizes=large) == (400, "these sizes are too large for a run")
    assert hall.database.queue.waiting() == 0
    assert send(hall, sizes="M=1024 N=1024 K=1024")[0] == 201


@pytest.mark.parametrize(
    ("text", "sizes"), [("", None), (" M=5  N=7 ", {"M": 5, "N": 7}), ("M = 5,N=7", {"M": 5, "N": 7})]
)
def test_the_sizes_of_a_text(text: str, sizes: dict[str, int] | None) -> None:
    assert parse_sizes(text) == sizes


@pytest.mark.parametrize("text", ["M", "M=5 M=6", "M=-1", "M=5x", "M=" + "9" * 13, "a=1 " * 101])
def test_what_is_no_size(text: str) -> None:
    with pytest.raises(Refused):
        parse_sizes(text)


def test_without_scripts_a_run_is_a_page(hall: Hall) -> None:
    browser = hall.signed_in("ada")
    data = {"csrf": form_token(browser.get(PAGE).text), "language": "cuda", "source": NAIVE}
    answer = browser.post(f"{PAGE}/run", data=data)
    assert answer.status_code == 303 and "queued at place 1" in browser.get(answer.headers["location"]).text
    answer = browser.post(f"{PAGE}/run", data={**data, "sizes": "M=5"})
    assert answer.status_code == 400 and "Size N is missing" in answer.text and 'value="M=5"' in answer.text
