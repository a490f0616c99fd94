# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What is told, asked or forbidden beside a request, and what says in which order things are done."""

from __future__ import annotations

from karma_language.clauses import HELPS
from karma_language.conditional import Conditional
from karma_language.frames import Clause
from karma_language.patterns import (
    BACKGROUND,
    LASTING,
    NOT,
    NOTE,
    ORDER,
    REASON,
    REPORT,
    WAIVED,
)
from karma_language.questions import read_question
from karma_language.reading import (
    Deed,
    Goal,
    Kind,
    Question,
    Told,
)
from karma_language.tokens import STOPS
from karma_language.verbs import Verb, verb_at
from karma_language.words import AUXILIARIES, PERSONS, QUESTION_WORDS, each


class Telling(Conditional):
    """Reads what asks for nothing, or forbids something."""

    def _ordered(self, at: int) -> int:
        """Read a clause that says when the other is done: "before putting it away, …", "while holding the cup"."""
        after = self._clauses.matched(ORDER, at)
        if after == at:
            return at
        lead = self._word(at)
        begin = after
        while self._word(begin) in ("you", "are", "have", "first", "had", "is", "we", "finished", "done"):
            begin += 1
        verb = verb_at(self._words, begin)
        subject = begin > after
        if verb is not None and verb.sense and (verb.form == "ing" or (subject and lead != "when")):
            clause = self._clauses.read(verb, begin)
            if lead == "while" and subject and verb.form == "ing" and verb.sense not in ("get", "bring"):
                self._tell(at, clause.end)  # "while you are clearing the couch"
                return clause.end
            if lead == "after" and not (clause.themes or clause.places or clause.unread) and not self._goals:
                self._waiting = clause  # "after washing, put the tomato …"
                return clause.end
            if clause.themes and not clause.unread and self._known(clause):
                held = clause.verb.sense in ("get", "bring")
                if lead == "before" and len(self._goals) == self._sentence:
                    self._later += self._frames.goals(clause, self._quote(at, clause.end))
                    about = tuple(one.thing for one in clause.themes)
                    self._others.append(Told(quote=self._quote(at, clause.end), about=about))
                    self._last = clause
                    return clause.end
                return self._take_in(clause, at, first=held if lead == "while" else lead != "before")
        return self._background(at)

    def _known(self, clause: Clause) -> bool:
        """Whether it is clear what is done, rather than what goes on meanwhile: "while tidying up the bathroom"."""
        if clause.verb.sense in ("put", "tidy", "return") and not clause.places and "away" not in clause.particles:
            return False
        described = clause.verb.sense in ("get", "bring")
        return all(one.thing.categories or one.thing.pronoun or described for one in clause.themes)

    def _asks(self, at: int) -> bool:
        """Whether something is asked for from here on: by a verb, or as what should be: "THE CUP SHOULD be washed"."""
        found, end = self._phrases.list(at, bare=False)
        return self._begins(at) or (bool(found) and self._word(end) in ("should", "must", "ought", "needs", "has"))

    def _background(self, at: int) -> int:
        """Skip what is told before a request, up to the comma before it."""
        if self._clauses.matched(BACKGROUND, at) == at:
            return at
        end = at
        while end < len(self._words) and self._words[end] not in STOPS and self._words[end] != ",":
            end += 1
        while self._word(end) == "," and not self._asks(end + 1):
            end += 1
            while end < len(self._words) and self._words[end] not in STOPS | {","}:
                end += 1
        opens = self._word(end) in (",", ":") and self._asks(end + 1)
        trails = bool(self._goals) and (
            self._word(at) in each("as because since for with while when after though although so to")
            or (self._word(at) == "before" and (self._word(at + 1) in PERSONS - {"you"} or self._predicated(at + 1)))
        )
        if not opens and not trails:
            return at
        if trails and not opens and self._word(at) in ("when", "after", "once", "with", "for"):
            return at
        later = self._word(at) in ("when", "whenever", "once")  # "WHEN I LEAVE, close the windows"
        if later and (self._word(at + 1) in PERSONS - {"you"} or self._predicated(at + 1)):
            self._unread += [(i, self._words[i]) for i in range(at, end)]
        else:
            self._tell(at, end)
        return end

    def _remark(self, at: int) -> int:
        """Skip what is told before or behind a request."""
        if (background := self._background(at)) > at:
            return background
        word, following = self._word(at), self._word(at + 1)
        if word == "or" and self._goals and self._predicated(at + 1):
            self._tell(at, end := self._skip(at))
            return end
        reason = word in ("because", "since", "so", "as", "that") and following in PERSONS | {
            "it",
            "the",
            "that",
            "there",
            "my",
        }
        if reason or (
            word in PERSONS | {"it", "that", "this", "there", "they", "these", "those", "here"}
            and self._phrases.finite(at + 1)
        ):
            return self._told(at)
        if self._predicated(at):
            return self._told(at)
        named = self._phrases.read(at, bare=True)
        tells = named is not None and self._phrases.finite(named.end)
        beside = bool(self._goals) or self._skip(at) < self._stop(at)
        if named is not None and tells and beside and self._word(named.end) not in ("goes", "belongs"):
            self._tell(at, end := self._skip(at))
            return end
        occasion = named is not None and named.thing.text.endswith(" time") and self._word(named.end) in STOPS | {","}
        if occasion or (self._goals and self._word(at + 1) == "not" and AUXILIARIES.get(word) == "can"):
            end = self._skip(at)  # "movie time!", "…, can't reach it"
            self._tell(at, end)
            return end
        rest = self._words[at : self._skip(at)]
        if word.endswith("ing") and any(w in AUXILIARIES or w.endswith("s") for w in rest[2:]) and at == self._opened:
            return self._skip(at)
        if self._goals and (self._clauses.matched(REASON, at) > at or word in HELPS):
            return self._skip(at)
        return at

    def _told(self, at: int) -> int:
        """Skip a sentence, or a part of one, that tells something."""
        word = self._word(at)
        pointed = word in ("it", "that", "this", "there", "they", "here", "these", "those") and self._phrases.finite(
            at + 1
        )
        subject = pointed or word in PERSONS | {"what", "because", "since", "so", "as"}
        if not subject and not self._predicated(at) and not (
            self._goals and self._clauses.matched(REASON, at) > at
        ):  # fmt: skip
            return at
        end = self._skip(at)
        if self._declarative.directs(at, end):
            return at
        if not self._fragment(at):
            self._tell(at, end)
        return end

    def _predicated(self, at: int) -> bool:
        """Whether a subject begins here, several and where they are among it, of which something is said."""
        found, end = self._phrases.list(at, bare=False)
        return bool(found) and (self._phrases.finite(end) or self._phrases.finite(self._placed(found[-1])[1]))

    def _fragment(self, at: int) -> bool:
        """Whether words without a verb stand before that were not read: "the bread as well, it's warm here"."""
        words = self._words[self._opened : self._stop(at)]
        first = range(self._opened, self._opened + (words.index(",") if "," in words else 0))
        said = any(self._phrases.finite(i) or self._word(i) in PERSONS or "'" in self._word(i) for i in first)
        requested = len(self._goals) > self._sentence
        return not (said or requested) and any(index in first for index, _ in self._unread)

    def _noted(self, at: int) -> int:
        """Skip what is to be remembered: "remember that …", "remind me to …", "I take two pills every morning"."""
        end = self._stop(at)
        if len(self._goals) == self._sentence and LASTING.match(self._quote(self._opened, end + 1)):
            del self._unread[self._read_before[0] :]
            self._others.append(Told(quote=self._quote(self._opened, end + 1).rstrip(".!")))
            return end + (self._words[end] not in STOPS)
        if self._clauses.matched(NOTE, at) == at or self._clauses.matched(NOTE, at) >= len(self._words):
            return at
        end = at
        while end < len(self._words) and self._words[end] not in STOPS - {":"}:
            end += 1
        self._others.append(Told(quote=self._quote(at, end)))
        return end

    def _question(self, at: int, *, reported: bool = False) -> int:
        """Read a question up to the end of its sentence."""
        if self._word(at) in ("which", "where") and self._word(at - 1) == ",":
            self._tell(at, end := self._skip(at))
            return end
        if self._word(at) in AUXILIARIES and self._word(at - 1) == "," and self._stop(at) - at <= 3 and self._asked(at):
            return self._stop(at)  # "it's empty, ISN'T IT?"
        opens = at == self._opened or self._word(at - 1) in (",", "and", "but", "so", "or")
        inverted = (
            opens
            and self._word(at) in AUXILIARIES
            and self._word(at)
            not in (
                "do",
                "have",
                "can",
                "could",
                "will",
                "would",
            )
        )
        if self._phrases.read(at, bare=False) is not None:  # "WHAT IS ON IT goes to the shelf"
            return at
        if not (reported or self._word(at) in QUESTION_WORDS - {"when", "that", "while"} or inverted):
            return at
        end = at
        while end < len(self._words) and self._words[end] not in STOPS:
            end += 1
        question = read_question(self._quote(at, end) + self._word(end), self._lexicon, 0.0)
        if question is None and not reported:
            return at
        quote = self._quote(at, end)
        self._others.append(question or Question(quote=quote, kind=Kind.TOLD))
        return end

    def _reported(self, at: int) -> int:
        """Read a question that is to be answered when all is done: "tell me what was in it"."""
        after = self._clauses.matched(REPORT, at)
        asked = self._read_condition(after + 1) if after > at and self._word(after) in ("if", "whether") else None
        if asked is not None:
            thing, state = asked[0].thing, asked[0].state
            plain, kind = thing.model_copy(update={"place": None}), Kind.STATE if state else Kind.EXISTS
            quote = self._quote(after, asked[1])
            self._others.append(Question(quote=quote, kind=kind, thing=plain, place=thing.place, state=state))
            return asked[1]
        return (
            self._question(after, reported=True) if after > at and self._word(after) in QUESTION_WORDS | {"if"} else at
        )

    def _prohibition(self, at: int) -> int:
        """Read what is not to be done."""
        after = self._clauses.matched(NOT, at)
        if after == at:
            return at
        if self._clauses.matched(WAIVED, after) > after:
            return self._skip(at)
        verb = verb_at(self._words, after)
        if verb is None or (self._word(at) == "stop" and verb.form != "ing"):
            if self._word(at) == "stop":
                return at
            verb = self._strange(after)
        if verb is None:
            if not self._word(after) or self._word(after) in STOPS:
                return at
            verb = Verb(self._word(after), "", "base", 1)
        clause = self._clauses.read(verb, after)
        if self._goals and not clause.themes:
            return clause.end  # "don't start it" of what was just put somewhere
        self._never += self._frames.goals(clause, self._quote(at, clause.end)) or [
            Goal(quote=self._quote(at, clause.end), do=Deed.OTHER, verb=verb.base)
        ]
        self._last = clause
        return clause.end

    def _none(self, at: int) -> int:
        """Read what nothing is to be done to: "no fork should go in the microwave", "not the bin!"."""
        spared = self._phrases.read(at + 1, bare=False)
        alone = spared is not None and self._word(spared.end) in STOPS | {"", ","}
        if (
            spared is None
            or self._word(at + 1) == "one"
            or not (self._word(at) == "no" or (self._word(at) == "not" and alone))
        ):
            return at
        if self._word(at) == "not" and len(self._unread) > self._read_before[0]:
            return at  # "I meant the counter, NOT THE TABLE"
        end = self._skip(at)
        if self._word(at) == "not":
            self._others.append(Told(quote=self._quote(at, end)))
        else:
            self._never.append(Goal(quote=self._quote(at, end), do=Deed.OTHER))
        return end
