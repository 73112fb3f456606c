"""docs/catalogue.md: times and shares of the speed of light of all worked files of all problems.

    python benchmarks/catalogue.py --measure --save build/catalogue.json --table docs/catalogue.md
    python benchmarks/catalogue.py --from build/catalogue.json --table docs/catalogue.md
    python benchmarks/catalogue.py --from build/model.json --table docs/catalogue.md

`--measure` runs `kgrade bench` for each problem on this machine's GPU, which has to be the one that `--gpu` names.
`--from` takes what was saved here, or what `benchmarks/model_time.py --measure --save` has saved. Files in CUDA C++
alone: `--python` times the others too. `scripts/refresh-editorials --times` reads the same files.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from catalogue_table import FOLDER, Timed, page, read_rows, share, sizes_of, write_rows
from model_table import Modelled
from model_time import measured

from grader.core.errors import UsageError
from grader.problem import load_problem


def timed(problem: str, gpu: str, python: bool) -> list[Timed]:
    """The rows of one problem's worked files, timed by `kgrade bench`."""
    loaded = load_problem(FOLDER / problem)
    folder = FOLDER / problem / "submissions" / "accepted"
    files = sorted(file.name for file in folder.iterdir() if file.suffix == ".cu" or (python and file.suffix == ".py"))
    sizes = [",".join(f"{name}={size}" for name, size in case.items()) for case in loaded.benchmarks]
    rows = measured([Modelled(problem, file, size, None) for file in files for size in sizes])
    return [
        Timed(problem, row.file, row.sizes, row.measured, share(loaded, sizes_of(row.sizes), row.measured, gpu), gpu)
        for row in rows
        if row.measured is not None
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--measure", action="store_true")
    source.add_argument("--from", dest="source", type=Path, metavar="FILE")
    parser.add_argument("--gpu", default="H200")
    parser.add_argument("--only", action="append", default=[], metavar="PROBLEM")
    parser.add_argument("--python", action="store_true")
    parser.add_argument("--save", type=Path, metavar="FILE")
    parser.add_argument("--table", type=Path, metavar="FILE")
    parser.add_argument("--note", default="", help="what else to say of how the times were taken")
    given = parser.parse_args()
    try:
        rows = read_rows(given.source, given.gpu) if given.source else []
    except (OSError, ValueError, UsageError) as error:
        sys.exit(f"{given.source}: {error}")
    if given.only:
        rows = [row for row in rows if row.problem in given.only]
    if given.measure:
        for problem in given.only or sorted(path.parent.name for path in FOLDER.glob("*/problem.py")):
            own = timed(problem, given.gpu, given.python)
            rows += own
            print(f"{problem}: {len(own)} times", file=sys.stderr, flush=True)
            if given.save:
                write_rows(given.save, rows)
    elif given.save:
        write_rows(given.save, rows)
    text = page(rows, given.gpu, given.note)
    if given.table:
        given.table.write_text(text, encoding="utf-8")
    else:
        print(text, end="")


if __name__ == "__main__":
    main()
