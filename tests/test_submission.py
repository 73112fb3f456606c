"""Submitted files: what is read, what is refused and in which words, and which form they have."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import pytest

from grader.compile.submission import SIZE_LIMIT
from grader.core.errors import SourceError
from grader.core.verdict import Form
from grader.languages.registry import make_submission, read_submission

KERNEL = "__global__ void map_kernel(const float* a, float* b, int n) { b[0] = a[n]; }\n"


def test_reads_text_hash_and_contents(tmp_path: Path) -> None:
    path = tmp_path / "mine.cu"
    data = ("#define BLOCK (1 << 7) // threads\n" + KERNEL).encode()
    path.write_bytes(data)
    submission = read_submission(path)
    assert submission.path_name == "mine.cu"
    assert submission.text == data.decode()
    assert submission.sha256 == hashlib.sha256(data).hexdigest()
    assert submission.form is Form.KERNEL
    assert submission.kernels == ("map_kernel",)
    assert submission.macros == (("BLOCK", "(1 << 7)"),)


def test_byte_order_mark_and_line_ends_are_accepted() -> None:
    data = b"\xef\xbb\xbf// one\r\n// two\r" + KERNEL.encode()
    submission = make_submission("mine.cu", data)
    assert submission.text == "// one\n// two\n" + KERNEL
    assert submission.sha256 == hashlib.sha256(data).hexdigest()


def refusal(path: Path) -> SourceError:
    with pytest.raises(SourceError) as caught:
        read_submission(path)
    assert caught.value.exit_code == 2
    return caught.value


def test_a_missing_file_names_near_ones(tmp_path: Path) -> None:
    (tmp_path / "matmul.cu").write_text(KERNEL)
    error = refusal(tmp_path / "matmull.cu")
    assert error.message == f"{tmp_path}/matmull.cu does not exist"
    assert error.hint == f"Did you mean {tmp_path}/matmul.cu?"


def test_a_missing_file_without_near_ones_lists_the_sources(tmp_path: Path) -> None:
    for number in range(7):
        (tmp_path / f"kernel{number}.cu").write_text(KERNEL)
    error = refusal(tmp_path / "something_else_entirely")
    assert "kernel0.cu, kernel1.cu, kernel2.cu, kernel3.cu, kernel4.cu and 2 more" in error.hint


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    assert refusal(tmp_path / "nowhere" / "a.cu").hint == f"There is no directory {tmp_path}/nowhere either."
    (tmp_path / "file").write_text("")
    assert f"{tmp_path}/file is not a directory" in refusal(tmp_path / "file" / "a.cu").message


def test_an_empty_folder_points_to_the_starter(tmp_path: Path) -> None:
    assert "kgrade init" in refusal(tmp_path / "a.cu").hint


def test_a_directory(tmp_path: Path) -> None:
    for name in ("inside.cu", "inside.py", "inside.md"):
        (tmp_path / name).write_text(KERNEL)
    error = refusal(tmp_path)
    assert "is a directory" in error.message
    assert error.hint == f"Files in {tmp_path}: inside.cu, inside.py."


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.cu")
    assert "is not a regular file" in refusal(tmp_path / "pipe.cu").message


def test_a_permission_error_says_what_to_type(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.cu"
    path.write_text(KERNEL)

    def refuse(*args: object, **keywords: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)
    assert refusal(path).hint == f"Try: chmod u+r {path}"


@pytest.mark.parametrize("data", [b"", b"  \n\t\r\n", b"\xef\xbb\xbf"])
def test_an_empty_file(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "a.cu").write_bytes(data)
    assert refusal(tmp_path / "a.cu").message == "a.cu is empty"


def test_a_binary_file_says_where(tmp_path: Path) -> None:
    (tmp_path / "a.cu").write_bytes(b"\x7fELF\x02\x01\x00\x00")
    assert refusal(tmp_path / "a.cu").message == "a.cu is a binary file: it has a zero byte at offset 6"


def test_utf16_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.cu").write_bytes(KERNEL.encode("utf-16"))
    error = refusal(tmp_path / "a.cu")
    assert "is UTF-16 text" in error.message
    assert error.hint == "Save the file as UTF-8."


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_other_encodings_name_byte_and_line(tmp_path: Path, mark: bytes) -> None:
    (tmp_path / "a.cu").write_bytes(mark + b"// one\n// M\xfcnchen\n")
    expected = f"a.cu is not UTF-8 text: byte 0xfc at offset {11 + len(mark)} (line 2)"
    assert refusal(tmp_path / "a.cu").message == expected


def test_a_large_file_is_not_read_whole(tmp_path: Path) -> None:
    with (tmp_path / "a.cu").open("wb") as file:
        file.truncate(50 << 20)
    error = refusal(tmp_path / "a.cu")
    assert "too large for a submission: 52,428,800 bytes, at most 1,048,576" in error.message


def test_the_largest_file_is_read(tmp_path: Path) -> None:
    (tmp_path / "a.cu").write_bytes(KERNEL.encode().ljust(SIZE_LIMIT, b"\n"))
    assert read_submission(tmp_path / "a.cu").kernels == ("map_kernel",)


SOLVE = 'extern "C" void solve(const float* a, float* b, int n) { map_kernel<<<1, 1>>>(a, b, n); }\n'


@pytest.mark.parametrize(
    ("text", "form"),
    [
        (KERNEL + SOLVE, Form.SOLVE),
        ('extern "C" {\n' + KERNEL + "void solve(float* a) {}\n}", Form.SOLVE),
        ('extern "C" void solve(float* a);\nvoid solve(float* a) {}\n' + KERNEL, Form.SOLVE),
        ("#ifndef HERE\n" + SOLVE + "#endif\n", Form.SOLVE),
        ("#if 0\n#else\n" + SOLVE + "#endif\n", Form.SOLVE),
        (KERNEL, Form.KERNEL),
        (KERNEL + "// " + SOLVE, Form.KERNEL),
        (KERNEL + "/* " + SOLVE + "*/", Form.KERNEL),
        (KERNEL + '__device__ const char* text = "extern \\"C\\" void solve() {}";', Form.KERNEL),
        (KERNEL + '__device__ const char* text = R"(\n' + SOLVE + ')";', Form.KERNEL),
        (KERNEL + "void solve(float* a) {}", Form.KERNEL),
        (KERNEL + 'extern "C" void solve(float* a);', Form.KERNEL),
        (KERNEL + 'extern "C" void solver(float* a) {}', Form.KERNEL),
        (KERNEL + "int main() { solve(1); }", Form.KERNEL),
        ("#if 0\n" + SOLVE + "#endif\n" + KERNEL, Form.KERNEL),
        ("#ifdef AT_HOME\n" + SOLVE + "#endif\n" + KERNEL, Form.KERNEL),
        ("namespace n {\n" + SOLVE + "}\n" + KERNEL, Form.KERNEL),
    ],
)
def test_the_form_is_found_by_a_parse(text: str, form: Form) -> None:
    assert make_submission("a.cu", text.encode()).form is form
