"""The worked steps of the matrix multiplications beside cuBLAS: timed in turns by `kgrade bench`, and drawn.

    python benchmarks/matmul_ladder.py --save build/ladder.json
    python benchmarks/matmul_ladder.py --from build/ladder.json --picture docs/images/matmul-ladder.svg

`--only LADDER` measures one of the three, and `--from` takes several files.

The first needs a GPU and takes some minutes, since the first steps are slow. Step 4 of the half-precision ladder needs
the headers of CUTLASS: pip install --no-deps 'nvidia-cutlass==4.2.*'. The ladder in Python needs the extras triton,
cutile and cute, and PyTorch.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from html import escape
from math import log10
from pathlib import Path

SIDES = (4096, 8192)
PROBLEMS = {"matmul": "matmul", "matmul_fp16": "matmul_fp16", "python": "matmul_fp16"}
"""The problem of each ladder."""
FILES = {
    "matmul": "ladder_*.cu",
    "matmul_fp16": "ladder_*.cu",
    "python": "triton_[1-4]_*.py cutile_tuned.py cute_wgmma_tma.py ladder_3_wgmma_tma.cu",
}
TITLES = {
    "matmul": "matmul, single precision",
    "matmul_fp16": "matmul_fp16, half precision, sums in single precision",
    "python": "matmul_fp16 in Python",
}
FOLDER = Path(__file__).parents[1] / "problems"
TERA = 1e12

WIDTH, LABELS, NUMBERS, LAST = 760, 160, 130, 60
ROW, GAP, HEAD = 22, 38, 30
DECADES = (0.3, 1000.0)
"""TFLOP/s at the left and right ends of the scale."""
STYLE = """
text { font: 13px system-ui, sans-serif; fill: #1b1f24 } .head { font-weight: 600 } .dim { fill: #59636e }
.bar { fill: #2f6fd6 } .cublas { fill: #8c959f } .light { stroke: #b35900; stroke-dasharray: 4 3 }
.grid { stroke: #d1d9e0 }
@media (prefers-color-scheme: dark) {
text { fill: #e6edf3 } .dim { fill: #9198a1 } .bar { fill: #5b9bf5 } .cublas { fill: #6e7681 }
.light { stroke: #f0a35e } .grid { stroke: #3d444d }
}
"""


@dataclass(frozen=True)
class Timed:
    """One step of a ladder at one size: seconds, and those of cuBLAS and of the speed of light beside it."""

    ladder: str
    device: str
    side: int
    step: str
    seconds: float
    half_width: float
    cublas: float
    light: float

    @property
    def rate(self) -> float:
        """TFLOP/s."""
        return 2 * self.side**3 / self.seconds / TERA

    @property
    def times_cublas(self) -> float:
        return self.cublas / self.seconds

    @property
    def share(self) -> float:
        """The share of the speed of light."""
        return self.light / self.seconds


def measured(ladder: str) -> Iterator[Timed]:
    from grader.core.paths import cache_folder
    from grader.machine.gpus import find_gpus
    from grader.measure.score import speed_of_light
    from grader.problem import load_problem
    from grader.run.gpu.ceilings import ceilings

    problem = PROBLEMS[ladder]
    folder = FOLDER / problem / "submissions" / "accepted"
    files = [file for pattern in FILES[ladder].split() for file in sorted(folder.glob(pattern))]
    sizes = [word for side in SIDES for word in ("--size", f"M={side},N={side},K={side}")]
    command = [sys.executable, "-m", "grader", "bench", problem, *map(str, files), *sizes, "--baseline", "--json"]
    ended = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    if not ended.stdout:
        sys.exit(f"kgrade bench {problem} ended with exit code {ended.returncode}")
    told = json.loads(ended.stdout)
    for file in told["files"]:
        if not file["timed"]:
            print(f"{file['file']} is not timed: {file['verdict']}: {file['headline']}", file=sys.stderr)
    loaded, gpu = load_problem(FOLDER / problem), find_gpus()[0]
    reached, _ = ceilings(gpu, cache_folder(), precision=loaded.precision)
    for found in told["sizes"]:
        times = found["times"]
        if "baseline" not in times:
            sys.exit(f"{problem} at {found['sizes']} could not be timed beside cuBLAS: {found['failed']}")
        cost = loaded.cost_of(found["sizes"])
        light = speed_of_light(
            flops=cost.flops, bytes=cost.bytes, bandwidth=reached.bandwidth, rate=reached.flops, floor=0.0
        )
        for file in (file for file in files if file.name in times):
            time = times[file.name]
            half = (time["high"] - time["low"]) / 2 / time["value"]
            yield Timed(
                ladder=ladder,
                device=told["device"],
                side=found["sizes"]["M"],
                step=file.stem.removeprefix("ladder_") if file.suffix == ".cu" else file.name,
                seconds=time["value"],
                half_width=half,
                cublas=times["baseline"]["value"],
                light=light,
            )


def name_of(step: str) -> str:
    return step.removesuffix(".py").replace("_", " ")


def table(steps: Sequence[Timed]) -> str:
    """Markdown: a row a step, and for each size its GFLOP/s, how that compares with cuBLAS, and its share of light."""
    lines = []
    for ladder in dict.fromkeys(one.ladder for one in steps):
        ours = [one for one in steps if one.ladder == ladder]
        heads = [f"{side}: GFLOP/s | × cuBLAS | of light" for side in SIDES]
        lines += [f"| {TITLES[ladder]} | {' | '.join(heads)} |", "|---" + "|---:" * 3 * len(SIDES) + "|"]
        # A file that fails at one size is left out entirely, so every step has every size.
        for step in dict.fromkeys(one.step for one in ours):
            cells = [next(one for one in ours if one.step == step and one.side == side) for side in SIDES]
            numbers = [f"{one.rate * 1000:,.0f} | {one.times_cublas:.3f} | {one.share:.1%}" for one in cells]
            lines.append(f"| {name_of(step)} | {' | '.join(numbers)} |")
        library = [next(one for one in ours if one.side == side) for side in SIDES]
        numbers = [f"{2 * one.side**3 / one.cublas / 1e9:,.0f} | 1 | {one.light / one.cublas:.1%}" for one in library]
        lines += [f"| cuBLAS | {' | '.join(numbers)} |", ""]
    return "\n".join(lines)


def x_of(rate: float) -> float:
    low, high = map(log10, DECADES)
    return LABELS + (WIDTH - LABELS - NUMBERS) * (log10(rate) - low) / (high - low)


def picture(steps: Sequence[Timed], side: int) -> str:
    """SVG: bars of TFLOP/s on a logarithmic scale, cuBLAS's in grey, and the speed of light as a line."""
    parts, y = [], HEAD
    for ladder in dict.fromkeys(one.ladder for one in steps):
        ours = [one for one in steps if one.ladder == ladder and one.side == side]
        rows = [(name_of(one.step), one.rate, f"{one.times_cublas:.2f} ×", "bar") for one in ours]
        library = 2 * side**3 / ours[0].cublas / TERA
        light = 2 * side**3 / ours[0].light / TERA
        rows.append(("cuBLAS", library, "", "cublas"))
        parts.append(f'<text class="head" x="0" y="{y - 10}">{escape(TITLES[ladder])}</text>')
        end = y + ROW * len(rows)
        for decade in (1.0, 10.0, 100.0):
            at = x_of(decade)
            parts.append(f'<path class="grid" d="M{at:.1f} {y}V{end}"/>')
            parts.append(f'<text class="dim" text-anchor="middle" x="{at:.1f}" y="{end + 14}">{decade:g}</text>')
        for label, rate, times, style in rows:
            width = x_of(rate) - LABELS
            said = f"{rate:.3g} TFLOP/s" + (f", {times} cuBLAS" if times else "")
            parts += [
                f'<text text-anchor="end" x="{LABELS - 8}" y="{y + 15}">{escape(label)}</text>',
                f'<rect class="{style}" x="{LABELS}" y="{y + 3}" width="{width:.1f}" height="{ROW - 6}" rx="2">'
                f"<title>{escape(label)}: {said}</title></rect>",
                f'<text text-anchor="end" x="{WIDTH - LAST}" y="{y + 15}">{rate:.3g}</text>',
                f'<text class="dim" text-anchor="end" x="{WIDTH}" y="{y + 15}">{times}</text>',
            ]
            y += ROW
        at = x_of(light)
        parts.append(f'<path class="light" d="M{at:.1f} {y - ROW * len(rows)}V{y}"><title>{light:.3g}</title></path>')
        y += GAP + HEAD
    words = f"TFLOP/s at {side} × {side} × {side} on {steps[0].device}, and times cuBLAS; dashed: the speed of light"
    parts.append(f'<text class="dim" x="0" y="{y - HEAD}">{escape(words)}</text>')
    height = y - HEAD + 10
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img">'
        f"<title>{escape(words)}</title><style>{STYLE}</style>{''.join(parts)}</svg>\n"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--from", dest="known", type=Path, nargs="+", help="saved figures, in place of measuring")
    parser.add_argument("--only", choices=PROBLEMS, help="measures this one alone")
    parser.add_argument("--save", type=Path, help="where the figures go")
    parser.add_argument("--picture", type=Path, help="where the picture goes")
    asked = parser.parse_args()
    if asked.known:
        steps = [Timed(**one) for file in asked.known for one in json.loads(file.read_text())]
    else:
        steps = [one for ladder in PROBLEMS if asked.only in (None, ladder) for one in measured(ladder)]
    if asked.save:
        asked.save.parent.mkdir(parents=True, exist_ok=True)
        asked.save.write_text(json.dumps([asdict(one) for one in steps]))
    if asked.picture:
        asked.picture.write_text(picture(steps, max(SIDES)))
    print(table(steps))


if __name__ == "__main__":
    main()
