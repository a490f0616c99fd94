# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Objects as pybind11 makes them: no other attributes than theirs, no other types than theirs."""

from magnum import checked


class Typed:
    """A property that takes one type only."""

    def __init__(self, *kinds):
        self._kinds = kinds

    def __set_name__(self, owner, name):
        self._name = f"_{name}"

    def __get__(self, instance, owner=None):
        return self if instance is None else getattr(instance, self._name)

    def __set__(self, instance, value):
        if isinstance(value, bool) and bool not in self._kinds:
            raise TypeError(f"{self._name[1:]} takes no bool")
        checked(value, self._kinds if len(self._kinds) > 1 else self._kinds[0])
        setattr(instance, self._name, value)


class Closed:
    """A class whose objects have the attributes that it lists, and no others."""

    def __setattr__(self, name, value):
        if not hasattr(type(self), name.removeprefix("_")) and not hasattr(type(self), name):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        super().__setattr__(name, value)
