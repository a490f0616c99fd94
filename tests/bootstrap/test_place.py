# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Which ROS 2 the set-up uses, and what it leaves of the environment it was started in."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from bootstrap.place import WHEELS_GUARD, InstalledRos, Place, find_place, note_ros


def sourced(folder: Path, distribution: str, *, works: bool = True) -> dict[str, str]:
    """Lay out an installed ROS 2 whose python3 answers the probe, and return its environment."""
    prefix = folder / "opt" / distribution
    (prefix / "share" / "rclpy").mkdir(parents=True)
    programs = folder / "bin"
    programs.mkdir()
    answer = json.dumps({"path": ["/x/site-packages"], "libraries": f"{prefix}/lib"})
    (programs / "python3").write_text(f"#!/bin/sh\necho '{answer}'\n" if works else "#!/bin/sh\nexit 1\n")
    (programs / "python3").chmod(0o755)
    return {
        "ROS_DISTRO": distribution,
        "AMENT_PREFIX_PATH": str(prefix),
        "PYTHONPATH": f"{prefix}/lib/python3.12/site-packages",
        "LD_LIBRARY_PATH": f"{prefix}/lib",
        "PATH": f"{programs}:/usr/bin:/bin",
    }


@pytest.mark.parametrize("distribution", ["jazzy", "kilted"])
def test_sourced_ros_is_used_in_an_environment_of_its_own(tmp_path: Path, distribution: str) -> None:
    environment = sourced(tmp_path, distribution)
    place = find_place(tmp_path / "checkout", environment)
    assert place.ros is not None
    assert place.ros.distribution == distribution
    assert place.venv == tmp_path / "checkout" / f".venv-{distribution}"
    assert place.base_python == str(tmp_path / "bin" / "python3")
    built = place.build_environment(environment)
    assert built["AMENT_PREFIX_PATH"] == f"{place.venv}:{environment['AMENT_PREFIX_PATH']}"
    assert built["PYTHONPATH"] == environment["PYTHONPATH"]
    assert WHEELS_GUARD not in built


def test_a_plain_colcon_build_is_told_what_the_set_up_knows(tmp_path: Path) -> None:
    wheels = Place(tmp_path, None).command_environment({"PATH": "/bin"})
    assert (wheels["KARMA_ROS"], wheels["CMAKE_GENERATOR"]) == ("wheels", "Ninja")
    installed = find_place(tmp_path / "checkout", sourced(tmp_path, "jazzy") | {"CMAKE_GENERATOR": "Unix Makefiles"})
    told = installed.command_environment({"PATH": "/bin", "CMAKE_GENERATOR": "Unix Makefiles"})
    assert (told["KARMA_ROS"], told["CMAKE_GENERATOR"]) == ("installed", "Unix Makefiles")


def test_unknown_distribution_is_kept_out_of_the_wheels_environment(tmp_path: Path) -> None:
    environment = sourced(tmp_path, "humble")
    place = find_place(tmp_path, environment)
    assert place.ros is None
    built = place.build_environment(environment)
    assert "PYTHONPATH" not in built
    assert str(tmp_path / "opt") not in built["LD_LIBRARY_PATH"]
    assert built["AMENT_PREFIX_PATH"] == str(tmp_path / ".venv")
    assert built["ROS_DISTRO"] == "kilted"


def test_sourced_ros_whose_rclpy_fails_is_not_used(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert find_place(tmp_path, sourced(tmp_path, "jazzy", works=False)).ros is None
    assert "cannot import its rclpy" in capsys.readouterr().err


def test_own_environment_is_not_mistaken_for_an_installation(tmp_path: Path) -> None:
    """Inside `./karma shell`, ROS_DISTRO and AMENT_PREFIX_PATH are set, too."""
    (tmp_path / ".venv" / "share" / "rclpy").mkdir(parents=True)
    environment = {"ROS_DISTRO": "kilted", "AMENT_PREFIX_PATH": str(tmp_path / ".venv"), "PATH": os.environ["PATH"]}
    assert find_place(tmp_path, environment).ros is None


def test_answer_of_an_installation_is_asked_for_once(tmp_path: Path) -> None:
    environment = sourced(tmp_path, "jazzy")
    (tmp_path / ".venv-jazzy" / "karma-setup").mkdir(parents=True)
    first = find_place(tmp_path, environment)
    note_ros(first, environment)
    (tmp_path / "bin" / "python3").write_text("#!/bin/sh\nexit 1\n")
    assert find_place(tmp_path, environment) == first
    other = environment | {"PYTHONPATH": "/elsewhere"}
    assert find_place(tmp_path, other).ros is None


def test_the_environment_of_a_distribution_serves_whoever_sources_it(tmp_path: Path) -> None:
    """With packages and overlays of their own; only another ROS 2 needs another."""
    environment = sourced(tmp_path, "jazzy")
    place = find_place(tmp_path, environment)
    mine = environment | {
        "AMENT_PREFIX_PATH": f"/my/overlay:{environment['AMENT_PREFIX_PATH']}",
        "PYTHONPATH": "/my/overlay/lib/python3.12/site-packages",
    }
    assert find_place(tmp_path, mine).ros != place.ros
    assert find_place(tmp_path, mine).identity == place.identity
    moved = sourced(tmp_path / "elsewhere", "jazzy")
    assert find_place(tmp_path, moved).identity != place.identity
    assert Place(tmp_path, None).identity != place.identity


def test_extra_prefix_of_the_user_stays_with_the_wheels(tmp_path: Path) -> None:
    built = Place(tmp_path, None).build_environment({"AMENT_PREFIX_PATH": "/my/overlay", "PATH": "/bin"})
    assert built["AMENT_PREFIX_PATH"] == f"{tmp_path}/.venv:/my/overlay"


def test_wheels_libraries_are_found_without_a_second_start_of_python(tmp_path: Path) -> None:
    libraries = tmp_path / ".venv" / "lib" / "python3.11" / "site-packages" / "ros_rcl.libs"
    libraries.mkdir(parents=True)
    built = Place(tmp_path, None).build_environment({"LD_LIBRARY_PATH": "/mine", "PATH": "/bin"})
    assert built["LD_LIBRARY_PATH"].split(":") == [f"{tmp_path}/.venv/lib", str(libraries), "/mine"]
    assert built[WHEELS_GUARD] == "1"


def test_installed_ros_is_part_of_what_a_place_is() -> None:
    one = InstalledRos("jazzy", ("/opt/ros/jazzy",), "/usr/bin/python3", (), "")
    assert Place(Path("/x"), one).venv != Place(Path("/x"), None).venv
