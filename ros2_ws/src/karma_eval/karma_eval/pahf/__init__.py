# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""PAHF: preferences from asking and from corrections (embodied manipulation, four phases)."""
