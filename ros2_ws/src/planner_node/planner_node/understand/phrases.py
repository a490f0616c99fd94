# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Noun phrases to object references: determiners, numbers, adjectives, heads, pronouns, what a thing is used for."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from karma_language.vocabulary.descriptions import Descriptions
from karma_language.vocabulary.lexicon import Lexicon, Noun
from planner_node.understand import words as en
from planner_node.understand.chunks import Chunk
from planner_node.understand.goals import ALL, ObjectRef, Place
from planner_node.understand.meaning import meant

_TEMPERATURES = frozenset(["hot", "warm", "cold", "cool"])
"""Adjectives that tell a state of food, but not of "the hot drink holder"."""
_LIQUIDS = frozenset(["water", "coffee", "tea", "wine", "milk", "juice", "liquid"])


class UnknownThing(Exception):  # noqa: N818 - caught at once and turned into an answer
    """A noun that the vocabulary does not have."""

    def __init__(self, words: str) -> None:
        super().__init__(words)
        self.words = words


class UnknownVerb(Exception):  # noqa: N818 - as above
    """Something is to be done for which there is no goal."""

    def __init__(self, words: str) -> None:
        super().__init__(words)
        self.words = words


class Unresolved(Exception):  # noqa: N818 - as above
    """A pronoun with nothing before it that it could mean."""

    def __init__(self, words: str) -> None:
        super().__init__(words)
        self.words = words


@dataclass
class Discourse:
    """What was spoken of so far in one instruction (and, first, in the one before)."""

    lexicon: Lexicon
    descriptions: Descriptions
    themes: list[list[ObjectRef]] = field(default_factory=list)
    """Direct objects, clause by clause."""
    places: list[ObjectRef] = field(default_factory=list)
    sources: set[int] = field(default_factory=set)
    """Entities that things were taken from."""
    there: Place | None = None
    """Relation and place where something was last said to be or go: what "there" means."""
    current: list[ObjectRef] = field(default_factory=list)
    """Direct objects of the clause that is being read."""
    needed: str = ""
    """What the things that are read next must be good for, where they are described rather than named."""
    entities: int = 0

    def new_entity(self) -> int:
        """Return a number for an object not spoken of before."""
        self.entities += 1
        return self.entities

    def pronoun(self, word: str, affordance: str = "") -> list[ObjectRef]:
        """Return what a pronoun means; with `affordance`, the last thing spoken of that has it."""
        if affordance:
            said = self._all()[::-1]
            for ref in sorted(said, key=lambda ref: ref.entity in self.sources):  # sources come last
                if any(self.lexicon.can(c, affordance) for c in ref.categories):
                    return [ref]
        last = self.places[-1] if self.places else None
        if word == "both" and self.themes and len(self.themes[-1]) == 1 and last is not None and self._vessel(last):
            return [last]  # "put the apple in the bowl and BOTH on the table": the apple goes with the bowl
        for group in reversed(self.themes):
            if group:
                return list(group) if word in ("them", "both", "these", "those", "ones", "themselves") else [group[-1]]
        if self.places:
            return [self.places[-1]]
        raise Unresolved(word)

    def _vessel(self, ref: ObjectRef) -> bool:
        return any(self.lexicon.can(c, "pickup") and self.lexicon.can(c, "hold") for c in ref.categories)

    def furniture(self) -> ObjectRef | None:
        """Return the last thing dealt with that things go in or on, and that stays where it is."""
        held = (r for group in self.themes for r in group if any(self.lexicon.can(c, "hold") for c in r.categories))
        fixed = [r for r in held if not any(self.lexicon.can(c, "pickup") for c in r.categories)]
        return fixed[-1] if fixed else None

    def container(self) -> ObjectRef | None:
        """Return the last thing spoken of that things go in or on."""
        fitting = [r for r in self._all() if any(self.lexicon.can(c, "hold") for c in r.categories)]
        return fitting[-1] if fitting else None

    def vessel(self, contents: list[ObjectRef]) -> ObjectRef | None:
        """Return the last thing spoken of that can be carried with `contents` in or on it."""
        inside = {ref.entity for ref in contents}
        fitting = [ref for ref in self._all() if self._vessel(ref) and ref.entity not in inside]
        return fitting[-1] if fitting else None

    def portion(self) -> ObjectRef | None:
        """Return the last thing spoken of that can be sliced: what "the slice" belongs to."""
        fitting = [r for r in self._all() if any(self.lexicon.can(c, "slice") for c in r.categories)]
        return fitting[-1] if fitting else None

    def _all(self) -> list[ObjectRef]:
        """Everything spoken of in the order of mention, clause by clause: direct objects, then places."""
        mentioned = [ref for group in self.themes for ref in group] + self.places
        return sorted(mentioned, key=lambda ref: ref.entity)

    def earlier(self, ref: ObjectRef) -> ObjectRef | None:
        """Return what was spoken of before under the same name."""
        for known in reversed(self._all()):
            same_name = known.categories == ref.categories or known.noun == ref.noun
            if same_name and (not ref.room or known.room in (ref.room, "")):
                return known
        return None


