# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""How the people of the generated stream say and ask things, from wordings.json: training, held-out and fresh.

`{S}` is who it is about, `{S's}` the same as an owner, `{v}` the value, `{old}` the value before; `[a|b]` is a for the
first person and b for the third. Nothing outside this package knows these wordings. The rules that read sentences were
written against those for training. The fresh ones are harder: they were written when the rules for the others were
finished; some of what they showed was added since.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from importlib.resources import files


@dataclass(frozen=True)
class Wordings:
    """The ways to tell one kind of fact, to tell that it has changed, and to ask for it."""

    tell: tuple[str, ...]
    ask: tuple[str, ...]
    change: tuple[str, ...] = ()
    """Empty: told once, or told anew in the words of `tell`."""


def wordings(name: str) -> dict[str, Wordings]:
    """Return the wordings of a set by kind of fact."""
    sets = json.loads(files("karma_eval.emg").joinpath("wordings.json").read_text(encoding="utf-8"))
    return {kind: Wordings(**{use: tuple(said) for use, said in of.items()}) for kind, of in sets[name].items()}
