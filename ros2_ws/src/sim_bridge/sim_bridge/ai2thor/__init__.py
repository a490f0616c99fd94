# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""AI2-THOR behind the bridge's protocol: the real client (`ai2thor` 5.0) and whatever build it runs."""
