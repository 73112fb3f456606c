"""The judge: from a submission to its Report. `conductor.grade` is the way in."""
