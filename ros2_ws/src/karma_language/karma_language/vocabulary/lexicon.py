# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The household vocabulary: English words to object categories, and what is generally true of a category."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from importlib.resources import files
from typing import Any

from rapidfuzz.distance import OSA

from karma_language.vocabulary.terms import plural_of, singular

_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
SWITCHED_BY = {"StoveBurner": "StoveKnob"}
"""Category → category of what it is switched by, where that is another thing."""
_LONGEST = 4
"""Words of a noun, at most."""


class VocabularyError(ValueError):
    """The vocabulary file does not have the form that its header describes."""


@dataclass(frozen=True)
class Kind:
    """What is generally true of the objects of one category."""

    category: str
    names: tuple[str, ...] = ()
    classes: tuple[str, ...] = ()
    affordances: frozenset[str] = frozenset()
    """Of pickup, open, toggle, slice, break, fill, hold."""
    relation: str = "on"
    """How things are with it that are put there: "on" or "in"."""
    either: bool = False
    """Whether that depends on what is said: of a cupboard that things stand in and on."""
    colours: tuple[str, ...] = ()
    uses: tuple[str, ...] = ()
    places: tuple[str, ...] = ()
    """Categories of the receptacles it usually is on or in, likeliest first."""
    rooms: tuple[str, ...] = ()
    """Kinds of room it usually is in, likeliest first."""
    mass: bool = False
    """Whether people don't count it: "some bread"."""
    whole: str = ""
    """For slices: the category they come from."""

    @property
    def noun(self) -> str:
        """What people call one."""
        return self.names[0] if self.names else split_camel(self.category)


@dataclass(frozen=True)
class Noun:
    """One reading of a word or phrase: the categories that it may mean, likeliest first."""

    categories: tuple[str, ...]
    plural: bool = False
    generic: bool = False
    """Whether it names a class ("fruit") rather than a kind of thing."""
    sliced: bool = False
    loosely: tuple[str, ...] = ()
    """What people also call so; meant where nothing fits better."""


def called_room(name: str, kind: str) -> str:
    """Return what people call a room of a home, which has a name or an id there: "guest room" for "guest_room"."""
    named = name.replace("_", " ")
    return named if named.islower() else split_camel(kind or name)


def _as_called(label: str) -> str:
    """Return what people call a label that no vocabulary has: a person's own as it is, a detector's in words."""
    return label if " " in label or label[:1].islower() else split_camel(label)


def split_camel(name: str) -> str:
    """Return "butter knife" for "ButterKnife"."""
    return _CAMEL.sub(" ", name).lower()


