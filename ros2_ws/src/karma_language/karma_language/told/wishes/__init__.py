# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What people prefer: stated, chosen, or said when they are asked (PAHF)."""
