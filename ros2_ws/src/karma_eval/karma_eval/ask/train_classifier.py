# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Trains the classifier of sentences, in place: `python -m karma_eval.ask.train_classifier` (two minutes).

Its examples are sentence_examples.json, and what is said in the conversations of `./karma eval talk` that were read.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from importlib.resources import files

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from karma_language.phrases.marking import mark
from karma_language.questions.sentence_classifier import (
    ELSEWHERE,
    HASHED,
    MEANING,
    NAMED,
    VOCABULARY,
    WEIGHT_OF_MEANING,
    WEIGHTS,
    features,
)
from karma_language.questions.shapes import shape_of
from karma_language.vocabulary import household
from karma_language.vocabulary.embedder import Embedder, installed
from karma_language.vocabulary.words import GENERIC

_SAMPLES = {
    "object": "mug",
    "objects": "mugs",
    "place": "table",
    "room": "kitchen",
    "state": "dirty",
    "time": "yesterday morning",
}
"""What stands for the placeholders of examples."""
_EXAMPLES = ("karma_eval.ask", "sentence_examples.json")
_CONVERSATIONS = ("karma_eval.talk", "own.json")
_EXPECTED = {"done": "request", "asks": "request", "refused": "request", "kept": "statement"}
"""What a turn of a conversation is to come to → its class."""
_TRUTHS = {"contents": "contents", "state": "state", "count": "how_many", "changed": "changed"}
"""What in the simulator says whether a turn was answered rightly → its class."""
_SHORT = 12
"""Words of a question with no remark in it."""
_REGULARIZATION = 3e-5
_ITERATIONS = 250


def train(embedder: Embedder) -> None:
    """Write what is learned from the examples."""
    sentences = [*examples(), *conversations()]
    classes = sorted({kind for kind, _ in sentences})
    truth = np.array([classes.index(kind) for kind, _ in sentences])
    idle = idle_nouns()
    inputs = np.zeros((len(sentences), HASHED + NAMED + MEANING), dtype=np.float32)
    for row, (_, said) in enumerate(sentences):
        shape = shape_of(said, 0.0, household(), None, idle)
        found = features(shape)
        inputs[row, [*found]] = [*found.values()]
        inputs[row, -MEANING:] = WEIGHT_OF_MEANING * embedder.embed([shape.text])[0]
    by_words = inputs.copy()
    by_words[:, -MEANING:] = 0.0  # it must do without the embedder, too
    weights = _fit(np.concatenate((inputs, by_words)), np.concatenate((truth, truth)), len(classes))
    scale = float(np.abs(weights).max()) / 127.0
    np.savez_compressed(
        VOCABULARY / WEIGHTS,
        weights=np.rint(weights / scale).astype(np.int8),
        scale=np.float32(scale),
        classes=np.array(classes),
        idle=np.array(sorted(idle)),
        digest=np.array(digest()),
    )


def digest() -> str:
    """Return the digest of what is learned from."""
    read = (files(package).joinpath(name).read_bytes() for package, name in (_EXAMPLES, _CONVERSATIONS))
    return hashlib.sha256(b"".join(read)).hexdigest()


def examples() -> Iterator[tuple[str, str]]:
    """Yield class and sentence of the examples that are made for it."""
    for kind, every in json.loads(files(_EXAMPLES[0]).joinpath(_EXAMPLES[1]).read_text(encoding="utf-8")).items():
        for said in every:
            yield kind.partition("/")[0], re.sub(r"{(\w+)}", lambda found: _SAMPLES[found[1]], said)


def conversations() -> Iterator[tuple[str, str]]:
    """Yield class and sentence of what people say, where its class is known."""
    file = files(_CONVERSATIONS[0]).joinpath(_CONVERSATIONS[1])
    for turn in (turn for one in json.loads(file.read_text(encoding="utf-8")) for turn in one["turns"]):
        expected = turn.get("expect", {})
        truth = str(expected.get("answer", {}).get("truth", "")).partition("(")[0]
        kind = next((kind for key, kind in _EXPECTED.items() if key in expected), _TRUTHS.get(truth, ""))
        if kind and "say" in turn:
            yield kind, turn["say"]
        if "kept" in expected and not expected["kept"]["ask"].casefold().startswith("where"):  # seen, or told
            yield "of_people", expected["kept"]["ask"]


def idle_nouns() -> set[str]:
    """Return the nouns that belong to ways of asking, and to no home: "idea" of "any idea where …"."""
    asked = (sentence for kind, sentence in examples() if kind not in ELSEWHERE and _is_short(sentence))
    things = (thing for sentence in asked for thing in mark(sentence, household()).things)
    nouns = {thing.last_word for thing in things if not (thing.categories or thing.room)}
    return {*GENERIC, *nouns}


def _is_short(sentence: str) -> bool:
    """Whether a sentence is a question and nothing else: remarks beside it are about anything."""
    return len(sentence.split()) <= _SHORT and not re.search(r"[.,;!?]\s", sentence)


def _fit(inputs: NDArray[np.float32], truth: NDArray[np.int64], classes: int) -> NDArray[np.float64]:
    """Return the weights (features, classes) of multinomial logistic regression."""
    rows, shape = np.arange(len(truth)), (inputs.shape[1], classes)

    def loss(flat: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        weights = flat.reshape(shape).astype(np.float32)
        odds = inputs @ weights
        odds = np.exp(odds - odds.max(axis=1, keepdims=True))
        odds /= odds.sum(axis=1, keepdims=True)
        cost = -np.log(odds[rows, truth] + 1e-12).mean() + _REGULARIZATION / 2 * float((weights**2).sum())
        odds[rows, truth] -= 1.0
        slope = inputs.T @ odds / len(truth) + _REGULARIZATION * weights
        return float(cost), slope.ravel().astype(np.float64)

    found = minimize(loss, np.zeros(shape).ravel(), jac=True, method="L-BFGS-B", options={"maxiter": _ITERATIONS})
    weights: NDArray[np.float64] = found.x.reshape(shape)
    return weights


if __name__ == "__main__":
    model = installed()
    assert model is not None, "the embedding model is not installed; run ./karma setup"
    train(model)
