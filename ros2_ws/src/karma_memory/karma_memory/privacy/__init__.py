# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Privacy: what is kept of a user, for how long, and how all of it is shown and erased."""