@dataclass(frozen=True, eq=False)
class Lexicon:
    """The words for things, and what is known of things in general. Compared by identity: it is a key of caches."""

    kinds: Mapping[str, Kind]
    nouns: Mapping[tuple[str, ...], Noun]
    rooms: Mapping[tuple[str, ...], str]
    """Words → kind of room, or another name of the room that they mean."""
    states: Mapping[tuple[str, ...], str]
    """Words → state that the adjective asks for."""
    colours: frozenset[str]
    slices: Mapping[str, str]
    slicers: tuple[str, ...]
    below: Mapping[str, str]
    """Category → category of the receptacle that is meant by "under" it."""
    mass: frozenset[str] = frozenset()
    """Nouns, beside those of the kinds, that people don't count: "some milk"."""
    hollow: frozenset[str] = frozenset()
    """Last words of names of what things are put in."""

    @cached_property
    def words(self) -> frozenset[str]:
        """Every single word that occurs in a noun or room name."""
        return frozenset(word for key in (*self.nouns, *self.rooms) for word in key)

    @staticmethod
    def load(text: str) -> Lexicon:
        """Read a vocabulary from YAML. Raises VocabularyError when it is malformed."""
        import yaml  # 0.01 s, and the loader in Python takes 0.06 s where the one in C takes 0.01

        try:
            data = yaml.load(text, yaml.CSafeLoader)
            return _build(data)
        except (yaml.YAMLError, KeyError, TypeError, AttributeError) as error:
            raise VocabularyError(f"the vocabulary is not as its header describes: {error!r}") from error

    def kind(self, category: str) -> Kind:
        """Return what is known of `category`; an empty description for a category never heard of."""
        return self.kinds.get(category) or Kind(category, (name := _as_called(category),), mass=self.is_mass(name))

    def is_mass(self, name: str) -> bool:
        """Whether people don't count what has a name: "orange juice"."""
        return (name.lower().split() or [""])[-1] in self.mass

    def can(self, category: str, affordance: str) -> bool:
        """Whether things of this category can be used so. Unknown categories are assumed to be portable things."""
        kind = self.kinds.get(category)
        return affordance in kind.affordances if kind else affordance in ("pickup", "hold")

    def any_can(self, categories: Iterable[str], affordance: str) -> bool:
        """Whether one of several categories has an affordance."""
        return any(self.can(category, affordance) for category in categories)

    def that_can(self, affordance: str) -> tuple[str, ...]:
        """Return the categories with an affordance."""
        return tuple(c for c, kind in self.kinds.items() if affordance in kind.affordances)

    @cached_property
    def joined(self) -> Mapping[str, tuple[str, ...]]:
        """Nouns of several words as one → their words: "garbagecan"."""
        return {"".join(name): name for name in self.nouns if len(name) > 1}

    def headed_by(self, word: str) -> tuple[str, ...]:
        """Return the categories with a name that ends with a word: "machine" of "coffee machine"."""
        return tuple(dict.fromkeys(c for c, k in self.kinds.items() if any(n.split()[-1] == word for n in k.names)))

    def noun(self, words: str) -> Noun | None:
        """Return what a noun phrase names, None where that is nothing known."""
        return self.nouns.get(tuple(words.lower().split()))

    def noun_ending(self, phrase: str) -> tuple[str, Noun | None]:
        """Return the longest noun that a phrase ends with, and what it names; "" and None for none."""
        said = re.findall(r"[a-z']+", phrase.lower())
        found = ((" ".join(said[at:]), self.nouns.get(tuple(said[at:]))) for at in range(len(said)))
        return next((pair for pair in found if pair[1] is not None), ("", None))

    def category_of(self, name: str) -> str:
        """Return the category that a name, or the noun that it ends with, is a name of: Mug of "red mug"; "" for none.

        The categories that people only loosely call so are none: a "work bench" is no sofa.
        """
        meant = self.noun(name)
        if meant is not None and meant.categories:
            return meant.categories[0]
        said, ending = self.noun_ending(name)
        return next((c for c in ending.categories if said in self.kinds[c].names), "") if ending is not None else ""

    def noun_beginning(self, words: Sequence[str]) -> tuple[int, Noun | None]:
        """Return how many words the longest noun has with which words begin, and what it names; 1 and None for none."""
        found = ((length, self.nouns.get(tuple(words[:length]))) for length in range(min(_LONGEST, len(words)), 0, -1))
        return next((pair for pair in found if pair[1] is not None), (1, None))

    def room(self, words: str) -> str:
        """Return the kind of room that words name, "" for none; of a kind, itself."""
        named = self.rooms.get(tuple(split_camel(words).split()), "")
        return self.rooms.get(tuple(named.split()), named)

    def is_called(self, room: str, name: str) -> bool:
        """Whether a home's room is meant by one of its names: "bedroom 2" by "bedroom", "guest room" by "spare room".

        Where none is, rooms of the kind that the name is for are meant.
        """
        return room.rstrip(" 0123456789") in (name, self.rooms.get(tuple(name.split())))

    def room_name(self, room: str) -> str:
        """Return what people call a kind of room."""
        return next((" ".join(words) for words, kind in self.rooms.items() if kind == room), split_camel(room))

    def of_home(self, furniture: Iterable[str], rooms: Iterable[str]) -> Lexicon:
        """Return this lexicon with a home's own furniture and rooms: "chest of drawers", "tv room".

        Furniture is known by its name alone: things are put on or in it. A known kind of room keeps its name here.
        """
        kinds, nouns, named = dict(self.kinds), dict(self.nouns), dict(self.rooms)
        for sort in furniture:
            kinds[sort] = Kind(sort, (sort,), affordances=frozenset(("hold",)))
            name = sort.lower()
            nouns.update({tuple(name.split()): Noun((sort,)), tuple(plural_of(name, {}).split()): Noun((sort,), True)})
        for room in rooms:
            named.setdefault(tuple(room.lower().split()), room)
        return replace(self, kinds=kinds, nouns=nouns, rooms=named)

    def with_labels(self, labels: Mapping[str, Collection[str]]) -> Lexicon:
        """Return this lexicon with a robot's own labels for things: label ("PencilCase") → affordances.

        A label that the words of this lexicon name, too, is meant by these first, and by other words for the same
        things where there is nothing else: "jug" is a Jug, then a Vase; "coffee table" may be a Table.
        """
        kinds, nouns = dict(self.kinds), dict(self.nouns)
        own = {tuple(split_camel(label).split()) for label in labels}
        for label, can in labels.items():
            portable = "pickup" in can
            if label in self.kinds:
                known = self.kinds[label]
                kinds[label] = replace(known, affordances=known.affordances | {*can}, either=not portable)
                continue
            name = split_camel(label)
            words = tuple(name.split())
            like = self.nouns.get(words)
            known = self.kinds[like.categories[0]] if like is not None and like.categories else Kind(label)
            first = self.nouns.get(words[:1])
            classes = (*known.classes, *(words[:1] if first is not None and first.generic else ()))  # a "toy" airplane
            kinds[label] = Kind(
                label, (name,), classes, frozenset(can), known.relation, not portable,
                places=known.places, rooms=known.rooms,
            )  # fmt: skip
            kinds_like = {*like.categories} if like is not None else set()
            for key, noun in self.nouns.items():
                if (kinds_like & {*noun.categories} or key[-len(words) :] == words) and key != words:
                    now = nouns[key]
                    if key not in own and labels.keys().isdisjoint(now.categories):  # nothing else is called so here
                        nouns[key] = replace(now, categories=(label, *now.categories))
                    else:
                        nouns[key] = replace(now, loosely=(*now.loosely, label))
            for key, many in ((words, False), (tuple(plural_of(name, {}).split()), True)):
                others = nouns[key].categories if key in nouns else ()
                nouns[key] = Noun((label, *others), (many and key != words) or singular(key[-1]) != key[-1])
            for key, noun in self.nouns.items():
                if noun.generic and len(key) == 1 and singular(key[0]) in classes:
                    nouns[key] = replace(nouns[key], categories=(label, *nouns[key].categories))
            for at in range(1, len(words)):  # the "holder" of the candle holder
                for key, many in ((words[at:], False), (tuple(plural_of(" ".join(words[at:]), {}).split()), True)):
                    known_noun = self.nouns.get(key)
                    if known_noun is None or known_noun.generic:
                        others = nouns[key].categories if key in nouns else ()
                        nouns[key] = Noun((*others, label), many, generic=True)
        return replace(self, kinds=kinds, nouns=nouns)

    def with_rooms(self, rooms: Mapping[str, str]) -> Lexicon:
        """Return this lexicon with a home's own rooms: what one is called → its name; a known kind keeps its own."""
        named = {tuple(words.lower().split()): name for words, name in rooms.items()}
        return replace(self, rooms={**named, **self.rooms})

    def correct(self, word: str, extra: frozenset[str] = frozenset()) -> str | None:
        """Return the word of the vocabulary that `word` is a slip of, None where that is not clear.

        Slips keep the first letter. A letter may be missing, doubled, extra or swapped with its neighbour; words of
        eight letters may also have one wrong letter, from nine letters there may be two slips. "moon" is no slip of
        "spoon", "plane" none of "plate", "spaces" none of "spices".
        """
        if len(word) < 4 or not word.isalpha():
            return None
        allowed = 2 if len(word) >= 9 else 1
        best: list[str] = []
        distance = allowed + 1
        for known in self.words | extra:
            if known[0] != word[0] or abs(len(known) - len(word)) > allowed or len(known) < 4:
                continue
            found = OSA.distance(word, known, score_cutoff=allowed)
            substituted = len(known) == len(word) and sorted(known) != sorted(word)
            if found > allowed or (substituted and len(word) <= 7):
                continue
            if found < distance:
                best, distance = [known], found
            elif found == distance:
                best.append(known)
        stem = min(best, key=len, default="")  # singular and plural of one word are no doubt about which it is
        return stem if stem and all(word.startswith(stem) for word in best) else None

    def misspelt(self, phrase: str) -> list[str]:
        """Return the names of known things, at most three, that `phrase` is likely a typo of.

        A typo is a wrong letter or two swapped ones; from eight letters on there may be two of them. English words are
        no typos: "wall" is not a ball, and "plane" no plate.
        """
        said = phrase.lower().split()
        letters = len(" ".join(said))
        if letters < 4:
            return []
        allowed = 1 if letters < 8 else 2
        found = [
            (distance, " ".join(name))
            for name in self.nouns
            if list(map(len, name)) == list(map(len, said))
            and 0 < (distance := sum(map(OSA.distance, said, name))) <= allowed
            and not any(one != other and _is_english(one) for one, other in zip(said, name, strict=True))
        ]
        return [name for _, name in sorted(found)[:3]]


