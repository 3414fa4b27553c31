"""How hard the property tests look, and how seldom the collector does.

CI draws thousands of profiles, `make test` and a single run at the desk a tenth of them. What was collected stays for all of
the run: the garbage collector need not go through its objects again and again, which took a fifth of the time.
"""

import gc

import pytest
from hypothesis import HealthCheck, settings

SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]

settings.register_profile("desk", max_examples=50, deadline=None, suppress_health_check=SLOW)
settings.register_profile("full", max_examples=500, deadline=None, suppress_health_check=SLOW)
settings.load_profile("desk")
gc.set_threshold(100_000, 20, 100)


def pytest_collection_finish(session: pytest.Session) -> None:
    gc.collect()
    gc.freeze()
