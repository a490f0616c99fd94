# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The 3D view: what is drawn, what is written in it, from where one looks, recordings of it."""
