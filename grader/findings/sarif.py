"""Findings as SARIF 2.1.0 (OASIS, Static Analysis Results Interchange Format), which code scanning services read."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import quote

from grader import __version__
from grader.boards.words import label
from grader.core.verdict import FACTS
from grader.findings.finding import Finding

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
VERSION = "2.1.0"
ROOT = "SRCROOT"
"""The base of relative paths, which the reader of the file knows."""
HELP = {"text": "kgrade test PROBLEM FILE shows the whole report."}


def sarif_log(findings: Sequence[Finding]) -> dict[str, Any]:
    """One run with a result for each finding, as JSON data."""
    rules = sorted({finding.rule for finding in findings})
    driver = {
        "name": "kgrade",
        "version": __version__,
        "rules": [_rule(rule) for rule in rules],
    }
    results = [_result(finding, rules.index(finding.rule)) for finding in findings]
    run = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}
    return {"$schema": SCHEMA, "version": VERSION, "runs": [run]}


def _result(finding: Finding, rule: int) -> dict[str, Any]:
    region = {"startLine": finding.line}
    if finding.column:
        region["startColumn"] = finding.column
    return {
        "ruleId": finding.rule,
        "ruleIndex": rule,
        "level": str(finding.level),
        "message": {"text": "\n".join((finding.message, *finding.details))},
        "locations": [{"physicalLocation": {"artifactLocation": dict(_place(finding.path)), "region": region}}],
    }


def _place(path: str) -> Iterator[tuple[str, str]]:
    if PurePosixPath(path).is_absolute():
        yield "uri", "file://" + _quoted(path)
    else:
        yield "uri", _quoted(path)
        yield "uriBaseId", ROOT


def _quoted(path: str) -> str:
    # The name of a file need not be UTF-8.
    return quote(os.fsencode(path))


def _rule(rule: str) -> dict[str, Any]:
    described = {"text": _describe(rule)}
    return {"id": rule, "shortDescription": described, "fullDescription": described, "help": HELP}


def _describe(rule: str) -> str:
    leads = {str(verdict): facts.lead for verdict, facts in FACTS.items()}
    return leads.get(rule, label(rule).capitalize())
