"""Times steps for a submission's autotuner, quickly: which of its configurations is the fastest, not how fast it is."""

from __future__ import annotations

from grader.run.gpu.replay import Replay

LEAST_SECONDS = 0.002
"""Each of the timed series takes at least so long: an event's resolution is half a microsecond."""
SERIES = 5
MOST_REPLAYS = 200


def time_replay(replay: Replay, seconds: float) -> float:
    """Returns the seconds of one replay, the median of a few series of them; frees the replay. It runs at most some
    `seconds`."""
    import cupy

    stream = cupy.cuda.Stream.null
    try:
        once = _series(replay, stream, 1)
        count = max(1, min(MOST_REPLAYS, int(LEAST_SECONDS / max(once, 1e-7))))
        rounds = max(1, min(SERIES, int(seconds / max(once * count, 1e-7) / 4)))
        times = sorted(_series(replay, stream, count) / count for _ in range(rounds))
        return times[len(times) // 2]
    finally:
        replay.free()


def _series(replay: Replay, stream: object, count: int) -> float:
    import cupy

    begin, end = cupy.cuda.Event(), cupy.cuda.Event()
    begin.record(stream)
    for _ in range(count):
        replay.enqueue(0)
    end.record(stream)
    end.synchronize()
    milliseconds: float = cupy.cuda.get_elapsed_time(begin, end)
    return milliseconds / 1000
