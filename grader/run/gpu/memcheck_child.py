"""The GPU's process under memcheck: each array ends where its allocation ends, without guard zones.

Otherwise it is the process that runs submissions everywhere on a GPU.
"""

from __future__ import annotations

from grader.core.paths import place_cupy_cache
from grader.run.gpu.child import Worker
from grader.sandbox.serving import child_connection, serve


def main() -> None:
    channel = child_connection()
    place_cupy_cache()
    serve(Worker(channel, guard=0).answer, channel)


if __name__ == "__main__":
    main()
