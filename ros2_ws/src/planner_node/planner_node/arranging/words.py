# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Small words of requests to arrange things, beside those of planner_node.understand."""

from __future__ import annotations


def word_set(text: str) -> frozenset[str]:
    """Return the words of a text."""
    return frozenset(text.split())


ON = word_set("on onto to atop upon at over for")
IN = word_set("in into inside within")
NEAR = word_set("beside by near alongside") | {"next to", "close to"}
AWAY = word_set("from off") | {"out of", "off of"}
POSSESSIVE = word_set("my our his her their your")
DETERMINERS = POSSESSIVE | word_set("the a an some this that these those both all one two each every any")
PRONOUNS = word_set("it them both these those they this that one")
ADVERBS = word_set(
    "back up away down out together again first then please also next finally too as well neatly carefully side just "
    "afterwards later now over here there"
)
LEADS = word_set("and , : ; then by to please also first next finally after before")
"""What may stand before the verb of a further request."""
ARRANGING = word_set(
    "tidy prepare change swap make create refresh help setup ready decorate rearrange gather clear recreate"
)
"""Verbs that ask for something and that planner_node.understand has no goal for."""
EMPTY = word_set(
    "a an the is are was were be been of with and or in on at to from by for it its this that these those my our your "
    "his her their has have had which who some as part"
)
"""Words that tell nothing about what a thing looks like or means."""
