# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Habitat: a simulator whose parts run in a Python of their own, and the household's homes as its scenes."""
