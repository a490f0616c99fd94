# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Skills and sensors of a simulator or a robot behind one protocol."""
