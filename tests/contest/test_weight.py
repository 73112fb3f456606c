"""The first load of a problem's page stays small with each compression that browsers take."""

from pathlib import Path

import httpx

from .conftest import load_benchmark


def test_the_first_load_of_a_problem_is_small(tmp_path: Path) -> None:
    weight = load_benchmark("page_weight")
    with weight.practice_site(tmp_path) as address, httpx.Client(base_url=address, verify=False) as client:
        for encoding in weight.ENCODINGS:
            load = weight.first_load(client, "/contests/practice/problems/matmul", encoding)
            assert {each.rpartition("/")[2] for each in load} >= {"matmul", "style.css", "editor.min.js", "problem.js"}
            assert sum(load.values()) <= weight.MOST