def noun_phrase(
    chunks: list[Chunk], at: int, discourse: Discourse, affordance: str = ""
) -> tuple[list[ObjectRef], int] | None:
    """Read one noun phrase at `at`.

    Returns what it refers to and the index after it, None where no noun phrase begins. `affordance` tells what is done
    with it, to choose among the meanings of a word and of a pronoun. Raises UnknownThing, UnknownVerb or Unresolved.
    """
    lexicon = discourse.lexicon
    count: int | None = None
    states: set[str] = set()
    colours: list[str] = []
    other = definite = indefinite = mine = False
    unknown: list[str] = []
    room = ""
    begin = at
    head: Chunk | None = None
    generic = portion = False
    while at < len(chunks):
        c = chunks[at]
        word = c.word
        following = chunks[at + 1] if at + 1 < len(chunks) else None
        if c.described:
            head = c
            at += 1
            break
        if word in en.PARTS and following is not None and following.preposition == "of":
            at += 2
        elif word in en.PARTS and c.noun is None and not c.preposition:
            at += 1  # "on the right side"
        elif word in en.PORTIONS and c.noun is None and _portion_of(chunks, at + 1):
            states.add("sliced")  # "a slice of fresh cake", "a slice apple"
            at += 1 + (following is not None and following.preposition == "of")
        elif word in en.PORTIONS and c.noun is None:
            portion, head = True, c
            at += 1
            break
        elif c.noun is not None:
            if following is not None and following.noun is not None and not following.verb:
                at += 1  # "dining table chair": the last one is the head
                continue
            head = c
            at += 1
            if following is not None and following.word in en.PORTIONS and following.noun is None:
                states.add("sliced")  # "an apple section"
                at += 1
            break
        elif c.room:
            if _continues(following):
                room = c.room
                at += 1
                continue
            at += 1
            ref = ObjectRef((), word, room=c.room, entity=discourse.new_entity())
            return [ref], at
        elif word in ("one", "ones") and at > begin and not _continues(following):
            spoken = discourse.current or [ref for group in discourse.themes for ref in group]
            if not spoken:
                raise Unresolved(word)
            entity = discourse.new_entity()
            again = replace(spoken[-1], states=frozenset(states), colours=tuple(colours), count=count or 1, other=True)
            return [replace(again, entity=entity, id="")], at + 1
        elif (
            word in en.PRONOUNS
            and word not in ("both", "one")
            and not (word in en.DETERMINERS and _continues(following))
        ):
            if unknown or colours or states:
                break
            return _of_them(discourse.pronoun(word, affordance), count, word), at + 1
        elif (
            word == "both"
            and not _continues(following)
            and not (following is not None and following.preposition == "of")
        ):
            return discourse.pronoun("both", affordance), at + 1
        elif word in en.EVERY:
            count = ALL
            at += 1
        elif word in en.OTHER and (at > begin or _continues(following)):
            other = True
            at += 1
        elif word in en.NUMBERS or (word.isdigit() and 0 < int(word) <= 50):
            count = en.NUMBERS.get(word) or int(word)
            at += 1
        elif c.preposition == "of" and at > begin and not unknown:
            at += 1  # "both of the", "a couple of", "all of the"
        elif word in en.DETERMINERS:
            if unknown:
                raise UnknownVerb(" ".join(unknown))  # "wash the cup and POLISH the table"
            definite = definite or word not in ("a", "an", "some", "any")
            indefinite = indefinite or word in ("a", "an")
            mine = mine or word == "my"
            at += 1
        elif word in lexicon.colours:
            colours.append(word)
            at += 1
        elif c.state and not (c.conjunction or c.preposition):
            states.add(c.state)
            at += 1
        elif word in en.GENERIC:
            generic, head = True, c
            at += 1
            break
        elif (
            ((word == "," or word == "and") and (states or colours) and _adjective(following, lexicon))
            or word in en.SAFE_ADJECTIVES
            or word in en.IGNORED
        ):
            at += 1
        elif c.verb and c.form == "ing" and not (c.noun or c.state):
            unknown.append(word)  # "a cutting tool"
            at += 1
        elif not c.known and word.endswith("ly"):
            at += 1  # "thoroughly"
        elif not c.known and word.isalpha():
            unknown.append(word)
            at += 1
        else:
            break
    if head is None:
        if unknown:
            raise UnknownThing(" ".join(unknown))
        if other:
            raise Unresolved("the other")  # "put one in the sink and THE OTHER in the cabinet"
        if states or colours or count is not None or definite:
            if room:
                return [ObjectRef((), room, room=room, entity=discourse.new_entity())], at
            earlier = [ref for group in discourse.themes for ref in group]
            if at > begin and earlier and (colours or count is not None):
                return [replace(earlier[-1], count=count if count is not None else 1)], at
        return None
    if portion:
        whole = discourse.portion()
        if whole is None:
            raise Unresolved(f"the {head.word}")
        return [replace(whole, states=whole.states | {"sliced"} | states, count=count if count is not None else 1)], at
    noun = head.noun
    margin = 1.0
    if head.described:
        said_so = meant(head, affordance or discourse.needed, lexicon, discourse.descriptions)
        if said_so is None:
            raise UnknownThing(head.word)
        noun, margin = said_so.noun, said_so.margin
        if head.words[0] in _TEMPERATURES and lexicon.can(noun.categories[0], "slice"):
            states.add(lexicon.states[head.words[:1]])
    if generic:
        noun = Noun(lexicon.that_can("pickup"), head.word.endswith("s"), generic=True)
    assert noun is not None
    if unknown and _is_other_thing(unknown):
        raise UnknownThing(" ".join([*unknown, head.word]))
    categories = _fitting(noun.categories, affordance, lexicon)
    if not any(lexicon.can(c, "pickup") for c in categories):
        room = room or _room_named(head.words, lexicon)
        at, room = _room_after(chunks, at, room)
    if noun.sliced:
        states.add("sliced")
    if generic and not colours:
        raise UnknownThing(" ".join([*unknown, head.word]))
    loosely = noun.loosely
    if colours and noun.generic and not head.described:
        categories, loosely = _coloured(categories, colours, lexicon)
    if at + 1 < len(chunks) and chunks[at].preposition == "of" and chunks[at + 1].word in _LIQUIDS:
        states.add("filled")
        at += 2
    if count is None:
        count = ALL if noun.plural and not (indefinite or generic) else 1
    said = head.word if not head.id else head.id
    ref = ObjectRef(
        categories, said, loosely, frozenset(states), tuple(colours), count, other=other, definite=definite,
        mine=mine, room=room, id=head.id, margin=margin,
    )  # fmt: skip
    return [_same_or_new(ref, discourse, indefinite)], at


