# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""KARMA's evaluation (section 4): sequences of household tasks, with and without its memories."""
