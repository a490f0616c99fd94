# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Networks that find objects in color images; masks come from depth."""
