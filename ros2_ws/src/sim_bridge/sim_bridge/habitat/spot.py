# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""A Spot with an arm made of boxes, as URDF for Habitat, which ships none.

habitat-lab's `SpotRobot` finds the joints by their number: 0 to 6 are the arm's, 7 is the gripper's, 8 to 19 are the
legs'; its root link is the body, with y up, and all others have z up, as its cameras want the hand. Lengths and limits
are those of the real robot, rounded. The gripper has a collision shape: without one, Habitat's own grasp could hold
nothing.
"""

from __future__ import annotations

import math
from xml.etree import ElementTree as ET

Vector = tuple[float, float, float]

_ROOT = "base"

_ARM: tuple[tuple[str, Vector, Vector, tuple[float, float], Vector, Vector], ...] = (
    # name, where its joint is on the link before, its axis, its limits, its box and where that is on the link
    ("sh0", (0.292, 0.0, 0.188), (0, 0, 1), (-2.62, 3.15), (0.10, 0.10, 0.10), (0, 0, 0)),
    ("sh1", (0.0, 0.0, 0.0), (0, 1, 0), (-3.15, 0.53), (0.34, 0.08, 0.08), (0.17, 0, 0)),
    ("hr0", (0.3385, 0.0, 0.0), (1, 0, 0), (-0.01, 0.01), (0.05, 0.07, 0.07), (0, 0, 0)),
    ("el0", (0.0, 0.0, 0.0), (0, 1, 0), (-0.01, 3.15), (0.38, 0.07, 0.07), (0.2, 0, 0.075)),
    ("el1", (0.4033, 0.0, 0.075), (1, 0, 0), (-2.80, 2.80), (0.06, 0.07, 0.07), (0, 0, 0)),
    ("wr0", (0.0, 0.0, 0.0), (0, 1, 0), (-1.84, 1.84), (0.08, 0.06, 0.06), (0, 0, 0)),
    ("wr1", (0.1, 0.0, 0.0), (1, 0, 0), (-2.88, 2.88), (0.16, 0.07, 0.07), (0.08, 0, 0)),
)
_LEGS = (("fl", 1, 1), ("fr", 1, -1), ("hl", -1, 1), ("hr", -1, -1))
_YELLOW, _GREY, _BLACK = "0.95 0.80 0.10 1", "0.30 0.30 0.32 1", "0.10 0.10 0.12 1"


def spot_urdf() -> str:
    """Return the URDF as text. Lengths are in metres; x is ahead, and of the root link y up and z to the right."""
    robot = ET.Element("robot", name="karma_spot")
    _link(robot, _ROOT, (0.85, 0.19, 0.24), (0, 0, 0), _YELLOW, mass=20.0, solid=True)
    before = _ROOT
    for name, at, axis, limits, size, middle in _ARM:
        _link(robot, f"arm0.link_{name}", size, middle, _GREY, mass=1.5)
        _joint(robot, f"arm0.{name}", before, f"arm0.link_{name}", at, axis, limits)
        before = f"arm0.link_{name}"
    _link(robot, "arm0.link_fngr", (0.12, 0.05, 0.03), (0.05, 0, -0.02), _BLACK, mass=0.2, solid=True)
    _joint(robot, "arm0.f1x", before, "arm0.link_fngr", (0.1, 0.0, 0.02), (0, 1, 0), (-1.58, 0.0))
    for leg, ahead, left in _LEGS:
        hip, upper, lower = (f"{leg}.{part}" for part in ("hip", "uleg", "lleg"))
        _link(robot, hip, (0.10, 0.08, 0.08), (0, 0, 0), _YELLOW, mass=1.0)
        _joint(robot, f"{leg}.hx", _ROOT, hip, (0.298 * ahead, 0.055 * left, 0.0), (1, 0, 0), (-0.79, 0.79))
        _link(robot, upper, (0.06, 0.05, 0.32), (0, 0, -0.16), _GREY, mass=1.5)
        _joint(robot, f"{leg}.hy", hip, upper, (0.0, 0.111 * left, 0.0), (0, 1, 0), (-0.90, 2.30))
        _link(robot, lower, (0.04, 0.04, 0.34), (0, 0, -0.17), _BLACK, mass=0.5)
        _joint(robot, f"{leg}.kn", upper, lower, (0.0, 0.0, -0.32), (0, 1, 0), (-2.80, -0.25))
    ET.indent(robot)
    return ET.tostring(robot, encoding="unicode", xml_declaration=True) + "\n"


def _link(
    robot: ET.Element, name: str, size: Vector, middle: Vector, color: str, *, mass: float, solid: bool = False
) -> None:
    link = ET.SubElement(robot, "link", name=name)
    inertial = ET.SubElement(link, "inertial")
    ET.SubElement(inertial, "mass", value=f"{mass:g}")
    moment = f"{mass * 0.01:g}"
    ET.SubElement(inertial, "inertia", ixx=moment, ixy="0", ixz="0", iyy=moment, iyz="0", izz=moment)
    for kind in ("visual", "collision") if solid else ("visual",):
        shape = ET.SubElement(link, kind)
        ET.SubElement(shape, "origin", xyz=_text(middle), rpy="0 0 0")
        ET.SubElement(ET.SubElement(shape, "geometry"), "box", size=_text(size))
        if kind == "visual":
            ET.SubElement(ET.SubElement(shape, "material", name=f"color_{name}"), "color", rgba=color)


def _joint(
    robot: ET.Element, name: str, parent: str, child: str, at: Vector, axis: Vector, limits: tuple[float, float]
) -> None:
    joint = ET.SubElement(robot, "joint", name=name, type="revolute")
    ET.SubElement(joint, "parent", link=parent)
    ET.SubElement(joint, "child", link=child)
    x, y, z = at
    if parent == _ROOT:
        ET.SubElement(joint, "origin", xyz=_text((x, z, -y + 0.0)), rpy=f"{-math.pi / 2} 0 0")
    else:
        ET.SubElement(joint, "origin", xyz=_text(at), rpy="0 0 0")
    ET.SubElement(joint, "axis", xyz=_text(axis))
    low, high = limits
    ET.SubElement(joint, "limit", lower=f"{low:g}", upper=f"{high:g}", effort="100", velocity="10")


def _text(vector: Vector) -> str:
    return " ".join(f"{value:g}" for value in vector)
