"""The HTTP API: what students' programs and workers get, live events, and that a result counts once."""

import json
import threading
from dataclasses import replace
from datetime import timedelta

import pytest

from grader.contest.client import StudentClient
from grader.contest.jobs import Outcome, outcome_of
from grader.core.errors import JudgeError
from grader.core.report import from_json

from .site_samples import NOW, SLUG, Hall, accepted, in_triton


def test_who_i_am(hall: Hall) -> None:
    me = hall.program("ada").get("/api/me").json()
    assert (me["name"], me["contest"], me["role"], me["team"]) == ("ada", SLUG, "student", None)


def test_the_contest_as_an_account_sees_it(hall: Hall) -> None:
    hall.database.announce(SLUG, "Hello", who="tutor")
    found = hall.program("ada").get(f"/api/contests/{SLUG}").json()
    assert [(each["name"], each["weight"]) for each in found["problems"]] == [("matmul", 1.0), ("zip", 2.0)]
    assert found["announcements"][0]["text"] == "Hello"
    hall.change(start=NOW + timedelta(hours=1))
    assert hall.program("ada").get(f"/api/contests/{SLUG}").json()["problems"] is None


def test_a_submission_and_its_report(hall: Hall) -> None:
    number = hall.submit("ada")
    waiting = hall.program("ada").get(f"/api/submissions/{number}").json()
    assert (waiting["report"], waiting["language"]) == (None, None)
    hall.judge()
    found = hall.program("ada").get(f"/api/submissions/{number}").json()
    report = from_json(json.dumps(found["report"]))
    assert found["language"] == "cuda"
    assert (found["state"], found["verdict"], report.user, report.seed) == ("judged", "accepted", "ada", 4711)
    assert report.source.startswith("// Matrix multiplication")
    assert [each["id"] for each in hall.program("ada").get("/api/submissions").json()] == [number]


def test_a_request_sent_again_is_one_submission(hall: Hall) -> None:
    new = {"problem": "zip", "file": "z.cu", "source": "// zip", "key": "abc"}
    numbers = {hall.program("ada").post("/api/submissions", json=new).json()["id"] for _ in range(3)}
    assert len(numbers) == 1
    assert hall.program("bob").post("/api/submissions", json=new).json()["id"] not in numbers


@pytest.mark.parametrize(
    ("change", "status"),
    [
        ({"problem": "conv"}, 404),
        ({"source": ""}, 400),
        ({"source": "a\0b"}, 400),
        ({"source": "x" * 300_000}, 422),
        ({"key": "two words"}, 400),
        ({"file": 7}, 422),
        ({"more": "x"}, 422),
    ],
)
def test_what_is_refused_and_how(hall: Hall, change: dict[str, object], status: int) -> None:
    new = {"problem": "matmul", "file": "k.cu", "source": "// k", **change}
    answer = hall.program("ada").post("/api/submissions", json=new)
    assert answer.status_code == status and answer.json()["error"]
    assert hall.database.submissions(SLUG) == []


def test_too_many_in_an_hour(hall: Hall) -> None:
    hall.change(per_hour=2)
    hall.submit("ada")
    hall.submit("ada")
    new = {"problem": "matmul", "file": "k.cu", "source": "// k"}
    answer = hall.program("ada").post("/api/submissions", json=new)
    assert answer.status_code == 429 and "allows 2" in answer.json()["error"]
    hall.submit("bob")
    hall.pass_time(minutes=61)
    hall.submit("ada")


