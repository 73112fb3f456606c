"""Tensors of a device without memory: each line of these files is one that PyTorch would do on a GPU as well."""

from __future__ import annotations

import pytest

from tests.plan.python.played import record

HEAD = "import torch\nimport triton\n\n"
MADE = """
def solve(x, n):
    def same(tensor, values):
        assert tensor.is_cuda and tensor.tolist() == values, (tensor, tensor.tolist(), values)

    same(torch.zeros(3, device="cuda"), [0.0] * 3)
    same(torch.zeros((2, 2), dtype=torch.int32, device=x.device), [[0, 0], [0, 0]])
    same(torch.ones(3, device="cuda:0"), [1.0] * 3)
    same(torch.full((3,), 2.5, device="cuda"), [2.5] * 3)
    same(torch.full((2,), 1.5, dtype=torch.bfloat16, device="cuda"), [1.5] * 2)
    same(torch.zeros_like(x[:2]), [0.0] * 2)
    same(torch.ones_like(x[:2], dtype=torch.float16), [1.0] * 2)
    same(torch.full_like(x[:2], 3), [3.0] * 2)
    same(x.new_zeros((2, 1)), [[0.0], [0.0]])
    same(x.new_ones(2), [1.0] * 2)
    same(x.new_full((2,), 7), [7.0] * 2)
    same(torch.tensor([1, 2, 3], device="cuda"), [1, 2, 3])
    same(torch.tensor([1.0, 2.0]).cuda(), [1.0, 2.0])
    same(torch.tensor([1.0, 2.0]).to("cuda"), [1.0, 2.0])
    same(torch.arange(0, 8, 3, device="cuda"), [0, 3, 6])
    same(torch.linspace(0, 1, 3, device="cuda"), [0.0, 0.5, 1.0])
    same(torch.zeros(0, device="cuda"), [])
    same(torch.zeros(2, dtype=torch.bool, device="cuda"), [False, False])
    same(x.new_tensor([1.5, 2.0]), [1.5, 2.0])
    same(x.new_tensor([1, 2], dtype=torch.int32), [1, 2])
    assert torch.empty(n, device="cuda").shape == (n,) and torch.empty_like(x).dtype is torch.float32
    assert torch.empty_strided((3, 4), (1, 3), device="cuda").stride() == (1, 3)
    assert x.new_empty((2, 3)).numel() == 6 and not torch.zeros(3).is_cuda and not x.new_zeros(3, device="cpu").is_cuda
"""
CHANGED = """
def solve(x, n):
    filled = torch.zeros(4, 3, device="cuda")
    filled[:, 1] = 1.5
    filled[2] = 7
    assert filled.tolist() == [[0, 1.5, 0], [0, 1.5, 0], [7, 7, 7], [0, 1.5, 0]]
    filled.T.fill_(2.25)
    assert filled.tolist() == [[2.25] * 3] * 4
    filled[1:3, 0].zero_()
    assert filled[:, 0].tolist() == [2.25, 0, 0, 2.25]
    filled[0] = torch.tensor([8.0, 9.0, 10.0])
    assert filled[0].tolist() == [8, 9, 10]
    filled.copy_(x[:3])
    assert filled.tolist() == [[0, 1, 2]] * 4
    filled[:2].T.copy_(torch.arange(6.0).reshape(3, 2))
    assert filled[:2].tolist() == [[0, 2, 4], [1, 3, 5]]
    host = torch.zeros(4)
    host.copy_(x[:4])
    assert host.tolist() == [0, 1, 2, 3]
    assert x[3].item() == 3.0 and int(x[3]) == 3 and float(x[1]) == 1.0 and bool(x[1])
    assert range(8)[x[2].to("cpu").int()] == 2
"""
VIEWS = """
host = torch.arange(24.0).reshape(2, 3, 4)
CASES = [
    lambda t: t.transpose(0, 1), lambda t: t.permute(2, 0, 1), lambda t: t[:, 1:], lambda t: t[0], lambda t: t[..., 1],
    lambda t: t.mT, lambda t: t.reshape(6, 4), lambda t: t.view(4, 6), lambda t: t.flatten(), lambda t: t[0].T,
    lambda t: t.transpose(0, 2).reshape(-1), lambda t: t.transpose(0, 2).contiguous(), lambda t: t[0].t().contiguous(),
    lambda t: t.unsqueeze(1), lambda t: t[:, :1].expand(2, 3, 4), lambda t: t[:, ::2].clone(), lambda t: t[None],
    lambda t: t.narrow(1, 1, 2), lambda t: t[:1].squeeze(0), lambda t: t.transpose(0, 1).clone(), lambda t: t.detach(),
    lambda t: t.select(2, 1), lambda t: t.unbind(0)[1], lambda t: t.chunk(2)[1], lambda t: t.split(1, 0)[0],
    lambda t: t.as_strided((2, 2), (1, 5), 3), lambda t: t.view(-1)[3:7], lambda t: t.view(torch.int32),
    lambda t: t.movedim(0, 2), lambda t: t.contiguous().view(24), lambda t: t[1, 1:, ::3],
]

def solve(x, n):
    for case in CASES:
        got, expected = case(x.view(2, 3, 4)), case(host)
        assert got.shape == expected.shape and got.stride() == expected.stride(), (got.stride(), expected.stride())
        assert got.is_contiguous() == expected.is_contiguous() and got.tolist() == expected.tolist()
        assert got.storage_offset() == expected.storage_offset()
    assert x.view(2, 3, 4)[1].data_ptr() == x.data_ptr() + 48
    assert (x.ndim, x.dim(), x.size(0), len(x), x.numel(), x.element_size()) == (1, 1, 24, 24, 24, 4)
    assert x.is_cuda and x.device.type == "cuda" and torch.is_tensor(x)
"""
CUDA = """
DEVICE = torch.device("cuda")
CAPABILITY = torch.cuda.get_device_capability()
assert torch.cuda.is_available()

def solve(x, n):
    properties = torch.cuda.get_device_properties(DEVICE)
    assert properties.multi_processor_count == 24 and CAPABILITY == (8, 9)
    with torch.cuda.device(x.device), torch.cuda.nvtx.range("part"):
        torch.cuda.synchronize()
    stream = torch.cuda.current_stream()
    with torch.cuda.stream(stream):
        assert torch.zeros(2, device="cuda").tolist() == [0, 0]
    stream.wait_stream(torch.cuda.default_stream())
    stream.synchronize()
    assert stream.query() and torch.cuda.mem_get_info()[1] == properties.total_memory
    print(x, f"{x[1]:.2f}", torch.cuda.get_device_name())
"""


