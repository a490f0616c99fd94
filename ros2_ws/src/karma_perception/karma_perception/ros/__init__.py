# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What the node perception offers and hears, beside its life cycle."""
