# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""For the tests of all packages: times are in UTC, and how long an example takes is no failure.

That says something about the machine. What never ends is one, though (`timeout` in pyproject.toml). And a language
model: a stand-in for the Ollama daemon, started for the first test that wants it.
"""

import os
import sys
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

os.environ["TZ"] = "UTC"
time.tzset()

settings.register_profile("any_machine", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("any_machine")

sys.path.insert(0, str(Path(__file__).resolve().parent / "tests" / "stand_ins"))


def pytest_collection_modifyitems(items):
    """End the whole run where an example of a property test hangs: Hypothesis would run it again, and hang again."""
    for item in items:
        if getattr(getattr(item, "obj", None), "is_hypothesis_test", False):
            item.add_marker(pytest.mark.timeout(method="thread"))


@pytest.fixture(scope="session")
def ollama_daemon():
    """Ollama's API over a real llama.cpp with a small model, until the tests end (docs/models.md)."""
    from ollama_stand_in import daemon

    if missing := daemon.missing():
        pytest.skip(f"./karma test installs {missing}, for tests with a real language model")
    with daemon.running() as running:
        yield running