def _is_english(word: str) -> bool:
    return not {word, word.removesuffix("s")}.isdisjoint(_common_words())


@cache
def _common_words() -> frozenset[str]:
    """Return the words that have a token of their own in MiniLM's list."""
    return frozenset(files("karma_language.vocabulary").joinpath("minilm_tokens.txt").read_text("utf-8").split())


@cache
def household() -> Lexicon:
    """Return the vocabulary that comes with this package."""
    return Lexicon.load(files("karma_language.vocabulary").joinpath("household.yaml").read_text(encoding="utf-8"))


def _build(data: Mapping[str, Any]) -> Lexicon:
    irregular: Mapping[str, str] = data["plurals"]
    kinds: dict[str, Kind] = {}
    slices: Mapping[str, str] = data["slices"]
    for category, entry in data["objects"].items():
        kinds[category] = Kind(
            category=category,
            names=tuple(str(name) for name in entry.get("names", ())),
            classes=tuple(entry.get("is", ())),
            affordances=frozenset(entry.get("can", ())),
            relation=entry.get("relation", "on"),
            colours=tuple(entry.get("colour", ())),
            uses=tuple(entry.get("uses", ())),
            places=tuple(entry.get("at", ())),
            rooms=tuple(entry.get("rooms", ())),
            mass=bool(entry.get("mass", False)),
        )
    ranked: dict[tuple[str, ...], list[tuple[int, str]]] = {}
    flags: dict[tuple[str, ...], tuple[bool, bool, bool]] = {}

    def add(name: str, category: str, rank: int, generic: bool = False, sliced: bool = False) -> None:
        for words, plural in ((name, False), (plural_of(name, irregular), True)):
            key = tuple(words.lower().split())
            ranked.setdefault(key, []).append((rank, category))
            flags.setdefault(key, (plural and words != name, generic, sliced))

    for category, kind in kinds.items():
        for rank, name in enumerate(dict.fromkeys([*kind.names, split_camel(category)])):
            add(name, category, rank)
            if category in slices:
                for part in ("slice", "piece", "chunk", "wedge"):
                    add(f"{name} {part}", category, rank, sliced=True)
                    add(f"{part} of {name}", category, rank, sliced=True)
    for category, kind in kinds.items():
        for name in kind.classes:
            add(name, category, 100, generic=True)
    for whole, part in slices.items():
        kinds[part] = Kind(
            part, (f"{kinds[whole].noun} slice",), kinds[whole].classes, frozenset({"pickup"}), whole=whole,
            places=kinds[whole].places, rooms=kinds[whole].rooms, colours=kinds[whole].colours,
        )  # fmt: skip
    loose = _loosely(data["objects"], irregular)
    names = {str(name) for entry in data["objects"].values() for name in entry.get("loosely", ())}
    plurals = {tuple(plural_of(name, irregular).split()) for name in names} - {tuple(name.split()) for name in names}
    for key in loose:
        ranked.setdefault(key, [])
        flags.setdefault(key, (key in plurals, False, False))
    nouns = {}
    for key, entries in ranked.items():
        categories = tuple(dict.fromkeys(category for _, category in sorted(entries, key=lambda entry: entry[0])))
        plural, generic, sliced = flags[key]
        also = tuple(c for c in loose.get(key, ()) if c not in categories)
        nouns[key] = Noun(categories or also, plural, generic, sliced, also if categories else ())
    rooms = {tuple(name.split()): room for room, names in data["rooms"].items() for name in names}
    states = {tuple(str(word).split()): str(state) for state, words in data["states"].items() for word in words}
    return Lexicon(
        kinds=kinds,
        nouns=nouns,
        rooms=rooms,
        states=states,
        colours=frozenset(data["colours"]),
        slices=slices,
        slicers=tuple(data["slicers"]),
        below=data["below"],
        mass=frozenset(data.get("mass", ())),
        hollow=frozenset(data.get("hollow", ())),
    )


def _loosely(objects: Mapping[str, Any], irregular: Mapping[str, str]) -> dict[tuple[str, ...], list[str]]:
    """Return the loose meanings of words and of their plurals."""
    found: dict[tuple[str, ...], list[str]] = {}
    for category, entry in objects.items():
        for name in entry.get("loosely", ()):
            for words in dict.fromkeys((name, plural_of(name, irregular))):
                found.setdefault(tuple(words.split()), []).append(category)
    return found
