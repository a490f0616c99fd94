# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""How well and how fast perception turns RGB-D frames into a scene graph."""
