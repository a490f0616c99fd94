# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
#
# KARMA with Habitat: docker build -f docker/habitat.Dockerfile -t karma:habitat . (after karma:slim).
# Habitat runs in a Python of its own; KARMA_HABITAT_PYTHON names it. docs/deploy.md says more.
ARG KARMA_TAG=slim

FROM mambaorg/micromamba:2.0.5-debian12-slim AS habitat
USER root
SHELL ["/bin/bash", "-o", "pipefail", "-c"]
# Debian's stable release gets security fixes only, and its mirrors keep no older versions
# hadolint ignore=DL3008
RUN apt-get update \
 && apt-get install -y --no-install-recommends ca-certificates git \
 && rm -rf /var/lib/apt/lists/*
RUN micromamba create --yes --prefix /opt/habitat --channel conda-forge --channel aihabitat \
      python=3.9 numpy=1.26.4 habitat-sim=0.3.3 headless withbullet \
 && micromamba run --prefix /opt/habitat pip install --no-cache-dir \
      antlr4-python3-runtime==4.9.3 cloudpickle==3.1.2 gym==0.23.0 gym-notices==0.1.0 hydra-core==1.3.8 \
      omegaconf==2.3.1 opencv-python==4.11.0.86 \
      "git+https://github.com/facebookresearch/habitat-lab.git@v0.3.3#subdirectory=habitat-lab" \
 && micromamba clean --all --yes

FROM karma:${KARMA_TAG}
COPY --from=habitat /opt/habitat /opt/habitat
ENV KARMA_HABITAT_PYTHON=/opt/habitat/bin/python
USER karma
HEALTHCHECK --interval=30s --timeout=20s --start-period=300s --retries=3 CMD ["/entrypoint.sh", "health"]
ENTRYPOINT ["/entrypoint.sh"]
CMD ["up", "--headless", "--backend", "habitat"]
