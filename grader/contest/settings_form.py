"""The settings of a contest as a form: its fields, and the settings that the texts in them mean.

`settings` checks them, as it checks contest.toml. What changes the meaning of earlier submissions (problems, GPU,
seeds, teams) is left to the file.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from grader.contest.credit_reader import credit_to_toml
from grader.contest.settings import (
    ANONYMOUS,
    ASK,
    CLASS,
    PUBLIC,
    ROSTER,
    Settings,
    settings_from_data,
    settings_to_json,
)
from grader.core import toml
from grader.core.errors import UsageError
from grader.model.gpus import GPUS

TEXT, TIME, NUMBER, CHOICE, FLAG = "text", "time", "number", "choice", "flag"
WEIGHT = "weight:"
"""Fields of problems' weights are named by this and the problem's name."""
CREDIT = "credit"
"""The field of all problems' partial credit, in TOML."""
LONGEST_CREDIT = 20_000
YES = "yes"
_TIME_HINT = "with its zone, such as 2026-10-01T09:00:00+02:00"


@dataclass(frozen=True)
class Field:
    """A field of the form. A dot in the `key` separates a table from the key in it. `choices` are (value, words)."""

    key: str
    label: str
    kind: str = TEXT
    hint: str = ""
    choices: tuple[tuple[str, str], ...] = ()


FIELDS = (
    Field("title", "Title"),
    Field("start", "Start", TIME, _TIME_HINT),
    Field("freeze", "Scoreboard frozen from", TIME, "empty: never frozen"),
    Field("end", "End", TIME, _TIME_HINT),
    Field(
        "counts",
        "Which submission counts",
        CHOICE,
        choices=(("best", "the best"), ("last", "the last")),
    ),
    Field("per_hour", "Submissions an hour", NUMBER),
    Field(
        "model_time",
        "Ranked by model time, without a GPU",
        CHOICE,
        'only with gpu_model = "emulator"; it holds for what is judged from then on, so judge again what is there',
        choices=(("", "no: accepted submissions score 1"), *((gpu.name, f"on {gpu.name}") for gpu in GPUS)),
    ),
    Field("late.percent_per_hour", "Late penalty: percent for each hour or part of one", NUMBER),
    Field("late.hours", "Hours after the end in which late submissions are accepted", NUMBER),
    Field("practice_after_end", "Practice after the end", FLAG),
    Field("explain", "Students may have accepted submissions explained", FLAG),
    Field(
        "scoreboard",
        "Scoreboard",
        CHOICE,
        choices=(
            (CLASS, "for the class"),
            (PUBLIC, "for everybody, without signing in"),
            (ANONYMOUS, "without the names of others"),
        ),
    ),
    Field(
        "entry",
        "Who enters by the university's sign-in",
        CHOICE,
        "only where this site has such a sign-in",
        choices=(
            (ROSTER, "who is on the roster"),
            (ASK, "others too, if they ask and staff let them in"),
        ),
    ),
    Field("grading_seconds", "Seconds after which a grading ends", NUMBER),
)


def form_values(settings: Settings) -> dict[str, str]:
    """The text of each field, by its name."""
    data = json.loads(settings_to_json(settings))
    values = {field.key: _text(_get(data, field.key)) for field in FIELDS}
    values |= {f"{WEIGHT}{each.name}": _text(each.weight) for each in settings.problems if each.credit is None}
    given = [credit_to_toml(each.name, each.credit) for each in settings.problems if each.credit is not None]
    return values | {CREDIT: "\n".join(given)}


def settings_of_form(settings: Settings, texts: Mapping[str, str]) -> Settings:
    """The settings with the texts of the form in place of its fields. Raises UsageError listing every mistake."""
    data = json.loads(settings_to_json(settings))
    for field in FIELDS:
        value = _value(field.kind, texts.get(field.key, "").strip())
        table, _, key = field.key.rpartition(".")
        place = data[table] if table else data
        place[key] = value
        if value is None:
            del place[key]
    credits = _credits(texts.get(CREDIT, ""), [problem["name"] for problem in data["problems"]])
    for problem in data["problems"]:
        problem.pop(CREDIT, None)
        problem.pop("weight", None)
        if problem["name"] in credits:
            problem[CREDIT] = credits[problem["name"]]
        elif (weight := texts.get(f"{WEIGHT}{problem['name']}")) is not None:
            problem["weight"] = _value(NUMBER, weight.strip())
    return settings_from_data(data, settings.slug, "the form")


def _credits(text: str, problems: Sequence[str]) -> Mapping[str, Any]:
    """The partial credit of each problem that the text names. Raises UsageError."""
    hint = "write a table for each problem, as in contest.toml: [matmul], visible = 40"
    if len(text) > LONGEST_CREDIT:
        raise UsageError(f"the partial credit takes more than {LONGEST_CREDIT:,} characters", hint)
    try:
        found: dict[str, Any] = toml.loads(text.replace("\r\n", "\n"))
    except (toml.TOMLDecodeError, RecursionError) as error:
        raise UsageError(f"partial credit: {error}", hint) from None
    for name in found:
        if name not in problems:
            raise UsageError(f"partial credit: there is no problem '{name}' in this contest", hint)
    return found


def _get(data: Mapping[str, Any], key: str) -> object:
    table, _, last = key.rpartition(".")
    return (data[table] if table else data).get(last)


def _text(value: object) -> str:
    if isinstance(value, bool):
        return YES if value else ""
    if isinstance(value, float):
        return f"{value:.12g}"
    return "" if value is None else str(value)


def _value(kind: str, text: str) -> object:
    """The value of a text; one that is no number stays a text, which the check of the settings refuses by its key."""
    if kind == FLAG:
        return text == YES
    if kind == TIME:
        return text or None
    if kind == NUMBER and re.fullmatch(r"[0-9]{1,12}", text):
        return int(text)
    if kind == NUMBER and re.fullmatch(r"[0-9]{0,12}\.[0-9]{1,12}", text):
        return float(text)
    return text
