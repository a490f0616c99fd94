# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Garbage for everything that the graph hears and reads; see `./karma bench fuzz`."""
