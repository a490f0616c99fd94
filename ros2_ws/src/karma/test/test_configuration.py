# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
import configparser
import shlex
from pathlib import Path

import pytest
import yaml

pytest.importorskip("ament_index_python")

from karma.graph import ENDING_S, NodeDescription
from karma.supervision.configuration import ConfigurationError, write_configuration

SCENE = "home'1 ; %(x)s \n"


def manager(**parameters: str) -> NodeDescription:
    return NodeDescription(name="m", package="karma", executable="lifecycle_manager", parameters=parameters)


def test_what_a_user_typed_is_not_in_the_configuration_but_in_a_parameter_file(tmp_path: Path) -> None:
    file = write_configuration([manager(scene=SCENE)], tmp_path, tmp_path / "s")
    assert "home" not in file.read_text()
    parameters = yaml.safe_load((tmp_path / "m.parameters.yaml").read_text())
    assert parameters == {"/**": {"ros__parameters": {"scene": SCENE}}}


def test_nodes_die_with_the_supervisor_and_are_stopped_in_reverse(tmp_path: Path) -> None:
    second = NodeDescription(name="n", package="karma", executable="lifecycle_manager")
    file = write_configuration([manager(), second], tmp_path, tmp_path / "s")
    ini = configparser.RawConfigParser()
    ini.read(file)
    assert shlex.split(ini["program:n"]["command"])[:3] == ["setpriv", "--pdeathsig", "KILL"]
    # supervisord stops programs by falling priority
    assert int(ini["program:m"]["priority"]) < int(ini["program:n"]["priority"])


def test_only_what_moves_a_robot_is_told_to_end_when_the_supervisor_is_killed(tmp_path: Path) -> None:
    slow = NodeDescription(name="n", package="karma", executable="lifecycle_manager", ending=13, moves_robot=True)
    ini = configparser.RawConfigParser()
    ini.read(write_configuration([manager(), slow], tmp_path, tmp_path / "s"))
    words = {name: shlex.split(ini[f"program:{name}"]["command"]) for name in "mn"}
    assert [words[name][words[name].index("--pdeathsig") + 1] for name in "mn"] == ["KILL", "TERM"]
    assert [ini[f"program:{name}"]["stopwaitsecs"] for name in "mn"] == [str(ENDING_S), "13"]


def test_folder_with_a_percent_sign_and_spaces_is_read_back_unchanged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from supervisor.options import ServerOptions

    folder = tmp_path / "50% off here"
    folder.mkdir()
    file = write_configuration([manager(a="b")], folder, folder / "s")
    options = ServerOptions()
    monkeypatch.chdir(folder)
    options.realize(["--configuration", str(file)])
    (server,) = options.server_configs
    assert server["file"] == str(folder / "s")


def test_package_that_is_not_installed_is_named(tmp_path: Path) -> None:
    node = NodeDescription(name="rviz", package="rviz2", executable="rviz2")
    with pytest.raises(ConfigurationError, match=r"'rviz2' is not installed: it comes with a full ROS 2 installation"):
        write_configuration([node], tmp_path, tmp_path / "s")


def test_executable_that_is_not_built_is_named(tmp_path: Path) -> None:
    node = NodeDescription(name="x", package="karma", executable="no_such_node")
    with pytest.raises(ConfigurationError, match="no_such_node is missing"):
        write_configuration([node], tmp_path, tmp_path / "s")
