# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What one can do here, for who comes to the page and has said nothing yet: three examples from this home."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from karma_perception.scene_graph import Layer, Node, SceneGraph
from karma_view.known import Known
from karma_view.text import render, short
from karma_view.wording import spoken

if TYPE_CHECKING:
    from karma_view.session import Session

LONGEST = 80
"""Characters of an example."""


class FirstVisit:
    """Three things to say, as buttons, until something has been said."""

    def __init__(self, session: Session, say: Callable[[str], object]) -> None:
        """`say`: says one of them to the robot."""
        gui = session.client.gui
        self._gui = gui
        self._say = say
        self._graph: SceneGraph | None = None
        self._words: Any = gui.add_html(render("first_visit", examples=False))
        self._folder: Any = gui.add_folder("For example", visible=False)
        self._buttons: dict[str, Any] = {}

    def update(self, known: Known, *, said: bool) -> None:
        """Offer what can be said of what is known; nothing once something was `said`."""
        if said:
            if self._words.visible:
                self._words.visible = self._folder.visible = False
            return
        if known.graph is self._graph:
            return
        self._graph = known.graph
        wanted = examples(known.graph)
        if tuple(self._buttons) == wanted:
            return
        for button in self._buttons.values():
            button.remove()
        self._buttons = {}
        with self._folder:
            for text in wanted:
                button = self._buttons[text] = self._gui.add_button(short(text, LONGEST), color="gray")
                button.on_click(partial(self._give, text))
        self._folder.visible = bool(wanted)
        self._words.content = render("first_visit", examples=bool(wanted))

    def _give(self, text: str, _: Any) -> None:
        self._say(text)


def examples(graph: SceneGraph) -> tuple[str, ...]:
    """Return something to ask, to tell and to have done in a home, in this order; none where it holds too little."""
    kept = [node for node in graph.layer(Layer.OBJECT) if node.movable and node.receptacle]
    things = _of_one_kind(kept)
    places = _of_one_kind([node for node in graph.layer(Layer.OBJECT) if not node.movable and node.support_heights])
    if not things or not places:
        return ()
    asked, told = spoken(things[0].category), spoken(things[-1].category)
    used = Counter(node.receptacle for node in kept)  # a table rather than the bathtub
    place = max(places, key=lambda node: (node.id != things[-1].receptacle, used[node.id]))
    return (
        f"Where is the {asked}?",
        f"I prefer the {told} on the {spoken(place.category)}.",
        f"Put the {told} on the {spoken(place.category)}.",
    )


def _of_one_kind(nodes: Sequence[Node]) -> list[Node]:
    """Return those of whose category there are no others, by name: what is said of them is clear."""
    categories = [node.category for node in nodes]
    return sorted((node for node in nodes if categories.count(node.category) == 1), key=lambda node: node.category)
