"""The API under requests that schemathesis draws from its own description: nothing fails, nothing is undescribed."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from grader.contest.limits import Failures

from .site_samples import Hall

schemathesis = pytest.importorskip("schemathesis", reason="needs schemathesis: pip install schemathesis")
checks = pytest.importorskip("schemathesis.specs.openapi.checks")
EXCLUDED = [checks.positive_data_acceptance]
"""A text may have the shape that is described, and be no report."""


@pytest.mark.parametrize("who", ["student", "worker", "nobody"])
def test_every_answer_is_one_that_is_described(hall: Hall, who: str) -> None:
    hall.submit("ada")
    hall.judge()
    hall.worker()
    # It asks without a token, too, more often than anybody may in vain.
    hall.site.failures = Failures(most=10_000)
    token = {"student": "token-of-ada", "worker": "token-of-machine", "nobody": "token-of-nobody"}[who]
    described = schemathesis.openapi.from_dict(hall.browser().get("/api/openapi.json").json())
    described.config.update(base_url=hall.address)
    headers = {"authorization": f"Bearer {token}"}
    statuses: list[int] = []
    for found in described.get_all_operations():
        operation = found.ok()
        # A stream of events ends when its submission is judged, or not at all.
        if operation.path.endswith("/events") or (who == "worker") != operation.path.startswith("/api/worker"):
            continue

        @settings(
            max_examples=10, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck)
        )
        @given(case=operation.as_strategy())
        def ask(case: Any) -> None:
            answer = case.call(headers=headers)
            case.validate_response(answer, headers=headers, excluded_checks=EXCLUDED)
            statuses.append(answer.status_code)

        ask()
    assert len(statuses) > 40 and max(statuses) < 500
    assert who == "nobody" or min(statuses) < 300
    assert who != "nobody" or min(statuses) >= 400
