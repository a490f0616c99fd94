# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What people tell, read by rules: facts, what they mean by their things, habits, and what they prefer."""
