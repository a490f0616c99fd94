# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The process: an answer for every action, until the client goes."""

from __future__ import annotations

import argparse
import inspect
from collections.abc import Mapping, Sequence

from unity_stand_in.actions import ASKING, ActionError, actions_of
from unity_stand_in.metadata import metadata_of, patch_of
from unity_stand_in.protocol import Action, Answer, client_at
from unity_stand_in.stage import Stage

_ANYWHERE = {"action", "sequenceId", "renderImage"}
"""What every action takes."""


def main(arguments: Sequence[str], environment: Mapping[str, str]) -> int:
    """Play Unity for the client that started this process with Unity's arguments."""
    parser = argparse.ArgumentParser(allow_abbrev=False)
    parser.add_argument("-screen-width", type=int, default=300)
    parser.add_argument("-screen-height", type=int, default=300)
    chosen, _ = parser.parse_known_args(arguments)
    stage = Stage(chosen.screen_width, chosen.screen_height)
    action: Action | None = {"action": "", "sequenceId": 0}
    failure: ActionError | None = None
    with client_at(environment) as client:
        while action is not None:
            images = stage.images() if action.get("renderImage", True) else {}
            patch = patch_of(stage, action, failure) if action["action"] in ASKING else {}
            action = client.exchange(Answer(metadata_of(stage, action, failure), images, patch))
            if action is not None:
                failure = perform(stage, action)
    return 0


def perform(stage: Stage, action: Action) -> ActionError | None:
    """Do what an action says; return why it was not possible, None where it was."""
    stage.returned = None
    method = actions_of(stage).get(action["action"])
    if method is None:
        return ActionError(f"Invalid action: {action['action']}", "InvalidAction")
    given = {k: v for k, v in action.items() if k not in _ANYWHERE}
    known = inspect.signature(method).parameters
    if not any(p.kind == p.VAR_KEYWORD for p in known.values()):
        missing = [n for n, p in known.items() if p.default is p.empty and n not in given]
        if missing:
            named = ",".join(missing)
            text = f"action: {action['action']} is missing the following arguments: {named}"
            return ActionError(text, "MissingArguments")
        unknown = sorted(set(given) - set(known))
        if unknown:
            named = ", ".join(unknown)
            return ActionError(f"action: {action['action']} called with invalid argument: {named}", "InvalidArgument")
    try:
        stage.returned = method(**given)
    except ActionError as failure:
        return failure
    return None
