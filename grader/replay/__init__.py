"""Replays: everything that one block of a failing case did, recorded step by step, and searched afterwards."""
