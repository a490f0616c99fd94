# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
#
# KARMA with the simulated household, ROS 2 from wheels: docker build -f docker/slim.Dockerfile -t karma:slim .
# (from the root of the checkout). docs/deploy.md says more.
ARG PYTHON_VERSION=3.11.11

FROM python:${PYTHON_VERSION}-slim-bookworm AS build
SHELL ["/bin/bash", "-o", "pipefail", "-c"]
# Debian's stable release gets security fixes only, and its mirrors keep no older versions
# hadolint ignore=DL3008
RUN apt-get update \
 && apt-get install -y --no-install-recommends cmake g++ libgomp1 ninja-build util-linux \
 && rm -rf /var/lib/apt/lists/*
WORKDIR /karma
COPY . .
# With the usual interfaces of robots, which only a compiler can add.
RUN ./karma setup --backend robot
# Neither what only tests use (python-xlib of AI2-THOR's client needs six), nor extensions of which KARMA uses none. And
# what was not installed by pip is compiled, since the user may not write there.
RUN .venv/bin/python -m pip uninstall --yes $(sed '1,/^# tests/d' requirements/packages.in | grep --invert-match '^six') \
 && rm -rf .venv/lib/python3*/site-packages/open3d/resources .venv/lib/python3*/site-packages/open3d/open3d_t*_ops.so \
 && .venv/bin/python -m compileall -q -x '/test/' .

FROM python:${PYTHON_VERSION}-slim-bookworm
SHELL ["/bin/bash", "-o", "pipefail", "-c"]
# as above
# hadolint ignore=DL3008
RUN apt-get update \
 && apt-get install -y --no-install-recommends \
      libegl-mesa0 libegl1 libgl1 libgl1-mesa-dri libgomp1 libusb-1.0-0 util-linux \
 && rm -rf /var/lib/apt/lists/* \
 && useradd --create-home --uid 1000 --shell /bin/bash karma
COPY --from=build /karma /karma
COPY docker/entrypoint.sh /entrypoint.sh
# What the robot remembers and what commands write belong to the user; the code doesn't. The set-up's log is root's.
RUN rm -rf /karma/out \
 && install --directory --owner=karma --group=karma /karma/out /home/karma/.karma
WORKDIR /karma
USER karma
VOLUME ["/home/karma/.karma"]
HEALTHCHECK --interval=30s --timeout=20s --start-period=120s --retries=3 CMD ["/entrypoint.sh", "health"]
ENTRYPOINT ["/entrypoint.sh"]
CMD ["up", "--headless", "--scene", "home1"]
