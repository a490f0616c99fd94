#!/bin/bash
# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0

set -e
# ROS's own set-up file reads variables that may be unset, so there is no `set -u` before it.
# shellcheck source=/dev/null
source "/opt/ros/${ROS_DISTRO}/setup.bash"
exec /karma/karma "$@"