@pytest.mark.parametrize("text", [MADE, CHANGED, VIEWS, CUDA], ids=["made", "changed", "views", "cuda"])
def test_pytorch_does_it_as_on_a_gpu(text: str) -> None:
    answer = record(HEAD + text, (24,))
    assert answer["solved"]["op"] == "end", answer["solved"]


def test_what_is_printed_is_told() -> None:
    printed = record(HEAD + CUDA)["solved"]["printed"]
    assert printed == "<torch.float32 tensor of (8,) on the device> 1.00 NVIDIA GeForce RTX 4060\n"


@pytest.mark.parametrize(
    ("line", "call", "says"),
    [
        ("x + x", "torch.add", "torch.add on the device"),
        ("x.sum()", "torch.sum", "torch.sum on the device"),
        ("torch.mm(x[None], x[:, None])", "torch.mm", "torch.mm on the device"),
        ("x[[0, 2]]", "torch.index", "torch.index on the device"),
        ("x.half()", "torch.Tensor.to", "torch.float32 to torch.float16"),
        (
            "torch.zeros(8, device='cuda', dtype=torch.int32).copy_(x)",
            "torch.Tensor.to",
            "torch.float32 to torch.int32",
        ),
        ("torch.cuda.Stream()", "torch.cuda.Stream", "makes a stream"),
        ("torch.cuda.Event(enable_timing=True)", "torch.cuda.Event", "makes an event"),
        ("torch.cuda.current_stream().record_event()", "torch.cuda.Event", "makes an event"),
    ],
)
def test_what_is_no_kernel_of_the_file_is_refused(line: str, call: str, says: str) -> None:
    solved = record(f"{HEAD}def solve(x, n):\n    {line}\n")["solved"]
    assert (solved["fault"], solved["call"], solved["at"]) == ("unsupported_call", call, [5])
    assert says in solved["message"] and solved["hint"]


@pytest.mark.parametrize(("line", "hint"), [("x[0] == 1", "first, by .item()"), ("x == 1", "kernel of this file")])
def test_a_number_on_the_device_is_to_be_taken_to_the_host(line: str, hint: str) -> None:
    solved = record(f"{HEAD}def solve(x, n):\n    if {line}:\n        pass\n")["solved"]
    assert solved["call"] == "torch.eq" and hint in solved["hint"]


@pytest.mark.parametrize("line", ["x.numpy()", "numpy.asarray(x)"])
def test_a_tensor_of_the_device_is_no_array_of_the_host(line: str) -> None:
    solved = record(f"import numpy\n{HEAD}def solve(x, n):\n    assert x.cpu().numpy()[1] == 1\n    {line}\n")["solved"]
    assert (solved["call"], solved["at"]) == ("TypeError", [7]) and ".cpu()" in solved["message"]


def test_an_import_does_nothing_with_the_device() -> None:
    opened = record(f"{HEAD}x = torch.zeros(3, device='cuda')\n\ndef solve(x, n):\n    pass\n")["opened"]
    assert opened["op"] == "stop" and "while it is imported" in opened["message"] and opened["at"] == [4]


def test_scratch_is_freed_with_its_last_tensor() -> None:
    body = ("a = torch.empty(4, device='cuda')", "b = a[1:]", "del a", "b.fill_(0)", "del b", "x.zero_()")
    text = HEAD + "def solve(x, n):\n" + "".join(f"    {line}\n" for line in body)
    answer = record(text)
    operations = [step["op"] for step in answer["steps"]]
    assert operations == ["memset", "free", "memset"]
    assert answer["x"] == [0.0] * 8


def test_a_fill_of_any_value_is_no_large_upload() -> None:
    answer = record(HEAD + "def solve(x, n):\n    x.fill_(1.25)\n", (1000,))
    assert answer["x"] == [1.25] * 1000
    uploads = [step for step in answer["steps"] if step["op"] == "upload"]
    assert [len(step["data"]) // 2 for step in uploads] == [4]
