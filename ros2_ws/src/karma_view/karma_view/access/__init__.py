# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Where the page listens, and who may open it."""
