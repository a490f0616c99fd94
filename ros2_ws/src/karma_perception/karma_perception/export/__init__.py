# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The map for other programs: the scene graph as JSON, the objects' points and hulls as PLY."""

from karma_perception.export.graph_json import GraphFileError, read_json, write_json
from karma_perception.export.point_files import write_mesh, write_ply

__all__ = ["GraphFileError", "read_json", "write_json", "write_mesh", "write_ply"]
