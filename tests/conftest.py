"""Settings of the whole suite."""

import os

from hypothesis import HealthCheck, settings

# No test is judged by the clock: under the sanitizers everything is many times slower.
settings.register_profile(
    "tallytext",
    deadline=None,
    derandomize=bool(os.environ.get("CI")),
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("tallytext")
