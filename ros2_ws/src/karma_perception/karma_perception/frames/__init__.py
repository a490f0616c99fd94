# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""RGB-D frames: what cameras send, put together, and where the camera was."""
