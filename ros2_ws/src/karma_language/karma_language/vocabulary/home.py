# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""A home's own words, in a file: what its robot calls things that the vocabulary does not know, and its rooms.

things:                       # label of the scene graph -> what it is good for
PencilCase: [pickup]        # "the pencil case"
Wardrobe: [hold, open]      # furniture: things are put on and in it
rooms:                        # name of a room -> what else it is called
tv room: [television room]
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from karma_language.vocabulary.lexicon import Lexicon, VocabularyError

_LARGEST = 1_000_000
"""Characters of a file."""
_Affordance = Literal["pickup", "open", "toggle", "slice", "break", "fill", "hold"]
_Label = Annotated[str, StringConstraints(pattern=r"^[A-Z][A-Za-z]{0,63}$")]
_Name = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z ]{0,63}$")]


class HomeWords(BaseModel):
    """The words of one home."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    things: dict[_Label, list[_Affordance]] = Field(default_factory=dict)
    rooms: dict[_Name, list[_Name]] = Field(default_factory=dict)

    def added_to(self, lexicon: Lexicon) -> Lexicon:
        """Return a lexicon with these words."""
        rooms = {called: name for name, others in self.rooms.items() for called in (name, *others)}
        return lexicon.with_labels({label: frozenset(can) for label, can in self.things.items()}).with_rooms(rooms)


def load_home(path: str | Path) -> HomeWords:
    """Read a home's words. VocabularyError, which says what is wrong with the file."""
    try:
        text = Path(path).expanduser().read_text(encoding="utf-8")
        if len(text) > _LARGEST:
            raise VocabularyError(f"{path}: has {len(text)} characters; at most {_LARGEST}")  # noqa: TRY301 - as all that is wrong
        return HomeWords.model_validate(yaml.load(text, yaml.CSafeLoader) or {})
    except VocabularyError:
        raise
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"])) or "the file"
        raise VocabularyError(f"{path}: {where}: {first['msg']}") from error
    except (OSError, yaml.YAMLError, ValueError, LookupError, RecursionError) as error:  # 30 February, `!!int ''`
        raise VocabularyError(f"{path}: can't be read: {error}") from error
