"""How hard the property tests look, and how seldom the collector does.

CI draws thousands of profiles, `make test` and a single run at the desk a tenth of them. What was collected stays for all of
the run: the garbage collector need not go through its objects again and again, which took a fifth of the time.
"""

import gc
import json
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from bedplate import answer
from tests.answers import validator

SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]

settings.register_profile("desk", max_examples=50, deadline=None, suppress_health_check=SLOW)
settings.register_profile("full", max_examples=500, deadline=None, suppress_health_check=SLOW)
settings.load_profile("desk")
gc.set_threshold(100_000, 20, 100)


def pytest_collection_finish(session: pytest.Session) -> None:
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def _every_answer_is_what_docs_answers_says(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever a test makes a command print as JSON is held against the published schema, and has no field besides."""
    as_usual = answer.document

    def document(kind: str, fields: Mapping[str, Any]) -> dict[str, Any]:
        made = as_usual(kind, fields)
        validator(kind).validate(json.loads(json.dumps(made, default=str)))
        return made

    monkeypatch.setattr(answer, "document", document)
