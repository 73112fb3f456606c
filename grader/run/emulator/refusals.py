"""The launches that CUDA refuses (CUDA programming guide, "Compute Capabilities" and "Launch Bounds")."""

from __future__ import annotations

from grader.run.emulator import layout
from grader.run.emulator.launch import Geometry
from grader.run.emulator.ptx.syntax import Bounds


def launch_error(geometry: Geometry, bounds: Bounds, static_shared: int) -> str:
    """Returns why CUDA would refuse a launch of a kernel that declares `static_shared` bytes; "" if it would not."""
    grid, block = geometry.grid, geometry.block
    threads = block[0] * block[1] * block[2]
    if min(block) < 1 or min(grid) < 1:
        return f"grid {grid} of blocks {block} is empty: each dimension has to be at least 1"
    if threads > layout.MAX_THREADS:
        return f"block {block} has {threads} threads; a block has at most {layout.MAX_THREADS}"
    if any(b > most for b, most in zip(block, layout.MAX_BLOCK, strict=True)):
        return f"block {block} exceeds the largest block {layout.MAX_BLOCK}"
    if any(g > most for g, most in zip(grid, layout.MAX_GRID, strict=True)):
        return f"grid {grid} exceeds the largest grid {layout.MAX_GRID}"
    return _bounds_error(grid, block, bounds) or _shared_error(static_shared, geometry.shared_bytes)


def _bounds_error(grid: tuple[int, ...], block: tuple[int, ...], bounds: Bounds) -> str:
    threads = block[0] * block[1] * block[2]
    if bounds.most_threads and threads > bounds.most_threads:
        most = bounds.most_threads
        return (
            f"block {block} has {threads} threads; the kernel is declared with __launch_bounds__({most}): "
            f"a block of it has at most {most}"
        )
    wanted = _three(bounds.block)
    if bounds.block and block != wanted:
        return f"block {block}; the kernel is declared with __block_size__({wanted}): its blocks have that shape"
    cluster = _three(bounds.cluster)
    if any(g % c for g, c in zip(grid, cluster, strict=True)):
        return f"grid {grid}; the kernel is declared with __cluster_dims__{cluster}: a grid of it has to be a multiple"
    return ""


def _three(numbers: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(max(number, 1) for number in (*numbers, 1, 1, 1)[:3])


def _shared_error(static: int, dynamic: int) -> str:
    if static > layout.MAX_STATIC_SHARED:
        return (
            f"the kernel declares {static} bytes of shared memory; a declaration can have at most "
            f"{layout.MAX_STATIC_SHARED}, more has to be dynamic"
        )
    if static + dynamic > layout.MAX_SHARED:
        return f"a block asks for {static + dynamic} bytes of shared memory; it can have at most {layout.MAX_SHARED}"
    return ""
