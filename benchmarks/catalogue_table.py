"""Measured times of worked files as rows of data, their shares of the speed of light, and docs/catalogue.md of them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median

from grader.boards.words import duration
from grader.core.errors import UsageError
from grader.measure.datasheet import Datasheet, datasheet
from grader.measure.score import PARTS, share_of, speed_of_light
from grader.problem import Problem, load_problem

LIBRARY = "the library"
"""What stands for a file's name beside the time of a problem's library call."""
FOLDER = Path(__file__).resolve().parents[1] / "problems"

HEAD = """\
# Times of the worked submissions

Each problem's worked submissions, timed in turns by `kgrade bench` at the problem's benchmark sizes on one NVIDIA
{gpu}. The share is of the speed of light: the shortest time in which a GPU with the figures of its data sheet,
{bandwidth:,.0f} GB/s, could move the bytes that the problem has to move at least, or compute what it has to compute,
divided by the measured time. A score of `kgrade submit` is a little higher: it compares with what that GPU was measured
to reach, and counts the launch.

    python benchmarks/catalogue.py --measure --save build/catalogue.json --table docs/catalogue.md
"""


@dataclass(frozen=True)
class Timed:
    """A worked file's measured time at one size, and its share of the speed of light by the GPU's data sheet."""

    problem: str
    file: str
    sizes: str
    seconds: float
    share_of_light: float
    gpu: str


def sizes_of(text: str) -> dict[str, int]:
    """Sizes that are written as `kgrade bench --size` takes them: M=1024,N=512."""
    return {name: int(value) for name, value in (part.split("=") for part in text.split(","))}


def sheet_of(gpu: str) -> Datasheet:
    """The data sheet of a GPU that is named as `kgrade explain --gpu` names it. Raises UsageError if unknown."""
    found = datasheet(gpu) or datasheet(f"NVIDIA {gpu}")
    if found is None:
        raise UsageError(f"no data sheet of {gpu} is known", "name a GPU of grader/measure/datasheet.py: --gpu H200")
    return found


def share(problem: Problem, sizes: Mapping[str, int], seconds: float, gpu: str) -> float:
    """The share of the speed of light of a time in seconds, without the time that a launch takes."""
    sheet, cost = sheet_of(gpu), problem.cost_of(sizes)
    rate = sheet.rate(problem.precision) or sheet.fp32
    split = max(rate, (sheet.fp16 or 0.0) / PARTS) if problem.splits else rate
    light, least = (
        speed_of_light(flops=cost.flops, bytes=cost.bytes, bandwidth=sheet.bandwidth, rate=one, floor=0.0)
        for one in (rate, split)
    )
    return share_of(light, seconds, least).value


def read_rows(file: Path, gpu: str) -> list[Timed]:
    """The measured rows of a file that benchmarks/catalogue.py or benchmarks/model_time.py has saved.

    The latter's are of a run with --measure on `gpu`; its rows without a measured time are left out.
    """
    problems: dict[str, Problem] = {}
    found = []
    for row in json.loads(file.read_text(encoding="utf-8")):
        name, sizes = row["problem"], row["sizes"]
        if "share_of_light" in row:
            found.append(Timed(**row))
        elif row["measured"] is not None:
            loaded = problems.setdefault(name, load_problem(FOLDER / name))
            part = share(loaded, sizes_of(sizes), row["measured"], gpu)
            found.append(Timed(name, row["file"], sizes, row["measured"], part, gpu))
    return found


def write_rows(file: Path, rows: Iterable[Timed]) -> None:
    """Saves rows for `read_rows`."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps([asdict(row) for row in rows], indent=1) + "\n", encoding="utf-8")


def page(rows: Sequence[Timed], gpu: str, note: str = "") -> str:
    """docs/catalogue.md: what the rows show together, and a line for each file and size."""
    own = [row for row in rows if row.gpu == gpu]
    files = [row for row in own if row.file != LIBRARY]
    lines = [HEAD.format(gpu=gpu, bandwidth=sheet_of(gpu).bandwidth / 1e9)]
    lines += [*([note, ""] if note else []), *summary(files), ""]
    lines += ["| problem | file | sizes | time | share |", "|---|---|---|---:|---:|"]
    for row in own:
        sizes = row.sizes.replace(",", " ")
        cells = (
            row.problem,
            f"`{row.file}`" if row.file != LIBRARY else LIBRARY,
            sizes,
            duration(row.seconds),
            f"{row.share_of_light:.1%}",
        )
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def summary(rows: Sequence[Timed]) -> Iterator[str]:
    """Says how close the fastest file of each problem and size comes to the speed of light."""
    best: dict[tuple[str, str], float] = {}
    for row in rows:
        key = row.problem, row.sizes
        best[key] = max(best.get(key, 0.0), row.share_of_light)
    if not best:
        yield "No time was measured."
        return
    files, problems = {(row.problem, row.file) for row in rows}, {row.problem for row in rows}
    yield f"Files: {len(files)}, of {len(problems)} problems. The fastest file of a problem at one of its sizes reaches"
    yield (
        f"{median(best.values()):.0%} of the speed of light in the median, "
        f"and at least 85% in {sum(value >= 0.85 for value in best.values())} of {len(best)}."
    )
