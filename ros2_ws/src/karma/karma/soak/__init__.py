# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Weeks of a household in an hour, with faults: whether anything is lost, leaks, or does not come back."""
