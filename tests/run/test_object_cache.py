"""Object code between the emulator's processes: each is given what was made of its own image, and of no other."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.run.object_cache import SHARED, ObjectCache, key_of


def test_what_was_kept_of_an_image_is_found_by_it_alone(tmp_path: Path) -> None:
    cache = ObjectCache(tmp_path)
    own, other = key_of("emulator", "one image", False), key_of("emulator", "another image", False)
    cache.add(own, {"a": "QQ=="})
    cache.add(own, {"b": "Qg=="})
    assert cache.load(own) == {"a": "QQ==", "b": "Qg=="}
    assert cache.load(other) == cache.load(SHARED) == {}
    assert len({own, other, key_of("emulator", "one image", True), key_of("counting", "one image", False)}) == 4


@pytest.mark.parametrize("data", [b"", b"[]", b'{"a": 1}', b"{", b"[" * 100_000])
def test_a_damaged_entry_is_absent(tmp_path: Path, data: bytes) -> None:
    cache = ObjectCache(tmp_path)
    cache.add("k", {"a": "QQ=="})
    (tmp_path / "objects" / "k.json").write_bytes(data)
    assert cache.load("k") == {}


def test_no_folder_remembers_nothing() -> None:
    cache = ObjectCache(None)
    cache.add("k", {"a": "QQ=="})
    assert cache.load("k") == {}
