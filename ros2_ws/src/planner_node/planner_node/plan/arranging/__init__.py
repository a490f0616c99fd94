# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Requests to arrange things of any name in a home of any layout, in ordinary English, and what was told about them."""
