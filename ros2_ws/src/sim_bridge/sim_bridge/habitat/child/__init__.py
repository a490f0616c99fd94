# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""A folder for the Python path of the interpreter that has habitat-sim; nothing else of KARMA is on it."""
