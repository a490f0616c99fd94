# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""How much of a home exploring frontier by frontier shows, and what the graph says rests on what."""