def _of_them(refs: list[ObjectRef], count: int | None, word: str) -> list[ObjectRef]:
    """Return so many of what a pronoun means: "TWO OF them". Raises Unresolved where it isn't clear which."""
    if count is None or count == ALL or count == len(refs) > 1:
        return refs
    if len(refs) > 1:
        raise Unresolved(word)
    return [replace(refs[0], count=count)]


def _same_or_new(ref: ObjectRef, discourse: Discourse, indefinite: bool) -> ObjectRef:
    """Give the reference the entity that was spoken of before under that name, or a new one."""
    before = None if ref.other else discourse.earlier(ref)
    adds_state = before is not None and "sliced" in ref.states - before.states
    if before is None or (indefinite and not adds_state) or (ref.count > 1 and before.count != ref.count):
        return replace(ref, entity=discourse.new_entity())
    return replace(ref, entity=before.entity, room=ref.room or before.room)


def _room_named(words: tuple[str, ...], lexicon: Lexicon) -> str:
    """Return the room that a name begins with: the kitchen of "kitchen counter"."""
    return next((lexicon.rooms[words[:n]] for n in range(1, len(words)) if words[:n] in lexicon.rooms), "")


def _room_after(chunks: list[Chunk], at: int, room: str) -> tuple[int, str]:
    """Read the room of what can't be carried: "the counter IN THE KITCHEN". Return the index after it and the room."""
    end = at + 1
    if at < len(chunks) and chunks[at].preposition in ("in", "of"):
        while end < len(chunks) and chunks[end].word in en.DETERMINERS:
            end += 1
        if (
            end < len(chunks)
            and chunks[end].room
            and not _continues(chunks[end + 1] if end + 1 < len(chunks) else None)
        ):
            return end + 1, chunks[end].room
    return at, room


