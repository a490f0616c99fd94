# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What all memories know after some events: now, at an earlier time, in a snapshot."""
