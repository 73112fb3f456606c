"""SHA-256 of many messages of one length."""

import hashlib

import numpy as np

from grader.problem import Cost, Problem, array, at, ceil_div, exact, module_of, on_host, out, size, u8

problem = Problem(
    title="SHA-256 of many messages",
    difficulty="hard",
    tags=("hashing", "integer arithmetic", "bytes", "registers"),
    kernel="sha256_kernel",
    params=dict(
        messages=array(u8, "COUNT", "LENGTH"),
        digests=out(u8, "COUNT", 32),
        COUNT=size(1, 4_000_000),
        LENGTH=size(1, 4096),
    ),
    constants=dict(BLOCK=128),
    gates=exact(),
    # The longest message with room for mark and length in its last block, the shortest without, and whole blocks.
    always=[at(COUNT=3, LENGTH=length) for length in (55, 56, 63, 64)],
    baseline="accepted/3_whole_words.cu",
    benchmarks=[dict(COUNT=2_000_000, LENGTH=64), dict(COUNT=100_003, LENGTH=1000), dict(COUNT=4_000_000, LENGTH=32)],
)


@problem.reference
def reference(messages):
    rows = np.ascontiguousarray(on_host(messages), dtype=np.uint8)
    digests = [hashlib.sha256(message).digest() for message in rows]
    return module_of(messages).asarray(np.frombuffer(b"".join(digests), np.uint8).reshape(-1, 32))


@problem.solve
def solve(launch, messages, digests, COUNT, LENGTH):
    block = launch.constant("BLOCK")
    launch(grid=ceil_div(COUNT, block), block=block, arguments=(messages, digests, COUNT, LENGTH))


@problem.cost
def cost(COUNT, LENGTH):
    # A round takes some thirty operations on 32 bits; with the end mark, 9 bytes are added to each message at least.
    return Cost(flops=COUNT * ceil_div(LENGTH + 9, 64) * 64 * 30, bytes=COUNT * (LENGTH + 32))
