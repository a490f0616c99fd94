# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What a language model that plans is shown, may choose from, and has reached (BrainMem, KARMA)."""
