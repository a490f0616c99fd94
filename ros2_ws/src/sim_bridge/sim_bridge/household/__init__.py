# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The embedded household simulator: AI2-THOR's recorded rooms, a symbolic engine and a headless renderer."""
