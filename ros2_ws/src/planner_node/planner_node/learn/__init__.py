# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What an instruction teaches: its events, its guidelines, another try."""
