# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Tools of a language model: the same day and the same questions for the memory's tools and for emem's."""
