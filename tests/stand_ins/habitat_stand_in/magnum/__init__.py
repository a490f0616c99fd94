# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Stand-in: the vectors and matrices that the worker uses, no more."""

import numpy as np


class Vector3:
    def __init__(self, x, y, z):
        self._v = np.array([x, y, z], dtype=np.float64)

    def __getitem__(self, index):
        return self._v[index]

    def __len__(self):
        return 3

    def __add__(self, other):
        return Vector3(*(self._v + other._v))

    def __sub__(self, other):
        return Vector3(*(self._v - other._v))


class Matrix4:
    def __init__(self, columns):
        self._m = np.array(columns, dtype=np.float64).T

    @classmethod
    def of(cls, matrix):
        return cls(np.asarray(matrix).T)

    def __matmul__(self, other):
        return Matrix4.of(self._m @ other._m)

    def inverted(self):
        return Matrix4.of(np.linalg.inv(self._m))

    @property
    def translation(self):
        return Vector3(*self._m[:3, 3])

    def transform_point(self, point):
        return Vector3(*(self._m[:3, :3] @ point._v + self._m[:3, 3]))

    def transform_vector(self, vector):
        return Vector3(*(self._m[:3, :3] @ vector._v))
