# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Lets the tests import what they share (a robot without ROS) by name, and shows Habitat's log with a failure."""

import sys
from collections.abc import Generator
from pathlib import Path

import pytest

from sim_bridge.habitat.client import HabitatClient

sys.path.insert(0, str(Path(__file__).parent))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Show the last lines of Habitat's process with a failure of what it runs."""
    report = yield
    fixtures = getattr(item, "funcargs", {})
    backend = fixtures.get("backend") or getattr(fixtures.get("trial"), "_backend", None) or fixtures.get("kitchen")
    habitat = getattr(backend, "habitat", None)
    if report.failed and isinstance(habitat, HabitatClient):
        report.sections.append(("Habitat's process", f"{dict(habitat.versions)}\n{habitat.log()}"))
    return report
