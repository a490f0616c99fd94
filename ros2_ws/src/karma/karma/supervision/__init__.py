# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Starting the graph as separate processes, watching them, and leaving none behind."""

from karma.supervision.running_graph import NodeState, RunningGraph, running_graph, running_nodes

__all__ = ["NodeState", "RunningGraph", "running_graph", "running_nodes"]
