"""`kgrade bench --model`: files of one problem side by side by model time, which needs no GPU."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from grader.commands.engines import engines_of
from grader.commands.files_beside import check_count, sizes_of, unique_labels
from grader.commands.options import workspace_of
from grader.core.verdict import LanguageName

if TYPE_CHECKING:
    from grader.model.comparing import Contender, ModelComparison

SECONDS = 300.0
"""Time limit for the model times of one file."""


def compare_by_model(
    ctx: click.Context,
    problem: str,
    files: Sequence[str],
    texts: Sequence[str],
    gpu_name: str,
    language: LanguageName | None,
    *,
    baseline: bool,
    as_json: bool,
) -> int:
    """Compares the files and prints the result; returns the exit code, 0 if each right file has all its times."""
    from grader.core.paths import cache_folder
    from grader.languages.registry import read_submission
    from grader.model.comparing import compare
    from grader.model.gpus import gpu_named
    from grader.terminal.console import messages

    loaded, engines = workspace_of(ctx).load(problem), engines_of(ctx)
    check_count(files)
    gpu, sizes = gpu_named(gpu_name), sizes_of(loaded, texts)
    labelled = [
        (label, read_submission(Path(f), language)) for label, f in zip(unique_labels(files), files, strict=True)
    ]
    console = messages()
    console.quiet = as_json
    with console.status("compiling") as status:
        comparison = compare(
            *(loaded, labelled, sizes, gpu, engines.modelled, status.update, cache_folder()),
            grade=engines.grade,
            seconds=SECONDS,
            baseline=baseline,
        )
    if as_json:
        click.echo(json.dumps(json_object(comparison), allow_nan=False))
    else:
        from grader.terminal.console import output
        from grader.terminal.model_bench import print_model_comparison

        print_model_comparison(comparison, output(), files)
    return 0 if comparison.complete else 1


def json_object(comparison: ModelComparison) -> dict[str, Any]:
    """The comparison as JSON data: files with their verdicts, and for each size times, bounds and ranks by label."""
    from grader.boards.words import model_board

    return {
        "problem": comparison.problem,
        "device": model_board(comparison.gpu.name),
        "gpu": comparison.gpu.name,
        "calibrated": comparison.gpu.calibrated or None,
        "files": [_file(each) for each in comparison.contenders],
        "sizes": [_size(comparison, sizes) for sizes in comparison.sizes],
        "overall": dict(comparison.overall) or None,
        "seconds": comparison.seconds,
    }


def _file(contender: Contender) -> dict[str, Any]:
    report, model = contender.report, contender.model
    return {
        "file": contender.label,
        "language": report and report.language,
        "verdict": report and report.verdict,
        "headline": report.headline if report else "",
        "why_not": model.why_not if model else "",
        "score": model and model.score,
        "revision": model and model.revision,
    }


def _size(comparison: ModelComparison, sizes: Mapping[str, int]) -> dict[str, Any]:
    found = {each.label: each.at(sizes) for each in comparison.contenders}
    timed = {label: size for label, size in found.items() if size is not None and size.time is not None}
    groups: dict[float, list[str]] = {}
    for label, size in timed.items():
        assert size.time is not None
        groups.setdefault(size.time.value, []).append(label)
    return {
        "sizes": dict(sizes),
        "times": {label: size.time and asdict(size.time) for label, size in timed.items()},
        "bounds": {label: size.bound for label, size in timed.items()},
        "shares": {label: size.share for label, size in timed.items()},
        "failed": {label: size.why_not for label, size in found.items() if size is not None and size.time is None},
        "groups": [groups[seconds] for seconds in sorted(groups)],
    }
