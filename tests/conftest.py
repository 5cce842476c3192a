"""Settings that hold for every test."""

import os

from hypothesis import HealthCheck, settings

# How long an example takes says more about the machine than about us: no deadline, no complaint about slow generation.
settings.register_profile("dev", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("ci", settings.get_profile("dev"), derandomize=True, database=None, print_blob=True)
settings.register_profile("deep", settings.get_profile("dev"), max_examples=2_000)
settings.load_profile("ci" if os.environ.get("CI") else "dev")