def _is_other_thing(unknown: list[str]) -> bool:
    """Whether unknown words before a noun make it a different thing ("toy fridge" is no fridge)."""
    return any(word in ("toy", "fake", "imaginary", "invisible", "pretend") for word in unknown)


def _continues(c: Chunk | None) -> bool:
    """Whether a noun phrase can go on with `c`."""
    if c is None or c.preposition or c.stop or c.sequence or (c.conjunction and c.word != ","):
        return False
    if c.described or c.noun is not None or c.room or c.state or c.word in en.SAFE_ADJECTIVES or c.word in en.GENERIC:
        return True
    return c.word in en.NUMBERS or c.word in en.OTHER or (not c.known and c.word.isalpha()) or c.word.isdigit()


def _portion_of(chunks: list[Chunk], at: int) -> bool:
    """Whether "of" and a noun phrase, or a noun, follow a word such as "slice"."""
    if at < len(chunks) and chunks[at].preposition == "of":
        return at + 1 < len(chunks) and (_continues(chunks[at + 1]) or chunks[at + 1].word in en.DETERMINERS)
    return at < len(chunks) and chunks[at].noun is not None


def _adjective(c: Chunk | None, lexicon: Lexicon) -> bool:
    return c is not None and bool(c.state or c.word in lexicon.colours or c.word in en.SAFE_ADJECTIVES)


def _fitting(categories: tuple[str, ...], affordance: str, lexicon: Lexicon) -> tuple[str, ...]:
    """Return the meanings that can be used so; all of them when none can (the check says why not)."""
    return tuple(c for c in categories if not affordance or lexicon.can(c, affordance)) or categories


def _coloured(
    categories: tuple[str, ...], colours: list[str], lexicon: Lexicon
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return what usually has one of the colours, and what comes in any colour."""
    usual = tuple(c for c in categories if set(lexicon.kind(c).colours) & set(colours))
    any_colour = tuple(c for c in categories if not lexicon.kind(c).colours)
    return (usual, any_colour) if usual else (any_colour or categories, ())
