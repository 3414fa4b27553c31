"""How hard the property tests look: `make test` draws thousands of profiles, a single run at the desk a tenth of them."""

from hypothesis import HealthCheck, settings

SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]

settings.register_profile("desk", max_examples=50, deadline=None, suppress_health_check=SLOW)
settings.register_profile("full", max_examples=500, deadline=None, suppress_health_check=SLOW)
settings.load_profile("desk")
