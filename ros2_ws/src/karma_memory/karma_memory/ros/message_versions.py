# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Messages that were recorded with other definitions, as those of today: fields are known by their names."""

from __future__ import annotations

import re
from array import array
from collections.abc import Mapping
from importlib import import_module
from pathlib import PurePosixPath
from typing import Any

import numpy as np
from rosbags.interfaces.typing import Typesdict
from rosbags.typesys import Stores, get_types_from_msg, get_typestore
from rosbags.typesys.store import Typestore

_PARTS = {"msg": ("",), "srv": ("_Request", "_Response"), "action": ("_Goal", "_Result", "_Feedback")}
"""Folder → what is added to a name for each part of the file."""


def store_of(definitions: Mapping[str, str]) -> Typestore:
    """Return the message types of ROS, and those of karma_interfaces by these definitions.

    `definitions`: name in the package, such as "srv/Recall.srv", → text, whose parts the store calls
    "karma_interfaces/msg/Recall_Request", for it knows messages only. KeyError, ValueError or TypesysError where one
    is none.
    """
    store = get_typestore(Stores.LATEST)
    types: Typesdict = {}
    for name, text in definitions.items():
        path = PurePosixPath(name)
        parts = re.split(r"^---$", text, flags=re.MULTILINE)
        for part, lines in zip(_PARTS[str(path.parent)], parts, strict=True):
            types |= get_types_from_msg(lines, f"karma_interfaces/msg/{path.stem}{part}")
    store.register(types)
    return store


def present(found: Any, cls: type[Any]) -> Any:
    """Return what rosbags read, by whichever definition, as a message of a class of today.

    What it lacks is as in a new message, and what there is no more is passed over. AssertionError, AttributeError or
    TypeError where a field of the same name holds something else.
    """
    made = cls()
    for name, kind in cls.get_fields_and_field_types().items():
        if hasattr(found, name):
            setattr(made, name, _value(getattr(found, name), kind))
    return made


def _value(found: Any, kind: str) -> Any:
    """Return the value of a field; `kind`: "sequence<karma_interfaces/SceneNode>", "double[3]", "string"."""
    if isinstance(found, np.ndarray):
        return array("B", found.tobytes()) if found.dtype == np.uint8 else found.tolist()
    message = re.search(r"(\w+)/(\w+)", kind)
    if message is None:
        return found
    cls = getattr(import_module(f"{message[1]}.msg"), message[2])
    return [present(item, cls) for item in found] if isinstance(found, list) else present(found, cls)
