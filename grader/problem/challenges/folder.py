"""Lists a folder of challenges without running any: numbers, names, difficulties, titles.

Titles are parsed from the text of each challenge.py, so that listing a hundred is instant and needs no PyTorch.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property
from pathlib import Path

from grader.core.errors import UsageError
from grader.core.files import read_text_of_others

FILE = "challenge.py"
STATEMENT = "challenge.html"
STARTER = Path("starter") / "starter.cu"
DIFFICULTIES = ("easy", "medium", "hard")
BASE = Path("core") / "challenge_base.py"
_NEAREST = 3


@dataclass(frozen=True)
class Challenge:
    """One challenge's folder. `set_name` is the name of its set, which makes the challenge's name unique."""

    folder: Path
    difficulty: str
    set_name: str

    @property
    def short_name(self) -> str:
        """The folder's name: "1_vector_add"."""
        return self.folder.name

    @property
    def name(self) -> str:
        """The name that submissions are recorded under. kgrade's own problems have no colon in their names."""
        return f"{self.set_name}:{self.short_name}"

    @property
    def number(self) -> str:
        return self.short_name.partition("_")[0]

    @property
    def words(self) -> str:
        """The name without its number."""
        return self.short_name.partition("_")[2].lower()

    @property
    def file(self) -> Path:
        return self.folder / FILE

    @property
    def title(self) -> str:
        """The `name` that the source states, else derived from the folder's name."""
        return self._stated.get("name") or self.words.replace("_", " ").capitalize()

    @property
    def tags(self) -> tuple[str, ...]:
        """Marks challenges that kgrade can't grade, so that the list shows it."""
        gpus = self._stated.get("num_gpus", "1")
        return () if gpus == "1" else (f"needs {gpus} GPUs",)

    @cached_property
    def _stated(self) -> dict[str, str]:
        try:
            return dict(_constants(ast.parse(read_text_of_others(self.file))))
        except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
            # Nobody has looked at it, and Python's parser says by these what is too deep or too large for it.
            return {}


class ChallengeSet:
    """The challenges below DIR/challenges. Raises UsageError if there are none."""

    def __init__(self, folder: Path) -> None:
        self.given = folder
        self.root = folder.resolve() / "challenges"
        if not self.root.is_dir():
            raise UsageError(f"{folder} is no set of problems: it has no folder challenges/", _hint(folder.resolve()))
        if not (self.root / BASE).is_file():
            raise UsageError(
                f"{folder} is no set of problems: challenges/{BASE} is missing, which every challenge imports",
                "copy or clone the whole set; kgrade takes nothing from elsewhere",
            )
        found = [folder for folder in self.root.glob("*/*_*") if (folder / FILE).is_file()]
        # The name as typed: a symbolic link to a set has its own name.
        self.name = (folder.resolve() if folder.name == ".." else folder.absolute()).name
        made = (Challenge(folder, folder.parent.name, self.name) for folder in found)
        self.challenges = tuple(sorted(made, key=_order))
        if not self.challenges:
            raise UsageError(
                f"{folder} has no challenges: none of challenges/<difficulty>/<number>_<name>/{FILE} is there",
                "name the folder that holds challenges/",
            )

    def find(self, wanted: str) -> Challenge:
        """The challenge with this number, folder name, or name without number. Raises UsageError with suggestions."""
        bare = wanted.partition(":")[2] if wanted.startswith(f"{self.name}:") else wanted
        bare = bare.strip("/").lower()
        exact = [one for one in self.challenges if one.short_name.lower() == bare]
        found = exact or [one for one in self.challenges if bare in (one.number, one.words)]
        if len(found) == 1:
            return found[0]
        if found:
            names = ", ".join(f"{one.difficulty}/{one.short_name}" for one in found)
            raise UsageError(f"'{wanted}' is more than one challenge: {names}", "type the name with its number")
        message = f"there is no challenge '{wanted}'.{self._guess(bare)}"
        raise UsageError(message, f"type: kgrade list --problems {self.given}")

    def _guess(self, wanted: str) -> str:
        by_words = {one.words: one.short_name for one in self.challenges}
        by_words |= {one.short_name.lower(): one.short_name for one in self.challenges}
        close = get_close_matches(wanted, by_words, n=2 * _NEAREST, cutoff=0.6)
        close += [words for words in by_words if wanted and wanted in words]
        names = list(dict.fromkeys(by_words[words] for words in close))[:_NEAREST]
        return f" Did you mean {' or '.join(repr(name) for name in names)}?" if names else ""


def _order(challenge: Challenge) -> tuple[int, int, str]:
    rank = DIFFICULTIES.index(challenge.difficulty) if challenge.difficulty in DIFFICULTIES else len(DIFFICULTIES)
    return rank, int(challenge.number) if challenge.number.isdecimal() else 0, challenge.short_name


def _constants(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """Yields the constants that the class states, in super().__init__(name=...) or as class attributes."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef):
            for line in node.body:
                if isinstance(line, ast.Assign) and isinstance(line.value, ast.Constant):
                    names = (target.id for target in line.targets if isinstance(target, ast.Name))
                    yield from ((name, str(line.value.value)) for name in names)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "__init__":
            for keyword in node.keywords:
                if keyword.arg and isinstance(keyword.value, ast.Constant):
                    yield keyword.arg, str(keyword.value.value)
            if node.args and isinstance(node.args[0], ast.Constant) and isinstance(node.args[0].value, str):
                yield "name", node.args[0].value


def _hint(folder: Path) -> str:
    if (folder / BASE).is_file() or re.fullmatch("challenges", folder.name):
        return f"name the folder above it: --problems {folder.parent}"
    return "name the folder that holds challenges/, such as a clone of LeetGPU's public challenges"
