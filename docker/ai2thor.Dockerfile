# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
#
# KARMA with AI2-THOR's client: docker build -f docker/ai2thor.Dockerfile -t karma:ai2thor . (after karma:slim).
# AI2-THOR's build is downloaded on the first start, into /home/karma/.ai2thor. docs/deploy.md says more.
ARG KARMA_TAG=slim
FROM karma:${KARMA_TAG}
USER root
SHELL ["/bin/bash", "-o", "pipefail", "-c"]
# Debian's stable release gets security fixes only, and its mirrors keep no older versions
# hadolint ignore=DL3008
RUN apt-get update \
 && apt-get install -y --no-install-recommends libvulkan1 mesa-vulkan-drivers xauth xvfb \
 && rm -rf /var/lib/apt/lists/*
# Nothing is compiled: all packages are built in karma:slim.
RUN ./karma setup --backend ai2thor \
 && rm -rf /var/lib/apt/lists/* \
 && rm -rf /karma/out \
 && install --directory --owner=karma --group=karma /karma/out /home/karma/.ai2thor
USER karma
VOLUME ["/home/karma/.ai2thor"]
HEALTHCHECK --interval=30s --timeout=20s --start-period=900s --retries=3 CMD ["/entrypoint.sh", "health"]
ENTRYPOINT ["/entrypoint.sh"]
CMD ["up", "--headless", "--backend", "ai2thor", "--scene", "FloorPlan1"]
