"""`kgrade explain`: a kernel's costs line by line, and what to change first; nothing is recorded or timed."""

from __future__ import annotations

import json
import secrets
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from grader.commands.engines import engines_of
from grader.commands.options import (
    Asked,
    json_option,
    language_option,
    parse_size_option,
    problem_argument,
    refuse_option,
    workspace_of,
)
from grader.core.verdict import LanguageName, Verdict

if TYPE_CHECKING:
    from grader.coach.advice import Advice
    from grader.coach.coach import Explanation, KernelExplanation
    from grader.model.model import ModelTime
    from grader.sass import Instruction, MachineCode

EXPLAINED = (Verdict.ACCEPTED, Verdict.WRONG_ANSWER)
"""Verdicts of kernels that run to their end, so that there is something to count."""


@click.command()
@problem_argument
@click.argument("files", nargs=-1, metavar="[FILE] [OTHER]", type=click.Path())
@click.option(
    "--size", "text", metavar="SIZES", help="Count at these sizes, such as M=128,N=256,K=256. Default: a benchmark's."
)
@click.option(
    "--target", default="sm_89", show_default=True, metavar="TARGET", help="Whose registers and occupancy to tell."
)
@click.option("--gpu", default="H200", show_default=True, metavar="NAME", help="Whose model time to tell.")
@click.option(
    "--model-size",
    "modelled_text",
    metavar="SIZES",
    help="Sizes of the model time, also where the emulator is too slow. Default: --size, else a benchmark's.",
)
@click.option("--model/--no-model", default=True, help="Tell how long it would take on that GPU, by a model.")
@click.option("--sass", is_flag=True, help="Show the machine code for --target, by source line.")
@click.option("--html", metavar="FILE", type=click.Path(), help="Write a page with the source, its PTX and pictures.")
@click.option("--seed", type=click.IntRange(0, 2**63 - 1), metavar="N", help="Of the inputs. Default: a new one.")
@click.option(
    "--require-sandbox",
    is_flag=True,
    help="Refuse to run the file's own solve() where no sandbox protects this machine.",
)
@language_option
@json_option
@click.pass_context
def command(
    ctx: click.Context,
    problem: str,
    files: tuple[str, ...],
    text: str | None,
    target: str,
    gpu: str,
    modelled_text: str | None,
    model: bool,
    sass: bool,
    html: str | None,
    seed: int | None,
    require_sandbox: bool,
    language: LanguageName | None,
    as_json: bool,
) -> int:
    """Explain why FILE for PROBLEM is slow: count on the emulator what each line does, and advise.

    It needs no GPU, and it times nothing: the model's time is computed. Two files are put side by side. PROBLEM may be
    left out where a comment, the folder or the kernel's name tells it: kgrade explain A.cu B.cu. Exit code 0 when what
    is explained is right at these sizes, 1 with any other verdict.
    """
    from grader.coach.coach import explain, usual_sizes
    from grader.coach.gains import with_model
    from grader.coach.target import checked_target
    from grader.commands.grading import grade_file, print_result
    from grader.commands.whose_files import problem_and_files
    from grader.core.paths import cache_folder
    from grader.core.report import Report
    from grader.languages.registry import read_submission
    from grader.model.gpus import gpu_named
    from grader.sass.tool import find_nvdisasm
    from grader.terminal.console import messages, output

    workspace = workspace_of(ctx)
    problem, files = problem_and_files(workspace, (problem, *files))
    if len(files) > 1:
        refuse_option(ctx, "html", "with two files")
        refuse_option(ctx, "sass", "with two files")
    chosen, modelled = checked_target(target), gpu_named(gpu)
    if sass:
        find_nvdisasm()
    loaded = workspace.load(problem)
    sizes = parse_size_option(loaded, text) if text is not None else usual_sizes(loaded)
    largest = sizes if text is not None or not loaded.benchmarks else loaded.benchmarks[0]
    if modelled_text is not None:
        largest = parse_size_option(loaded, modelled_text)
    # Two files are counted with the same inputs.
    seed = secrets.randbits(48) if seed is None else seed
    asked = Asked(language=language, cases=1, seed=seed, device="emulator", require_sandbox=require_sandbox)
    console = messages()
    console.quiet = as_json

    def explained(file: str) -> Explanation | Report:
        """The explanation of a file; the report of one that does not run to its end, which is printed."""
        report = grade_file(workspace, problem, file, asked, engines_of(ctx), user="", sizes=(sizes,), quiet=as_json)
        if report.verdict not in EXPLAINED:
            print_result(report, file, as_json=as_json)
            return report
        with console.status("counting") as status:
            submission = read_submission(Path(file), language)
            explanation = explain(
                *(loaded, submission, report, sizes, cache_folder(), chosen, require_sandbox, status.update),
                # A page has it where it can be had.
                with_machine_code=sass or (None if html is not None else False),
            )
            if model:
                status.update(f"computing the model time on {modelled.name}")
                explanation = with_model(
                    *(explanation, loaded, submission, largest, modelled, cache_folder(), report.seed, require_sandbox)
                )
        return explanation

    first = explained(files[0])
    if isinstance(first, Report):
        return first.verdict.facts.exit_code
    if len(files) > 1:
        second = explained(files[1])
        return second.verdict.facts.exit_code if isinstance(second, Report) else print_both(first, second, as_json)
    page = None
    if html is not None:
        from grader.boards.coach_page import write_page

        page = write_page(first, Path(html), workspace)
    if as_json:
        click.echo(json.dumps(json_object(first, page), allow_nan=False))
    else:
        from grader.terminal.explain import print_explanation

        print_explanation(first, output(), page, with_machine_code=sass)
    return first.verdict.facts.exit_code


