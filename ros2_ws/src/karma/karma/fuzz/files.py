# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Every kind of file and text that the project reads: a valid one, what reads it, and how it may refuse."""

from __future__ import annotations

import base64
import gzip
import hashlib
import io
import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

import numpy as np
import yaml

from karma.fuzz.garbage import Garbage
from karma.fuzz.recorded import changed_exchange, replayable, write_exchanges
from karma.mcp.serving import TokenError, read_tokens
from karma.node_parameters import ParameterError, perception_parameters
from karma.replay.trial import TrialError, _parameters
from karma_language.models.servers import server_url
from karma_language.vocabulary.home import load_home
from karma_language.vocabulary.lexicon import VocabularyError, household
from karma_memory import Memory
from karma_memory.encoding import decode_event, encode_event
from karma_memory.journal import JournalError, PortableFile, export_journal, open_journal
from karma_memory.journal.postgres_link import parsed
from karma_memory.ros.bag import export_bag, import_bag
from karma_memory.scene import InvalidEventError
from karma_memory.scene_graph.spark_dsg import SparkDsgError, from_spark_dsg, to_spark_dsg
from karma_memory.tools import TOOLS, ToolError, checked
from karma_perception.class_table import ClassTableError, read_class_table
from karma_perception.detectors.labels import LabelError, read_labels
from karma_perception.detectors.model import DetectionModel, ModelError
from karma_perception.detectors.report import PictureError, read_depth, read_picture
from karma_perception.export.graph_json import GraphFileError, read_json, write_json
from karma_perception.frames.camera import Frame, Intrinsics, Label
from karma_perception.pipeline import PerceptionPipeline, PipelineOptions
from karma_perception.recording.bag import Bag, BagError
from karma_perception.recording.findings import Findings
from karma_perception.saved_map.file import MapFileError, SavedMap, encode_map, open_map
from planner_node.check.safety.rules import RulesError, load_rules
from planner_node.plan.reasoning.prompt import chosen
from sim_bridge.ai2thor.backend import read_house
from sim_bridge.backend import BackendUnavailableError
from sim_bridge.habitat.dataset import DatasetError, read_manifest
from sim_bridge.habitat.episodes import UnknownEpisodeError, read_episode
from sim_bridge.household.obstacles import ObstacleError, read_obstacles
from sim_bridge.robot.table import TableError, read_table

Change = Callable[[Garbage, bytes], bytes]

_NETWORK = (
    "CAk6hgEKFgoHb192YWx1ZRIBbyIISWRlbnRpdHkSBHRpbnkqKwgBCAEIBhABQgdvX3ZhbHVlShgAACBBAAAgQQAASEIAACBCMzNzPwAA"
    "cEJaIAoGaW1hZ2VzEhYKFAgBEhAKAggBCgIIAwoCCEAKAghAYhcKAW8SEgoQCAESDAoCCAEKAggBCgIIBkIECgAQEg=="
)
"""An ONNX network with one box, base64."""
_HOME = """{things: {PencilCase: [pickup], Wardrobe: [hold, open]}, rooms: {tv room: [television room]}}"""
_SCALARS = (
    *(
        b"2026-02-30",
        b"!!int ''",
        b"!!binary x",
        b"!!python/name:os.system",
        b"*a",
        b"&a [*a]",
        b"0x_",
        b"1e999",
        b".nan",
    ),
    *(
        b"9" * 5000,
        b"99:99:99",
        b"[" * 3000,
        b"&a [x,x,x]",
        b"\xf0\x9f",
        b"? {}",
        b"<<: 1",
        b"!!set {a, b}",
        b"!!omap [a]",
    ),
)
"""Values that only YAML has."""
_RULES = """
version: 1
other_categories: [Person, Scissors]
groups: {sharp: [Knife, Scissors]}
serves: {StoveKnob: {things: [StoveBurner], within: 1.0}}
rules:
  - name: sharp things are not handed over
    when: {skills: [GoToObject], held: [sharp], near: {things: [Person], within: 1.0, asker: true}}
    decision: refuse
    message: "I don't carry a {held} up to people."
"""
_OBSTACLES = """
obstacles:
  - {skill: PutObject, thing: Fridge, until: {any: Fridge, isOpen: true}, message: Shut., code: EXECUTION_FAILURE}
"""
_HOUSE = '{"rooms": [{"roomType": "Bedroom", "floorPolygon": [{"x": 0, "z": 0}, {"x": 4, "z": 0}, {"x": 4, "z": 3}]}]}'
_EPISODES = (
    '{"episodes": [{"episode_id": "1", "scene_id": "a.scene_instance.json", "additional_obj_config_paths": []}]}'
)
_MANIFEST = '{"format": 1, "scene": "a", "templates": {"Apple|1": "Apple_0001"}, "semantic_ids": {"Apple|1": 1}}'
_POSTGRES = "postgresql://ann@robot:5432/memory?sslmode=require&connect_timeout=3"
_TOOL = '{"query": "mug", "kinds": ["long_term"], "limit": 3, "user": "ann"}'


