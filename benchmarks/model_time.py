"""Model times of all accepted worked files at all benchmark sizes, beside measured ones where there is a GPU.

    python benchmarks/model_time.py --save build/model.json --table build/model.md
    python benchmarks/model_time.py --from build/model.json --table build/model.md
    python benchmarks/model_time.py --only matmul --size M=4096,N=4096,K=4096

`--gpu` names the GPU of the model, H200 if nothing is said; `--values` a table of benchmarks/calibrate_model.py. Files
in CUDA C++ alone: `--python` takes the others too. With `--measure` the files of a problem are timed by
`kgrade bench`, on this machine's GPU, which has to be the one that is named.

`--keep FOLDER` keeps what was sampled: all files are timed again in ten minutes after a change of what comes after the
sample, where sampling takes an hour. After a change of files, of sampling or of the compiler take another folder.
`--measured FILE` takes measured times from a file that `--save` wrote on a machine with a GPU.
"""

from __future__ import annotations

import argparse
import json
import pickle
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from model_table import Modelled, summary, table

if TYPE_CHECKING:
    from grader.model.model import Sampled

FOLDER = Path(__file__).parents[1] / "problems"


def kept(path: Path | None, sample: Callable[[], Sampled]) -> Sampled | str:
    """What was sampled, or why that failed: from the file if it is there, else anew, and then put there."""
    from grader.core.files import write_whole
    from grader.model.sampling import CannotSampleError

    if path is not None and path.is_file():
        found: Sampled | str = pickle.loads(path.read_bytes())
        return found
    try:
        found = sample()
    except CannotSampleError as error:
        found = str(error)
    if path is not None:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, pickle.dumps(found))
    return found


def modelled(
    problem: str, gpu: str, values: Path | None, sizes: list[str], python: bool, keep: Path | None = None
) -> Iterator[Modelled]:
    """The rows of one problem, unmeasured."""
    from grader.commands.options import parse_size_option
    from grader.core.paths import cache_folder
    from grader.languages.registry import read_submission
    from grader.model.calibration import calibration_of
    from grader.model.gpus import gpu_named
    from grader.model.model import sample_case, time_of
    from grader.problem import load_problem

    loaded, named = load_problem(FOLDER / problem), gpu_named(gpu)
    cases = [parse_size_option(loaded, text) for text in sizes] or [dict(one) for one in loaded.benchmarks]
    folder = FOLDER / problem / "submissions" / "accepted"
    for file in sorted(file for file in folder.iterdir() if file.suffix == ".cu" or (python and file.suffix == ".py")):
        for case in cases:
            row = Modelled(problem, file.name, ",".join(f"{name}={size}" for name, size in case.items()), None)
            place = None if keep is None else keep / f"{problem} {file.name} {row.sizes} {named.name}.pickle"
            submission = read_submission(file, None)
            sampled = kept(place, lambda: sample_case(loaded, submission, case, named, cache_folder()))  # noqa: B023
            if isinstance(sampled, str):
                yield replace(row, why_not=sampled)
                continue
            found = time_of(sampled, named, calibration_of(named, values))
            bounds = {"seconds": found.seconds, "low": found.low, "high": found.high}
            yield replace(row, **bounds, bound=found.bound, why_not=found.why_not)


def with_times(rows: Sequence[Modelled], saved: Sequence[Mapping[str, Any]]) -> list[Modelled]:
    """The rows with the measured times of saved ones."""
    times = {(one["problem"], one["file"], one["sizes"]): one["measured"] for one in saved}
    return [replace(row, measured=times.get((row.problem, row.file, row.sizes))) for row in rows]


def measured(rows: list[Modelled]) -> list[Modelled]:
    """The rows of one problem with the times of `kgrade bench`, which compares at most MOST_FILES in one run."""
    from grader.measure.duel import MOST_FILES

    problem = rows[0].problem
    files = list(dict.fromkeys(row.file for row in rows))
    sizes = [word for size in dict.fromkeys(row.sizes for row in rows) for word in ("--size", size)]
    times: dict[tuple[str, str], float] = {}
    for start in range(0, len(files), MOST_FILES):
        times |= bench_times(problem, files[start : start + MOST_FILES], sizes)
    return [replace(row, measured=times.get((row.file, row.sizes), row.measured)) for row in rows]


def bench_times(problem: str, files: Sequence[str], sizes: Sequence[str]) -> Mapping[tuple[str, str], float]:
    """The seconds of one run of `kgrade bench`, by file and size; empty if it times nothing."""
    paths = [str(FOLDER / problem / "submissions" / "accepted" / file) for file in files]
    command = [sys.executable, "-m", "grader", "bench", problem, *paths, *sizes, "--json"]
    ended = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    told = json.loads(ended.stdout) if ended.stdout else {}
    if "sizes" not in told:
        why = told.get("error", f"it ended with exit code {ended.returncode}")
        print(f"kgrade bench {problem} timed nothing: {why}", file=sys.stderr)
        return {}
    times: dict[tuple[str, str], float] = {}
    for found in told["sizes"]:
        size = ",".join(f"{name}={value}" for name, value in found["sizes"].items())
        times.update({(file, size): time["value"] for file, time in found["times"].items()})
    return times


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gpu", default="H200")
    parser.add_argument("--values", type=Path)
    parser.add_argument("--only", action="append", default=[], metavar="PROBLEM")
    parser.add_argument("--size", action="append", default=[])
    parser.add_argument("--python", action="store_true")
    parser.add_argument("--measure", action="store_true")
    parser.add_argument("--measured", type=Path, metavar="FILE")
    parser.add_argument("--keep", type=Path, metavar="FOLDER")
    parser.add_argument("--save", type=Path)
    parser.add_argument("--from", dest="source", type=Path)
    parser.add_argument("--table", type=Path)
    given = parser.parse_args()
    rows: list[Modelled] = []
    if given.source:
        rows = [Modelled(**one) for one in json.loads(given.source.read_text(encoding="utf-8"))]
    else:
        for problem in given.only or sorted(path.parent.name for path in FOLDER.glob("*/problem.py")):
            own = list(modelled(problem, given.gpu, given.values, given.size, given.python, given.keep))
            if given.measured:
                own = with_times(own, json.loads(given.measured.read_text(encoding="utf-8")))
            rows += measured(own) if given.measure and own else own
            print(
                f"{problem}: {sum(row.seconds is not None for row in own)} of {len(own)}", file=sys.stderr, flush=True
            )
            if given.save:
                given.save.parent.mkdir(parents=True, exist_ok=True)
                given.save.write_text(json.dumps([asdict(row) for row in rows], indent=1), encoding="utf-8")
    text = "\n".join(summary(rows))
    if given.table:
        given.table.write_text(f"{text}\n\n{table(rows)}\n", encoding="utf-8")
    print(text if given.table else f"{table(rows)}\n\n{text}")


if __name__ == "__main__":
    main()
