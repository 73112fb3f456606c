"""`kgrade bench`: several files of one problem timed in turns on a GPU, side by side."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from grader.commands.engines import engines_of
from grader.commands.files_beside import check_count, sizes_of, unique_labels
from grader.commands.options import (
    device_option,
    gpu_option,
    json_option,
    language_option,
    problem_argument,
    refuse_option,
    workspace_of,
)
from grader.core.errors import UsageError
from grader.core.verdict import LanguageName

if TYPE_CHECKING:
    from grader.judge.bench import Comparison, SizeResult
    from grader.machine.gpus import Gpu
    from grader.measure.standings import Ranking


@click.command()
@problem_argument
@click.argument("files", nargs=-1, required=True, metavar="FILE...", type=click.Path())
@click.option(
    "--size",
    "texts",
    multiple=True,
    metavar="SIZES",
    help="Time at these sizes, such as M=4096,N=4096,K=4096. May be repeated. Default: the problem's benchmarks.",
)
@click.option("--baseline", is_flag=True, help="Time the problem's baseline beside several files as well.")
@click.option("--model", is_flag=True, help="Compare by model time, which needs no GPU and is no measurement.")
@gpu_option
@device_option
@language_option
@json_option
@click.pass_context
def command(
    ctx: click.Context,
    problem: str,
    files: tuple[str, ...],
    texts: tuple[str, ...],
    baseline: bool,
    model: bool,
    gpu_name: str,
    device: str,
    language: LanguageName | None,
    as_json: bool,
) -> int:
    """Compare FILEs for PROBLEM: grade each, then time the right ones in turns.

    One file alone is timed beside the problem's baseline. Nothing is recorded. With --model files are graded on the
    emulator and their times computed. Exit code 0 when at least one file is right and every size has its times, 1 when
    not, 2 where there is no GPU to time on.
    """
    if model:
        from grader.commands.model_bench import compare_by_model

        refuse_option(ctx, "device", "with --model: files are graded on the emulator")
        return compare_by_model(ctx, problem, files, texts, gpu_name, language, baseline=baseline, as_json=as_json)
    refuse_option(ctx, "gpu_name", "without --model: a GPU to time on is chosen by --device")
    from grader.core.paths import cache_folder
    from grader.judge.bench import compare
    from grader.languages.registry import read_submission
    from grader.run.gpu.lock import Turn
    from grader.terminal.console import messages

    loaded = workspace_of(ctx).load(problem)
    check_count(files)
    gpu = _chosen(device)
    sizes = sizes_of(loaded, texts)
    submissions = [read_submission(Path(file), language) for file in files]
    console = messages()
    console.quiet = as_json
    engines = engines_of(ctx)
    contests = engines.contests(loaded, gpu, cache_folder())

    def ask(*arguments: Any, **options: Any) -> Any:
        # Taken anew for each size, so that a waiting grading gets its turn in between.
        with Turn(gpu.uuid, lambda: status.update(f"waiting for {gpu.name}: a grading uses it")):
            return contests.hold(*arguments, **options)

    try:
        with console.status("compiling") as status:
            labelled = list(zip(unique_labels(files), submissions, strict=True))
            comparison = compare(
                *(loaded, labelled, sizes, gpu, ask, status.update, cache_folder()),
                baseline=baseline,
                grade=engines.grade,
            )
    finally:
        contests.close()
    if as_json:
        click.echo(json.dumps(json_object(comparison), allow_nan=False))
    else:
        from grader.terminal.bench import print_comparison
        from grader.terminal.console import output

        print_comparison(comparison, output(), files)
    all_timed = comparison.timed and all(result.standings is not None for result in comparison.results)
    return 0 if all_timed else 1


def json_object(comparison: Comparison) -> dict[str, Any]:
    """The comparison as JSON data: files with their verdicts, and for each size times and ratios by label."""
    labels = comparison.timed
    return {
        "problem": comparison.problem,
        "device": comparison.device,
        "files": [
            {"file": entry.label, "language": entry.report.language, "verdict": entry.report.verdict}
            | {"headline": entry.report.headline, "trouble": entry.trouble, "timed": entry.label in labels}
            for entry in comparison.entries
        ],
        "sizes": [_size(result, labels) for result in comparison.results],
        "overall": None if comparison.overall is None else _ranking(comparison.overall, labels),
        "seconds": comparison.seconds,
    }


def _size(result: SizeResult, labels: Sequence[str]) -> dict[str, Any]:
    """The JSON data of one size; `ranking` is null if it could not be timed, and `failed` says why."""
    found = result.standings
    data: dict[str, Any] = {"sizes": dict(result.sizes), "failed": result.failed, "throttled": list(result.throttled)}
    if found is None:
        return data | {"rounds": 0, "dropped": 0, "clock_mhz": None, "times": {}, "ranking": None}
    return data | {
        "rounds": found.rounds,
        "dropped": found.dropped,
        "clock_mhz": list(found.clock_mhz),
        "times": {label: asdict(time) for label, time in zip(labels, found.times, strict=True)},
        "ranking": _ranking(found.ranking, labels),
    }


def _ranking(ranking: Ranking, labels: Sequence[str]) -> dict[str, Any]:
    """The JSON data of a ranking: groups without a difference, fastest first, and the time ratio of every pair."""
    return {
        "fastest": labels[ranking.fastest],
        "groups": [[labels[i] for i in group] for group in ranking.groups],
        "pairs": [
            {
                "first": labels[i],
                "second": labels[j],
                **asdict(pair.ratio),
                "enough": pair.enough,
                "differ": pair.differ,
            }
            for i, row in enumerate(ranking.pairs)
            for j, pair in enumerate(row)
            if i != j
        ],
    }


def _chosen(device: str) -> Gpu:
    """The GPU that `device` means. Raises UsageError if it is none."""
    from grader.run.devices import choose_gpu

    gpu = choose_gpu(device)
    if gpu is None:
        why = "no NVIDIA GPU was found on this machine" if device == "auto" else "the emulator is no GPU"
        raise UsageError(
            f"{why}, and a time on the emulator says nothing about a GPU",
            "type: kgrade doctor, which says what a GPU needs; kgrade test PROBLEM FILE grades without one",
        )
    return gpu
