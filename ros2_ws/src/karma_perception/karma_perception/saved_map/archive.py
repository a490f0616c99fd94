# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The state of a map's objects as JSON and arrays, and back, without running anything that a file says.

Only values, containers and the classes of specimens are known. An object that is read has the attributes that its class
has today, of the same types, or the archive is refused: so nothing is forgotten when a class changes. What an older
version's objects lack, `versions.py` says.
"""

from __future__ import annotations

import copy
import dataclasses
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from karma_perception.saved_map.versions import Step

Json = Any
Arrays = Sequence[NDArray[Any]]

OWN = frozenset({"_options", "_current", "_last", "borders", "shown"})
"""Attributes that an archive leaves out: what the parameters say, where the robot is just now and what it sees."""

_NUMBERS = (bool, int, float)


class ArchiveError(ValueError):
    """The data is no archive of this version's classes; the message says where it differs."""


class Codec:
    """Writes and reads instances of the classes of its specimens."""

    def __init__(
        self, specimens: Iterable[object], *, values: Iterable[type[Any]] = (), step: Step | None = None
    ) -> None:
        """`specimens`: for each class an instance, as it is before anything is in it.

        `values`: dataclasses that are made by their constructors; `step`: how archives of an older version are read.
        """
        self._step = step or Step()
        self._specimens = {type(s).__name__: s for s in specimens}
        self._values = {v.__name__: v for v in values}

    def encode(self, value: object) -> tuple[Json, list[NDArray[Any]]]:
        """Return a value as JSON, and the arrays that it refers to by number. TypeError for what is not known."""
        arrays: list[NDArray[Any]] = []
        return self._encode(value, arrays), arrays

    def decode(self, data: Json, arrays: Arrays) -> Any:
        """Return what was encoded. `ArchiveError` when the data is nothing of the kind."""
        try:
            return self._decode(data, arrays)
        except (TypeError, ValueError, KeyError, IndexError, AttributeError, RecursionError) as error:
            if isinstance(error, ArchiveError):
                raise
            raise ArchiveError(f"malformed: {error}") from error

    def _encode(self, value: Any, arrays: list[NDArray[Any]]) -> Json:
        if value is None or isinstance(value, (bool, int, float, str)):
            return value.item() if isinstance(value, np.generic) else value
        if isinstance(value, np.ndarray):
            arrays.append(value)
            return {"array": len(arrays) - 1}
        if isinstance(value, np.generic):
            return value.item()
        for name, kind in _CONTAINERS.items():
            if type(value) is kind:
                items = value.items() if isinstance(value, dict) else value
                return {name: [self._encode(item, arrays) for item in items]}
        if isinstance(value, deque):
            return {"deque": [self._encode(item, arrays) for item in value], "longest": value.maxlen}
        name = type(value).__name__
        if type(value) is self._values.get(name):
            attributes = {f.name: getattr(value, f.name) for f in dataclasses.fields(self._values[name])}
        elif name in self._specimens and type(value) is type(self._specimens[name]):
            attributes = {key: v for key, v in vars(value).items() if key not in OWN}
        else:
            raise TypeError(f"a map holds a {type(value).__qualname__}, for which there is no form in its file")
        return {"class": name, "has": {key: self._encode(v, arrays) for key, v in attributes.items()}}

    def _decode(self, data: Json, arrays: Arrays) -> Any:
        if data is None or isinstance(data, (bool, int, float, str)):
            return data
        if "array" in data:
            return arrays[data["array"]]
        if "deque" in data:
            return deque((self._decode(item, arrays) for item in data["deque"]), data["longest"])
        if "class" in data:
            name, gone = data["class"], self._step.gone.get(data["class"], ())
            has = {key: self._decode(v, arrays) for key, v in data["has"].items() if key not in gone}
            for new, like in self._step.same_as.get(name, {}).items():
                has.setdefault(new, has[like])
            return self._object(name, has)
        ((name, items),) = data.items()
        return _CONTAINERS[name](self._decode(item, arrays) for item in items)

    def _object(self, name: str, attributes: Mapping[str, Any]) -> Any:
        if name in self._values:
            kind = self._values[name]
            _same_names(name, attributes, {f.name for f in dataclasses.fields(kind)})
            return kind(**attributes)
        specimen = self._specimens[name]
        expected = vars(specimen)
        lacks = self._step.added.get(name, frozenset()) - attributes.keys()
        attributes = {**attributes, **{key: copy.deepcopy(expected[key]) for key in lacks}}
        _same_names(name, attributes, expected.keys() - OWN)
        for key, value in attributes.items():
            _same_kind(f"{name}.{key}", value, expected[key])
        made = object.__new__(type(specimen))
        vars(made).update({key: expected[key] for key in expected.keys() & OWN} | attributes)
        return made


_CONTAINERS: Mapping[str, Any] = {"tuple": tuple, "list": list, "dict": dict, "set": set, "frozenset": frozenset}


def _same_names(name: str, found: Mapping[str, Any], expected: Iterable[str]) -> None:
    if found.keys() != set(expected):
        differing = ", ".join(sorted(found.keys() ^ set(expected)))
        raise ArchiveError(f"it was written by another version of KARMA: {name} differs in {differing}")


def _same_kind(where: str, found: Any, expected: Any) -> None:
    """Refuse a value of another type than the specimen's; None stands for anything."""
    if found is None or expected is None or (isinstance(found, _NUMBERS) and isinstance(expected, _NUMBERS)):
        return
    if isinstance(expected, np.ndarray):
        same = isinstance(found, np.ndarray) and found.dtype == expected.dtype and found.ndim == expected.ndim
    else:
        same = type(found) is type(expected)
    if not same:
        raise ArchiveError(f"{where} is a {type(found).__name__}, not what this version of KARMA has there")