@dataclass(frozen=True)
class Reader:
    """What reads one kind of file."""

    make: Callable[[Path], Path]
    """Writes a valid file into a folder and returns it, or the one of its files that is changed."""
    read: Callable[[Path], object]
    """Reads it."""
    errors: tuple[type[Exception], ...]
    """What it may raise for one that can't be used."""
    change: Change = Garbage.data


def as_json(garbage: Garbage, data: bytes) -> bytes:
    """Return a JSON text with one value changed, or some of its bytes."""
    if garbage.random.random() < 0.4:
        return garbage.data(data)
    return json.dumps(garbage.tree(json.loads(data))).encode()


def as_yaml(garbage: Garbage, data: bytes) -> bytes:
    """Return a YAML text with one value changed, or some of its bytes."""
    chance = garbage.random.random()
    if chance < 0.3:
        return garbage.data(data)
    if chance < 0.5:
        words = list(re.finditer(rb"\w+", data))
        word = garbage.random.choice(words)
        return data[: word.start()] + garbage.random.choice(_SCALARS) + data[word.end() :]
    return yaml.dump(
        garbage.tree(yaml.load(data, yaml.CSafeLoader)), Dumper=yaml.CSafeDumper, allow_unicode=True
    ).encode(errors="surrogatepass")


def as_portable(garbage: Garbage, data: bytes) -> bytes:
    """Return an exported journal with one value in a line of it changed, or some of its bytes, packed or not."""
    if garbage.random.random() < 0.2:
        return garbage.data(data)
    lines = gzip.decompress(data).splitlines()
    at = garbage.random.randrange(len(lines))
    lines[at] = as_json(garbage, lines[at])
    return gzip.compress(b"\n".join(lines) + b"\n", 1)


def as_map(garbage: Garbage, data: bytes) -> bytes:
    """Return a map with one thing in it changed and the checksum made right again, or some of its bytes changed."""
    if garbage.random.random() < 0.2:
        return garbage.data(data)
    header, payload = data.split(b"\n", 1)
    with np.load(io.BytesIO(payload)) as members:
        arrays = {name: members[name] for name in members.files}
    if garbage.random.random() < 0.7:
        arrays["json"] = np.frombuffer(as_json(garbage, arrays["json"].tobytes()), np.uint8)
    else:
        name = garbage.random.choice(list(arrays))
        raw = np.frombuffer(garbage.data(arrays[name].tobytes()), np.uint8)
        arrays[name] = (
            raw if garbage.random.random() < 0.5 else np.resize(raw, arrays[name].nbytes).view(arrays[name].dtype)
        )
    body = io.BytesIO()
    np.savez(body, **arrays)
    said = json.loads(header) | {"sha256": hashlib.sha256(body.getvalue()).hexdigest()}
    said = garbage.tree(said) if garbage.random.random() < 0.2 else said
    return json.dumps(said).encode() + b"\n" + body.getvalue()


def _text(name: str, text: str | bytes) -> Callable[[Path], Path]:
    def make(folder: Path) -> Path:
        (folder / name).write_bytes(text if isinstance(text, bytes) else text.encode())
        (folder / name).chmod(0o600)
        return folder / name

    return make


def _shipped(package: str, name: str) -> Callable[[Path], Path]:
    return _text(Path(name).name, resources.files(package).joinpath(name).read_bytes())


