# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Recorded bags as frames for the pipeline. No ROS graph is started."""
