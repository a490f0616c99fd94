# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Reading with a language model: it says in plain English what was said, the rules read that, and it is checked."""

from karma_language.model_reader.asking import Context, ModelReader, Senseless

__all__ = ["Context", "ModelReader", "Senseless"]
