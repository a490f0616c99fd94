# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What things mean to people, and what they do again and again (MEMENTO)."""