def _memory(folder: Path) -> Memory:
    memory = Memory(folder / "home.sqlite3", embedder="lexical")
    memory.see("mug", on="kitchen table", room="kitchen", at=(1.0, 2.0, 0.9), stamp=1e9)
    memory.tell("My sister is called Lea.", user="ann", stamp=1e9 + 1)
    memory.did("put", "mug", "sink", user="ann", stamp=1e9 + 2)
    memory.upkeep.snapshot()
    return memory


def _journal(folder: Path) -> Path:
    _memory(folder).close()
    return folder / "home.sqlite3"


def _portable(folder: Path) -> Path:
    with open_journal(_journal(folder), read_only=True) as journal:
        export_journal(journal, folder / "home.jsonl.gz", {"long_term": {}})
    return folder / "home.jsonl.gz"


def _bag(storage: str, part: str) -> Callable[[Path], Path]:
    def make(folder: Path) -> Path:
        with open_journal(_journal(folder), read_only=True) as journal:
            export_bag(journal, folder / "bag", storage=storage)
        return next((folder / "bag").glob(part))

    return make


def _snapshot(folder: Path) -> Path:
    _journal(folder)
    return next(path for path in folder.glob("home.sqlite3.snapshot-*"))


def _restart(folder: Path) -> None:
    with Memory(folder / "home.sqlite3", embedder="lexical") as memory:
        assert memory.find("mug") is not None, "a damaged snapshot was taken for the memory"


def _read_journal(path: Path) -> None:
    with open_journal(path) as journal:
        for _ in journal.read(0, journal.last_sequence):
            pass


def _read_portable(path: Path) -> None:
    with PortableFile(path) as file:
        file.verify()
        file.state()


def _import(bag: Path) -> None:
    with open_journal(bag.parent / "new.sqlite3") as journal:
        import_bag(bag, journal)
    for path in bag.parent.glob("new.sqlite3*"):
        path.unlink()


def _hear(bag: Path) -> None:
    with Bag(bag, Findings()) as opened:
        for _ in opened.messages([topic.name for topic in opened.topics]):
            pass


def _exchanges(folder: Path) -> Path:
    return write_exchanges(folder, _portable(folder))


def _seen() -> PerceptionPipeline:
    pipeline = PerceptionPipeline(PipelineOptions())
    pose = np.array([[0, 0, 1, 0], [-1, 0, 0, 0], [0, -1, 0, 1], [0, 0, 0, 1]], float)
    depth, instances = np.full((48, 64), 2.0, np.float32), np.zeros((48, 64), np.uint16)
    depth[20:30, 20:40], instances[20:30, 20:40] = 1.5, 1
    for stamp in (1.0, 2.0):
        labels = {1: Label("Mug", "Mug|1", movable=True)}
        camera = Intrinsics(64, 48, 60.0, 60.0, 32.0, 24.0)
        pipeline.update(Frame(stamp, "home", depth, camera, pose, None, instances, labels))
    return pipeline


def _map(folder: Path) -> Path:
    return _text("home.map", encode_map(SavedMap(_seen().state(), 3), PipelineOptions()))(folder)


def _graph(folder: Path) -> Path:
    return write_json(_seen().graph(), folder / "graph.json")


def _spark(folder: Path) -> Path:
    with _memory(folder) as memory:
        graph = memory.scene_graph()
        assert graph is not None
        return _text("dsg.json", json.dumps(to_spark_dsg(graph)))(folder)


def _event(folder: Path) -> Path:
    with open_journal(_journal(folder), read_only=True) as journal:
        events = [entry.event for entry in journal.read(0, journal.last_sequence)]
    return _text("event.json", encode_event(max(events, key=lambda event: len(encode_event(event)))))(folder)


def _picture(folder: Path) -> Path:
    from PIL import Image

    Image.new("RGB", (8, 6), "blue").save(folder / "picture.png")
    return folder / "picture.png"


def _depth(folder: Path) -> Path:
    np.save(folder / "depth.npy", np.ones((6, 8), np.float32))
    return folder / "depth.npy"


