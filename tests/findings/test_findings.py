"""A Report as findings at lines: what is told and where, as plain lines, as GitHub's commands and as SARIF."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from grader.core.errors import SourceError, UsageError
from grader.core.report import Diagnostic, FaultReport, Report
from grader.core.verdict import FaultClass, Form, Verdict, WrongKind
from grader.findings.finding import Finding, Level, findings_of, not_graded
from grader.findings.lines import github_line, plain_line
from grader.findings.problem_name import problem_of
from grader.findings.sarif import sarif_log
from grader.store.workspace import Workspace

REPORT = Report(
    problem="matmul",
    title="Matrix multiplication",
    form=Form.KERNEL,
    device="emulator",
    user="",
    file="mine.cu",
    source="",
    source_hash="",
    submitted="2026-01-02T03:04:05+00:00",
    seed=7,
    verdict=Verdict.ACCEPTED,
    headline="Accepted on the emulator",
)
FAULTY = replace(
    REPORT,
    verdict=Verdict.RUNTIME_ERROR,
    headline="Writes C out of bounds, line 4",
    fault=FaultReport(FaultClass.OUT_OF_BOUNDS, "C[4] of 4 elements", line=4),
    pattern="fails whenever M is not a multiple of 16",
    explanation=("Usual causes: no bounds check.\nOr another.",),
)
HOSTILE = "fine\r\n::error file=a.cu,line=1::hacked\n##[add-mask]x\u202e\x1b[31m%0A::stop-commands::x, a:b"


def finding(**changes: Any) -> Finding:
    values = {"path": "a/mine.cu", "line": 4, "level": Level.ERROR, "rule": "trap", "message": "stops itself"}
    return Finding(**(values | changes))


def test_an_accepted_file_has_its_warnings_alone() -> None:
    assert findings_of(REPORT, Path("mine.cu")) == []
    remarks = (Diagnostic("warning", "unused variable", 3, 5), Diagnostic("note", "here", 4))
    (found,) = findings_of(replace(REPORT, diagnostics=remarks), Path("mine.cu"))
    assert (found.line, found.column, found.level, found.rule) == (3, 5, Level.WARNING, "remark")


def test_a_fault_is_told_at_its_line_with_what_is_in_common() -> None:
    (found,) = findings_of(FAULTY, Path("mine.cu"))
    assert (found.path, found.line, found.rule) == ("mine.cu", 4, "out_of_bounds")
    assert found.message == "Writes C out of bounds, line 4; fails whenever M is not a multiple of 16"
    assert found.details == ("Usual causes: no bounds check.", "Or another.")


def test_each_error_of_the_compiler_is_a_finding() -> None:
    errors = (Diagnostic("error", "expected a ';'", 3, 7, hint="Line 2 lacks it."), Diagnostic("error", "no place"))
    found = findings_of(replace(REPORT, verdict=Verdict.COMPILE_ERROR, diagnostics=errors), Path("mine.cu"))
    assert [(one.line, one.column, one.rule) for one in found] == [(3, 7, "compile_error"), (1, None, "compile_error")]
    assert found[0].details == ("Line 2 lacks it.",)


@pytest.mark.parametrize("verdict", [verdict for verdict in Verdict if verdict is not Verdict.ACCEPTED])
def test_every_other_verdict_has_an_error(verdict: Verdict) -> None:
    found = findings_of(replace(REPORT, verdict=verdict, headline="No."), Path("mine.cu"))
    assert [(one.level, one.message) for one in found] == [(Level.ERROR, "No")]


def test_a_wrong_answer_goes_by_its_kind() -> None:
    report = replace(REPORT, verdict=Verdict.WRONG_ANSWER, kind=WrongKind.UNWRITTEN_OUTPUT, headline="C[0] not written")
    assert [one.rule for one in findings_of(report, Path("mine.cu"))] == ["unwritten_output"]


def test_paths_are_those_of_the_working_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for given, shown in ((tmp_path / "a" / "b.cu", "a/b.cu"), (Path("a/b.cu"), "a/b.cu"), (Path("/x/b.cu"), "/x/b.cu")):
        assert findings_of(FAULTY, given)[0].path == shown


def test_a_plain_line_is_as_a_compiler_writes_it() -> None:
    assert plain_line(finding()) == "a/mine.cu:4: stops itself"


def test_a_command_of_github_names_the_place() -> None:
    line = github_line(finding(column=9, details=("Why.",)))
    assert line == "::error file=a/mine.cu,line=4,title=kgrade%3A trap,col=9::stops itself%0AWhy."
    assert github_line(finding(level=Level.WARNING)).startswith("::warning ")


def test_no_text_of_a_submission_begins_a_command() -> None:
    fault = FaultReport(FaultClass.TRAP, HOSTILE, line=4)
    report = replace(FAULTY, fault=fault, headline=HOSTILE, pattern=HOSTILE, explanation=(HOSTILE,))
    broken = Diagnostic("error", HOSTILE, 1, hint=HOSTILE)
    for told in (report, replace(report, verdict=Verdict.COMPILE_ERROR, diagnostics=(broken,))):
        for name in (
            "mine.cu",
            "::error::x,y:z%.cu",
            " ::error::x.cu",
            "##[error]x.cu",
            "a\n::error::b.cu",
            "\x1b]0;x\x07\u202e.cu",
        ):
            (found,) = findings_of(told, Path(name))
            plain, command = plain_line(found), github_line(found)
            assert not plain.strip().startswith("::")
            for line in (plain, command):
                assert len(line.splitlines()) == 1
                assert "##[" not in line and "\x1b" not in line and "\u202e" not in line
            # What is left of the third pair of colons can't be read as anything but text.
            properties, _, _ = command.removeprefix("::error ").partition("::")
            assert [part.partition("=")[0] for part in properties.split(",")] == ["file", "line", "title"]


ESSENTIAL = {
    "$defs": {
        "text": {"type": "object", "required": ["text"], "properties": {"text": {"type": "string", "minLength": 1}}},
        "rule": {
            "type": "object",
            "required": ["id", "shortDescription", "fullDescription", "help"],
            "additionalProperties": False,
            "properties": {
                "id": {"type": "string"},
                **{name: {"$ref": "#/$defs/text"} for name in ("shortDescription", "fullDescription", "help")},
            },
        },
        "place": {
            "type": "object",
            "required": ["artifactLocation", "region"],
            "additionalProperties": False,
            "properties": {
                "artifactLocation": {
                    "required": ["uri"],
                    "additionalProperties": False,
                    "properties": {
                        "uri": {"type": "string", "pattern": r"^[\x21-\x7e]+$"},
                        "uriBaseId": {"type": "string"},
                    },
                },
                "region": {
                    "required": ["startLine"],
                    "additionalProperties": False,
                    "properties": {name: {"type": "integer", "minimum": 1} for name in ("startLine", "startColumn")},
                },
            },
        },
        "result": {
            "type": "object",
            "required": ["ruleId", "ruleIndex", "level", "message", "locations"],
            "additionalProperties": False,
            "properties": {
                "ruleId": {"type": "string"},
                "ruleIndex": {"type": "integer", "minimum": 0},
                "level": {"enum": ["none", "note", "warning", "error"]},
                "message": {"$ref": "#/$defs/text"},
                "locations": {
                    "type": "array",
                    "minItems": 1,
                    "items": {"properties": {"physicalLocation": {"$ref": "#/$defs/place"}}},
                },
            },
        },
        "run": {
            "type": "object",
            "required": ["tool", "results"],
            "additionalProperties": False,
            "properties": {
                "tool": {
                    "properties": {
                        "driver": {
                            "required": ["name", "version", "rules"],
                            "additionalProperties": False,
                            "properties": {
                                "name": {"type": "string"},
                                "version": {"type": "string"},
                                "rules": {"type": "array", "uniqueItems": True, "items": {"$ref": "#/$defs/rule"}},
                            },
                        }
                    }
                },
                "columnKind": {"enum": ["utf16CodeUnits", "unicodeCodePoints"]},
                "results": {"type": "array", "items": {"$ref": "#/$defs/result"}},
            },
        },
    },
    "type": "object",
    "required": ["version", "runs"],
    "additionalProperties": False,
    "properties": {
        "$schema": {"type": "string", "format": "uri"},
        "version": {"const": "2.1.0"},
        "runs": {"type": "array", "minItems": 1, "items": {"$ref": "#/$defs/run"}},
    },
}
"""Of SARIF's schema what a log of ours touches, and what GitHub's code scanning requires beside."""


def test_sarif_has_what_its_schema_and_code_scanning_require() -> None:
    found = [
        *findings_of(FAULTY, Path("a b/mine.cu")),
        *findings_of(replace(FAULTY, headline=HOSTILE), Path(os.fsdecode(b"/x/n\xff.cu"))),
        *findings_of(replace(REPORT, diagnostics=(Diagnostic("warning", "unused", 3, 5),)), Path("mine.cu")),
        not_graded(Path("none.cu"), "none.cu does not exist", "Did you mean one.cu?"),
    ]
    log = json.loads(json.dumps(sarif_log(found)))
    Draft202012Validator(ESSENTIAL).validate(log)
    (run,) = log["runs"]
    rules = run["tool"]["driver"]["rules"]
    assert [rules[one["ruleIndex"]]["id"] for one in run["results"]] == [one["ruleId"] for one in run["results"]]
    places = [one["locations"][0]["physicalLocation"]["artifactLocation"] for one in run["results"]]
    assert places[0] == {"uri": "a%20b/mine.cu", "uriBaseId": "SRCROOT"}
    assert places[1] == {"uri": "file:///x/n%FF.cu"}
    assert [one["level"] for one in run["results"]] == ["error", "error", "warning", "error"]


def test_sarif_of_no_findings_is_a_run_without_results() -> None:
    log = sarif_log([])
    Draft202012Validator(ESSENTIAL).validate(log)
    assert log["runs"][0]["results"] == []


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    for name in ("problems", "submissions"):
        (tmp_path / name).mkdir()
    return Workspace(tmp_path)


@pytest.mark.parametrize(
    ("place", "text", "name"),
    [
        ("x.cu", "// kgrade: matmul\n", "matmul"),
        ("x.py", "# language: triton\n  #kgrade:matmul  \r\n", "matmul"),
        ("softmax/x.cu", "", "softmax"),
        ("softmax/week 1/ada/x.cu", "int x;\n", "softmax"),
        ("softmax/x.cu", "// kgrade: matmul\n", "matmul"),
        ("softmax/x.cu", "// kgrade: matmul, or so\n", "softmax"),
        ("softmax/x.cu", "\n" * 20 + "// kgrade: matmul\n", "softmax"),
    ],
)
def test_the_problem_of_a_file(workspace: Workspace, place: str, text: str, name: str) -> None:
    file = workspace.root / place
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, newline="")
    assert problem_of(file, workspace) == name


@pytest.mark.parametrize(
    ("text", "error", "said"),
    [
        ("int x;\n", UsageError, "not known which problem"),
        ("// kgrade: matmull\n", UsageError, "Did you mean 'matmul'?"),
        ("x" * (1 << 21), SourceError, "too large"),
    ],
)
def test_a_file_of_no_problem(workspace: Workspace, text: str, error: type[UsageError], said: str) -> None:
    file = workspace.root / "x.cu"
    file.write_text(text)
    with pytest.raises(error, match=said.replace("?", r"\?")):
        problem_of(file, workspace)
