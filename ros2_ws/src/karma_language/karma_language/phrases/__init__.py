# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The parts of a clause: noun phrases, places, times, and what its verb makes of them."""
