# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The memory over ROS: what the node memory_server offers and follows, beside its life cycle."""
