# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Text for the page: templates in which whatever people, labels or models said is shown and never interpreted."""

from __future__ import annotations

import re
import time
import unicodedata
from collections.abc import Container, Mapping, Sequence
from functools import cache
from typing import Any

import jinja2

from karma_language.answers.plain_words import calls_in_words, recollected
from karma_language.zone import local_time
from karma_ros.result_codes import code_name
from karma_view.wording import spoken

_OF_SIGHT = frozenset({"short_term", "long_term"})
"""Kinds of recollections that tell where a thing is."""


@cache
def _templates() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("karma_view"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(clock=clock, day=day, code_name=code_name, short=short, named=named, in_words=in_words)
    environment.filters.update(calls_in_words=calls_in_words, recollected=recollected, fact=fact, moment=moment)
    return environment


def render(template: str, **values: Any) -> str:
    """Return HTML made of a template's file (templates/NAME.html.jinja); every value in it is escaped."""
    return _templates().get_template(f"{template}.html.jinja").render(values)


def short(text: str, most: int) -> str:
    """Return at most `most` characters of a text, blanks for what can't be seen or turns the direction of writing."""
    cut = text if len(text) <= most else text[: most - 1] + "…"
    return "".join(c if c == "\n" or not unicodedata.category(c).startswith("C") else " " for c in cut)


def distinct(text: str, most: int, others: Container[str]) -> str:
    """Return `short` of a text, with a number where it is among the others."""
    label = shown = short(text, most)
    number = 1
    while shown in others:
        number += 1
        shown = f"{label} ({number})"
    return shown


def named(text: str, categories: Mapping[str, str]) -> str:
    """Return a text with the categories, by id, of what it names by ids."""
    return re.sub(r"[^\s,;()]+", lambda word: _category(word[0], categories), text)


def fact(record: Any) -> str:
    """Return what a recollection (karma_interfaces/Recollection) says, as one line for people.

    Without where exactly a thing is, which the home shows, and with its category as people say it.
    """
    text = " ".join(recollected(record).split())
    if record.kind in _OF_SIGHT:
        text = re.sub(r", at \[[-\d., ]+\]", "", text)
        text = re.sub(r"\b[A-Z][a-z]+(?:[A-Z][a-z]+)*\b", lambda found: spoken(found[0]), text)
        text = text[:1].upper() + text[1:]
    return text


def in_words(why: Sequence[str]) -> str:
    """Return what has no number in it of the reasons for a recollection (karma_interfaces/Recollection)."""
    return ", ".join(part for one in why for part in one.split(", ") if not any(map(str.isdigit, part)))


def seconds(stamp: Any) -> float:
    """Return a builtin_interfaces/Time in seconds."""
    return float(stamp.sec) + float(stamp.nanosec) * 1e-9


def clock(stamp: Any) -> str:
    """Return a time (builtin_interfaces/Time or seconds) as hours, minutes and seconds; "" for none."""
    return _written(stamp, "%H:%M:%S")


def day(stamp: Any) -> str:
    """Return a time (builtin_interfaces/Time or seconds) with its day; "" for none."""
    return _written(stamp, "%Y-%m-%d %H:%M:%S")


def moment(stamp: Any) -> str:
    """Return a time (builtin_interfaces/Time) as people say it: "at 8:12", with its day where that is not today."""
    today = _written(time.time(), "%x") == _written(stamp, "%x")
    return _written(stamp, "at %-H:%M" if today else "on %-d %B at %-H:%M")


def _category(word: str, categories: Mapping[str, str]) -> str:
    name = word.rstrip(".:")
    return categories.get(name, name) + word[len(name) :]


def _written(stamp: Any, form: str) -> str:
    value = stamp if isinstance(stamp, int | float) else seconds(stamp)
    if not 0 < value < 253_402_300_800:  # year 10000
        return ""
    return local_time(value).strftime(form)
