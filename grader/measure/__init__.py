"""Turns timed samples into figures: intervals, ceilings and the score. Timing on the GPU is in `grader.run.gpu`."""
