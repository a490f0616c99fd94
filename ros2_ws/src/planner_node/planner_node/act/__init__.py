# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""One skill at a time: outcomes, retries, recovery, pauses."""
