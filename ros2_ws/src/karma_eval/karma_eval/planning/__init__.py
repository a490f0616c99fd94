# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""How fast and how well task planning's problems are solved, by KARMA's own search and by planners of the field."""
