"""Grades worked files in Python on a GPU, and compares their replay with a direct run, bit for bit.

    python benchmarks/languages_on_gpu.py --save build/languages_on_gpu.jsonl --seconds 540
    python benchmarks/languages_on_gpu.py --save build/languages_on_gpu.jsonl --language triton --language numba
    python benchmarks/languages_on_gpu.py --faulty --problem matmul --device emulator
    TMPDIR=$(mktemp -d) python benchmarks/languages_on_gpu.py --untimed --language cute

Each file is graded as `kgrade submit` does, with times. Then its solve() is recorded and replayed once more, at the
largest of twelve sizes, and its file is called directly on the same inputs, in a process without kgrade. Where the bits
differ, the direct run is repeated: what adds up in any order, or is tuned, differs from itself.

Gradings on one GPU take turns, by a lock below TMPDIR. With `--untimed` they needn't: give each command a TMPDIR of its
own, and take the times afterwards, `python benchmarks/catalogue.py --measure --quick --python --files '*.py'`.

A line of JSON is written for each file as soon as it is known; files that have a line already are passed over, so that
the same command goes on where it was cut off. After `--seconds` no further file is begun. Accepted files come first;
with `--faulty` those of other verdicts follow, which are graded alone. A language that is not installed is told once.
With `--device emulator` direct runs are those of the interpreters that Triton and numba have, at a small size; their
sums have an order of their own: that tries this program, and says nothing of a GPU.

Fields of a line: file, language, declared, verdict, as_declared, headline, seconds (of the grading), times (µs with the
share of the speed of light, for each size), notes, sizes (of the comparison), direct: "equal", "differs" or "failed",
difference (the largest relative one), own_difference (that of direct runs among themselves), failure. At the end it
says how many there are of each, of the whole file.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from replay_equality import AGAIN, REPOSITORY, SEED, replay, sizes_for, worst
from run_directly import DirectRuns

from grader.core.errors import KgradeError
from grader.core.report import Report
from grader.core.verdict import LanguageName, Verdict
from grader.judge.conductor import Options, grade
from grader.judge.verify import NO_PATTERN, WorkedSubmission, compare, expectation_met_by, works_of
from grader.languages.registry import language_of, read_submission
from grader.machine.gpus import Gpu
from grader.plan.runner import RunnerStopped
from grader.problem import Problem, load_problem
from grader.problem.inputs import families, make_inputs
from grader.run.devices import choose_gpu
from grader.run.templates import use_templates
from grader.sandbox import Sandbox
from grader.sandbox.template import end_templates

LANGUAGES = tuple(str(name) for name in LanguageName if name is not LanguageName.CUDA)
PACKAGES = ("torch", "triton", "numba-cuda", "cuda-tile", "nvidia-cutlass-dsl")
FAMILY = "normal"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--language", action="append", choices=LANGUAGES, default=[])
    parser.add_argument("--problem", action="append", default=[])
    parser.add_argument("--device", default="gpu", help="gpu, gpu:N or emulator")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="begin no file after so many seconds")
    parser.add_argument("--save", type=Path, help="the file of lines; by default they are printed")
    parser.add_argument("--faulty", action="store_true", help="also files that are to fail")
    parser.add_argument("--untimed", action="store_true", help="verdicts and bits alone, for several beside each other")
    given = parser.parse_args()
    began = time.monotonic()
    try:
        gpu = choose_gpu(given.device)
    except KgradeError as error:
        sys.exit(f"{error.message}\n{error.hint}")
    known = read_lines(given.save)
    works = [work for work in worked_files(given.problem, given.faulty) if work.name not in known]
    use_templates(Sandbox.find())
    runs = DirectRuns(on_gpu=gpu is not None)
    left: Counter[str] = Counter()
    told: set[str] = set()
    try:
        for work in works:
            language = language_of(read_submission(work.file))
            if given.language and language.name not in given.language:
                continue
            if missing := language.missing():
                if language.name not in told:
                    print(f"{language.name} is left out: {missing}", file=sys.stderr, flush=True)
                told.add(language.name)
                continue
            if time.monotonic() - began > given.seconds:
                left[str(language.name)] += 1
                continue
            line = line_of(work, str(language.name), given.device, gpu, runs, timed=not given.untimed)
            known[work.name] = line
            write_line(given.save, line)
    finally:
        runs.close()
        end_templates()
    print(summary(list(known.values())), file=sys.stderr)
    if left:
        rest = ", ".join(f"{count} of {name}" for name, count in left.items())
        print(f"not begun for want of time: {rest}; the same command goes on with them", file=sys.stderr)


def worked_files(problems: Sequence[str], faulty: bool) -> Iterator[WorkedSubmission]:
    """The worked files in Python, those that are to be accepted first."""
    names = problems or sorted(path.parent.name for path in (REPOSITORY / "problems").glob("*/problem.py"))
    found = [work for name in names for work in works_of(name, REPOSITORY / "problems" / name)]
    files = [work for work in found if isinstance(work, WorkedSubmission) and work.file.suffix == ".py"]
    right = [work for work in files if work.expected.verdict is Verdict.ACCEPTED]
    yield from right
    if faulty:
        yield from (work for work in files if work not in right)


def line_of(
    work: WorkedSubmission, language: str, device: str, gpu: Gpu | None, runs: DirectRuns, timed: bool
) -> dict[str, Any]:
    """What is known of one file; accepted ones are timed if that is asked for."""
    problem = load_problem(work.folder)
    accepted = work.expected.verdict is Verdict.ACCEPTED
    line: dict[str, Any] = {"file": work.name, "language": language, "declared": str(work.expected)}
    line |= {"device": gpu.name if gpu else "emulator", "packages": packages()}
    try:
        options = Options(seed=SEED, device=device, user="benchmark", search=NO_PATTERN, timed=timed and accepted)
        line |= graded(grade(problem, read_submission(work.file), options), work)
    except KgradeError as error:
        line |= {"verdict": "", "as_declared": False, "headline": f"{error.message} {error.hint}".strip()}
    return line | compared(problem, work.file, language, gpu, runs) if accepted else line


def graded(report: Report, work: WorkedSubmission) -> dict[str, Any]:
    """The fields of a line that a report has."""
    sizes = report.measurement.sizes if report.measurement else ()
    times = [{"sizes": dict(one.sizes), "us": one.time.value * 1e6, "sol": one.sol} for one in sizes]
    got = expectation_met_by(report)
    return {
        "verdict": str(got),
        "as_declared": not compare(work.expected, got),
        "headline": report.headline,
        "seconds": round(report.seconds, 2),
        "times": times,
        "notes": [note.message for note in report.diagnostics if note.severity == "note"],
    }


def compared(problem: Problem, file: Path, language: str, gpu: Gpu | None, runs: DirectRuns) -> dict[str, Any]:
    """The fields of a line that tell the replay from direct runs."""
    family = FAMILY if FAMILY in families(problem) else families(problem)[0]
    sizes = sizes_for(problem, file, on_gpu=gpu is not None)
    told: dict[str, Any] = {"sizes": dict(sizes)}
    try:
        replayed = replay(problem, file, sizes, gpu, family)
        direct = run_directly(problem, file, language, sizes, family, runs)
        difference = worst(replayed, direct)
        if difference is None:
            return told | {"direct": "equal"}
        again = [worst(run_directly(problem, file, language, sizes, family, runs), direct) for _ in range(AGAIN)]
    except (KgradeError, RunnerStopped, RuntimeError) as error:
        return told | {"direct": "failed", "failure": str(error)[:400]}
    own = max((found for found in again if found is not None), default=None)
    return told | {"direct": "differs", "difference": difference, "own_difference": own}


def run_directly(
    problem: Problem, file: Path, language: str, sizes: Mapping[str, int], family: str, runs: DirectRuns
) -> dict[str, Any]:
    """The outputs of a call of the file itself."""
    import numpy as np

    arrays = dict(make_inputs(problem, sizes, family, SEED))
    for name, output in problem.outputs.items():
        arrays[name] = np.empty(output.shape(sizes), output.dtype.numpy)
    names = list(problem.params)
    arguments = [arrays[name] if name in arrays else sizes[name] for name in names]
    found = runs.run(file, language, arguments, [names.index(name) for name in problem.outputs])
    return dict(zip(problem.outputs, found, strict=True))


def packages() -> dict[str, str]:
    """The versions of what the languages need, as far as it is installed."""
    found = {}
    for name in PACKAGES:
        with suppress(PackageNotFoundError):
            found[name] = version(name)
    return found


def read_lines(file: Path | None) -> dict[str, dict[str, Any]]:
    """The lines that a file has already, by the names of their files."""
    if file is None or not file.exists():
        return {}
    lines = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines() if line.strip()]
    return {line["file"]: line for line in lines}


def write_line(file: Path | None, line: Mapping[str, Any]) -> None:
    """Writes a line at once: what comes later may be cut off."""
    text = json.dumps(line)
    if file is None:
        print(text, flush=True)
        return
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("a", encoding="utf-8") as stream:
        stream.write(text + "\n")
    print(f"{line['file']:60} {line['verdict'] or line['headline']:30} {line.get('direct', '')}", flush=True)


def summary(lines: Sequence[Mapping[str, Any]]) -> str:
    """How many files of each language came out how."""
    told = []
    for language in LANGUAGES:
        own = [line for line in lines if line["language"] == language]
        if not own:
            continue
        right = sum(line["as_declared"] for line in own)
        timed = sum(bool(line.get("times")) for line in own)
        directs = Counter(line["direct"] for line in own if "direct" in line)
        apart = sum(line.get("direct") == "differs" and line["own_difference"] is not None for line in own)
        words = f"{language}: {right} of {len(own)} as declared, {timed} timed; direct runs: "
        words += ", ".join(f"{count} {how}" for how, count in sorted(directs.items())) or "none"
        told.append(words + (f" ({apart} of them from themselves)" if apart else ""))
    return "\n".join(told)


if __name__ == "__main__":
    main()
