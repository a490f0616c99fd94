# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Recall: one question to all memories, answered by words and by meaning, as a ranked list and a prompt."""
