"""Runs a Plan on a device, in a separate child process."""
