# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Set-up of a checkout: finds or makes a ROS 2, installs what is missing, builds the workspace."""
