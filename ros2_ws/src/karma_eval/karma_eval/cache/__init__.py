# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Which units a small memory keeps: replacement policies on recorded accesses, beside theine and the optimum."""
