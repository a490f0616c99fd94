# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What people tell, read by rules: facts, what they mean by their things, habits, and what they prefer."""

from karma_language.told.corrections import corrected, withdrawn, withdraws
from karma_language.told.reader import read_told

__all__ = ["corrected", "read_told", "withdrawn", "withdraws"]
