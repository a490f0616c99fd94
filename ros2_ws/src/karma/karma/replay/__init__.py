# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""A recorded trial, decided again: the recorded world for a memory server and a planner of now, and what differs."""
