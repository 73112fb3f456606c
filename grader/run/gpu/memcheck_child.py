"""The GPU's process as memcheck watches it: each array ends where its allocation ends, without guard zones.

Otherwise it is the process that runs submissions everywhere on a GPU.
"""

from __future__ import annotations

from grader.process import child_connection, serve
from grader.run.gpu.child import Worker


def main() -> None:
    channel = child_connection()
    serve(Worker(channel, guard=0).answer, channel)


if __name__ == "__main__":
    main()
