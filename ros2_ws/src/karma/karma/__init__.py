# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Bring-up and command line of KARMA: one description of the graph, its supervision, and what people type."""
