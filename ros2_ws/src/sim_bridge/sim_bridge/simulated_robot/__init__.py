# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""A simulated robot behind the interfaces of a real one, to try a table without hardware (docs/robots.md)."""
