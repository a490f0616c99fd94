# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Parts of the page beside the 3D view, a module each."""
