# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
#
# KARMA on a full ROS 2 installation, with rviz and Nav2: docker build -f docker/desktop.Dockerfile -t karma:desktop .
# (from the root of the checkout). --build-arg ROS_DISTRO=jazzy for Jazzy. docs/deploy.md says more.
ARG ROS_DISTRO=kilted
FROM ros:${ROS_DISTRO}-ros-base-noble
SHELL ["/bin/bash", "-o", "pipefail", "-c"]
# packages.ros.org keeps only the newest versions of a distribution
# hadolint ignore=DL3008
RUN apt-get update \
 && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends \
      cmake g++ libegl-mesa0 libegl1 libgl1 libgl1-mesa-dri libgomp1 libusb-1.0-0 ninja-build python3-dev python3-venv \
      "ros-${ROS_DISTRO}-control-msgs" "ros-${ROS_DISTRO}-diagnostic-msgs" "ros-${ROS_DISTRO}-launch-pytest" "ros-${ROS_DISTRO}-nav-msgs" \
      "ros-${ROS_DISTRO}-navigation2" "ros-${ROS_DISTRO}-nav2-bringup" "ros-${ROS_DISTRO}-robot-state-publisher" \
      "ros-${ROS_DISTRO}-rosbag2" "ros-${ROS_DISTRO}-rosbag2-storage-mcap" "ros-${ROS_DISTRO}-rviz2" \
      "ros-${ROS_DISTRO}-tf2-msgs" "ros-${ROS_DISTRO}-visualization-msgs" "ros-${ROS_DISTRO}-xacro" util-linux \
 && rm -rf /var/lib/apt/lists/*
WORKDIR /karma
COPY . .
RUN source "/opt/ros/${ROS_DISTRO}/setup.bash" && ./karma setup
COPY docker/entrypoint.sh /entrypoint.sh
# Ubuntu's image has a user 1000 already.
RUN if id ubuntu > /dev/null 2>&1; then userdel --remove ubuntu; fi \
 && useradd --create-home --uid 1000 --shell /bin/bash karma \
 && rm -rf /karma/out \
 && install --directory --owner=karma --group=karma /karma/out /home/karma/.karma
USER karma
VOLUME ["/home/karma/.karma"]
HEALTHCHECK --interval=30s --timeout=20s --start-period=120s --retries=3 CMD ["/entrypoint.sh", "health"]
ENTRYPOINT ["/entrypoint.sh"]
CMD ["up", "--headless", "--scene", "home1"]
