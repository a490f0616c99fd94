# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What a memory holds and what happened, for people who look on: without a question, in pages."""
