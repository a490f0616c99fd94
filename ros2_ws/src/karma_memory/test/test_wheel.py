# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The memory is installed from two wheels, with what these say that they need and nothing else: no ROS, no spaCy."""

import ast
import json
import os
import re
import shutil
import subprocess
import sys
import venv
from importlib import metadata
from pathlib import Path

import pytest

SOURCES = Path(__file__).resolve().parents[2]
EXAMPLES = SOURCES.parents[1] / "examples"
PRINTS = "It prints:\n"
PACKAGES = ("karma_language", "karma_memory")
QUICK_START = """
from karma_memory import Memory

with Memory("home.sqlite3") as memory:
    memory.see("mug", on="kitchen table", room="kitchen", at=(1.0, 2.0, 0.9))
    memory.tell("The blue mug is mine.", user="ann")
    memory.did("put", "mug", "sink", succeeded=True)
    print(memory.ask("where is my mug?", user="ann").text)
    print(memory.call("where_is", {"thing": "mug"}, user="ann"))
    print(memory.call("recall", {"query": "mug", "kinds": ["told"]}, user="ann"))
"""
HEAVY = (
    "rclpy",
    "spacy",
    "scipy",
    "onnxruntime",
    "httpx",
    "openai",
    "networkx",
    "yaml",
    "karma_language.questions.questions",
)


def run(*command, **more):
    """Run a program without what this environment puts on Python's path."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, **more)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def wheels(tmp_path_factory):
    """The wheels, built from copies of the sources: pip leaves its own folders beside them."""
    folder = tmp_path_factory.mktemp("wheels")
    left_out = shutil.ignore_patterns("build", "test", "*.egg-info", "__pycache__")
    copies = [shutil.copytree(SOURCES / name, folder / "src" / name, ignore=left_out) for name in PACKAGES]
    pip = (sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-index", "--no-build-isolation")
    run(*pip, "--wheel-dir", str(folder / "dist"), *map(str, copies))
    return sorted((folder / "dist").glob("*.whl"))


@pytest.fixture(scope="module")
def python(wheels, tmp_path_factory):
    """The Python of an environment that has the wheels and, as links, the packages that they need."""
    folder = tmp_path_factory.mktemp("venv")
    venv.create(folder, symlinks=True)
    python = folder / "bin" / "python"
    pip = (sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet", "--no-deps", "--no-index")
    run(*pip, *map(str, wheels))
    site = next(folder.glob("lib/python3*/site-packages"))
    for name in needed("karma-memory", site) - {normal(name) for name in PACKAGES}:
        installed = metadata.distribution(name)
        if not installed.files:
            pytest.skip(f"{name} was not installed by pip here")
        for part in {file.parts[0] for file in installed.files} - {"..", "__pycache__"}:
            (site / part).symlink_to(installed.locate_file(part))
    return python


def needed(name, site):
    """Return the distributions that one needs, itself among them."""
    found, new = set(), {name}
    while new:
        found |= new
        dists = [next(metadata.distributions(name=one, path=[str(site)]), None) for one in new]
        dists = [dist or metadata.distribution(one) for dist, one in zip(dists, new, strict=True)]
        wanted = {
            text for dist in dists for text in dist.requires or () if ";" not in text
        }  # ";": an extra, or another system
        new = {normal(re.match(r"[\w.-]+", text)[0]) for text in wanted} - found
    return found


def normal(name):
    return re.sub(r"[-_.]+", "-", name).lower()


def test_the_quick_start_runs_where_nothing_else_is_installed(python, tmp_path):
    first, *rest = run(str(python), "-c", QUICK_START, cwd=tmp_path).splitlines()
    assert "The mug is in the sink" in first
    assert any("id: mug" in line for line in rest)
    assert any("The blue mug is mine" in line for line in rest)


def docstring(example):
    return ast.get_docstring(ast.parse(example.read_text(encoding="utf-8"))) or ""


@pytest.mark.parametrize(
    "example", [file for file in sorted(EXAMPLES.glob("*.py")) if PRINTS in docstring(file)], ids=lambda file: file.stem
)
def test_an_example_prints_there_what_it_says(python, tmp_path, example):
    said = docstring(example).partition(PRINTS)[2].splitlines()
    promised = "\n".join(re.escape(line.removeprefix("    ")).replace("…", ".+") for line in said)
    printed = run(str(python), str(example), cwd=tmp_path).rstrip("\n")
    assert re.fullmatch(promised, printed), printed


@pytest.mark.skipif(not EXAMPLES.exists(), reason="the examples are not part of the package")
def test_what_the_agent_of_langgraph_is_told_is_understood_there(python, tmp_path):
    code = ast.walk(ast.parse((EXAMPLES / "langgraph_agent.py").read_text(encoding="utf-8")))
    (where, told, who) = next(ast.literal_eval(loop.iter) for loop in code if isinstance(loop, ast.For))
    asked = f"""
from karma_memory import Memory
with Memory("home.sqlite3") as memory:
    memory.see("mug", on="kitchen table", room="kitchen")
    memory.tell({told!r}, user="ann")
    print(memory.ask({where!r}, user="ann").text)
    print(memory.ask({who!r}, user="ann").text)
"""
    place, giver = run(str(python), "-c", asked, cwd=tmp_path).splitlines()
    assert "kitchen table" in place
    assert told in giver


def test_the_wheels_ask_for_each_other_in_one_version(wheels, python):
    site = next(python.parents[1].glob("lib/python3*/site-packages"))
    versions = {name: next(metadata.distributions(name=name, path=[str(site)])) for name in PACKAGES}
    assert len({dist.version for dist in versions.values()}) == 1
    assert f"karma-language=={versions['karma_language'].version}" in (versions["karma_memory"].requires or ())
    assert not {"scipy", "spacy", "httpx", "onnxruntime"} & needed("karma-memory", site)


def test_a_memory_opens_and_sees_without_what_few_need(tmp_path):
    code = f"""
import json, sys
from karma_memory import Memory
with Memory({str(tmp_path / "home.sqlite3")!r}, embedder="lexical") as memory:
    imported = [name for name in {HEAVY!r} if name in sys.modules]
    memory.see("mug", on="kitchen table", room="kitchen")
    print(json.dumps([imported, [name for name in {HEAVY!r} if name in sys.modules]]))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == [[], ["yaml"]]
