"""The site as students and staff use it, over HTTP: what each page shows, when, and to whom."""

import html
import re
import time
from dataclasses import replace
from pathlib import Path

from boards import samples
from boards.samples import TRITON

from grader.contest.jobs import RETRIES, outcome_of
from grader.contest.progress import Progresses
from grader.contest.records import NewAccount
from grader.contest.settings import ContestProblem
from grader.core.verdict import LanguageName, Verdict

from .site_samples import NOW, SLUG, Hall, accepted, form_token, in_triton, open_hall, secrets, wrong

HOME = f"/contests/{SLUG}"


def test_a_personal_link_signs_in_after_a_press_of_its_button(hall: Hall) -> None:
    browser = hall.browser()
    page = browser.get("/sign-in/link-of-ada")
    assert "ada" in page.text and browser.get(HOME).status_code == 401
    answer = browser.post("/sign-in", data={"csrf": form_token(page.text), "token": "link-of-ada"})
    assert (answer.status_code, answer.headers["location"]) == (303, HOME)
    assert "CS 149, assignment 1" in browser.get(HOME).text


def test_a_whole_link_may_be_pasted(hall: Hall) -> None:
    browser = hall.browser()
    data = {"csrf": form_token(browser.get("/sign-in").text), "token": f"{hall.address}/sign-in/link-of-bob/"}
    assert browser.post("/sign-in", data=data).status_code == 303


def test_signing_out_ends_the_session(hall: Hall) -> None:
    browser = hall.signed_in("ada")
    assert browser.post(f"{HOME}/sign-out", data={"csrf": form_token(browser.get(HOME).text)}).status_code == 303
    assert browser.get(HOME).status_code == 401


def test_problems_are_shown_from_the_start_on(hall: Hall) -> None:
    hall.change(start=NOW.replace(hour=13))
    browser = hall.signed_in("ada")
    assert "Starts in" in browser.get(HOME).text and "problems/matmul" not in browser.get(HOME).text
    assert browser.get(f"{HOME}/problems/matmul").status_code == 403
    assert hall.signed_in("tutor").get(f"{HOME}/problems/matmul").status_code == 200
    hall.pass_time(hours=1)
    assert "problems/matmul" in browser.get(HOME).text
    assert "Multiply two matrices" in browser.get(f"{HOME}/problems/matmul").text


def test_code_from_the_editor_and_from_a_file(hall: Hall) -> None:
    browser = hall.signed_in("ada")
    page = f"{HOME}/problems/matmul"
    token = form_token(browser.get(page).text)
    typed = browser.post(page, data={"csrf": token, "source": "// typed\r\nint x;"})
    assert typed.headers["location"] == f"{HOME}/submissions/1"
    assert hall.database.source(1) == "// typed\nint x;"
    given = browser.post(page, data={"csrf": token, "source": "// no"}, files={"file": ("own.cu", b"// of a file")})
    assert given.status_code == 303
    assert (hall.database.source(2), hall.database.submission(2).file) == ("// of a file", "own.cu")


def test_pasted_code_is_named_after_the_language_that_was_chosen(hall: Hall) -> None:
    browser = hall.signed_in("ada")
    page = f"{HOME}/problems/matmul"
    shown = browser.get(page).text
    assert re.findall('<option value="([a-z]+)"', shown)[0] == "cuda" and "selected>CUDA C++<" in shown
    data = {"csrf": form_token(shown), "source": TRITON}
    assert browser.post(page, data={**data, "language": "triton"}).status_code == 303
    assert (hall.database.source(1), hall.database.submission(1).file) == (TRITON, "matmul.py")
    assert "selected>Triton<" in browser.get(page).text
    hall.judge(replace(in_triton(), language=LanguageName.NUMBA))
    # What was judged to be, and not what was chosen.
    assert "selected>Numba<" in browser.get(page).text
    assert browser.post(page, data={**data, "language": "cuda"}).status_code == 303
    assert hall.database.submission(2).file == "matmul.cu"
    odd = browser.post(page, data={**data, "language": "<b>"})
    assert odd.status_code == 400 and "&#39;&lt;b&gt;&#39; is no language" in odd.text
    # A refusal keeps what was chosen.
    hall.change(per_hour=2)
    refused = browser.post(page, data={**data, "language": "cute"})
    assert refused.status_code == 429 and "selected>CuTe DSL<" in refused.text


