# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What a question asks for, by a classifier; what it names fills the rest."""
