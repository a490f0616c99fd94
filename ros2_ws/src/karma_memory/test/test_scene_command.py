# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""python3 -m karma_memory.command scene."""

import json

import pytest
from test_spark_dsg import FOREIGN
from world import APPLE, HOME, SCENE, home, seen, thing

from karma_memory.command import __main__ as command
from karma_memory.scene_graph import from_spark_dsg


@pytest.fixture
def life(store):
    with store.memory() as memory:
        memory.remember([home(stamp=1.0), seen(thing("Apple|1", (8.0, 1.0, 0.6), seen=100.0), stamp=100.0)])
        memory.remember([seen(thing("Mug|7", seen=50.0), stamp=50.0, scene="home2")])
    return store


def run(capsys, *arguments):
    status = command.main([str(argument) for argument in arguments])
    return status, *capsys.readouterr()


def apple_in(file):
    update = from_spark_dsg(json.loads(file.read_text()))
    return next(node.position for node in update.nodes if node.id == "Apple|1")


def test_what_is_believed_now_or_was_then_is_written(life, tmp_path, capsys):
    now, then, other = (tmp_path / name for name in ("now.json", "then.json", "other.json"))
    status, said, error = run(capsys, "scene", "export", life.location, now, "--scene", SCENE)
    assert (status, said, error) == (0, f"{len(HOME)} nodes of scene 'home1' exported to {now}\n", "")
    assert apple_in(now) == (8.0, 1.0, 0.6)
    assert run(capsys, "scene", "export", life.location, then, "--scene", SCENE, "--at", "60")[0] == 0
    assert apple_in(then) == APPLE.position
    assert (
        "1 nodes of scene 'home2'" in run(capsys, "scene", "export", life.location, other)[1]
    )  # the one that was seen last


def test_a_file_is_not_overwritten_and_an_unknown_scene_is_named(life, tmp_path, capsys):
    (tmp_path / "there.json").write_text("mine")
    assert "--overwrite" in run(capsys, "scene", "export", life.location, tmp_path / "there.json")[2]
    assert (tmp_path / "there.json").read_text() == "mine"
    status, _, error = run(capsys, "scene", "export", life.location, tmp_path / "new.json", "--scene", "home9")
    assert (status, "no scene 'home9'" in error, "'home1', 'home2'" in error) == (1, True, True)
    assert not (tmp_path / "new.json").exists()
    assert run(capsys, "scene", "export", "--overwrite", life.location, tmp_path / "there.json")[0] == 0


def test_what_is_exported_can_be_remembered_elsewhere(life, stores, tmp_path, capsys):
    file, copy = tmp_path / "scene.json", stores.new("copy")
    run(capsys, "scene", "export", life.location, file, "--scene", SCENE)
    status, said, _ = run(capsys, "scene", "import", file, copy.location)
    assert (status, f"{len(HOME)} nodes of scene 'home1' read; {len(HOME)} new or changed" in said) == (0, True)
    with life.memory() as one, copy.memory() as other:
        assert list(other.scene_graph(SCENE).edges()) == list(one.scene_graph(SCENE).edges())
        assert {node.id: node for node in other.scene_graph(SCENE).nodes()} == {
            node.id: node for node in one.scene_graph(SCENE).nodes()
        }
    assert "; 0 new or changed" in run(capsys, "scene", "import", file, copy.location)[1]


def test_a_graph_of_hydra_is_remembered_as_one_observation(store, tmp_path, capsys):
    (tmp_path / "hydra.json").write_text(json.dumps(FOREIGN))
    assert (
        run(capsys, "scene", "import", tmp_path / "hydra.json", store.location, "--scene", "lab", "--at", "500")[0] == 0
    )
    with store.memory() as memory:
        chair = memory.scene_graph("lab").node("chair|O3")
        assert (chair.category, chair.position, chair.last_seen) == ("chair", (1.0, 2.0, 0.5), 2.5)
        assert memory.scene_graph("lab").node("R0").last_seen == 500.0
        assert memory.current_scene == "lab"


@pytest.mark.parametrize("content", [b"{", b"[]", b'{"nodes": []}', b"\xff", b"[" * 100_000])
def test_what_is_no_scene_graph_is_refused_and_no_journal_made(content, path, tmp_path, capsys):
    (tmp_path / "bad.json").write_bytes(content)
    status, _, error = run(capsys, "scene", "import", tmp_path / "bad.json", path)
    assert (status, error.startswith("scene: "), error.count("\n")) == (1, True, 1)
    assert not path.exists()
