# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What refers to what was just said, and small talk."""