def test_the_starter_in_a_language_takes_the_place_of_the_last_text(hall: Hall) -> None:
    browser = hall.signed_in("ada")
    hall.submit("ada", "// mine")
    page = f"{HOME}/problems/matmul"
    assert "// mine" in browser.get(page).text
    shown = browser.get(page, params={"language": "triton"}).text
    assert "import triton" in shown and "// mine" not in shown and "selected>Triton<" in shown
    assert "matrix_multiplication_kernel" in browser.get(page, params={"language": "cuda"}).text
    assert browser.get(page, params={"language": "cobol"}).status_code == 404


def test_lists_and_boards_say_what_a_submission_is_written_in(hall: Hall) -> None:
    hall.submit("ada", TRITON, file="mine.py")
    browser = hall.signed_in("ada")
    cell = '<td data-label="Language">{}</td>'
    assert cell.format("–") in browser.get(f"{HOME}/submissions").text
    hall.judge(in_triton())
    hall.submit("bob")
    hall.judge()
    assert cell.format("Triton") in browser.get(f"{HOME}/submissions").text
    assert "<dd>Triton</dd>" in browser.get(f"{HOME}/submissions/1").text
    tutor = hall.signed_in("tutor")
    assert cell.format("CUDA C++") in tutor.get(f"{HOME}/staff/submissions").text
    board = re.sub(r"\s+", " ", tutor.get(f"{HOME}/staff/scoreboard").text)
    assert board.count("1 try, Triton</small>") == 1 and board.count("1 try</small>") == 1
    csv = tutor.get(f"{HOME}/staff/scores.csv").text
    assert ",accepted,triton,1," in csv and ",accepted,cuda,2," in csv


def test_sending_a_form_twice_submits_once(hall: Hall) -> None:
    browser = hall.signed_in("ada")
    page = f"{HOME}/problems/matmul"
    data = {"csrf": form_token(browser.get(page).text), "source": "// once", "key": "k-1"}
    places = {browser.post(page, data=data).headers["location"] for _ in range(3)}
    assert places == {f"{HOME}/submissions/1"}


def test_what_was_typed_survives_a_refusal(hall: Hall) -> None:
    hall.change(per_hour=1)
    browser = hall.signed_in("ada")
    page = f"{HOME}/problems/matmul"
    data = {"csrf": form_token(browser.get(page).text), "source": "// my precious kernel"}
    assert browser.post(page, data=data).status_code == 303
    refused = browser.post(page, data={**data, "source": "// my second kernel"})
    assert refused.status_code == 429
    assert "// my second kernel" in refused.text and "try again in" in refused.text.lower()


def test_from_progress_to_report(hall: Hall) -> None:
    number = hall.submit("ada")
    browser = hall.signed_in("ada")
    assert "queued at place 1" in browser.get(f"{HOME}/submissions/{number}").text
    job = hall.database.queue.claim("emulator", "stub")
    assert job is not None and hall.database.queue.heartbeat(job, "case 7 of 12: M=17")
    shown = browser.get(f"{HOME}/submissions/{number}").text
    assert "7 of 12 cases" in shown and "M=17" not in shown
    hall.database.queue.release(job)
    hall.judge()
    report = browser.get(f"{HOME}/submissions/{number}")
    assert "every case is right" in report.text and "kernel.cu" in report.text
    assert f'href="{HOME}/problems/matmul"' in report.text


def test_a_report_keeps_menu_points_and_cases(hall: Hall) -> None:
    hall.change(hidden_seeds=[17])
    counted = samples.accepted()
    hall.submit("ada", problem="zip")
    hall.judge(counted)
    hall.submit("ada", "no C++", problem="zip")
    hall.judge(replace(accepted(), verdict=Verdict.COMPILE_ERROR, headline="line 1 can't be compiled"))
    browser = hall.signed_in("ada")
    right, broken = (re.sub(r"\s+", " ", browser.get(f"{HOME}/submissions/{n}").text) for n in (1, 2))
    for page in (right, broken):
        assert f'href="{HOME}/scoreboard"' in page and "Sign out" in page and "seed -1" not in page
    count = len(counted.cases)
    assert "<dt>Points</dt><dd>2.000 of 2</dd>" in right and f"<dd>{count} of {count}</dd>" in right
    assert "Repeat it" not in right and "<dt>Points</dt><dd>0.000 of 2</dd>" in broken
    assert "Repeat it" in broken and "kgrade test zip kernel.cu</code>" in broken
    hall.submit("tutor")
    hall.judge()
    assert "<dt>Points</dt><dd>none: practice</dd>" in hall.signed_in("tutor").get(f"{HOME}/submissions/3").text


