"""Settings of the whole suite."""

import gc
import os
import signal

from hypothesis import HealthCheck, settings

# A suite that runs in the background would ignore Ctrl-C, and so would all that it starts.
signal.signal(signal.SIGINT, signal.default_int_handler)

# A law that needs more or fewer says so itself; TALLYTEXT_EXAMPLES=1000 looks harder at the others.
EXAMPLES = int(os.environ.get("TALLYTEXT_EXAMPLES") or 50)

# No test is judged by the clock: under the sanitizers everything is many times slower.
settings.register_profile(
    "tallytext",
    max_examples=EXAMPLES,
    deadline=None,
    derandomize=bool(os.environ.get("CI")),
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("tallytext")


def pytest_collection_finish(session):
    """Keep thousands of tests out of every search for garbage from now on.

    Each takes 0.3 s with them, and there is one wherever memory is measured.
    """
    gc.collect()
    gc.freeze()
