"""The GPU as a device for runs: which GPUs there are, whose turn it is, and the process that uses one."""