def test_home_shows_the_points_of_the_scoreboard(hall: Hall) -> None:
    browser = hall.signed_in("ada")
    assert '<td data-label="Points" class="number">–</td>' in browser.get(HOME).text
    hall.submit("ada", problem="zip")
    hall.judge()
    hall.submit("ada", "worse", problem="zip")
    hall.judge(wrong())
    page = browser.get(HOME).text
    assert '<td data-label="Points" class="number">2.000</td>' in page and "accepted" in page
    assert "<b>2.000</b>" in browser.get(f"{HOME}/scoreboard").text


def test_an_estimate_of_the_waiting_time_stands_beside_the_place(hall: Hall) -> None:
    def shown(number: int) -> str:
        # The figures of a queue are kept for some seconds.
        return Progresses(hall.database).of_submissions([number])[number].words

    first = hall.submit("ada")
    assert shown(first) == "queued at place 1: no worker for it is here now"
    hall.database.worker_seen("lab:0", "emulator", "idle")
    hall.database.worker_seen("lab:1", "NVIDIA H200", "idle")
    assert shown(first) == "queued at place 1"
    job = hall.database.queue.claim("emulator", "lab:0")
    hall.pass_time(seconds=24)
    assert job is not None and hall.database.queue.finish(job, outcome_of(accepted()))
    numbers = [hall.submit(name) for name in ("ada", "bob", "carol")]
    hall.database.worker_seen("lab:0", "emulator", "judging")
    assert shown(numbers[0]) == "queued at place 1: about 20 seconds"
    assert shown(numbers[2]) == "queued at place 3: about 1 minute"
    hall.database.worker_seen("lab:2", "emulator", "idle")
    assert shown(numbers[2]) == "queued at place 3: about 50 seconds"
    page = hall.signed_in("carol").get(f"{HOME}/submissions/{numbers[2]}").text
    assert "queued at place 3: about 50 seconds" in page
    hall.pass_time(seconds=30)
    assert shown(numbers[2]) == "queued at place 3: no worker for it is here now"


def test_what_the_judge_gave_up_is_held_and_said(hall: Hall) -> None:
    number = hall.submit("ada")
    for _ in range(1 + RETRIES):
        assert hall.database.queue.claim("emulator", "stub") is not None
        hall.pass_time(minutes=5)
    assert hall.database.queue.claim("emulator", "stub") is None
    page = hall.signed_in("ada").get(f"{HOME}/submissions/{number}").text
    assert "held for staff" in page


def test_after_the_end_only_practice(hall: Hall) -> None:
    hall.pass_time(hours=6)
    browser = hall.signed_in("ada")
    page = browser.get(f"{HOME}/problems/matmul").text
    assert "practice" in page
    assert hall.database.submission(hall.submit("ada")).practice
    hall.change(practice_after_end=False)
    assert "The contest is over." in browser.get(f"{HOME}/problems/matmul").text
    refused = browser.post(f"{HOME}/problems/matmul", data={"csrf": form_token(page), "source": "// late"})
    assert refused.status_code == 403


def test_an_extension_holds_for_its_account_alone(hall: Hall) -> None:
    hall.change(practice_after_end=False)
    ada = hall.database.account_by_name(SLUG, "ada")
    hall.database.set_extension(ada.id, 7200, who="tutor")
    hall.pass_time(hours=6)
    assert not hall.database.submission(hall.submit("ada")).practice
    answer = hall.program("bob").post("/api/submissions", json={"problem": "matmul", "file": "k.cu", "source": "//"})
    assert (answer.status_code, answer.json()["error"]) == (403, "the contest is over")


def test_the_freeze_goes_by_the_time_of_submission(hall: Hall) -> None:
    hall.pass_time(hours=3, minutes=59)
    hall.submit("ada")
    hall.pass_time(minutes=2)
    hall.submit("bob")
    hall.judge()
    hall.judge()
    page = hall.signed_in("carol").get(f"{HOME}/scoreboard").text
    rows = page.split("<tr data-who=")
    assert "1.000" in rows[1] and rows[1].startswith('"ada"')
    assert "1 hidden" in next(row for row in rows if row.startswith('"bob"'))
    assert "Frozen since" in page
    final = hall.signed_in("tutor").get(f"{HOME}/staff/scoreboard").text
    assert "hidden" not in final.partition("<main")[2].replace("visually-hidden", "").replace(" hidden>", "")


