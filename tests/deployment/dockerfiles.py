# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Dockerfiles as instructions, and the rules of hadolint that matter here, for where it can't be run."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "docker"
OWN = "karma:"
"""Images that are made here."""
PINNED = re.compile(r"[\w./-]+:(\d[\w.-]*\.\d[\w.-]*|(jazzy|kilted)-ros-base-noble)")
"""An image with a version, or with a release of ROS and the Ubuntu that it is for."""


@dataclass(frozen=True)
class Instruction:
    """One instruction; `text` is what follows its name, in one line."""

    name: str
    text: str

    def as_list(self) -> list[str]:
        """Return the JSON form. ValueError where it is in the shell's form."""
        found = json.loads(self.text)
        if not isinstance(found, list):
            raise ValueError(f"{self.text} is no list")  # noqa: TRY004 - as json's own error is
        return [str(part) for part in found]


@dataclass(frozen=True)
class Stage:
    """From one FROM to the next."""

    base: str
    """With the arguments' defaults put in."""
    name: str
    instructions: tuple[Instruction, ...]

    def of(self, name: str) -> list[Instruction]:
        """Return the instructions of a name."""
        return [instruction for instruction in self.instructions if instruction.name == name]


def stages(path: Path) -> list[Stage]:
    """Return the stages of a Dockerfile."""
    arguments: dict[str, str] = {}
    found: list[tuple[str, str, list[Instruction]]] = []
    for instruction in _instructions(path.read_text(encoding="utf-8")):
        if instruction.name == "FROM":
            base, _, name = instruction.text.partition(" AS ")
            base = re.sub(r"\$\{(\w+)\}", lambda match: arguments[match[1]], base)
            found.append((base, name.strip(), []))
        elif not found:
            assert instruction.name == "ARG", f"{instruction.name} before FROM"
            name, _, default = instruction.text.partition("=")
            arguments[name] = default
        else:
            found[-1][2].append(instruction)
    return [Stage(base, name, tuple(inside)) for base, name, inside in found]


def complaints(path: Path) -> list[str]:
    """Return what hadolint would complain of, and what KARMA asks of its images besides."""
    found = stages(path)
    names = {stage.name for stage in found}
    wrong = []
    for stage in found:
        if stage.base not in names and not stage.base.startswith(OWN) and not PINNED.fullmatch(stage.base):
            wrong.append(f"DL3006, DL3007: {stage.base} is not pinned")
        wrong += list(_of_stage(stage))
    last = found[-1]
    users = [instruction.text for instruction in last.of("USER")]
    if not users or users[-1] in ("root", "0"):
        wrong.append("DL3002: the last user is root")
    for name in ("HEALTHCHECK", "ENTRYPOINT", "CMD"):
        if len(last.of(name)) != 1:
            wrong.append(f"DL3012, DL4003, DL4004: there must be one {name}")
    return wrong


def _of_stage(stage: Stage) -> Iterator[str]:
    shell = next((instruction.text for instruction in stage.of("SHELL")), "")
    for instruction in stage.instructions:
        text = instruction.text
        if instruction.name == "RUN":
            yield from _of_run(text, pipefail="pipefail" in shell)
        elif instruction.name == "ADD":
            yield "DL3020: COPY rather than ADD"
        elif instruction.name == "WORKDIR" and not text.startswith("/"):
            yield f"DL3000: WORKDIR {text} is relative"
        elif instruction.name == "MAINTAINER":
            yield "DL4000: MAINTAINER"
        elif instruction.name in ("CMD", "ENTRYPOINT", "SHELL", "VOLUME"):
            try:
                instruction.as_list()
            except ValueError:
                yield f"DL3025: {instruction.name} {text} is not in JSON form"


def _of_run(text: str, *, pipefail: bool) -> Iterator[str]:
    if re.search(r"\bsudo\b", text):
        yield "DL3004: sudo"
    if re.search(r"(^|&& )cd ", text):
        yield "DL3003: WORKDIR rather than cd"
    if "|" in text.replace("||", "") and not pipefail:
        yield "DL4006: a pipe without pipefail"
    if "apt-get install" in text:
        if "--no-install-recommends" not in text:
            yield "DL3015: apt-get install with what is recommended"
        if not re.search(r"apt-get install (-y|--yes)\b", text):
            yield "DL3014: apt-get install asks"
        if "apt-get update" not in text:
            yield "DL3009: apt-get install without update before it"
        if "rm -rf /var/lib/apt/lists/*" not in text:
            yield "DL3009: the lists of packages stay"
    if re.search(r"apt-get (dist-)?upgrade|\bapt install", text):
        yield "DL3005, DL3027: upgrade, or apt"
    if "pip install" in text:
        if "--no-cache-dir" not in text:
            yield "DL3042: pip keeps its cache"
        for part in shlex.split(text.partition("pip install")[2].partition("&&")[0]):
            if not part.startswith("-") and "==" not in part and not re.search(r"@v[\d.]+#", part):
                yield f"DL3013: {part} is not pinned"
    for wanted in re.findall(r"habitat-sim\S*|(?<!\w)python=\S+|numpy\S*", text):
        if "micromamba create" in text and "=" not in wanted:
            yield f"{wanted} is not pinned"


def installed(stage: Stage) -> set[str]:
    """Return the packages that apt-get installs."""
    packages: set[str] = set()
    for instruction in stage.of("RUN"):
        for part in re.findall(r"apt-get install (.*?)(?: && |$)", instruction.text):
            packages |= {word for word in shlex.split(part) if not word.startswith("-")}
    return packages


def _instructions(text: str) -> Iterator[Instruction]:
    logical = ""
    for line in text.splitlines():
        stripped = line.strip()
        if stripped.startswith("#") or not stripped:
            continue
        logical += stripped.removesuffix("\\").strip() + " "
        if not stripped.endswith("\\"):
            name, _, rest = logical.strip().partition(" ")
            yield Instruction(name, rest.strip())
            logical = ""
    assert not logical, "the file ends within an instruction"
