# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: E501 - sentences stay on one line
"""How the people of the generated stream say and ask things: some wordings are for training, others for the test.

`{S}` is who it is about, `{S's}` the same as an owner, `{v}` the value, `{old}` the value before; `[a|b]` is a for the first
person and b for the third. Nothing outside this package knows these wordings.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Wordings:
    """The ways to tell one kind of fact, to tell that it has changed, and to ask for it."""

    tell: tuple[str, ...]
    ask: tuple[str, ...]
    change: tuple[str, ...] = ()
    """Empty: told once, or told anew in the words of `tell`."""


TRAINING: dict[str, Wordings] = {
    "role": Wordings(
        tell=("{S's} {r} is called {v}.", "{v} is {S's} {r}.", "{S's} {r}'s name is {v}."),
        ask=("Who is {S's} {r}?", "What is the name of {S's} {r}?"),
        change=("{S's} new {r} is {v}.", "{v} is {S's} {r} now."),
    ),
    "birthday": Wordings(
        tell=("{S's} birthday is on {v}.", "{S} [was|was] born on {v}."),
        ask=("When is {S's} birthday?", "When [was|was] {S} born?"),
    ),
    "residence": Wordings(
        tell=("{S} [live|lives] in {v}.", "{S's} home is in {v}."),
        ask=("Where [do|does] {S} live?", "Which city [do|does] {S} live in?"),
        change=("{S} [have|has] moved to {v}.", "{S} [live|lives] in {v} now, not in {old} any more."),
    ),
    "employer": Wordings(
        tell=("{S} [work|works] for {v}.", "{S's} employer is {v}."),
        ask=("Who [do|does] {S} work for?", "Which company [do|does] {S} work for?"),
        change=("{S} [have|has] left {old} and now [work|works] for {v}.", "{S} [have|has] started at {v}."),
    ),
    "occupation": Wordings(
        tell=("{S} [am|is] a {v}.", "{S} [work|works] as a {v}."),
        ask=("What [do|does] {S} do for a living?", "What is {S's} job?"),
        change=("{S} [have|has] become a {v}.", "{S} now [work|works] as a {v}."),
    ),
    "phone": Wordings(
        tell=("{S's} phone number is {v}.", "You can reach {S-object} on {v}."),
        ask=("What is {S's} phone number?", "Which number can I reach {S-object} on?"),
        change=("{S's} phone number has changed to {v}.", "{S} [have|has] a new phone number: {v}."),
    ),
    "allergy": Wordings(
        tell=("{S} [am|is] allergic to {v}.", "{S} [have|has] an allergy to {v}."),
        ask=("What [am|is] {S} allergic to?", "Which allergy [do|does] {S} have?"),
    ),
    "favourite": Wordings(
        tell=("{S's} favourite {r} is {v}.", "{v} is {S's} favourite {r}."),
        ask=("What is {S's} favourite {r}?", "Which {r} [do|does] {S} like best?"),
        change=("{S's} favourite {r} is {v} now.", "{S's} new favourite {r} is {v}."),
    ),
    "sport": Wordings(
        tell=("{S} [play|plays] {v}.",),
        ask=("What sport [do|does] {S} play?",),
        change=("{S} [have|has] given up {old} and [play|plays] {v} now.",),
    ),
    "team": Wordings(
        tell=("{S} [support|supports] {v}.",),
        ask=("Which team [do|does] {S} support?",),
        change=("{S} [support|supports] {v} now.",),
    ),
    "car": Wordings(
        tell=("{S} [drive|drives] a {v}.", "{S's} car is a {v}."),
        ask=("What car [do|does] {S} drive?", "What is {S's} car?"),
        change=("{S} [have|has] sold the {old} and bought a {v}.", "{S's} new car is a {v}."),
    ),
    "pet": Wordings(
        tell=("{S} [have|has] a {r} called {v}.", "{S's} {r} is called {v}."),
        ask=("What is {S's} {r} called?", "What is the name of {S's} {r}?"),
    ),
    "study": Wordings(
        tell=("{S} [study|studies] {v}.",),
        ask=("What [do|does] {S} study?",),
        change=("{S} [have|has] switched from {old} to {v}.",),
    ),
    "code": Wordings(
        tell=("The code of {S's} {r} is {v}.", "{S's} {r} has the code {v}."),
        ask=("What is the code of {S's} {r}?", "Which code does {S's} {r} have?"),
        change=("{S} [have|has] changed the code of {S's} {r} to {v}.",),
    ),
    "event_time": Wordings(
        tell=("{S} [have|has] a {r} on {v}.", "{S's} {r} is on {v}."),
        ask=("When is {S's} {r}?", "When [do|does] {S} have the {r}?"),
        change=("{S's} {r} has been moved to {v}.", "{S's} {r} is on {v} now."),
    ),
    "event_place": Wordings(
        tell=("{S's} {r} is at the {v}.", "{S's} {r} takes place at the {v}."),
        ask=("Where is {S's} {r}?",),
        change=("{S's} {r} has been moved to the {v}.",),
    ),
    "event_cancelled": Wordings(
        tell=("{S's} {r} has been cancelled.", "{S's} {r} is off."),
        ask=(),
    ),
    "anniversary": Wordings(
        tell=("{S's} wedding anniversary is on {v}.",),
        ask=("When is {S's} wedding anniversary?",),
    ),
    "trip": Wordings(
        tell=("{S} [am|is] flying to {r} on {v}.", "{S} [travel|travels] to {r} on {v}."),
        ask=("When [am|is] {S} flying to {r}?", "When [do|does] {S} travel to {r}?"),
        change=("{S's} trip to {r} has been moved to {v}.",),
    ),
    "voucher": Wordings(
        tell=("The {r} voucher has the code {v} and is valid until {d}.",),
        ask=("What is the code of the {r} voucher?",),
    ),
    "nickname": Wordings(tell=("{S's} nickname is {v}.",), ask=("What is {S's} nickname?",)),
    "age": Wordings(
        tell=("{S} [am|is] {v} years old.", "{S's} age is {v}."),
        ask=("How old [am|is] {S}?", "What is {S's} age?"),
        change=("{S} [am|is] {v} years old now.",),
    ),
    "gender": Wordings(tell=("{S} [am|is] a {v}.",), ask=("What is {S's} gender?",)),
    "spouse": Wordings(
        tell=("{S} [am|is] married to {v}.",), ask=("Who [am|is] {S} married to?",), change=("{S} [have|has] married {v}.",)
    ),
    "buy": Wordings(
        tell=("I need to buy {v}.", "We need {v}."),
        ask=("What do I need to buy?", "What must I buy?"),
    ),
    "bought": Wordings(tell=("I have bought {v}.", "I bought the {v}."), ask=()),
    "away": Wordings(
        tell=("{S} [am|is] staying in {v} until {d}.",),
        ask=("Where [am|is] {S} staying?",),
    ),
    "chat": Wordings(
        tell=(
            "What a lovely day.", "Thank you, that was quick.", "I slept badly last night.", "It is raining again.",
            "Could you turn the lights down a bit?", "I saw a nice programme about whales yesterday.",
        ),
        ask=(),
    ),
}  # fmt: skip
"""What the policy is trained with, and what the offline extraction was written against."""

HELD_OUT: dict[str, Wordings] = {
    "role": Wordings(
        tell=(
            "{S} [have|has] a {r} called {v}.", "{S's} {r} goes by the name of {v}.", "By the way, {v} is the {r} of {S-of}.",
            "The name of {S's} {r} is {v}.",
        ),
        ask=("What is {S's} {r} called?", "Do you know who {S's} {r} is?", "Tell me the name of {S's} {r}."),
        change=("{v} has become {S's} {r}.", "{S} [have|has] got a new {r}, {v}."),
    ),
    "birthday": Wordings(
        tell=("{v} is {S's} birthday.", "{S} [celebrate|celebrates] [my|their] birthday on {v}."),
        ask=("What day is {S's} birthday on?", "Can you tell me when {S's} birthday is?", "On which date [was|was] {S} born?"),
    ),
    "residence": Wordings(
        tell=("{S's} address is in {v}.", "{S} [reside|resides] in {v}.", "{S} [have|has] a flat in {v}, that is where {S} [live|lives]."),
        ask=("In which town [do|does] {S} live?", "Where is {S's} home?", "Do you remember where {S} [live|lives]?"),
        change=(
            "{S} [have|has] relocated to {v}.", "{S} [have|has] left {old} and moved to {v}.",
            "{S} no longer [live|lives] in {old}, {S} [am|is] in {v} these days.", "{S's} new home is in {v}.",
        ),
    ),
    "employer": Wordings(
        tell=("{S} [have|has] a job at {v}.", "{S} [am|is] employed by {v}.", "{S} [am|is] with {v}, the company."),
        ask=("Where [do|does] {S} work?", "What is the name of the firm {S} [work|works] for?", "What company [am|is] {S} employed by?"),
        change=("{S} [have|has] joined {v}.", "{S} [have|has] moved from {old} to a new job at {v}.", "{S's} new employer is {v}."),
    ),
    "occupation": Wordings(
        tell=("{S} [earn|earns] a living as a {v}.", "{S's} profession is {v}.", "{S} [am|is] employed as a {v}."),
        ask=("What is {S's} occupation?", "What kind of work [do|does] {S} do?", "What [do|does] {S} work as?"),
        change=("{S} [have|has] retrained as a {v}.", "{S} [am|is] no longer a {old} but a {v}.", "{S} [have|has] taken a job as a {v}."),
    ),
    "phone": Wordings(
        tell=("{S's} number is {v}.", "Call {S-object} on {v}.", "{S's} mobile number is {v}."),
        ask=("What number [do|does] {S} have?", "How can I reach {S-object} by phone?", "Give me {S's} phone number."),
        change=("{S's} new number is {v}.", "From now on {S's} phone number is {v}."),
    ),
    "allergy": Wordings(
        tell=("{S} can't eat {v} because of an allergy.", "{S} [suffer|suffers] from a {v} allergy.", "{v} gave {S-object} an allergic reaction."),
        ask=("Which food must {S} avoid because of an allergy?", "What allergy [do|does] {S} have?", "Is there anything {S} [am|is] allergic to?"),
    ),
    "favourite": Wordings(
        tell=("The {r} {S} [like|likes] best is {v}.", "{S} [like|likes] {v} more than any other {r}.", "Of all {r}s, {S} [love|loves] {v} most."),
        ask=("What {r} [do|does] {S} like most?", "Which {r} is {S's} favourite?", "What would you say is {S's} favourite {r}?"),
        change=("{S} [prefer|prefers] another {r} now: {v}.", "The {r} {S} now [like|likes] best is {v}."),
    ),
    "sport": Wordings(
        tell=("{S} [am|is] on a {v} team.", "{S} [love|loves] playing {v}.", "In {S's} free time {S} [play|plays] {v}."),
        ask=("Which sport [do|does] {S} do?", "What does {S} play in the free time?"),
        change=("{S} [have|has] taken up {v} instead of {old}.", "{S} [have|has] stopped playing {old} and started playing {v}."),
    ),
    "team": Wordings(
        tell=("{S} [am|is] a fan of {v}.", "{S's} team is {v}.", "{S} [cheer|cheers] for {v}."),
        ask=("What team is {S} a fan of?", "Which club [do|does] {S} cheer for?"),
        change=("{S} [am|is] a fan of {v} now.", "{S} [have|has] become a supporter of {v}."),
    ),
    "car": Wordings(
        tell=("{S} [own|owns] a car, a {v}.", "{S} [get|gets] around in a {v}."),
        ask=("Which car [do|does] {S} own?", "What kind of car [have|has] {S} got?"),
        change=("{S} [have|has] traded the {old} in for a {v}.", "{S} [drive|drives] a {v} these days."),
    ),
    "pet": Wordings(
        tell=("{v} is the name of {S's} {r}.", "{S's} {r} answers to {v}.", "{S} [own|owns] a {r} named {v}."),
        ask=("What name does {S's} {r} have?", "How is {S's} {r} called?", "Do you know the name of {S's} {r}?"),
    ),
    "study": Wordings(
        tell=("{S} [am|is] studying {v} at university.", "{S's} subject at university is {v}.", "{S} [am|is] doing a degree in {v}."),
        ask=("What subject [do|does] {S} study?", "Which degree [am|is] {S} doing?"),
        change=("{S} [am|is] studying {v} now instead of {old}.", "{S} [have|has] changed [my|their] subject to {v}."),
    ),
    "code": Wordings(
        tell=("{S's} {r} opens with {v}.", "To open {S's} {r}, enter {v}.", "{v} is the code for {S's} {r}."),
        ask=("Which code opens {S's} {r}?", "What code do I need for {S's} {r}?"),
        change=("The new code for {S's} {r} is {v}.", "{S's} {r} opens with {v} now."),
    ),
    "event_time": Wordings(
        tell=("There is {S's} {r} on {v}.", "On {v} {S} [have|has] a {r}.", "{S's} {r} was booked for {v}."),
        ask=("What time is {S's} {r}?", "What date did we set for {S's} {r}?", "Remind me when {S's} {r} is."),
        change=("They have postponed {S's} {r} to {v}.", "{S's} {r} was rescheduled for {v}.", "We had to put {S's} {r} off until {v}."),
    ),
    "event_place": Wordings(
        tell=("{S's} {r} will be held at the {v}.", "We meet at the {v} for {S's} {r}.", "The {v} is where {S's} {r} takes place."),
        ask=("Where does {S's} {r} take place?", "At what place is {S's} {r}?", "Where do we have to go for {S's} {r}?"),
        change=("{S's} {r} will take place at the {v} instead.", "They have moved {S's} {r} to the {v}."),
    ),
    "event_cancelled": Wordings(
        tell=("They called off {S's} {r}.", "{S's} {r} won't take place.", "There will be no {r} for {S-object} after all."),
        ask=(),
    ),
    "anniversary": Wordings(
        tell=("{v} is {S's} wedding anniversary.", "{S's} wedding anniversary falls on {v}."),
        ask=("What date is {S's} wedding anniversary?", "On which day is {S's} wedding anniversary?"),
    ),
    "trip": Wordings(
        tell=("{S} [leave|leaves] for {r} on {v}.", "{S} [have|has] booked a trip to {r} for {v}.", "{S's} journey to {r} begins on {v}."),
        ask=("What date is {S's} trip to {r}?", "When [do|does] {S} leave for {r}?", "On what day [am|is] {S} going to {r}?"),
        change=("{S's} trip to {r} was postponed to {v}.", "{S} [am|is] going to {r} on {v} instead."),
    ),
    "voucher": Wordings(
        tell=("We have a {r} voucher, its code is {v}, it expires on {d}.", "Until {d} you can use {v} as the code of the {r} voucher."),
        ask=("Which code does the {r} voucher have?", "Tell me the code for the {r} voucher."),
    ),
    "nickname": Wordings(
        tell=("People call {S-object} {v}.", "{S} [go|goes] by the nickname {v}."), ask=("Which nickname [do|does] {S} have?", "What do people call {S-object}?")
    ),
    "age": Wordings(
        tell=("{S} turned {v} last month.", "{S} [am|is] {v}."),
        ask=("Tell me {S's} age.", "What age [am|is] {S}?"),
        change=("{S} [have|has] turned {v}.",),
    ),
    "gender": Wordings(tell=("As you know, {S} [am|is] a {v}.", "{S's} gender is {v}."), ask=("Which gender do I have?", "Tell me {S's} gender.")),
    "spouse": Wordings(
        tell=("{S} got married to {v}.", "{v} and {S} are married."),
        ask=("Who did {S} marry?", "Who is {S's} spouse?"),
        change=("{S} got married again, to {v}.",),
    ),
    "buy": Wordings(
        tell=("We are out of {v}.", "We have run out of {v}.", "Please put {v} on the shopping list.", "I must not forget to get {v}."),
        ask=("What is on the shopping list?", "What do we have to get at the shop?"),
    ),
    "bought": Wordings(tell=("I picked up {v} at the shop.", "We have {v} again.", "You can take {v} off the shopping list."), ask=()),
    "away": Wordings(
        tell=("Until {d}, {S} [am|is] staying in {v}.", "{S} [am|is] spending the time until {d} in {v}."),
        ask=("Where [am|is] {S} staying at the moment?", "In which place [am|is] {S} staying?"),
    ),
    "chat": Wordings(
        tell=(
            "That smells wonderful.", "I wonder whether it will snow.", "How time flies!", "My back hurts from all the gardening.",
            "Please vacuum the living room later.", "Somebody rang the bell, but nobody was there.",
        ),
        ask=(),
    ),
}  # fmt: skip
"""What is evaluated. The policy has not seen them; the extraction was extended after it had first met them (docs/personal.md)."""

FRESH: dict[str, Wordings] = {
    "role": Wordings(
        tell=("{S's} {r}, {v}, says hello.", "Let me introduce {S's} {r}: {v}.", "{S} [call|calls] [my|their] {r} {v}.", "You know {v}, {S's} {r}."),
        ask=("What do we call {S's} {r}?", "{S's} {r}, what was the name?", "Who would be {S's} {r}?"),
        change=("{S's} {r} is somebody else now: {v}.", "{v} took over as {S's} {r}."),
    ),
    "birthday": Wordings(
        tell=("{S} [have|has] [my|their] birthday on {v}.", "{S's} date of birth is {v}.", "{S} [get|gets] a year older on {v}."),
        ask=("When [do|does] {S} have [my|their] birthday?", "What is {S's} date of birth?", "On what day [do|does] {S} celebrate [my|their] birthday?"),
    ),
    "residence": Wordings(
        tell=("{S's} house is in {v}.", "{S} [am|is] based in {v}.", "{v} is where {S} [live|lives]."),
        ask=("Where [am|is] {S} based?", "What town is {S's} house in?", "What is {S's} address?"),
        change=("{S} [have|has] settled in {v}.", "{S} [have|has] just moved house, to {v}.", "{S} [have|has] swapped {old} for {v}."),
    ),
    "employer": Wordings(
        tell=("{v} employs {S-object}.", "{S} [am|is] on the payroll of {v}.", "{S's} company is {v}."),
        ask=("Who employs {S-object}?", "What is {S's} employer called?", "At which company [do|does] {S} work?"),
        change=("{v} has hired {S-object}.", "{S} [have|has] changed jobs and [am|is] at {v} now.", "{S} [work|works] at {v} from now on."),
    ),
    "occupation": Wordings(
        tell=("{S's} job is being a {v}.", "{S} [make|makes] a living as a {v}.", "By trade {S} [am|is] a {v}."),
        ask=("What is {S} by profession?", "What line of work [am|is] {S} in?", "What [do|does] {S} do professionally?"),
        change=("{S} [have|has] changed careers and become a {v}.", "{S's} new job is {v}."),
    ),
    "phone": Wordings(
        tell=("To phone {S-object}, dial {v}.", "{S} can be reached on {v}.", "{S's} telephone number: {v}."),
        ask=("What do I dial to call {S-object}?", "On what number can {S} be reached?", "Have you got {S's} phone number?"),
        change=("{S} can be reached on {v} from now on.", "{S} [have|has] switched to a new number, {v}."),
    ),
    "allergy": Wordings(
        tell=("{S} must not eat {v}, {S} [am|is] allergic.", "{v}: that is what {S} [am|is] allergic to.", "{S} [react|reacts] badly to {v}, it is an allergy."),
        ask=("What can {S} not eat because of an allergy?", "Name {S's} allergy.", "To what [am|is] {S} allergic?"),
    ),
    "favourite": Wordings(
        tell=("No {r} is as dear to {S-object} as {v}.", "For {S-object}, the best {r} is {v}.", "When it comes to a {r}, {S's} favourite is {v}."),
        ask=("Which {r} [am|is] {S} most fond of?", "What's {S's} favourite {r}?", "Which is the {r} {S} [like|likes] best?"),
        change=("{v} has become {S's} favourite {r}.", "{S's} favourite {r} has changed to {v}."),
    ),
    "sport": Wordings(
        tell=("{S's} sport is {v}.", "{S} [go|goes] to {v} practice every week.", "{S} [do|does] {v} as a hobby."),
        ask=("Which sport [am|is] {S} into?", "What is {S's} sport?"),
        change=("{S} [have|has] dropped {old} and [do|does] {v} now.", "{S} [have|has] swapped {old} for {v}."),
    ),
    "team": Wordings(
        tell=("{S} [root|roots] for {v}.", "{S's} heart belongs to the team {v}.", "{v} is {S's} team."),
        ask=("Who [do|does] {S} root for?", "What is {S's} favourite team?"),
        change=("{S} [root|roots] for {v} these days.", "{S's} team is {v} now."),
    ),
    "car": Wordings(
        tell=("The car {S} [drive|drives] is a {v}.", "{S's} vehicle is a {v}."),
        ask=("What [do|does] {S} drive?", "Which make is {S's} car?"),
        change=("{S} [have|has] replaced the {old} with a {v}.", "{S} now [drive|drives] a {v} instead of the {old}."),
    ),
    "pet": Wordings(
        tell=("{S's} {r} has the name {v}.", "{S} named [my|their] {r} {v}.", "{v}, that is {S's} {r}."),
        ask=("What did {S} name [my|their] {r}?", "Which name did {S's} {r} get?"),
    ),
    "study": Wordings(
        tell=("{S} [major|majors] in {v}.", "{S} [am|is] enrolled in {v}.", "{S} [am|is] a student of {v}."),
        ask=("What [do|does] {S} major in?", "What is {S's} field of study?"),
        change=("{S} [have|has] dropped {old} and [study|studies] {v} now.", "{S} [have|has] started to study {v} instead of {old}."),
    ),
    "code": Wordings(
        tell=("{S's} {r}'s code is {v}.", "You need {v} to open {S's} {r}.", "Type {v} to unlock {S's} {r}."),
        ask=("How do I open {S's} {r}?", "What is {S's} {r}'s code?"),
        change=("{S's} {r}'s code has been changed to {v}.", "The code of {S's} {r} is {v} as of today."),
    ),
    "event_time": Wordings(
        tell=("{S's} {r} takes place on {v}.", "{v}: {S's} {r}.", "We scheduled {S's} {r} for {v}."),
        ask=("When does {S's} {r} take place?", "At what time is {S's} {r}?", "What day is {S's} {r}?"),
        change=("{S's} {r} has been brought forward to {v}.", "Instead, {S's} {r} is on {v}.", "There is a new date for {S's} {r}: {v}."),
    ),
    "event_place": Wordings(
        tell=("The {v} hosts {S's} {r}.", "For {S's} {r} we go to the {v}.", "{S's} {r} is being held at the {v}."),
        ask=("Where will {S's} {r} be held?", "What is the venue of {S's} {r}?", "Where do I have to be for {S's} {r}?"),
        change=("{S's} {r} is at the {v} now.", "The venue of {S's} {r} has changed to the {v}."),
    ),
    "event_cancelled": Wordings(
        tell=("{S's} {r} was called off.", "Forget about {S's} {r}, it is cancelled.", "{S's} {r} is not happening."), ask=()
    ),
    "anniversary": Wordings(
        tell=("{S} got married on {v}.", "Our wedding anniversary is always on {v}."),
        ask=("When do we celebrate our wedding anniversary?", "When is our wedding anniversary?"),
    ),
    "trip": Wordings(
        tell=("{S} [set|sets] off for {r} on {v}.", "On {v}, {S} will travel to {r}.", "{S's} flight to {r} leaves on {v}."),
        ask=("When is {S's} trip to {r}?", "When [am|is] {S} off to {r}?", "What day will {S} travel to {r}?"),
        change=("{S's} trip to {r} is on {v} now.", "{S's} flight to {r} has been rescheduled to {v}."),
    ),
    "voucher": Wordings(
        tell=("The code {v} is for the {r} voucher, which ends on {d}.", "Our {r} voucher's code is {v}, but only until {d}."),
        ask=("What is the {r} voucher's code?", "Which code do I need for the {r} voucher?"),
    ),
    "nickname": Wordings(tell=("{S's} friends call {S-object} {v}.", "{v} is {S's} nickname."), ask=("What do {S's} friends call {S-object}?", "{S's} nickname, what is it?")),
    "age": Wordings(
        tell=("{S} [am|is] {v} years of age.", "{S} just turned {v}."), ask=("How many years old [am|is] {S}?", "What's {S's} age?"), change=("{S's} age is {v} now.",)
    ),
    "gender": Wordings(tell=("{S} [identify|identifies] as a {v}.",), ask=("What gender [am|is] {S}?",)),
    "spouse": Wordings(
        tell=("{S's} spouse is {v}.", "{S} and {v} got married."), ask=("To whom [am|is] {S} married?", "What is {S's} spouse called?"), change=("{S's} new spouse is {v}.",)
    ),
    "buy": Wordings(
        tell=("There is no {v} left.", "We should buy {v}.", "Add {v} to the shopping list.", "Remind me to buy {v}."),
        ask=("What should I buy?", "What do we need from the shop?", "Read me the shopping list."),
    ),
    "bought": Wordings(tell=("I got {v} today.", "We no longer need {v}.", "Remove {v} from the shopping list."), ask=()),
    "away": Wordings(
        tell=("{S} [am|is] away in {v} until {d}.", "{S} will be in {v} until {d}."), ask=("Where [am|is] {S} right now?", "Where [am|is] {S} staying these days?")
    ),
    "chat": Wordings(
        tell=("I could eat a horse.", "The neighbours are loud today.", "What would I do without you?", "My feet are cold.", "Never mind.", "That was a long meeting."), ask=()
    ),
}  # fmt: skip
"""A harder set, written after the extraction for the others was finished; some of what they showed was added since."""