def test_unfreezing_in_steps_and_at_once(hall: Hall) -> None:
    hall.pass_time(hours=4, minutes=1)
    for name in ("ada", "bob"):
        hall.submit(name)
        hall.judge()
    staff = hall.signed_in("tutor")
    token = form_token(staff.get(f"{HOME}/staff").text)
    assert hidden_results(hall, 2) == 2
    assert staff.post(f"{HOME}/staff/unfreeze", data={"csrf": token}).status_code == 303
    assert hidden_results(hall, 1) == 1
    staff.post(f"{HOME}/staff/unfreeze", data={"csrf": token, "all": "yes"})
    assert hidden_results(hall, 0) == 0


def hidden_results(hall: Hall, expected: int) -> int:
    """How many results the scoreboard hides; on a busy machine it is made beside the answers and comes a bit later."""
    program, until = hall.program("carol"), time.monotonic() + 20
    while True:
        rows = program.get(f"/api/contests/{SLUG}/scoreboard").json()["rows"]
        found = sum(cell["hidden"] for row in rows for cell in row["cells"])
        if found == expected or time.monotonic() > until:
            return found
        time.sleep(0.1)


def test_announcements_reach_students_and_the_log(hall: Hall) -> None:
    staff = hall.signed_in("tutor")
    token = form_token(staff.get(f"{HOME}/staff").text)
    staff.post(f"{HOME}/staff/announcements", data={"csrf": token, "text": "N may be <odd>"})
    assert "N may be &lt;odd&gt;" in hall.signed_in("ada").get(HOME).text
    assert any(each.what == "announced" and each.who == "tutor" for each in hall.database.audits(SLUG))
    staff.post(f"{HOME}/staff/announcements/1/withdraw", data={"csrf": token})
    assert "N may be" not in hall.signed_in("ada").get(HOME).text


def test_announcements_stand_on_every_page_and_come_without_a_reload(hall: Hall) -> None:
    hall.submit("ada")
    hall.judge()
    browser = hall.signed_in("ada")
    paths = ["/problems/matmul", "/submissions", "/submissions/1", "/scoreboard", "/problems/none"]
    polls = {path: poll_of(browser.get(f"{HOME}{path}").text) for path in paths}
    home = poll_of(browser.get(HOME).text)
    assert all(browser.get(poll).status_code == 204 for poll in [*polls.values(), home])
    number = hall.database.announce(SLUG, "N may be <odd>", who="tutor")
    for path, poll in polls.items():
        assert "N may be &lt;odd&gt;" in browser.get(f"{HOME}{path}").text
        news = browser.get(poll)
        assert news.status_code == 200 and "N may be &lt;odd&gt;" in news.text
        assert browser.get(poll_of(news.text)).status_code == 204
    assert "N may be &lt;odd&gt;" in browser.get(home).text
    # Home lists it, and does not say it twice.
    assert browser.get(HOME).text.count("N may be") == 1
    hall.database.withdraw_announcement(number, who="tutor")
    assert "N may be" not in browser.get(f"{HOME}/scoreboard").text
    assert hall.browser().get(polls["/scoreboard"]).status_code == 401


def poll_of(page: str) -> str:
    """The address at which a page asks for announcements."""
    return html.unescape(page.split('data-ask="')[1].split('"')[0])


def test_a_head_is_answered_as_a_get_and_the_icon_is_one(hall: Hall) -> None:
    browser = hall.signed_in("ada")
    for path in ("/", HOME, f"{HOME}/scoreboard", "/favicon.ico"):
        answer = browser.head(path)
        assert (answer.status_code, answer.content) == (200, b"")
    assert browser.head(f"{HOME}/none").status_code == 404 and browser.head(f"{HOME}/sign-out").status_code == 405
    page = browser.get(HOME).text
    icon = browser.get(page.split('rel="icon" type="image/svg+xml" href="')[1].split('"')[0])
    assert icon.headers["content-type"].startswith("image/svg+xml") and icon.text.startswith("<svg")
    assert browser.get("/favicon.ico").content == icon.content


def test_a_rejudge_is_previewed_and_applied(hall: Hall) -> None:
    number = hall.submit("ada")
    hall.judge(replace(wrong(), problem="matmul"))
    staff = hall.signed_in("tutor")
    token = form_token(staff.get(f"{HOME}/staff").text)
    data = {"csrf": token, "problem": "matmul", "account": "", "verdict": "", "reason": "a mistake in a case"}
    page = staff.post(f"{HOME}/staff/rejudges", data=data).headers["location"]
    assert "Look again" in staff.get(page).text
    hall.judge(accepted())
    assert hall.database.submission(number).verdict == "wrong_answer"
    shown = staff.get(page).text
    assert "wrong answer" in shown and "accepted" in shown and "/apply" in shown
    assert staff.post(f"{page}/apply", data={"csrf": token}).status_code == 303
    assert hall.database.submission(number).verdict == "accepted"
    assert staff.post(f"{page}/drop", data={"csrf": token}).status_code == 409


