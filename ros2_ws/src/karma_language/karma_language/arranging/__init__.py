# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""English of requests to arrange things: their clauses, and which of their phrases may mean what was told before."""
