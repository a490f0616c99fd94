# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What the site has beside this folder: README and CONTRIBUTING, and pages of the API (mkdocs.yml)."""

from __future__ import annotations

import re
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

ROOT = Path(__file__).resolve().parents[1]
BESIDE = {"README.md": "index.md", "CONTRIBUTING.md": "contributing.md"}
API = {
    "karma_memory": ("karma_memory", "karma_memory.tools", "karma_memory.projection", "karma_memory.recall.query"),
    "karma_perception": (
        "karma_perception.pipeline",
        "karma_perception.scene_graph",
        "karma_perception.objects.detection",
        "karma_perception.frames.camera",
    ),
    "karma_language": (
        "karma_language.reader",
        "karma_language.reading",
        "karma_language.things",
        "karma_language.models",
    ),
    "planner_node": ("planner_node.planner", "planner_node.skills", "planner_node.memory", "planner_node.instruction"),
    "sim_bridge": ("sim_bridge.backend", "sim_bridge.skills", "sim_bridge.factory"),
    "karma_ros": ("karma_ros.lifecycle", "karma_ros.parameters", "karma_ros.process", "karma_ros.client"),
}
"""Pages of the API, and the modules on each."""


def on_files(files: Files, *, config: MkDocsConfig) -> Files:
    """Add the pages that are not in docs/."""
    for name, page in BESIDE.items():
        text = (ROOT / name).read_text(encoding="utf-8")
        files.append(File.generated(config, page, content=re.sub(r"\((?:\./)?docs/", "(", text)))
    for package, modules in API.items():
        text = "\n\n".join([f"# {package}", *(f"::: {module}" for module in modules)])
        files.append(File.generated(config, f"api/{package}.md", content=text))
    return files


def on_page_markdown(markdown: str, **_: object) -> str:
    """Lead links to README and CONTRIBUTING to their pages; links to sources, which the site has not, lose theirs."""
    for name, page in BESIDE.items():
        markdown = markdown.replace(f"](../{name}", f"]({page}").replace(f"]({name}", f"]({page}")
    return re.sub(r"\[([^\]]+)\]\(\.\./[^)]*\)", r"\1", markdown)
