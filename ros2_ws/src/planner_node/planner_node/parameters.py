# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The node's parameters: name, default, range and meaning."""

from __future__ import annotations

from karma_ros.parameters import Effect, Parameter

OFFLINE = "offline"
"""`llm` for the rules that need no language model."""

ALL, NONE = "all", "none"
"""Values of `memories`, besides kinds."""

OWN, FRONTIERS = "own", "frontiers"
"""Values of `exploring`."""


KINDS = (
    *("long_term", "short_term", "episodic", "told", "profile", "preferences", "facts"),
    *("working", "trajectory", "guideline", "rule", "owner"),
)
"""Kinds of memory."""


def memories_in(text: str) -> frozenset[str] | None:
    """Return the kinds of memory that the parameter `memories` names; None for all. ValueError for others."""
    kinds = {kind.strip() for kind in text.split(",")} - {"", NONE}
    if unknown := kinds - {*KINDS, ALL}:
        raise ValueError(f"{', '.join(sorted(unknown))}: no kind of memory; those are {', '.join(KINDS)}")
    return None if ALL in kinds else frozenset(kinds)


def _rules(file: str) -> None:
    """Raise ValueError or OSError for a file that holds no rules of safety."""
    if file:
        from karma_language.vocabulary import household
        from planner_node.check.safety import load_rules

        load_rules(file, household())


def _home(file: str) -> None:
    """Raise ValueError for a file that holds no words of a home."""
    if file:
        from karma_language.vocabulary.home import load_home

        load_home(file)


PARAMETERS: tuple[Parameter, ...] = (
    Parameter(
        "llm", OFFLINE, "Language model that understands instructions, e.g. qwen2.5:7b of Ollama; offline: rules."
    ),
    Parameter(
        "llm_url",
        "http://127.0.0.1:11434",
        "URL of the model's server: Ollama, or one of OpenAI's protocol, which ends in /v1.",
    ),
    Parameter("llm_timeout", 240.0, "Seconds that the language model may take for an answer.", 1.0, 3600.0),
    Parameter(
        "llm_first_timeout",
        180.0,
        "Seconds until the first word of an answer: time to load the model and to read the question.",
        1.0,
        3600.0,
    ),
    Parameter(
        "llm_window", 4096, "Tokens of question and answer together; fewer if the model has fewer.", 256, 1048576
    ),
    Parameter("llm_answer", 512, "Tokens of an answer; at most a quarter of llm_window.", 16, 65536),
    Parameter("llm_repairs", 2, "Times that the language model is told what is wrong with its answer.", 0, 10),
    Parameter("llm_cache", 256, "Answers of the language model that are kept, in the node's process only.", 0, 100000),
    Parameter(
        "planning",
        "goals",
        "Who plans; goals: the words are read into goals, and the task planner plans; skills: the language model says "
        "each skill call; auto: goals first, and the model where they are not understood or not reached.",
        choices=("goals", "skills", "auto"),
        effect=Effect.AT_ONCE,
    ),
    Parameter(
        "memories",
        ALL,
        f"Kinds of memory that are used, with commas between: {', '.join(KINDS)}; all; none.",
        check=memories_in,
    ),
    Parameter("max_skills", 200, "Skills that an instruction may take.", 1, 100000),
    Parameter("max_duration", 3600.0, "Seconds, simulated or real, that an instruction may take.", 1.0, 86400.0),
    Parameter("skill_retries", 2, "Times that a skill is tried again after the arm failed.", 0, 20),
    Parameter("skill_timeout", 300.0, "Seconds of real time that a skill may take.", 0.5, 86400.0),
    Parameter("service_timeout", 5.0, "Seconds that the memory and the robot may take to answer.", 0.1, 600.0),
    Parameter("queue_length", 4, "Instructions that may wait while one is carried out.", 0, 100, effect=Effect.AT_ONCE),
    Parameter(
        "exploring",
        OWN,
        "How the robot looks around everywhere; own: as its skill Explore does without positions, frontier by frontier "
        "where it needs them; frontiers: always frontier by frontier, as perception knows them.",
        choices=(OWN, FRONTIERS),
        effect=Effect.AT_ONCE,
    ),
    Parameter(
        "look",
        "ask",
        "What the robot does where it does not know the answer to a question, and looking may tell; ask: it asks "
        "whether to look, always: it looks at once, never: it says that it doesn't know.",
        choices=("ask", "always", "never"),
        effect=Effect.AT_ONCE,
    ),
    Parameter(
        "question_timeout",
        0.0,
        "Seconds to wait for a person's answer to a question; 0: don't ask, say what is unclear and stop.",
        0.0,
        86400.0,
        effect=Effect.AT_ONCE,
    ),
    Parameter(
        "safety_rules",
        "",
        "File of the rules that are kept before every skill (docs/safety.md); empty: those that come with KARMA.",
        check=_rules,
    ),
    Parameter(
        "home_words",
        "",
        "File of this home's own words: labels of its scene graph that KARMA's vocabulary does not know, and its rooms "
        "(docs/planning.md); empty: none.",
        check=_home,
    ),
    Parameter(
        "confirm_irreversible",
        False,
        "Whether a person is asked before what can't be undone (slice, break, throw); no answer means no.",
    ),
)
