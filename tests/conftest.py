"""Settings of the whole suite."""

import os
import signal

from hypothesis import HealthCheck, settings

# A suite that runs in the background would ignore Ctrl-C, and so would all that it starts.
signal.signal(signal.SIGINT, signal.default_int_handler)

# A law that needs more or fewer says so itself; TALLYTEXT_EXAMPLES=1000 looks harder at the others.
# Where the same examples come every time, fewer of them will do.
EXAMPLES = int(os.environ.get("TALLYTEXT_EXAMPLES") or (30 if os.environ.get("CI") else 50))

# No test is judged by the clock: under the sanitizers everything is many times slower.
settings.register_profile(
    "tallytext",
    max_examples=EXAMPLES,
    deadline=None,
    derandomize=bool(os.environ.get("CI")),
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("tallytext")
