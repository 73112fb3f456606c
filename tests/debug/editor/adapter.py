"""`kgrade debug` as an editor starts it: the client's launch request says what to debug."""

import sys

from grader.cli import run

sys.exit(run(["debug"]))
