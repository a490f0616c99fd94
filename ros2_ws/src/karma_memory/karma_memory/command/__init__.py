# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The subcommands of python3 -m karma_memory.command: each module adds its own with `add_to`."""
