# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Reading with a language model: the words go to it uncut, and its answer is checked before it counts."""

from karma_language.model_reader.asking import Context, ModelReader, Senseless

__all__ = ["Context", "ModelReader", "Senseless"]
