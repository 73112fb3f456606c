"""A judging process for tests: what the job's text says is what it does instead of judging."""

import re
import subprocess
import sys
import time

from grader.contest.jobs import Job, Outcome
from grader.contest.judging_child import Answers
from grader.sandbox.serving import child_connection, serve


class Judge:
    def __call__(self, job: Job, progress: object) -> Outcome:
        assert callable(progress)
        progress(f"step of {job.file}")
        if job.text == "regular expression":
            # Holds the interpreter: no thread of this process runs any more.
            re.match(r"(a+)+$", "a" * 60 + "b")
        if job.text == "loop":
            while True:
                time.sleep(0.01)
        if job.text == "orphan":
            line = "import os, time\nos.setsid()\nif os.fork() == 0:\n    os.setsid()\n    time.sleep(600)"
            subprocess.Popen([sys.executable, "-c", line, "orphan-of-a-test"]).wait()
            time.sleep(600)
        if job.text == "exit":
            sys.exit(7)
        return Outcome("accepted")

    def self_test(self, progress: object) -> str:
        assert callable(progress)
        progress("building")
        return "tested"


def main() -> None:
    channel = child_connection()
    serve(Answers(Judge(), channel).answer, channel)  # type: ignore[arg-type]


if __name__ == "__main__":
    main()
