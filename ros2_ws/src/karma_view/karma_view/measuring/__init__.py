# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""How well the page follows the graph, and what it costs (`./karma bench view`)."""
