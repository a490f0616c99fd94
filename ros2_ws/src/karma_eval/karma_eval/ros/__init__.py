# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What ROS adds to the memory's own time."""
