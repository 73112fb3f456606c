"""Which CUDA a machine can use, what of it is installed, and what to type."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from grader.core.errors import ToolMissing
from grader.core.verdict import LanguageName
from grader.machine.cuda_packages import (
    CUTLASS,
    DEFAULT,
    EXTRAS,
    choose,
    cutlass_command,
    driver_branch,
    install_command,
    language_command,
    require_fit,
    require_one,
    usable,
)
from grader.machine.own_install import extra_command

from .conftest import Capability, Machine, make_gpu

ROOT = Path(__file__).parents[2]
PYPROJECT = ROOT / "pyproject.toml"

PASCAL, VOLTA, TURING, HOPPER, BLACKWELL = (6, 1), (7, 0), (7, 5), (9, 0), (12, 0)


@pytest.mark.parametrize(
    ("driver", "capabilities", "major"),
    [
        ("580.65.06", [TURING], 13),
        ("595.1", [HOPPER, BLACKWELL], 13),
        ("579.99", [HOPPER], 12),
        ("525.60.13", [(5, 0)], 12),
        ("580.65.06", [VOLTA], 12),
        ("580.65.06", [HOPPER, PASCAL], 12),
        ("570.124", [BLACKWELL], 12),
        # A driver that does not tell the capability.
        ("535.104.05", [], 12),
        ("524.99", [TURING], None),
        ("470.256.02", [(3, 7)], None),
        ("unknown", [HOPPER], None),
    ],
)
def test_the_newest_cuda_that_driver_and_gpus_allow(
    driver: str, capabilities: list[Capability], major: int | None
) -> None:
    extra = choose(driver, capabilities)
    assert (extra.major if extra else None) == major


@pytest.mark.parametrize(("driver", "branch"), [("580.65.06", 580), (" 470", 470), ("[N/A]", 0), ("", 0)])
def test_the_branch_of_a_driver(driver: str, branch: int) -> None:
    assert driver_branch(driver) == branch


def test_a_misfit_says_what_is_needed_and_what_is_here() -> None:
    assert DEFAULT.misfit("550.54.14") == "CUDA 13 needs driver 580 or newer, and this machine's is 550.54.14"
    assert DEFAULT.misfit("580.1", [HOPPER, PASCAL]) == (
        "CUDA 13 needs compute capability 7.5 (Turing) or newer, and this GPU has 6.1"
    )
    assert DEFAULT.misfit("580.1", [HOPPER]) == ""


def test_the_project_has_an_extra_for_each_cuda_and_one_more_for_gpus() -> None:
    text = PYPROJECT.read_text()
    for extra in EXTRAS:
        plain, gpu = (
            re.search(rf"^{name} = \[(.+)\]$", text, re.MULTILINE) for name in (extra.named(False), extra.named(True))
        )
        assert plain and gpu
        assert f'"{extra.cupy}>=' in plain[1]
        assert f"=={extra.release}.*" in plain[1]
        assert f'"kgrade[{extra.name}]"' in gpu[1]
        assert re.search(rf"cublas.*=={extra.release}\.\*", gpu[1])
    dependencies = text[text.index("dependencies = [") :].split("]\n")[0]
    assert "cupy" not in dependencies and "cuda-toolkit" not in dependencies


def test_the_same_headers_of_cute_are_named_everywhere() -> None:
    assert f'\ncutlass = ["{CUTLASS}"]\n' in PYPROJECT.read_text()
    assert f'\nCUTLASS := --no-deps "{CUTLASS}"\n' in (ROOT / "Makefile").read_text()
    for page in ("README.md", "docs/tensor-cores.md"):
        assert cutlass_command() in (ROOT / page).read_text()


@pytest.mark.parametrize(
    ("cupy", "driver", "capabilities", "command"),
    [
        ((), "", [], extra_command("cuda13")),
        ((12,), "", [], extra_command("cuda12")),
        ((), "580.1", [HOPPER], extra_command("cuda13-gpu")),
        ((), "535.1", [HOPPER], extra_command("cuda12-gpu")),
        # What is here and works stays.
        ((12,), "580.1", [HOPPER], extra_command("cuda12-gpu")),
        ((13,), "535.1", [HOPPER], f"pip uninstall --yes cupy-cuda13x && {extra_command('cuda12-gpu')}"),
        ((13,), "580.1", [PASCAL], f"pip uninstall --yes cupy-cuda13x && {extra_command('cuda12-gpu')}"),
        ((13, 12), "", [], f"pip uninstall --yes cupy-cuda13x cupy-cuda12x && {extra_command('cuda13')}"),
        (
            (13, 12),
            "535.1",
            [TURING],
            f"pip uninstall --yes cupy-cuda13x cupy-cuda12x && {extra_command('cuda12-gpu')}",
        ),
        # A GPU that no CUDA can use counts as none.
        ((), "470.1", [TURING], extra_command("cuda13")),
        ((12,), "470.1", [TURING], extra_command("cuda12")),
    ],
)
def test_what_to_type(
    machine: Machine, cupy: tuple[int, ...], driver: str, capabilities: list[Capability], command: str
) -> None:
    machine.has(*cupy)
    machine.with_gpus(driver, *capabilities)
    assert install_command() == command


def test_two_cupys_break_each_other(machine: Machine) -> None:
    machine.has(13, 12)
    with pytest.raises(ToolMissing, match="cupy-cuda13x and cupy-cuda12x are both installed") as caught:
        require_one()
    assert "pip uninstall --yes cupy-cuda13x cupy-cuda12x" in caught.value.hint


def test_the_one_that_is_installed(machine: Machine) -> None:
    assert require_one() is None
    machine.has(12)
    assert require_one() is EXTRAS[1]


@pytest.mark.parametrize(
    ("cupy", "driver", "capability", "message", "hint"),
    [
        (13, "550.54", HOPPER, "NVIDIA Sample: CUDA 13 needs driver 580 or newer", "[cuda12-gpu]'"),
        (13, "580.1", VOLTA, "NVIDIA Sample: CUDA 13 needs compute capability 7.5", "[cuda12-gpu]'"),
        (12, "515.1", HOPPER, "NVIDIA Sample: CUDA 12 needs driver 525 or newer", "NVIDIA's driver 580"),
    ],
)
def test_a_gpu_that_the_installed_cuda_cannot_use_is_refused(
    machine: Machine, cupy: int, driver: str, capability: Capability, message: str, hint: str
) -> None:
    machine.has(cupy)
    machine.with_gpus(driver, capability)
    with pytest.raises(ToolMissing, match=re.escape(message)) as caught:
        require_fit(machine.gpus[0])
    assert hint in caught.value.hint
    assert "--device emulator" in caught.value.hint


def test_a_gpu_that_fits_is_taken(machine: Machine) -> None:
    for cupy, driver, capability in ((13, "580.1", TURING), (12, "580.1", TURING), (12, "525.1", PASCAL)):
        machine.has(cupy)
        require_fit(make_gpu(driver, capability))
    # Of a CuPy of another origin nothing is known.
    machine.has()
    require_fit(make_gpu("470.1", PASCAL))


def test_a_gpu_is_usable_if_any_cuda_can_use_it() -> None:
    assert usable(make_gpu("525.1", PASCAL))
    assert not usable(make_gpu("470.1", PASCAL))


@pytest.mark.parametrize(
    ("cupy", "driver", "capabilities", "extra"),
    [
        ((13,), "", [], "numba"),
        ((12,), "", [], "numba-cuda12"),
        # Nothing is here yet: as for kgrade's own packages.
        ((), "", [], "numba"),
        ((), "580.1", [HOPPER], "numba"),
        ((), "535.1", [HOPPER], "numba-cuda12"),
        # What is here stays, whatever else the GPU could use.
        ((12,), "580.1", [HOPPER], "numba-cuda12"),
    ],
)
def test_numba_is_installed_with_the_compiler_of_the_cuda_that_is_here(
    machine: Machine, cupy: tuple[int, ...], driver: str, capabilities: list[Capability], extra: str
) -> None:
    machine.has(*cupy)
    machine.with_gpus(driver, *capabilities)
    assert language_command(LanguageName.NUMBA) == extra_command(extra)
    # The others have theirs with them.
    assert language_command(LanguageName.TRITON) == extra_command("triton")


def test_the_project_pins_the_same_numba_for_each_cuda() -> None:
    text = PYPROJECT.read_text()
    found = dict(re.findall(r'^(numba[\w-]*) = \["numba-cuda\[(cu\d+)\]==0\.30\.\*"\]$', text, re.MULTILINE))
    assert found == {"numba": "cu13", "numba-cuda12": "cu12"}
