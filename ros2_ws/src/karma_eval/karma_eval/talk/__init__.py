# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What people say to a robot at home, judged by the simulator's truth."""
