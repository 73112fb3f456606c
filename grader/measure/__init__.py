"""From timed samples to figures: intervals, ceilings and the score. What runs on the GPU is in `grader.run.gpu`."""
