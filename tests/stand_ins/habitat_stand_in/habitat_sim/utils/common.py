# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0


def orthonormalize_rotation_shear(transformation):
    return transformation
