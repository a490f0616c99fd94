# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Task planning: a domain generated from the robot's skill table, and the search for the cheapest plan in it."""
