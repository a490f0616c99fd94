# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What is personal: whose things are whose, how a person likes it, and which episode told it (MEMENTO)."""
