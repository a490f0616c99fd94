# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The map in a file, so that a robot that is restarted goes on with it."""
