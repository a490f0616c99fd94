# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0

from enum import Enum


class MotionType(Enum):
    STATIC = 1
    KINEMATIC = 2
    DYNAMIC = 3
