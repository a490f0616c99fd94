# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""RGB-D frames to a hierarchical 3D scene graph: floors, rooms, areas and objects."""
