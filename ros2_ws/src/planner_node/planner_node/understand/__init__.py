# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Text to goals: by rules (offline) or by a language model."""
