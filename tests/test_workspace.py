"""Workspaces are found where a person expects them, and problems in them in the right order."""

from __future__ import annotations

import grp
import os
import pwd
import tempfile
from pathlib import Path

import pytest

from grader.core.crash import write_crash_log
from grader.core.errors import UsageError, WorkspaceError
from grader.core.paths import cache_folder
from grader.store.workspace import Workspace, builtin_folder, find_workspace


def make(root: Path) -> Path:
    for name in ("problems", "submissions"):
        (root / name).mkdir(parents=True)
    return root


def test_found_from_a_folder_below(tmp_path: Path) -> None:
    root = make(tmp_path / "mine")
    below = root / "solutions" / "week1"
    below.mkdir(parents=True)
    assert find_workspace(start=below).root == root


def test_the_nearest_of_two_nested_ones_is_taken(tmp_path: Path) -> None:
    inner = make(make(tmp_path / "outer") / "inner")
    assert find_workspace(start=inner).root == inner


def test_without_one_the_users_data_folder_is_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    (tmp_path / "problems").mkdir()
    found = find_workspace(start=tmp_path)
    assert found.root == tmp_path / "data" / "kgrade"
    assert found.problem_roots == (builtin_folder("problems"),)
    assert not found.root.exists()


def test_the_users_data_folder_may_be_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A server's workers are told its workspace by name."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    own = find_workspace(start=tmp_path).root
    (own / "contests").mkdir(parents=True)
    assert find_workspace(str(own)).root == own


@pytest.mark.parametrize("name", ["missing", "plain"])
def test_a_named_folder_has_to_be_a_workspace(tmp_path: Path, name: str) -> None:
    (tmp_path / "plain").mkdir()
    with pytest.raises(WorkspaceError, match=name) as raised:
        find_workspace(str(tmp_path / name))
    assert "kgrade new" in raised.value.hint


def test_own_problems_and_templates_come_before_the_built_in(tmp_path: Path) -> None:
    workspace = Workspace(make(tmp_path))
    (tmp_path / "templates").mkdir()
    assert workspace.problem_roots == (tmp_path / "problems", builtin_folder("problems"))
    assert workspace.template_folders == (tmp_path / "templates", builtin_folder("templates"))


def test_the_repository_is_a_workspace_whose_problems_count_once() -> None:
    workspace = Workspace(builtin_folder("problems").parent)
    assert workspace.problem_roots == (builtin_folder("problems"),)
    assert {"matmul", "reduce", "map", "zip"} <= set(workspace.problems)


@pytest.mark.parametrize(
    ("typed", "meant"),
    [("matmull", "matmul"), ("MatMul", "matmul"), ("reduction", "reduce"), ("mat", "matmul")],
)
def test_a_mistyped_problem_gets_a_guess(tmp_path: Path, typed: str, meant: str) -> None:
    with pytest.raises(UsageError, match=f"Did you mean '{meant}'"):
        Workspace(tmp_path).load(typed)


def test_a_name_that_resembles_nothing_gets_no_guess(tmp_path: Path) -> None:
    with pytest.raises(UsageError) as raised:
        Workspace(tmp_path).load("xxxxxxxx")
    assert "Did you mean" not in raised.value.message
    assert raised.value.hint == "type: kgrade list"


def test_a_faulty_problem_does_not_hide_the_others(tmp_path: Path) -> None:
    workspace = Workspace(make(tmp_path))
    folder = tmp_path / "problems" / "broken"
    folder.mkdir()
    (folder / "problem.py").write_text("problem = (")
    loaded, mistakes = workspace.load_all()
    assert "matmul" in [problem.name for problem in loaded]
    assert [str(folder / "problem.py") in mistake.message for mistake in mistakes] == [True]


