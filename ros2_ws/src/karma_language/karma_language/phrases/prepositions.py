# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The parts of a clause that begin with a preposition: places, where from, for what, with what; and its objects."""

from __future__ import annotations

from dataclasses import replace

from karma_language.phrases.adverbials import HIM_OR_HER, ME, PARTICLES
from karma_language.phrases.clause_parts import Clause, Place
from karma_language.phrases.nouns import Phrase, limited
from karma_language.phrases.phrases import Phrases
from karma_language.things import Relation, Thing, Where
from karma_language.vocabulary.lexicon import Lexicon
from karma_language.vocabulary.verbs import verb_at
from karma_language.vocabulary.words import each

FROM = frozenset(each("from off"))
_MOVING = frozenset(each("into onto to"))
CARRIES = frozenset(each("put take get bring return tidy"))
_WITH_TOOLS = frozenset(each("clean slice fill heat break open pour cool"))
_SIDES = frozenset(each("side corner middle center centre left right end back front top bottom edge"))


class Prepositions:
    """Reads what prepositions begin."""

    def __init__(self, phrases: Phrases, lexicon: Lexicon) -> None:
        self._phrases = phrases
        self._words, self._word, self._rest, self._matched = phrases.words, phrases.word, phrases.rest, phrases.matched
        self._lexicon = lexicon

    def read(self, clause: Clause, at: int) -> int:
        """Read what a preposition begins; return the index after it, `at` where none does."""
        word = self._word(at)
        if (word in PARTICLES and self._is_particle(clause, at)) or limited(self._words, at) is not None:
            return at
        if word in FROM or self._rest(at, 2) in ("out of", "off of"):
            return self._source(clause, at)
        if word == "for":
            return self._for(clause, at)
        if word in ("with", "using"):
            return self._with(clause, at)
        if word == "of" and (clause.verb.sense == "discard" or not clause.themes):
            return self.themes(clause, at + 1) if self._phrases.read(at + 1, bare=True) else at
        relation, after = self.relation(at)
        if relation is None:
            return at
        clause.particles += ["back"] if word == "back" else []
        if word == "at" and clause.verb.sense == "look" and self.relation(after)[0] is not None:
            return after  # "to look at under the lamp"
        if self._word(after) in ME:
            clause.person = "me"
            return after + 1
        if (
            self._word(after) in HIM_OR_HER
            and word == "to"
            and (self._word(after) == "him" or not self._phrases.starts(after))
        ):
            clause.person = self._word(after)
            return after + 1
        found, end = self._phrases.list(after)
        if not found:
            return at
        several = len(clause.themes) > 1 or any(t.thing.plural or t.thing.text == "one" for t in clause.themes)
        if several and relation is Relation.NEAR and found[0].thing.pronoun and found[0].thing.other:
            clause.aside.append("together")  # "next to EACH OTHER", "one beside THE OTHER"
            return found[0].end
        found, end = self._apart(found, end, after)
        if found[0].thing.text.split()[-1] in _SIDES and not found[0].thing.categories:
            return self._sided(clause, found[0])
        if self._word(at) == "over" and clause.places:
            relation = Relation.ABOVE  # "in the cabinet over the sink"
        said = self._words[at:after]
        moving = bool(_MOVING & set(said)) or self._rest(at, 2) in ("in to", "on to") or clause.onward
        clause.begun = after
        clause.places += [Place(relation, phrase, moving) for phrase in found]
        clause.last = "place"
        return end

    def _sided(self, clause: Clause, phrase: Phrase) -> int:
        """Read "on the right side", "in the corner": it tells the thing or place before it from its like."""
        words = phrase.thing.text
        if clause.last == "place" and clause.places:
            place = clause.places[-1]
            told = place.phrase.thing.model_copy(update={"attributes": (*place.phrase.thing.attributes, words)})
            clause.places[-1] = Place(place.relation, Phrase(told, phrase.end), place.moving)
        elif clause.themes:
            theme = clause.themes[-1]
            clause.themes[-1] = theme.told(attributes=(*theme.thing.attributes, words))
        else:
            clause.unread += words.split()
        return phrase.end

    def _apart(self, found: list[Phrase], end: int, begin: int) -> tuple[list[Phrase], int]:
        """Return the places of a preposition without the object of the next clause: "and the mug in the sink"."""
        for number in range(1, len(found)):
            after = self._phrases.preposition(found[number].end)
            carried = self._phrases.portable(found[number].thing) and not self._phrases.vessel(found[number].thing)
            if self._phrases.portable(found[number].thing) and not self._phrases.portable(found[0].thing):
                return found[:number], found[number - 1].end
            goes = after is not None or self._word(found[number].end) in PARTICLES | {"goes", "to"}
            if goes or carried or number == len(found) - 1:
                return found[:number], found[number - 1].end
        return found, end

    def relation(self, at: int) -> tuple[Relation | None, int]:
        """Return the relation of the preposition here, and the index after it."""
        found = self._phrases.preposition(at)
        pair = self._rest(at, 2)
        if pair in ("over to", "up to", "back to", "down to", "back in", "back on", "back into", "down on", "back onto",
                    "over on", "over in", "away in", "away into", "down in", "back at"):  # fmt: skip
            return self.relation(at + 1)
        if self._rest(at, 4) in ("in the light of", "by the light of", "under the light of"):
            return Relation.NEAR, at + 4
        if found is not None:
            relation, after = found
            if relation is Relation.ABOVE and self._word(at) == "over":
                relation = Relation.ON
            return relation, after
        if self._word(at) in ("to", "towards", "toward", "at"):
            return Relation.AT, at + 1
        return None, at

    def _is_particle(self, clause: Clause, at: int) -> bool:
        """Whether "on", "off", "in" … belong to the verb: "turn ON the lamp", "put it DOWN on the table"."""
        word = self._word(at)
        if clause.verb.sense == "start" and clause.themes and self._phrases.read(at + 1) is not None:
            return False  # "light the candle ON THE TABLE"
        if clause.verb.sense in ("switch", "start", "stop") and word in ("on", "off", "up", "down", "out"):
            place = self._phrases.read(at + 1) if word == "on" and clause.themes else None
            twice = place is not None and self._word(place.end) in ("on", "off")  # "turn the lamp ON MY DESK off"
            return not twice and not (clause.themes and clause.particles)
        if word in ("up", "down", "away", "back", "over") and not (
            word == "over" and self._phrases.read(at + 1) is not None and clause.themes
        ):
            return self.relation(at)[0] is None
        if word == "off" and not clause.themes:
            return True
        return word in ("open", "shut", "closed")

    def _source(self, clause: Clause, at: int) -> int:
        after = at + (2 if self._rest(at, 2) in ("out of", "off of", "from inside", "from under", "off from") else 1)
        relation = Relation.AT
        if (found := self._phrases.preposition(after)) is not None:  # "from on top of", "from under"
            if self._word(at) == "off" and found[0] is Relation.IN:
                clause.particles.append("off")  # "cool it OFF in the fridge"
                return after
            relation, after = found
        if self._word(after) in ("there", "here"):
            phrase: Phrase | None = Phrase(Thing(text="there", pronoun=True), after + 1)
        else:
            phrase = self._phrases.read(after, bare=True)
        if self._rest(after, 3) == "wherever it is":
            return after + 3
        if phrase is None:
            return at
        if clause.source is not None and 0 < clause.sourced < len(clause.themes):
            there = clause.source.where
            for number, one in enumerate(clause.themes[: clause.sourced]):
                clause.themes[number] = one if one.thing.place else one.told(place=there)
            clause.source = None  # "the mug from the sink and the book FROM THE BED"
        if clause.source is None and clause.places and clause.last == "theme" and len(clause.themes) > 1:
            clause.themes[-1] = clause.themes[-1].told(place=Place(relation, phrase).where)
            return phrase.end  # "put the mug on the table and THE APPLE FROM THE FRIDGE"
        if clause.source is None:
            clause.source, clause.sourced = Place(relation, phrase), len(clause.themes)
        else:
            clause.source = Place(clause.source.relation, Phrase(_within(clause.source.phrase.thing, phrase.thing), 0))
        at = phrase.end
        while (inner := self._phrases.preposition(at)) is not None and inner[0] in (Relation.IN, Relation.ON):
            room = self._phrases.read(inner[1], bare=False)  # "from the table in the kitchen"
            if room is None or not room.thing.is_room:
                break
            clause.source = Place(relation, Phrase(_within(clause.source.phrase.thing, room.thing), room.end))
            at = room.end
        return at

    def _for(self, clause: Clause, at: int) -> int:
        """Read what is sought, or skip for whom or what it is."""
        found, end = self._phrases.list(at + 1)
        if clause.verb.sense in ("look", "search", "explore", "check", "find") and found:
            clause.sought = found
            return end
        if not found:
            verb = verb_at(self._words, at + 1)
            end = at + 2 if verb is not None and verb.form == "ing" else at
            return self._phrases.list(end)[1] if end > at else end
        return found[0].end  # for whom or what it is: it is done all the same

    def _with(self, clause: Clause, at: int) -> int:
        held = self._phrases.held(at) if clause.themes and self._phrases.vessel(clause.themes[-1].thing) else None
        if held is not None:  # "put the pan on the stove, WITH A SPOON IN IT"
            clause.themes[-1] = replace(clause.themes[-1], contents=(*clause.themes[-1].contents, *held[0]))
            return held[1]
        found = self._phrases.read(at + 1, bare=True)
        if found is None:
            return at
        others = found.thing.other or found.thing.last_word in ("other", "others")
        if found.thing.pronoun and others and clause.places:
            return found.end  # "put it on the bed WITH THE OTHER TWO"
        verb = verb_at(self._words, found.end)
        lit = verb is not None and verb.form == "past" and verb.sense in ("switch", "start")
        end = found.end + (verb.length if verb is not None and lit else 0)  # "with the lamp LIT", "TURNED on"
        if (
            clause.last == "place"
            and not lit
            and clause.verb.sense in CARRIES
            and found.thing.categories
            and not (self._phrases.portable(found.thing) or clause.places[-1].phrase.thing.place is not None)
        ):  # "on the table WITH THE MICROWAVE"
            place = clause.places[-1]
            beside = Where(relation=Relation.NEAR, thing=found.thing)
            table = place.phrase.thing.model_copy(update={"place": beside})
            clause.places[-1] = replace(place, phrase=Phrase(table, found.end))
            return found.end
        if clause.verb.sense not in _WITH_TOOLS and clause.themes and not found.thing.categories:
            theme = clause.themes.pop()  # "bottles with brown pumps"
            of = self._word(found.end) == "of" and self._word(found.end + 1) in self._lexicon.colours
            end = found.end + 2 * of  # "with a hint OF ORANGE"
            text = " ".join([theme.thing.text, "with", found.thing.text, *self._words[found.end : end]])
            clause.themes.append(theme.told(text=text))
            return end
        clause.using = found.thing
        return end

    def themes(self, clause: Clause, at: int) -> int:
        """Read objects; return the index after them."""
        if self._word(at) in ("no", "none", "neither"):
            clause.negated, at = True, at + 1 + (self._word(at + 1) == "of")
        found, end = self._phrases.list(at)
        if not found:
            return at
        clause.begun = at
        clause.themes += found
        clause.last = "theme"
        return end


def _within(thing: Thing, outer: Thing) -> Thing:
    """Return a place that is in another one, or in a room."""
    if outer.is_room:
        return thing.model_copy(update={"room": outer.room})
    return thing.model_copy(update={"place": Where(relation=Relation.AT, thing=outer)})
