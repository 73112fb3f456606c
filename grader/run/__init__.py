"""Running: a Plan on a device, in a child process of its own."""
