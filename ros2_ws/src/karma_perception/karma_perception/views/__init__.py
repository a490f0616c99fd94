# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Pictures of single objects: the best view of each, in each of its states and places."""
