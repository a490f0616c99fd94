# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""MEMENTO: personal knowledge from past instructions, and tasks that need it."""
