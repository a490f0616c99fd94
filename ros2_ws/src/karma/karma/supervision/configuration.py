# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What supervisord is told: one program per node of the graph."""

from __future__ import annotations

import configparser
import getpass
import io
import shlex
from collections.abc import Sequence
from pathlib import Path

import yaml
from ament_index_python.packages import PackageNotFoundError, get_package_prefix

from karma.graph import RESTART_LIMIT, SETTLED_S, NodeDescription
from karma.tied import tied
from karma_ros.client import GraphError


class ConfigurationError(GraphError):
    """The graph cannot be started as described; the message says what is missing."""


def write_configuration(nodes: Sequence[NodeDescription], folder: Path, control: Path) -> Path:
    """Write supervisord's configuration and the parameters that the arguments set; return the configuration.

    supervisord must be run in `folder`, where the logs go, too; `control` is the path of the socket to command it by.
    Raises ConfigurationError when a node is not installed.
    """
    ini = configparser.RawConfigParser()
    ini["supervisord"] = {
        "nodaemon": "true",
        "silent": "true",
        "user": getpass.getuser(),
        "logfile": "supervisord.log",
        "logfile_maxbytes": "5MB",
        "logfile_backups": "1",
        "pidfile": "supervisord.pid",
    }
    ini["unix_http_server"] = {"file": _value(str(control)), "chmod": "0700"}
    ini["rpcinterface:supervisor"] = {
        "supervisor.rpcinterface_factory": "supervisor.rpcinterface:make_main_rpcinterface"
    }
    for order, node in enumerate(nodes):
        ini[f"program:{node.name}"] = {
            "command": _value(
                shlex.join(tied(command_of(node, folder), ending=node.ending if node.moves_robot else 0))
            ),
            "priority": str(order),
            "autorestart": "true",
            "startsecs": str(SETTLED_S),
            "startretries": str(RESTART_LIMIT),
            "stopsignal": "TERM",  # SIGINT would be swallowed by a node that loads its modules
            "stopwaitsecs": str(node.ending),
            "killasgroup": "true",
            "redirect_stderr": "true",
            "stdout_logfile": log_of(node.name, folder).name,
            "stdout_logfile_maxbytes": "20MB",
            "stdout_logfile_backups": "1",
        }
    text = io.StringIO()
    ini.write(text)
    file = folder / "supervisord.conf"
    file.write_text(text.getvalue(), encoding="utf-8")
    return file


def log_of(name: str, folder: Path) -> Path:
    """Return the path of what a node prints."""
    return folder / f"{name}.log"


def command_of(node: NodeDescription, folder: Path) -> list[str]:
    """Return the command that starts a node; the parameters that the arguments set are written to `folder`."""
    executable = str(_executable(node))
    files = []
    if node.parameters:
        file = folder / f"{node.name}.parameters.yaml"
        content = {"/**": {"ros__parameters": dict(node.parameters)}}
        file.write_text(yaml.safe_dump(content, sort_keys=False), encoding="utf-8")
        files.append(file)
    return [executable, *node.command_line(files)]


def _executable(node: NodeDescription) -> Path:
    try:
        executable = Path(get_package_prefix(node.package)) / "lib" / node.package / node.executable
    except PackageNotFoundError as error:
        desktop = node.package in ("rviz2", "robot_state_publisher")
        hint = "it comes with a full ROS 2 installation" if desktop else "run ./karma setup"
        raise ConfigurationError(f"the package {node.package!r} is not installed: {hint}") from error
    if not executable.is_file():
        raise ConfigurationError(f"{executable} is missing: run ./karma setup")
    return executable


def _value(text: str) -> str:
    """Return a value as supervisord reads it back unchanged: % begins an expansion, and ` ;` a comment."""
    if " ;" in text or "\n" in text:
        raise ConfigurationError(f"the path {text!r} cannot be used: it contains ' ;' or a line break")
    return text.replace("%", "%%")
