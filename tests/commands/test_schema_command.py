"""The published JSON Schema of reports, and what `--json` prints measured against it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from grader.commands.grading import json_object
from grader.core.report import Diagnostic, Report, from_json, to_json
from grader.core.verdict import FaultClass, Verdict

from .conftest import Judge, Kgrade
from .samples import accepted_report, faulty_report, measured_report, wrong_report

ROOT = Path(__file__).parents[2]
WORKED = ROOT / "problems" / "matmul" / "submissions"


@pytest.fixture
def schema(kgrade: Kgrade) -> dict[str, Any]:
    """What `kgrade schema` prints."""
    answer = kgrade("schema")
    assert answer.code == 0 and answer.err == ""
    assert isinstance(answer.json, dict)
    return answer.json


@pytest.fixture
def strict(schema: dict[str, Any]) -> Draft202012Validator:
    """The schema with no field allowed that it does not name, for reports alone."""
    kinds = {
        name: kind | {"additionalProperties": False} if "properties" in kind else kind
        for name, kind in schema["$defs"].items()
    }
    return Draft202012Validator({"$ref": "#/$defs/Report", "$defs": kinds})


def test_it_is_a_schema_of_the_dialect_it_names(schema: dict[str, Any]) -> None:
    assert schema["$schema"] == Draft202012Validator.META_SCHEMA["$id"]
    Draft202012Validator.check_schema(schema)


def test_the_file_is_what_the_dataclasses_give() -> None:
    loader = SourceFileLoader("refresh_schema", str(ROOT / "scripts" / "refresh-schema"))
    spec = spec_from_loader(loader.name, loader)
    assert spec is not None
    refresher = module_from_spec(spec)
    loader.exec_module(refresher)
    assert refresher.FILE.read_text() == refresher.text(), "type: .venv/bin/python scripts/refresh-schema"


def test_its_words_are_those_of_the_verdicts(schema: dict[str, Any]) -> None:
    assert schema["$defs"]["Verdict"]["enum"] == [str(verdict) for verdict in Verdict]
    assert schema["$defs"]["FaultClass"]["enum"] == [str(fault) for fault in FaultClass]


def made_reports() -> Iterator[Report]:
    yield from (accepted_report(), measured_report(), measured_report(ratio=None), faulty_report(), wrong_report())
    remark = Diagnostic("error", "expected a ';'", 3, 7)
    for verdict in Verdict:
        yield replace(accepted_report(), verdict=verdict, diagnostics=(remark, Diagnostic("note", "no place")))


@pytest.mark.parametrize("report", list(made_reports()), ids=lambda report: str(report.verdict))
def test_each_kind_of_report_fits(strict: Draft202012Validator, report: Report) -> None:
    from_database = from_json(to_json(report))
    for data in (json_object(report), json_object(from_database, 7, Path("reports/7.html"))):
        strict.validate(json.loads(json.dumps(data, allow_nan=False)))


@pytest.mark.parametrize(
    "file",
    [
        "accepted/1_naive.cu",
        "wrong_answer/transposed_output.cu",
        "compile_error/syntax_error.cu",
        "runtime_error/missing_bounds_check.cu",
    ],
)
def test_what_the_commands_print_fits(kgrade: Kgrade, strict: Draft202012Validator, workspace: Path, file: str) -> None:
    answer = kgrade("test", "matmul", str(WORKED / file), "--case", "M=17,N=5,K=3", "--device", "emulator", "--json")
    assert answer.json["verdict"] == file.partition("/")[0]
    strict.validate(answer.json)


def test_a_recorded_one_and_a_refusal_fit(
    kgrade: Kgrade, judge: Judge, strict: Draft202012Validator, schema: dict[str, Any], workspace: Path
) -> None:
    judge.report = faulty_report()
    strict.validate(kgrade("submit", "matmul", "mine.cu", "--json").json)
    refused = kgrade("test", "matmul", "missing.cu", "--json").json
    Draft202012Validator(schema).validate(refused)
    assert not strict.is_valid(refused)


@pytest.mark.parametrize(
    "change",
    [{"verdict": "fine"}, {"seed": "7"}, {"fault": {"fault": "trap"}}, {"cases": [{}]}, {"score": "a lot"}],
)
def test_what_is_no_report_is_found(strict: Draft202012Validator, change: dict[str, Any]) -> None:
    assert not strict.is_valid(json_object(accepted_report()) | change)