def _said(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace")


def readers() -> dict[str, Reader]:
    """Return all readers of files and texts by name."""
    nothing: tuple[type[Exception], ...] = ()
    config = Path(__file__).resolve().parents[2] / "config"
    return {
        "file:journal": Reader(_journal, _read_journal, (JournalError,)),
        "file:export": Reader(_portable, _read_portable, (JournalError,), as_portable),
        "file:snapshot": Reader(_snapshot, lambda path: _restart(path.parent), nothing),
        "file:bag.mcap": Reader(_bag("mcap", "*.mcap"), lambda path: _import(path.parent), (JournalError,)),
        "file:bag.db3": Reader(_bag("sqlite3", "*.db3"), lambda path: _import(path.parent), (JournalError,)),
        "file:bag.yaml": Reader(_bag("mcap", "*.yaml"), lambda path: _import(path.parent), (JournalError,), as_yaml),
        "file:camera.mcap": Reader(_bag("mcap", "*.mcap"), lambda path: _hear(path.parent), (BagError,)),
        "file:camera.db3": Reader(_bag("sqlite3", "*.db3"), lambda path: _hear(path.parent), (BagError,)),
        "file:camera.yaml": Reader(_bag("mcap", "*.yaml"), lambda path: _hear(path.parent), (BagError,), as_yaml),
        "file:map": Reader(_map, open_map, (MapFileError,), as_map),
        "file:graph.json": Reader(_graph, read_json, (GraphFileError,), as_json),
        "file:spark_dsg": Reader(
            _spark, lambda p: from_spark_dsg(json.loads(_said(p))), (SparkDsgError, ValueError), as_json
        ),
        "file:network": Reader(_text("net.onnx", base64.b64decode(_NETWORK)), DetectionModel, (ModelError,)),
        "file:labels": Reader(_text("names.yaml", "names: {0: mug, 1: cup}"), read_labels, (LabelError,), as_yaml),
        "file:classes": Reader(
            _shipped("karma_perception", "household.yaml"), read_class_table, (ClassTableError,), as_yaml
        ),
        "file:picture": Reader(_picture, read_picture, (PictureError,)),
        "file:depth": Reader(_depth, lambda path: read_depth(path, np.zeros((6, 8, 3), np.uint8)), (PictureError,)),
        "file:words": Reader(_text("home.yaml", _HOME), load_home, (VocabularyError,), as_yaml),
        "file:rules": Reader(
            _text("rules.yaml", _RULES), lambda path: load_rules(path, household()), (RulesError,), as_yaml
        ),
        "file:robot": Reader(_shipped("sim_bridge.robot", "tables/spot.yaml"), read_table, (TableError,), as_yaml),
        "file:obstacles": Reader(_text("o.yaml", _OBSTACLES), read_obstacles, (ObstacleError,), as_yaml),
        "file:house": Reader(_text("house.json", _HOUSE), read_house, (BackendUnavailableError,), as_json),
        "file:episodes": Reader(
            _text("e.json", _EPISODES),
            lambda p: read_episode(p, "1"),
            (BackendUnavailableError, UnknownEpisodeError),
            as_json,
        ),
        "file:dataset": Reader(
            _text("karma.json", _MANIFEST), lambda p: read_manifest(p.parent), (DatasetError,), as_json
        ),
        "file:parameters": Reader(
            _text("perception.yaml", (config / "perception.yaml").read_bytes()),
            lambda path: perception_parameters(path, {}),
            (ParameterError,),
            as_yaml,
        ),
        "file:trial": Reader(
            _text("planner.yaml", (config / "planner.yaml").read_bytes()),
            lambda path: _parameters(path, given=True),
            (TrialError,),
            as_yaml,
        ),
        "file:exchanges": Reader(_exchanges, lambda path: replayable(path.parent), (TrialError,), changed_exchange),
        "file:tokens": Reader(
            _text("tokens", "0123456789abcdef ann\nfedcba9876543210 ben\n"), read_tokens, (TokenError,)
        ),
        "text:event": Reader(_event, lambda path: decode_event(_said(path)), (InvalidEventError,), as_json),
        "text:tool": Reader(
            _text("t", _TOOL), lambda p: checked("recall", TOOLS["recall"], _said(p)), (ToolError,), as_json
        ),
        "text:choice": Reader(
            _text("c", '{"reason": "it is near", "call": "PickupObject(Apple)"}'),
            lambda path: chosen(_said(path), ["PickupObject(Apple)"]),
            nothing,
            as_json,
        ),
        "text:llm_url": Reader(_text("u", "http://127.0.0.1:11434/v1"), lambda p: server_url(_said(p)), (ValueError,)),
        "text:postgresql": Reader(_text("u", _POSTGRES), lambda path: parsed(_said(path)), (JournalError,)),
    }