def test_the_cache_can_be_moved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KGRADE_CACHE", str(tmp_path / "elsewhere"))
    assert cache_folder() == tmp_path / "elsewhere"
    monkeypatch.delenv("KGRADE_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert cache_folder() == tmp_path / "xdg" / "kgrade"


def test_a_cache_that_others_write_to_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A program that somebody else keeps there would be the submission that is judged."""
    cache = tmp_path / "cache"
    monkeypatch.setenv("KGRADE_CACHE", str(cache))
    cache.mkdir()
    cache.chmod(0o1777)
    with pytest.raises(UsageError, match="everybody on this machine can write to the cache") as refused:
        cache_folder()
    assert "chmod o-w" in refused.value.hint
    message, hint = write_crash_log(ValueError("a mistake"), ["kgrade"])
    log = Path(hint.partition(" in ")[2].partition(";")[0])
    assert "a mistake" in message and log.parent == Path(tempfile.gettempdir()) and log.stat().st_mode & 0o777 == 0o600
    log.unlink()
    cache.chmod(0o755)
    assert cache_folder() == cache
    if os.getuid() == 0:
        os.chown(cache, 4711, 4711)
        monkeypatch.setattr(os, "getuid", lambda: 4712)
        with pytest.raises(UsageError, match="is another user's"):
            cache_folder()
        monkeypatch.setattr(os, "getuid", lambda: 4711)
        assert cache_folder() == cache


def test_other_peoples_workspaces_are_not_found_but_may_be_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = make(tmp_path / "shared")
    (root / "templates").mkdir()
    (root / "problems" / "one").mkdir()
    definition, page = root / "problems" / "one" / "problem.py", root / "templates" / "report.html"
    definition.touch()
    page.touch()
    below = root / "mine"
    below.mkdir()
    for folder in (root, root / "problems", root / "problems" / "one", definition, root / "templates", page):
        folder.chmod(0o1777)
        with pytest.raises(WorkspaceError, match=f"everybody can write to {folder}$") as refused:
            find_workspace(start=below)
        assert f"kgrade --workspace {root}" in refused.value.hint
        assert find_workspace(str(root)).root == root
        folder.chmod(0o755)
    assert find_workspace(start=below).root == root
    if os.getuid() == 0:
        os.chown(root / "submissions", 4711, 4711)
        monkeypatch.setattr(os, "getuid", lambda: 4712)
        with pytest.raises(WorkspaceError, match=r"submissions is another user.s$"):
            find_workspace(start=below)
        monkeypatch.setattr(os, "getuid", lambda: 4711)
        assert find_workspace(start=below).root == root


def test_a_group_that_can_write_is_refused_unless_it_is_ones_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = make(tmp_path / "mine")
    (root / "problems").chmod(0o775)
    groups = {os.getgid(): grp.struct_group((pwd.getpwuid(os.getuid()).pw_name, "x", os.getgid(), []))}
    monkeypatch.setattr(grp, "getgrgid", lambda number: groups[number])
    assert find_workspace(start=root).root == root
    groups[os.getgid()] = grp.struct_group((pwd.getpwuid(os.getuid()).pw_name, "x", os.getgid(), ["somebody"]))
    with pytest.raises(WorkspaceError, match=r"its group can write to .*problems$") as refused:
        find_workspace(start=root)
    assert f"chmod -R go-w {root}" in refused.value.hint


@pytest.mark.skipif(os.getuid() != 0, reason="only root can give files away")
def test_root_uses_no_workspace_of_others_unless_they_called_sudo(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SUDO_UID", raising=False)
    root, other = make(tmp_path / "mine"), make(tmp_path / "other")
    definition = other / "problems" / "one" / "problem.py"
    definition.parent.mkdir()
    definition.touch()
    for path in (other, other / "problems", definition.parent, definition):
        os.chown(path, 4711, 4711)
        with pytest.raises(WorkspaceError, match=f"{path} is another user's$"):
            find_workspace(start=other)
        assert find_workspace(str(other)).root == other
        os.chown(path, 0, 0)
    (root / "problems").rmdir()
    (root / "problems").symlink_to(other / "problems")
    assert find_workspace(start=root).root == root
    os.chown(root / "problems", 4711, 4711, follow_symlinks=False)
    with pytest.raises(WorkspaceError, match=r"mine/problems is another user's$"):
        find_workspace(start=root)
    os.chown(other / "problems", 4711, 4711)
    os.chown(root / "problems", 0, 0, follow_symlinks=False)
    with pytest.raises(WorkspaceError, match=r"mine/problems is another user's$"):
        find_workspace(start=root)
    monkeypatch.setenv("SUDO_UID", "4711")
    assert find_workspace(start=root).root == root


def test_the_folder_that_kgrade_itself_runs_from_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    """In a container root works in a checkout of another user's."""
    root = builtin_folder("problems").parent
    monkeypatch.setattr("grader.store.workspace.others_at", lambda path: f"{path} is another user's")
    assert find_workspace(start=root).root == root
