# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What is to be done, forbidden or told beside it."""
