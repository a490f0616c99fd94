# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Stand-in: the vectors and matrices that the worker uses, no more; they take what magnum's take, and nothing else."""

import numpy as np


class Vector3:
    def __init__(self, x, y, z):
        self._v = np.array([_number(v) for v in (x, y, z)])

    def __getitem__(self, index):
        return float(self._v[index])

    def __len__(self):
        return 3

    def __add__(self, other):
        return Vector3(*(self._v + checked(other, Vector3)._v))

    def __sub__(self, other):
        return Vector3(*(self._v - checked(other, Vector3)._v))


class Matrix4:
    def __init__(self, columns):
        self._m = np.array([[_number(v) for v in column] for column in columns]).T
        if self._m.shape != (4, 4):
            raise TypeError("Matrix4 takes four columns of four numbers")

    @classmethod
    def of(cls, matrix):
        return cls(np.asarray(matrix, dtype=np.float64).T)

    def __matmul__(self, other):
        return Matrix4.of(self._m @ checked(other, Matrix4)._m)

    def inverted(self):
        return Matrix4.of(np.linalg.inv(self._m))

    @property
    def translation(self):
        return Vector3(*self._m[:3, 3])

    def transform_point(self, point):
        return Vector3(*(self._m[:3, :3] @ checked(point, Vector3)._v + self._m[:3, 3]))

    def transform_vector(self, vector):
        return Vector3(*(self._m[:3, :3] @ checked(vector, Vector3)._v))


def _number(value):
    if isinstance(value, (bool, str)) or not isinstance(value, (int, float, np.floating, np.integer)):
        raise TypeError(f"{value!r} is no number")
    return float(value)


def checked(value, kind):
    """Return a value of a type; TypeError for another, as pybind11 raises it."""
    if not isinstance(value, kind):
        raise TypeError(f"incompatible function arguments: {type(value).__name__} instead of {kind.__name__}")
    return value
