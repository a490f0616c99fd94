# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What the page hears of the graph and asks it, about now and about the past."""
