#!/bin/bash
# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
#
# Everything after the image's name goes to ./karma, with ROS 2 sourced where it is installed.

set -e
# ROS's own set-up file reads variables that may be unset, so there is no `set -u` before it.
if [ -n "${ROS_DISTRO:-}" ]; then
    # shellcheck source=/dev/null
    source "${KARMA_ROS:-/opt/ros/${ROS_DISTRO}}/setup.bash"
fi
exec "${KARMA_CHECKOUT:-/karma}/karma" "$@"