def print_both(first: Explanation, second: Explanation, as_json: bool) -> int:
    """Prints two explanations side by side; returns the exit code, that of the first file that is not right."""
    if as_json:
        from grader.coach.beside import groups_of

        files = [json_object(each, None) for each in (first, second)]
        groups = [asdict(group) for group in groups_of(first, second)]
        click.echo(json.dumps({"problem": first.problem, "files": files, "groups": groups}, allow_nan=False))
    else:
        from grader.terminal.beside import print_beside
        from grader.terminal.console import output

        print_beside(first, second, output())
    return max(each.verdict.facts.exit_code for each in (first, second))


def json_object(explanation: Explanation, page: Path | None) -> dict[str, Any]:
    """The explanation as JSON data: totals, arrays, lines and advice by kernel; without the source."""
    return {
        "problem": explanation.problem,
        "file": explanation.file,
        "language": explanation.language,
        "sizes": dict(explanation.sizes),
        "target": explanation.target,
        "verdict": explanation.verdict,
        "headline": explanation.headline,
        "kernels": [_kernel(kernel) for kernel in explanation.kernels],
        "model": None if explanation.model is None else _model(explanation.model),
        "page": None if page is None else str(page),
    }


def _model(found: ModelTime) -> dict[str, Any]:
    return {
        "gpu": found.gpu.name,
        "calibrated": found.gpu.calibrated or None,
        "sizes": dict(found.sizes),
        **{name: getattr(found, name) for name in ("seconds", "low", "high", "bound", "why_not")},
        "kernels": [{**asdict(time), "launches": launches} for time, launches in found.kernels],
    }


def _kernel(kernel: KernelExplanation) -> dict[str, Any]:
    from grader.coach.lines import reads_of, refetch_ratio

    return {
        "kernel": kernel.name,
        "grid": list(kernel.grid),
        "block": list(kernel.block),
        "launches": kernel.launches,
        "blocks": kernel.blocks,
        "totals": {**asdict(kernel.totals), "moved": kernel.totals.moved, "intensity": kernel.totals.intensity},
        "arrays": [{**asdict(a), "reads": reads_of(a), "refetched": refetch_ratio(a)} for a in kernel.arrays],
        "lines": [{"line": line.line, **asdict(line.totals), "ways": line.ways} for line in kernel.lines],
        "resources": kernel.resources and asdict(kernel.resources),
        "advice": [_advice(one) for one in kernel.advice],
        "good": list(kernel.good),
        "machine_code": kernel.machine and _machine_code(kernel.machine),
    }


def _advice(one: Advice) -> dict[str, Any]:
    return {
        **{name: getattr(one, name) for name in ("kind", "word", "line", "message", "remedy", "gain", "share")},
        "model": one.tried and {**asdict(one.tried), "saved": one.tried.saved},
    }


def _machine_code(machine: MachineCode) -> dict[str, Any]:
    return {
        "symbol": machine.symbol,
        "instructions": len(machine.code),
        "registers": machine.facts.registers,
        "live": machine.live,
        "local_accesses": machine.spills,
        "lines": [
            {"line": line.line, "live": line.live, "code": [_instruction(one) for one in line.code]}
            for line in machine.by_line()
        ],
        "blocks": [
            {
                "start": block.start,
                "instructions": len(block.code),
                "after": [machine.blocks[i].start for i in block.after],
            }
            for block in machine.blocks
        ],
    }


def _instruction(one: Instruction) -> dict[str, Any]:
    return {
        "address": one.address,
        "text": one.text,
        "opcode": one.opcode,
        "predicate": one.predicate,
        "operands": list(one.operands),
        "reads": list(one.reads),
        "writes": list(one.writes),
        "live": one.live,
        "live_uniform": one.live_uniform,
        "control": asdict(one.control),
        "targets": list(one.targets),
        "inner": one.inner,
    }