def test_staff_read_which_setting_changed(hall: Hall) -> None:
    hall.change(per_hour=3, hidden_seeds=(4711,), problems=(ContestProblem("matmul", 3.0), ContestProblem("scan")))
    page = html.unescape(hall.signed_in("tutor").get(f"{HOME}/staff").text)
    assert "per_hour: 20 → 3" in page and "problem matmul, weight: 1 → 3" in page
    assert "problem taken out: zip" in page and "problem added: scan" in page
    assert "hidden_seeds: others than before" in page and "4711" not in page


def test_namesakes_are_told_apart_by_staff(hall: Hall) -> None:
    hall.database.add_accounts(
        SLUG, [NewAccount("ada (2)", "a2@example.org", "student", None, *secrets("ada2"))], who="t"
    )
    number = hall.submit("ada2")
    hall.judge()
    student, tutor = hall.signed_in("ada2"), hall.signed_in("tutor")
    for path in ("", "/scoreboard", "/submissions", f"/submissions/{number}"):
        page = student.get(f"{HOME}{path}").text
        assert "<bdi>ada</bdi>" in page and "<bdi>ada (2)</bdi>" not in page
    assert "<bdi>ada (2)</bdi>" in tutor.get(f"{HOME}/staff/scoreboard").text
    for word, count in (("ada", 1), ("a2@example.org", 1), ("ada@example.org", 0)):
        assert (
            tutor.get(f"{HOME}/staff/submissions", params={"account": word}).text.count("<bdi>ada (2)</bdi>") == count
        )


def test_disqualified_and_reinstated(hall: Hall) -> None:
    number = hall.submit("ada")
    hall.judge()
    staff = hall.signed_in("tutor")
    token = form_token(staff.get(f"{HOME}/staff").text)
    data = {"csrf": token, "number": str(number), "reason": "copied"}
    assert staff.post(f"{HOME}/staff/disqualify", data=data).status_code == 303
    assert hall.database.submission(number).disqualified == "copied"
    assert "copied" in staff.get(f"{HOME}/staff/submissions").text
    staff.post(f"{HOME}/staff/disqualify", data={**data, "reason": ""})
    assert hall.database.submission(number).disqualified is None


def test_the_scores_as_csv(hall: Hall) -> None:
    hall.submit("ada")
    hall.judge()
    answer = hall.signed_in("tutor").get(f"{HOME}/staff/scores.csv")
    assert answer.headers["content-type"].startswith("text/csv") and "ada@example.org" in answer.text


def test_staff_find_submissions_by_student_and_verdict(hall: Hall) -> None:
    hall.submit("ada")
    hall.submit("bob")
    hall.judge()
    staff = hall.signed_in("tutor")
    rows = staff.get(f"{HOME}/staff/submissions?account=bob&problem=matmul&verdict=").text
    assert f"{HOME}/submissions/2" in rows and f"{HOME}/submissions/1" not in rows
    assert f"{HOME}/submissions/1" in staff.get(f"{HOME}/staff/submissions?verdict=accepted").text


def test_teams_share_their_submissions(tmp_path: Path) -> None:
    with open_hall(tmp_path, teams=True) as hall:
        number = hall.submit("ada")
        assert hall.signed_in("bob").get(f"{HOME}/submissions/{number}").status_code == 200
        assert f"{HOME}/submissions/{number}" in hall.signed_in("bob").get(f"{HOME}/submissions").text
        assert hall.signed_in("carol").get(f"{HOME}/submissions/{number}").status_code == 404
        assert ">red<" in hall.signed_in("ada").get(f"{HOME}/scoreboard").text


def test_a_database_that_fails_is_said_without_its_place(hall: Hall) -> None:
    from grader.core.errors import StoreError

    hall.database.fails["submit"] = StoreError("no space left in /var/lib/secret/contests.db")
    answer = hall.program("ada").post("/api/submissions", json={"problem": "matmul", "file": "k.cu", "source": "//"})
    assert answer.status_code == 503 and "secret" not in answer.text and "kept" in answer.json()["hint"]


def test_a_crash_is_answered_with_all_headers(hall: Hall) -> None:
    browser = hall.signed_in("ada")
    hall.database.fails["submissions"] = RuntimeError("inner words")
    answer = browser.get(f"{HOME}/submissions")
    assert answer.status_code == 500 and "inner words" not in answer.text
    assert "content-security-policy" in answer.headers
