"""Contests: an instructor hosts, a class submits, workers judge, and nothing is lost.

A submission goes from the server through the database's queue to a worker, which calls the judge; the report goes back.
"""
