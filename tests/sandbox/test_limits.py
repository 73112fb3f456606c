"""How many processes a program in a sandbox may have."""

from __future__ import annotations

import os
from pathlib import Path

from grader.sandbox import SandboxLimits
from grader.sandbox.limits import process_limit


def test_where_others_count_too_those_that_end_meanwhile_do_not(tmp_path: Path) -> None:
    texts = {
        "17": f"Name:\tmine\nUid:\t{os.getuid()}\t0\t0\t0\nThreads:\t3\n",
        "18": f"Name:\tof another user\nUid:\t{os.getuid() + 1}\t0\t0\t0\nThreads:\t5\n",
        "self": f"Name:\tmine\nUid:\t{os.getuid()}\t0\t0\t0\nThreads:\t3\n",
    }
    for name, text in texts.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "status").write_text(text)
    # One that was listed, and is gone.
    (tmp_path / "19").symlink_to("nowhere")
    assert process_limit(SandboxLimits(processes=40), in_namespace=False, proc=tmp_path) == 43


def test_where_the_list_of_processes_is_hidden_none_count(tmp_path: Path) -> None:
    assert process_limit(SandboxLimits(processes=40), in_namespace=False, proc=tmp_path / "none") == 40
