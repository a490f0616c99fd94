# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Things of a reading to object references: which are the same, and what pronouns mean."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from karma_language.dialogue.utterances import is_superlative
from karma_language.phrases.resolver import Meant, Resolver, UnclearNoun, UnknownNoun
from karma_language.things import Relation, Thing, Where
from karma_language.vocabulary.word_meanings import (
    Sort,
    collective,
    means,
    noun_dealt_with,
    other_owner,
    says_something,
    size_in,
    with_article,
)
from planner_node.understand.goals import ALL, ObjectRef, Place, is_one, more_exactly

_STANDS_IN = {Relation.ON: "on", Relation.IN: "in", Relation.AT: "", Relation.NEAR: "near"}
"""Relations that goals can hold → as they hold them."""


class Unresolved(Exception):  # noqa: N818 - caught at once and turned into an answer
    """A thing of which it isn't clear what it is; the message is for the person."""

    def __init__(self, message: str, phrase: str = "", choices: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.phrase = phrase
        self.choices = choices


@dataclass
class Things:
    """Resolves the things of one request in the order of its words."""

    resolver: Resolver
    themes: list[list[ObjectRef]] = field(default_factory=list)
    """What was dealt with, goal by goal; first what the request before was about."""
    places: list[ObjectRef] = field(default_factory=list)
    there: Place | None = None
    """Where something was last said to be or to go: what "there" means."""
    notes: dict[str, None] = field(default_factory=dict)
    """What the goals do not hold of what was said, in sentences."""
    entities: int = 0
    before: int = 0
    """Entities up to this number were spoken of before this request."""
    aside: set[int] = field(default_factory=set)
    """Entities that are only told of beside it."""
    quote: str = ""
    """The words of the goal that is being read."""
    conditions: dict[Thing, list[ObjectRef]] = field(default_factory=dict)
    """What conditions are about: the same for all goals of a sentence."""
    _pointed: dict[tuple[str, str], ObjectRef] = field(default_factory=dict)
    """Words of a goal, and its pronoun of a place → what that means for all of its things."""
    _row: tuple[str, ObjectRef] | None = None
    """The words of what puts things next to each other, and the last of these."""
    _it: ObjectRef | None = None
    """What "it" meant last: that goes on to be spoken of."""
    _clause: str = ""
    """The words of the goal that was read last: goals of one clause are about one group of things."""

    def begin(self, spoken_of: Sequence[ObjectRef], places: Sequence[Place]) -> None:
        """Speak of what the request before was about, and where it put things."""
        for relation, ref in places:
            self.there = (relation, replace(ref, entity=self._new()))
            self.places.append(self.there[1])
        if spoken_of:
            self.themes.append([replace(ref, entity=self._new()) for ref in spoken_of])
        self.before = self.entities

    def refs(self, thing: Thing, affordance: str = "", beside: Sequence[ObjectRef] = ()) -> list[ObjectRef]:
        """Return what a thing is, several for "them". Raises Unresolved, UnknownNoun and UnclearNoun.

        `affordance`: what it must be good for; `beside`: what it is not, since something else is done with that.
        """
        if thing.pronoun:
            found = self._spoken_of(thing, affordance, beside)
            if but := [one for other in thing.but for one in self.refs(other)]:
                found = [_without(ref, (*ref.but, *but)) for ref in found]  # "put it there, JUST NOT THE CUP"
            self._it = found[0] if len(found) == 1 else None
            return found
        if (part := self._part_of(thing)) is not None:
            return [part]
        if dealt := self._dealt_with(thing):
            return dealt
        meant, vague = self.resolver.resolve(thing, affordance), ""
        for word in meant.unheeded:
            if word.lower() == meant.noun.lower():
                continue  # a name
            if thing.plural and not thing.number:
                raise Unresolved(f"I can't tell which {meant.noun} are {word!r}. Name them one by one.", meant.noun)
            vague = self._unheeded(word, meant)
        ref = self._ref(thing, meant)
        ref = replace(ref, vague=vague or ref.vague, size=size_in(" ".join(meant.unheeded)))
        if not meant.categories or thing.other:
            return [replace(ref, entity=self._new())]
        return [self._same_or_new(ref, thing)]

    def beside_in(self, quote: str) -> ObjectRef | None:
        """Return what the next thing of a goal is to stand next to: "the cup and the jug NEXT TO EACH OTHER"."""
        return self._row[1] if self._row is not None and self._row[0] == quote else None

    def lined_up(self, quote: str, themes: Sequence[ObjectRef]) -> ObjectRef | None:
        """Note that things of a goal stand in a row; return what stood last in it before."""
        before = self.beside_in(quote)
        self._row = quote, themes[-1]
        return before

    def _part_of(self, thing: Thing) -> ObjectRef | None:
        """Return what a door or lid belongs to: what was spoken of last that opens."""
        if means(thing.text, Sort.PORTION):
            ref = next((one for one in reversed(self._all()) if self._can(one, "slice")), None)
            count = thing.number or (ALL if thing.plural else 1)
            return replace(ref, states=ref.states | {"sliced"}, count=count) if ref is not None else None
        if not means(thing.text, Sort.CLOSURE):
            return None
        return next((ref for ref in reversed(self._all()) if self._can(ref, "open")), None)

    def _dealt_with(self, thing: Thing) -> list[ObjectRef]:
        """Return what was spoken of before and is described by what was done with it: "the fruit YOU JUST WASHED"."""
        named = self.resolver.lexicon.noun(noun_dealt_with(thing.text))
        kinds = {*named.categories, *named.loosely} if named is not None else set()
        known = {ref.entity: ref for group in self.themes for ref in group if kinds & {*ref.categories}}
        return list(known.values()) if thing.plural or thing.number > 1 or len(known) == 1 else []

    def place(self, where: Where | None, affordance: str = "", beside: Sequence[ObjectRef] = ()) -> ObjectRef | None:
        """Return what a place is at, None for none."""
        if where is None:
            return None
        if where.thing.pronoun and means(where.thing.text, Sort.PLACE):
            inside = self._inside(beside) if where.relation is Relation.IN else None
            if inside is not None and not (self.there is not None and self._encloses(self.there[1])):
                return inside  # "put the sofa in the fridge. No? The tomato IN THERE, then"
            if self.there is not None:
                return self.there[1]
            fixed = (r for r in reversed(self._all()) if self._can(r, "hold") and not self._can(r, "pickup"))
            furniture = next(fixed, None)  # "open the fridge and put it THERE"
            if furniture is None:
                raise Unresolved("Where shall I put it?", where.thing.text)
            return furniture
        named = where.thing.place or where.thing.attributes or where.thing.every or where.thing.room
        if means(where.thing.last_word, Sort.ANYTHING) and not named:
            raise Unresolved(f"I don't know what {where.thing.text!r} is. Name it.", where.thing.text)
        one = where.thing.pronoun and not (where.thing.plural or where.thing.other or where.thing.attributes)
        inner = self._inside(beside) if where.relation is Relation.IN and one else None
        same = self._still(beside) if where.relation is Relation.ON and one else None
        found = inner or same or self.refs(where.thing, affordance, beside)[-1]
        one_for_all = not where.thing.plural and (where.thing.other or not where.thing.definite)  # "on ANOTHER TABLE"
        shared = where.thing.pronoun or one_for_all
        return self._pointed.setdefault((self.quote, where.thing.text), found) if shared else found

    def _still(self, beside: Sequence[ObjectRef]) -> ObjectRef | None:
        """Return what "it" meant last, where that carries things: "put it on the table and an egg ON IT"."""
        it, last = self._it, self.themes[-1] if self.themes else []
        carries = it is not None and it in last and it not in beside and self._can(it, "hold")
        return it if it is not None and carries and not self._encloses(it) else None

    def _inside(self, beside: Sequence[ObjectRef]) -> ObjectRef | None:
        """Return what was spoken of last that has an inside: "put the cup on the table and a pen IN IT"."""
        taken = {ref.entity for ref in beside}
        inner = (ref for ref in reversed(self._all()) if self._encloses(ref))
        return next((ref for ref in inner if ref.entity not in taken), None)

    def _encloses(self, ref: ObjectRef) -> bool:
        """Whether things are put in something, rather than on it."""
        return any(self.resolver.lexicon.kind(category).relation == "in" for category in ref.categories)

    def mention(self, thing: Thing) -> None:
        """Speak of something that is told beside a request; what isn't known is no matter."""
        if says_something(thing.text):
            return  # "for the SOUP I NEED the pot": no name of a thing
        place = thing.place
        try:
            refs = self.refs(thing)
        except (Unresolved, UnknownNoun, UnclearNoun):
            if place is not None:  # "the newspaper IN THIS GLOOM", "the buttons on THE REMOTE"
                at = self.resolver.lexicon.noun(place.thing.text)
                if at is None or self.resolver.lexicon.any_can(at.categories, "pickup"):
                    self.mention(place.thing)
                self.mention(thing.model_copy(update={"place": None}))
            return
        self.aside |= {ref.entity for ref in refs}
        stands = place is None and self._can(refs[0], "hold") and not self._can(refs[0], "pickup")
        relation = relation_of(place.relation) or "" if place is not None else ""
        self.spoken(refs, relation, refs[0] if stands else refs[0].place)

    def together(self, number: int) -> None:
        """Let what was mentioned last be one group: "them"."""
        if number > 1 and len(self.themes) >= number:
            self.themes[-number:] = [[ref for group in self.themes[-number:] for ref in group]]

    def spoken(
        self, refs: Sequence[ObjectRef], relation: str = "", place: ObjectRef | None = None, clause: str = ""
    ) -> None:
        """Note what a goal is about, and where; goals of one clause are about one group of things."""
        if clause:  # it is taken from there
            refs = [ref if ref.count == ALL else replace(ref, place=None) for ref in refs]
        if refs and clause and clause == self._clause and self.themes:
            self.themes[-1] += [ref for ref in refs if ref.entity not in {one.entity for one in self.themes[-1]}]
        elif refs:
            self.themes.append(list(refs))
        self._clause = clause
        if place is not None:
            self.places.append(place)
            self.there = (relation, place)

    def _ref(self, thing: Thing, meant: Meant) -> ObjectRef:
        plural = thing.plural or meant.plural
        several = plural or (thing.definite and thing.place is not None and collective(meant.noun, meant.categories))
        count = thing.number or (ALL if thing.every or several else 1)
        states = meant.states | ({"filled"} if meant.contents == "water" else set())
        if meant.contents and meant.contents != "water" and thing.definite:
            self._unheeded(f"of {meant.contents}", meant)
        elif meant.contents and meant.contents != "water":
            raise Unresolved(f"I can only fill things with water, not with {meant.contents}.")
        noun = with_article(meant.noun)
        ref = ObjectRef(
            meant.categories, noun, meant.loosely, frozenset(states), meant.colours, count=count,
            owner=other_owner(thing.owner), other=thing.other,
            definite=thing.definite or bool(thing.owner), mine=thing.owner == "me",
            room=meant.room, margin=meant.margin,
        )  # fmt: skip
        if meant.colours or meant.unheeded:
            said = (word for word in thing.attributes if word not in thing.text)
            ref = replace(ref, looks=(" ".join((*said, thing.text)),))
        if thing.but:
            but = [one for other in thing.but for one in self.refs(other)]
            if unclear := next((one for one in but if one.vague or one.colours), None):
                raise Unresolved(f"I can't tell which {unclear.noun} to leave out. Say where it is.", unclear.noun)
            ref = _without(ref, but)
        if "|" in thing.text:
            ref = replace(ref, id=thing.text)
        return self.at(ref, thing.place)

    def at(self, ref: ObjectRef, where: Where | None) -> ObjectRef:
        """Return a thing, said to be at a place."""
        if where is None:
            return ref
        if where.thing.pronoun and means(where.thing.text, Sort.PLACE) and self.there is None:
            return ref  # "the box OVER THERE": what somebody points at
        try:
            place = self.place(where)
        except UnknownNoun:
            if where.relation is not Relation.AT:
                raise
            return self._told_apart(ref, where)  # "the case FROM MY CHILDHOOD FRIEND"
        if place is not None and not where.thing.definite and self._is_class(where.thing):
            return self._told_apart(ref, where)  # "the candle ON A BLACK HOLDER"
        if place is None or (place.entity and place.entity == ref.entity):
            return ref
        if place.room and not place.categories:
            return replace(ref, room=place.room)
        if where.relation is Relation.NEAR:
            return replace(ref, near=place)
        if where.relation not in (Relation.ON, Relation.IN, Relation.AT):
            beside = f"{where.relation.value.replace('_', ' ')} the {place.noun}"
            return replace(ref, vague=self._note(f"I can't tell which {ref.noun} is {beside}"))
        return replace(ref, place=place)

    def _told_apart(self, ref: ObjectRef, where: Where) -> ObjectRef:
        """Return a thing that is told apart by words that name no place."""
        words = f"{where.relation.value.replace('_', ' ')} {where.thing.text}"
        vague = self._note(f"I can't tell which {ref.noun} is meant by {words!r}")
        return replace(ref, vague=vague, looks=(*ref.looks, f"{ref.noun} {words}"))

    def _is_class(self, thing: Thing) -> bool:
        noun = self.resolver.lexicon.noun(thing.last_word)
        return noun is not None and noun.generic and not thing.room

    def _unheeded(self, words: str, meant: Meant) -> str:
        """Return what to say of words that tell which of several is meant, and that nothing known decides."""
        if is_superlative(words):
            raise Unresolved(f"I can't tell which {meant.noun} is the {words} one. Which one do you mean?", meant.noun)
        return self._note(f"I can't tell which {meant.noun} is meant by {words!r}")

    def _note(self, doubt: str) -> str:
        note = f"{doubt}; I went by the other words."
        self.notes[note] = None
        return note

    def _spoken_of(self, thing: Thing, affordance: str, beside: Sequence[ObjectRef]) -> list[ObjectRef]:
        """Return what a pronoun means. Raises Unresolved."""
        taken = {ref.entity for ref in beside}
        said = [ref for ref in self._all() if ref.entity not in taken]
        if means(thing.last_word, Sort.ANOTHER) or thing.other or thing.attributes or thing.owner:
            if not said:
                raise Unresolved(f"I don't know what {thing.text!r} is. Name it.", thing.text)
            return [self._another(thing, self.themes[-1][-1] if self.themes else said[-1])]
        if affordance:
            fitting = [ref for ref in reversed(said) if self._can(ref, affordance)]
            if fitting and not thing.plural:
                return [fitting[0]]
        groups = [[ref for ref in group if ref.entity not in taken] for group in self.themes]
        last = next((group for group in reversed(groups) if group), [])
        if thing.plural and thing.number and len(last) == 1 and is_one(last[0]):  # "too much light, turn ONE OF THEM"
            last = next((group for group in reversed(groups) if len(group) > 1 or not all(map(is_one, group))), last)
        several = thing.plural or means(thing.last_word, Sort.SEVERAL)
        if several and len(last) == 1 and is_one(last[0]):
            last = self._with_those_before(last[0], groups[-2:] if means(thing.last_word, Sort.PAIR) else groups)
        beside_it = self.there[1] if self.there is not None and self.there[0] == "near" else None
        if means(thing.last_word, Sort.PAIR) and len(last) == 1 and beside_it is not None:
            return [*last, beside_it]  # "put the clock next to the vase. Then move BOTH"
        if means(thing.last_word, Sort.PAIR) and len(last) == 1 and last[0].count == 1:
            raise Unresolved("I don't know which two you mean. Name them.", thing.text)
        carrier = self._carrier(last)
        if carrier is not None and (thing.every or (several and thing.number == 2 and len(last) == 1)):
            return [carrier]  # "put an egg on a plate and THE TWO OF THEM in the fridge"
        if not last:
            last = self.places[-1:]
        if not last:
            raise Unresolved(f"I don't know what {thing.text} refers to. Name the object.", thing.text)
        if thing.number and len(last) == 1:
            return [replace(last[0], count=thing.number)]
        if thing.number and len(last) > thing.number:  # "what is on the chair?": keys and a pillow, not the chair
            carried = [ref for ref in last if self._can(ref, "pickup")]
            last = carried if len(carried) == thing.number else last
        if thing.number and thing.number < len(last) and all(ref.categories == last[0].categories for ref in last):
            return last[: thing.number]  # "put one of them back": whichever
        if thing.number and thing.number != len(last):
            raise Unresolved(f"I don't know which {thing.number} of them you mean.", thing.text)
        return list(last) if several else [last[-1]]

    def _carrier(self, last: Sequence[ObjectRef]) -> ObjectRef | None:
        """Return what can be carried and was spoken of last as the place of one thing."""
        place = self.places[-1] if self.places and len(last) == 1 and is_one(last[0]) else None
        return place if place is not None and self.there is not None and self._can(place, "pickup") else None

    def _with_those_before(self, last: ObjectRef, groups: Sequence[list[ObjectRef]]) -> list[ObjectRef]:
        """Return the single things spoken of one after the other, for "them": the last, and others like it."""
        moves = self._can(last, "pickup")
        now = [ref for group in groups for ref in group if ref.entity > self.before or last.entity <= self.before]
        alike = {ref.entity: ref for ref in now if is_one(ref) and self._can(ref, "pickup") == moves}
        return [*(ref for ref in alike.values() if ref.entity != last.entity), last]

    def _another(self, thing: Thing, of: ObjectRef) -> ObjectRef:
        """Return one of the same kind: "the red one", "the other one", "mine"."""
        like = Thing(text=of.noun, categories=of.categories, attributes=thing.attributes, plural=thing.plural)
        told = self.resolver.resolve(like)
        for word in told.unheeded:
            self._unheeded(word, told)
        count = thing.number or (ALL if thing.every or thing.plural else 1)
        ref = ObjectRef(
            of.categories, of.noun, of.loosely, told.states, told.colours, count=count,
            owner=other_owner(thing.owner), mine=thing.owner == "me", other=thing.other, definite=True,
            room=thing.room, entity=self._new(),
        )  # fmt: skip
        return self.at(ref, thing.place)

    def _same_or_new(self, ref: ObjectRef, thing: Thing) -> ObjectRef:
        """Give a reference the entity that was spoken of before under that name, or a new one."""
        same = (
            known
            for known in reversed(self._all())
            if (known.categories == ref.categories or known.noun == ref.noun or more_exactly(known, ref))
            and (not ref.room or known.room == ref.room or not (known.room or known.id))
            and (ref.colours == known.colours or not ref.colours)
            and (not thing.owner or (ref.owner, ref.mine) == (known.owner, known.mine))  # "and EMIL'S book"
            and (thing.place is None or known.entity > self.before)  # "the book ON THE DRESSER": it may be another one
        )
        before = next(same, None)
        adds_state = before is not None and "sliced" in ref.states - before.states
        indefinite = not ref.definite
        if before is None or (indefinite and not adds_state) or (ref.count != 1 and before.count != ref.count):
            return replace(ref, entity=self._new())
        now = before.id or before.entity > self.before  # what was wanted before may be elsewhere
        said = before.room if now else ""
        kinds = before.categories if more_exactly(before, ref) else ref.categories
        return replace(ref, categories=kinds, entity=before.entity, id=ref.id or before.id, room=ref.room or said)

    def _can(self, ref: ObjectRef, affordance: str) -> bool:
        return self.resolver.lexicon.any_can(ref.categories, affordance)

    def _new(self) -> int:
        self.entities += 1
        return self.entities

    def _all(self) -> list[ObjectRef]:
        """Return everything spoken of, what was spoken of last at the end."""
        return sorted([ref for group in self.themes for ref in group] + self.places, key=lambda ref: ref.entity)


def _without(ref: ObjectRef, but: Sequence[ObjectRef]) -> ObjectRef:
    """Return a reference that does not mean some things; of what a word may be, it is none that is ruled out whole."""
    ruled_out = {c for one in but if not (one.place or one.room or one.states or one.colours) for c in one.categories}
    if ref.count != 1 or not ruled_out:
        return replace(ref, but=tuple(but))
    likely, loosely = (tuple(c for c in kinds if c not in ruled_out) for kinds in (ref.categories, ref.loosely))
    likely, loosely = (likely, loosely) if likely else (loosely, ())
    return replace(ref, but=tuple(but), categories=likely or ref.categories, loosely=loosely)


def relation_of(relation: Relation) -> str | None:
    """Return a relation as goals hold it, None for one that they can't."""
    return _STANDS_IN.get(relation)
