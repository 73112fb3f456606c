"""Where kgrade keeps its caches, and who else can write to a path."""

from __future__ import annotations

import grp
import os
import pwd
import stat
from pathlib import Path
from shlex import quote

from grader.core.errors import UsageError


def cache_folder() -> Path:
    """The folder for compiled kernels and crash logs: KGRADE_CACHE, else the user's cache folder.

    Raises UsageError if other users can write there: compiled code of theirs would be run, and verdicts follow from it.
    """
    if named := os.environ.get("KGRADE_CACHE"):
        folder = Path(named).expanduser().absolute()
    else:
        from platformdirs import user_cache_path

        folder = user_cache_path("kgrade", appauthor=False)
    # A confined process has a folder of its own, in which users have other numbers.
    if "KGRADE_CONFINED" not in os.environ:
        _refuse_others(folder)
    return folder


def _refuse_others(folder: Path) -> None:
    hint = "name another folder by KGRADE_CACHE; it is made if it is not there"
    if everybody_writes(folder):
        message = f"everybody on this machine can write to the cache {folder}"
        raise UsageError(message, f"type: chmod o-w {quote(str(folder))}, or {hint}")
    if is_anothers(folder):
        raise UsageError(f"the cache {folder} is another user's", hint)


def everybody_writes(folder: Path) -> bool:
    """Whether all users of this machine can put files into a folder; not if it isn't there."""
    try:
        return bool(folder.stat().st_mode & stat.S_IWOTH)
    except OSError:
        return False


def is_anothers(folder: Path) -> bool:
    """Whether a folder is of neither this user nor root, which only root may use all the same."""
    try:
        return os.getuid() != 0 and folder.stat().st_uid not in (0, os.getuid())
    except OSError:
        return False


def others_at(path: Path) -> str:
    """Who besides this user and root can change what a path leads to, in words; empty for nobody, or if it isn't there.

    Root, who types commands in other people's folders, trusts nobody else's either, but those of who called sudo.
    """
    caller = os.environ.get("SUDO_UID", "") if os.getuid() == 0 else ""
    trusted = {0, os.getuid(), int(caller) if caller.isdecimal() else 0}
    try:
        link, found = path.lstat(), path.stat()
    except OSError:
        return ""
    if not {link.st_uid, found.st_uid} <= trusted:
        return f"{path} is another user's"
    if found.st_mode & stat.S_IWOTH:
        return f"everybody can write to {path}"
    if found.st_mode & stat.S_IWGRP and not _is_own_group(found.st_gid, found.st_uid):
        return f"its group can write to {path}"
    return ""


def _is_own_group(group: int, user: int) -> bool:
    """Whether a group is a user's alone, as most distributions make one for each: then it may write as they may."""
    try:
        known, person = grp.getgrgid(group), pwd.getpwuid(user)
    except KeyError:
        return group == user
    alone = set(known.gr_mem) <= {person.pw_name}
    return alone and (group == 0 or (person.pw_gid == group and known.gr_name == person.pw_name))


def place_cupy_cache() -> None:
    """Points CuPy's cache into kgrade's. Call it before importing CuPy, which creates its cache folder on import."""
    os.environ["CUPY_CACHE_DIR"] = str(cache_folder() / "cupy")
