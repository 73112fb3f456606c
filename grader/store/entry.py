"""The records that the store returns: a `Summary` for a table row, an `Entry` with everything.

Plain frozen data.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timezone

from grader.core.report import Interval, Report
from grader.core.verdict import FaultClass, Form, LanguageName, Verdict, WrongKind
from grader.measure.overall import overall_score, total_model_time


@dataclass(frozen=True)
class Summary:
    """The facts of a submission that lists and rankings need; cheap to read by the thousand.

    `submitted` is in UTC. `score` and `time` are None if the device's time means nothing, as on the emulator.
    `score_low` and `score_high` are the bounds of the score's interval. `mend` is the exercise that it mends, with so
    many changed tokens. The score and the time that a model computed for `model_gpu` are None if `model_note` says why;
    only those of one `model_revision` can be compared.
    """

    id: int
    problem: str
    title: str
    user: str
    form: Form
    device: str
    file: str
    source_hash: str
    submitted: datetime
    verdict: Verdict
    headline: str
    fault: FaultClass | None = None
    kind: WrongKind | None = None
    line: int | None = None
    score: float | None = None
    time: Interval | None = None
    seconds: float = 0.0
    score_low: float | None = None
    score_high: float | None = None
    language: LanguageName = LanguageName.CUDA
    mend: str | None = None
    mend_tokens: int | None = None
    model_gpu: str | None = None
    model_revision: str | None = None
    model_note: str | None = None
    model_score: float | None = None
    model_time: Interval | None = None


@dataclass(frozen=True, kw_only=True)
class Entry(Summary):
    """A submission as recorded: its summary, the whole report and the source text."""

    report: Report
    source: str


def summarize(number: int, report: Report) -> Summary:
    """The summary of a report recorded under `number`."""
    measured = overall_score(report.measurement) if report.measurement and report.score is not None else None
    model = report.model
    return Summary(
        id=number,
        problem=report.problem,
        title=report.title,
        user=report.user,
        form=report.form,
        device=report.device,
        file=report.file,
        source_hash=report.source_hash,
        submitted=parse_utc(report.submitted),
        verdict=report.verdict,
        headline=report.headline,
        fault=report.fault.fault if report.fault else None,
        kind=report.kind,
        line=report.line,
        score=report.score,
        time=report.time,
        seconds=report.seconds,
        score_low=measured.low if measured else None,
        score_high=measured.high if measured else None,
        language=report.language,
        mend=report.mend.exercise if report.mend else None,
        mend_tokens=report.mend.tokens if report.mend else None,
        model_gpu=model.gpu if model else None,
        model_revision=model.revision if model else None,
        model_note=model.why_not or None if model else None,
        model_score=model.score if model else None,
        model_time=total_model_time(model) if model and model.score is not None else None,
    )


def parse_utc(text: str) -> datetime:
    """Parses an ISO 8601 time to an aware datetime in UTC; a time without a zone is taken as UTC.

    Python 3.10 does not accept the suffix Z, which is common in JSON.
    """
    time = datetime.fromisoformat(text[:-1] + "+00:00" if text.endswith("Z") else text)
    return time.replace(tzinfo=timezone.utc) if time.tzinfo is None else time.astimezone(timezone.utc)
