# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""A physical robot by standard interfaces: which of them carries out which skill says a YAML table (docs/robots.md)."""
