# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The demonstration: the real graph explores a home, remembers it, and does what it is told."""
