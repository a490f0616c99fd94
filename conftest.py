# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""For the tests of all packages: how long an example takes says something about the machine, and is no failure."""

from hypothesis import HealthCheck, settings

settings.register_profile("any_machine", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("any_machine")
