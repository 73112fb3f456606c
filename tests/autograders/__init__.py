"""Tests of autograders."""
