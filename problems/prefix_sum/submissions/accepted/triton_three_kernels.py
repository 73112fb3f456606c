# expect: accepted
#
# Prefix sums in three kernels, so that a long row occupies many programs: sums within each piece of a row, prefix sums
# of the pieces' totals, and these added to all that follows.

import torch
import triton
import triton.language as tl


@triton.jit
def scan_pieces(input, output, totals, N, pieces, BLOCK: tl.constexpr):
    row, piece = tl.program_id(0).to(tl.int64), tl.program_id(1)
    columns = piece * BLOCK + tl.arange(0, BLOCK)
    elements = tl.load(input + row * N + columns, mask=columns < N, other=0.0)
    tl.store(output + row * N + columns, tl.cumsum(elements, axis=0), mask=columns < N)
    tl.store(totals + row * pieces + piece, tl.sum(elements, axis=0))


@triton.jit
def scan_totals(totals, before, pieces, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    places = tl.arange(0, BLOCK)
    elements = tl.load(totals + row * pieces + places, mask=places < pieces, other=0.0)
    # What comes before a piece does not include it.
    tl.store(before + row * pieces + places, tl.cumsum(elements, axis=0) - elements, mask=places < pieces)


@triton.jit
def add_before(output, before, N, pieces, BLOCK: tl.constexpr):
    row, piece = tl.program_id(0).to(tl.int64), tl.program_id(1)
    places = row * N + piece * BLOCK + tl.arange(0, BLOCK)
    inside = piece * BLOCK + tl.arange(0, BLOCK) < N
    sums = tl.load(output + places, mask=inside) + tl.load(before + row * pieces + piece)
    tl.store(output + places, sums, mask=inside)


def solve(input: torch.Tensor, output: torch.Tensor, M: int, N: int):
    BLOCK = 2048
    pieces = triton.cdiv(N, BLOCK)
    totals = torch.empty((M, pieces), dtype=torch.float32, device="cuda")
    before = torch.empty_like(totals)
    scan_pieces[(M, pieces)](input, output, totals, N, pieces, BLOCK=BLOCK)
    scan_totals[(M,)](totals, before, pieces, BLOCK=triton.next_power_of_2(pieces))
    add_before[(M, pieces)](output, before, N, pieces, BLOCK=BLOCK)
