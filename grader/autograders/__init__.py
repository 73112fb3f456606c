"""Autograders for Gradescope and Autolab: the archive to upload, the run of one submission, its results."""
