# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What household things are called, what they are good for and where they usually are."""

from karma_language.vocabulary.lexicon import Kind, Lexicon, household

__all__ = ["Kind", "Lexicon", "household"]