def test_at_once_no_more_than_allowed(hall: Hall) -> None:
    hall.change(per_hour=3)
    codes: list[int] = []

    def send() -> None:
        new = {"problem": "matmul", "file": "k.cu", "source": "// k"}
        codes.append(hall.program("ada").post("/api/submissions", json=new).status_code)

    threads = [threading.Thread(target=send) for _ in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(codes) == [201] * 3 + [429] * 9


def test_progress_as_events(hall: Hall) -> None:
    hall.submit("bob")
    number = hall.submit("ada")
    heard: list[tuple[str, str]] = []
    client = StudentClient(hall.address, "token-of-ada")
    events = ((name, data["words"]) for name, data in client.events(f"/api/submissions/{number}/events"))
    heard.append(next(events))
    hall.judge()
    job = hall.database.queue.claim("emulator", "stub")
    assert job is not None
    steps = {
        "compiling": "compiling",
        "case 7 of 12: M=17,N=1": "7 of 12 cases",
        "timing 1 of 2: M=4096": "timing 1 of 2",
    }
    for text, words_of_it in steps.items():
        hall.database.queue.heartbeat(job, text)
        # A later step would replace one that the stream has not read yet.
        while heard[-1][1] != words_of_it:
            heard.append(next(events))
    hall.database.queue.finish(job, outcome_of(accepted()))
    heard += events
    client.close()
    assert heard[0] == ("progress", "queued at place 2: no worker for it is here now")
    words = [text for _, text in heard]
    assert words[-4:] == ["compiling", "7 of 12 cases", "timing 1 of 2", "accepted"]
    assert heard[-1][0] == "done"


def test_a_scoreboard_that_changes_is_told(hall: Hall) -> None:
    client = StudentClient(hall.address, "token-of-carol")
    events = client.events(f"/api/contests/{SLUG}/scoreboard/events")
    first = next(events)[1]["version"]
    hall.submit("ada")
    hall.judge()
    assert next(events)[1]["version"] > first
    events.close()
    client.close()
    rows = hall.program("carol").get(f"/api/contests/{SLUG}/scoreboard").json()["rows"]
    assert (rows[0]["name"], rows[0]["points"]["value"], rows[0]["cells"][0]["verdict"]) == ("ada", 1.0, "accepted")


def test_a_worker_over_http(hall: Hall) -> None:
    number = hall.submit("ada")
    worker = hall.worker()
    job = worker.claim("emulator", "gpu0")
    assert job is not None and (job.submission_id, job.problem, job.account) == (number, "matmul", "ada")
    assert worker.claim("emulator", "gpu1") is None
    assert worker.heartbeat(job, "compiling")
    assert worker.finish(job, outcome_of(in_triton()))
    assert hall.database.submission(number).verdict == "accepted"
    assert hall.database.submission(number).language == "triton"
    (cell, _), *_ = (row["cells"] for row in hall.program("ada").get(f"/api/contests/{SLUG}/scoreboard").json()["rows"])
    assert (cell["verdict"], cell["language"]) == ("accepted", "triton")
    worker.seen("gpu0", "emulator", "idle")
    assert "machine:gpu0" in {each.name for each in hall.database.workers()}


def test_only_the_current_attempt_counts(hall: Hall) -> None:
    number = hall.submit("ada")
    slow = hall.worker("slow")
    lost = slow.claim("emulator", "a")
    assert lost is not None
    hall.pass_time(minutes=5)
    quick = hall.worker("quick")
    job = quick.claim("emulator", "b")
    assert job is not None and job.attempt > lost.attempt
    assert not slow.heartbeat(lost, "timing")
    assert not slow.finish(lost, Outcome("rejected"))
    assert quick.finish(job, outcome_of(accepted()))
    assert hall.database.submission(number).verdict == "accepted"


def test_a_worker_can_not_finish_anothers_work(hall: Hall) -> None:
    hall.submit("ada")
    job = hall.worker("one").claim("emulator", "a")
    assert job is not None
    other = hall.worker("two")
    assert not other.finish(job, Outcome("accepted"))
    assert not other.release(job)
    assert not other.heartbeat(job, "mine now")


def test_a_report_that_can_not_be_read_is_not_taken(hall: Hall) -> None:
    hall.submit("ada")
    worker = hall.worker()
    job = worker.claim("emulator", "a")
    assert job is not None
    with pytest.raises(JudgeError, match="report can't be read"):
        worker.finish(job, Outcome("accepted", report='{"problem": 1}'))


def test_half_a_character_from_a_worker_is_shown_as_a_question_mark(hall: Hall) -> None:
    number = hall.submit("ada")
    worker = hall.worker()
    job = worker.claim("emulator", "a")
    assert job is not None
    said = replace(accepted(), headline="odd \ud800", explanation=("\udfff",))
    assert worker.finish(job, outcome_of(said))
    hall.database.audit("staff \ud800", "noted", SLUG, {"why": "odd \ud800"})
    page = hall.signed_in("ada").get(f"/contests/{SLUG}/submissions/{number}")
    assert page.status_code == 200 and "odd ?" in page.text
    assert [each.detail for each in hall.database.audits(SLUG, 1)] == [{"why": "odd ?"}]


def test_the_description_names_every_address(hall: Hall) -> None:
    paths = hall.browser().get("/api/openapi.json").json()["paths"]
    assert {"/api/me", "/api/submissions", "/api/submissions/{number}", "/api/worker/claim"} <= set(paths)
