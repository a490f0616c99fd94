# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""How each type of object is laid out: its primitives in its own frame.

x is to its front, y to its left, z up; the origin is the middle of its bottom.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from sim_bridge.household.boxes import box_between
from sim_bridge.household.primitives import Kind, Primitive, halved

_BOARD = 0.02
"""Metres; the thickness of panels, doors and shelves."""

_LOFT = 0.9
"""Metres; one sees, and puts furniture, under a bed whose mattress is higher."""

_SLAB = 0.06
_SKIN = 0.003
"""Metres; see `drawn_height`."""


@dataclass(frozen=True)
class Form:
    """What a shape is made from: full extents along the object's own axes in metres, and how it is used."""

    length: float
    width: float
    height: float
    opened: bool
    rest: float
    """Height above the bottom at which things rest on it; 0 when not known."""
    levels: tuple[float, ...]
    """Heights above the bottom at which things are put into it."""


Layout = Callable[[Form], list[Primitive]]


def _part(
    kind: Kind, x: tuple[float, float], y: tuple[float, float], z: tuple[float, float], tone: float = 1.0
) -> Primitive:
    box = box_between((x[0], y[0], z[0]), (x[1], y[1], z[1]))
    return Primitive(kind, box.center, halved(box.size), tone=tone)


def _slab(form: Form, kind: Kind, low: float, high: float, scale: float = 1.0, tone: float = 1.0) -> Primitive:
    """Return a part over the whole outline (or `scale` of it) between two heights."""
    a, b = scale * form.length / 2, scale * form.width / 2
    return _part(kind, (-a, a), (-b, b), (low, high), tone)


def drawn_height(height: float, rest: float, *, sunk: bool = False) -> float:
    """Return how high a body is drawn: to where things rest on it, which is `sunk` deep or just below its recorded top.

    Counters are recorded as slabs of 2 cm in which things lie, not on which: of those only a skin is drawn.
    """
    if height < _SLAB:
        return min(height, _SKIN)
    return rest if 0 < rest < height and (sunk or rest > height - _SLAB) else height


def solid(form: Form) -> list[Primitive]:
    """Return a box: the layout of a type that has none of its own."""
    return [_slab(form, "box", 0, form.height)]


def _body(form: Form) -> list[Primitive]:
    return [_slab(form, "box", 0, drawn_height(form.height, form.rest))]


def _cylinder(form: Form) -> list[Primitive]:
    return [_slab(form, "cylinder", 0, form.height)]


def _ellipsoid(form: Form) -> list[Primitive]:
    return [_slab(form, "ellipsoid", 0, form.height)]


def _bottle(form: Form) -> list[Primitive]:
    h = form.height
    return [_slab(form, "cylinder", 0, 0.65 * h), _slab(form, "cylinder", 0.65 * h, h, 0.4, 0.8)]


def _bowl(form: Form) -> list[Primitive]:
    """Return a bottom and a ring of eight staves, open at the top."""
    a, b, h = form.length / 2, form.width / 2, form.height
    thick = min(0.006, 0.2 * min(a, b))
    parts = [_slab(form, "cylinder", 0, min(0.008, 0.05 * h), tone=0.9)]
    inner = math.cos(math.pi / 8)  # the octagon's corners, not its sides, reach the outline
    for i in range(8):
        angle = (i + 0.5) * math.pi / 4
        x, y = math.cos(angle) * (inner * a - thick), math.sin(angle) * (inner * b - thick)
        stave = (thick, math.sin(math.pi / 8) * min(a, b), h / 2)
        parts.append(Primitive("box", (x, y, h / 2), stave, yaw=angle))
    return parts


def _pan(form: Form) -> list[Primitive]:
    a, b, h = form.length / 2, form.width / 2, form.height
    r = min(a, b)
    if a >= b:
        disc, handle = ((-a, -a + 2 * r), (-b, b)), ((-a + 1.8 * r, a), (-0.12 * b, 0.12 * b))
    else:
        disc, handle = ((-a, a), (-b, -b + 2 * r)), ((-0.12 * a, 0.12 * a), (-b + 1.8 * r, b))
    return [_part("cylinder", *disc, (0, h)), _part("box", *handle, (0.5 * h, h), 0.6)]


def _legs(form: Form, height: float) -> list[Primitive]:
    a, b = form.length / 2, form.width / 2
    t = min(0.06, 0.25 * min(a, b) * 2)
    return [
        _part("box", x, y, (0, height), 0.75) for x in ((-a, -a + t), (a - t, a)) for y in ((-b, -b + t), (b - t, b))
    ]


def _back(form: Form, low: float, share: float, tone: float = 0.85) -> list[Primitive]:
    """Return what rises above `low` at the back, `share` of the length thick."""
    if form.height - low < 0.03:
        return []
    a, b = form.length / 2, form.width / 2
    return [_part("box", (-a, -a + share * form.length), (-b, b), (low, form.height), tone)]


def _surface(form: Form, usual: float) -> float:
    """Return the height at which things rest: as recorded, else `usual` times the height."""
    return min(form.rest, form.height) if form.rest > 0.05 else usual * form.height


def _table(form: Form) -> list[Primitive]:
    top = _surface(form, 1.0)
    board = min(0.05, 0.2 * top)
    thin = min(0.05 / max(form.length, 0.05), 0.2)
    return [_slab(form, "box", top - board, top), *_legs(form, top - board), *_back(form, top, thin)]


def _chair(form: Form) -> list[Primitive]:
    seat = _surface(form, 0.5)
    return [_slab(form, "box", seat - 0.05, seat), *_legs(form, seat - 0.05), *_back(form, seat, 0.1)]


def _stool(form: Form) -> list[Primitive]:
    return [_slab(form, "cylinder", form.height - 0.05, form.height), *_legs(form, form.height - 0.05)]


def _sofa(form: Form) -> list[Primitive]:
    a, b = form.length / 2, form.width / 2
    seat = _surface(form, 0.48)
    arm = min(0.18, 0.15 * form.width)
    rise = (seat, min(form.height, seat + 0.18))
    arms = [_part("box", (-a, a), y, rise, 0.9) for y in ((-b, -b + arm), (b - arm, b))]
    return [_slab(form, "box", 0, seat), *arms, *_back(form, seat, 0.22)]


def _bed(form: Form) -> list[Primitive]:
    top = _surface(form, 0.62)
    if top > _LOFT:
        return [_slab(form, "box", top - 0.25, top), *_legs(form, top - 0.25), *_back(form, top, 0.05, 0.7)]
    return [
        _slab(form, "box", 0, 0.5 * top, 1.0, 0.7),
        _slab(form, "box", 0.5 * top, top),
        *_back(form, top, 0.05, 0.7),
    ]


def _toilet(form: Form) -> list[Primitive]:
    """Return a bowl before a tank, against the back of the recorded box; no toilet is as wide or deep as some boxes."""
    a, b, h = form.length / 2, form.width / 2, form.height
    deep, wide = min(2 * a, 0.75), min(b, 0.26)
    bowl = _part("cylinder", (-a + 0.33 * deep, -a + deep), (-0.85 * wide, 0.85 * wide), (0, 0.45 * h), 0.95)
    return [bowl, _part("box", (-a, -a + 0.33 * deep), (-wide, wide), (0, h))]


def _front(form: Form) -> list[Primitive]:
    """Return a closed body with a door, or a shell without one."""
    a, b, h = form.length / 2, form.width / 2, form.height
    t = min(_BOARD, 0.1 * min(a, b, h) * 2)
    if not form.opened:
        return [_part("box", (-a, a - t), (-b, b), (0, h)), _part("box", (a - t, a), (-b + t, b - t), (t, h - t), 1.12)]
    return [
        _part("box", (-a, -a + t), (-b, b), (0, h), 0.7),
        _part("box", (-a + t, a), (-b, -b + t), (0, h)),
        _part("box", (-a + t, a), (b - t, b), (0, h)),
        _part("box", (-a + t, a), (-b + t, b - t), (0, t), 0.8),
        _part("box", (-a + t, a), (-b + t, b - t), (h - t, h)),
        *(_part("box", (-a + t, a - t), (-b + t, b - t), (z - 0.01, z), 0.9) for z in form.levels if z > 0.2 * h),
    ]


def _drawer(form: Form) -> list[Primitive]:
    """Return a closed drawer, or one without front and top: pulled out, its contents stay where the world has them."""
    if not form.opened:
        return _front(form)
    return [p for p in _tub(form) if p.center[0] <= 1e-9]


def _tub(form: Form) -> list[Primitive]:
    """Return a bottom and four walls, open at the top."""
    a, b, h = form.length / 2, form.width / 2, form.height
    t = min(_BOARD, 0.1 * min(a, b) * 2)
    return [
        _part("box", (-a, a), (-b, b), (0, min(_SKIN, h)), 0.85),
        _part("box", (-a, -a + t), (-b, b), (0, h)),
        _part("box", (a - t, a), (-b, b), (0, h)),
        _part("box", (-a + t, a - t), (-b, -b + t), (0, h)),
        _part("box", (-a + t, a - t), (b - t, b), (0, h)),
    ]


def _lidded(form: Form) -> list[Primitive]:
    return _tub(form) if form.opened else solid(form)


def _filled(form: Form) -> list[Primitive]:
    """Return a tub that is full up to where things are put into it."""
    return [*_tub(form), _slab(form, "box", 0, form.levels[0], 0.95, 0.7)]


def _hamper(form: Form) -> list[Primitive]:
    return _filled(form) if form.opened else solid(form)


def _shelf(form: Form) -> list[Primitive]:
    """Return the board that things stand on: the bottom of the recorded box, or below it where they do."""
    top = form.rest or min(_SKIN, form.height)
    return [_slab(form, "box", top - _SKIN, top)]


def _shelving(form: Form) -> list[Primitive]:
    a, b, h = form.length / 2, form.width / 2, form.height
    t = min(_BOARD, 0.1 * min(a, b) * 2)
    return [
        _part("box", (-a, -a + t), (-b, b), (0, h), 0.85),
        _part("box", (-a, a), (-b, -b + t), (0, h)),
        _part("box", (-a, a), (b - t, b), (0, h)),
        *(_slab(form, "box", z, z + t) for z in (0.0, h - t)),
    ]


def _glass(form: Form) -> list[Primitive]:
    """Return only the posts and the rails of a pane or a cubicle of glass: one sees through the rest."""
    a, b, h = form.length / 2, form.width / 2, form.height
    t = min(0.04, a, b)
    posts = [_part("box", x, y, (0, h)) for x in ((-a, -a + t), (a - t, a)) for y in ((-b, -b + t), (b - t, b))]
    rails = [_part("box", (-a, a), y, (h - t, h)) for y in ((-b, -b + t), (b - t, b))]
    sides = [_part("box", x, (-b, b), (h - t, h)) for x in ((-a, -a + t), (a - t, a))]
    return posts + rails + sides


def _lamp(form: Form) -> list[Primitive]:
    h = form.height
    pole = min(0.03 / max(form.length, form.width), 0.3)
    return [
        _slab(form, "cylinder", 0, 0.04 * h, 0.6, 0.6),
        _slab(form, "cylinder", 0.04 * h, 0.7 * h, pole, 0.6),
        _slab(form, "cylinder", 0.7 * h, h, 1.0, 1.15),
    ]


def _plant(form: Form) -> list[Primitive]:
    h = form.height
    return [_slab(form, "cylinder", 0, 0.35 * h, 0.5, 0.6), _slab(form, "ellipsoid", 0.25 * h, h)]


def _bear(form: Form) -> list[Primitive]:
    h = form.height
    return [_slab(form, "ellipsoid", 0, 0.65 * h), _slab(form, "ellipsoid", 0.55 * h, h, 0.6, 1.15)]


def _screen(form: Form) -> list[Primitive]:
    """Return a foot and a panel above its middle."""
    thick = min(0.03, 0.5 * form.length)
    b = form.width / 2
    return [_slab(form, "box", 0, _SKIN, tone=0.6), _part("box", (-thick, thick), (-b, b), (_SKIN, form.height))]


def _laptop(form: Form) -> list[Primitive]:
    base = min(0.025, form.height)
    return [_slab(form, "box", 0, base), *_back(form, base, 0.06, 0.8)]


def _coffee_machine(form: Form) -> list[Primitive]:
    a, b, h = form.length / 2, form.width / 2, form.height
    plate = min(_surface(form, 0.12), 0.3 * h)
    return [
        _slab(form, "box", 0, plate),
        _part("box", (-a, -0.1 * a), (-b, b), (plate, h)),
        _part("box", (-0.1 * a, a), (-b, b), (0.7 * h, h), 1.3),
    ]


def _tool(form: Form) -> list[Primitive]:
    """Return a handle and a blade along the longer side."""
    a, b, h = form.length / 2, form.width / 2, form.height
    if a >= b:
        return [_part("box", (-a, 0), (-0.6 * b, 0.6 * b), (0, h), 0.6), _part("box", (0, a), (-b, b), (0, h))]
    return [_part("box", (-0.6 * a, 0.6 * a), (-b, 0), (0, h), 0.6), _part("box", (-a, a), (0, b), (0, h))]


def _faucet(form: Form) -> list[Primitive]:
    a, b, h = form.length / 2, form.width / 2, form.height
    thin = min(0.02, a, b)
    return [
        _slab(form, "cylinder", 0, 0.15 * h, 0.8),
        _part("cylinder", (-thin, thin), (-thin, thin), (0.15 * h, h)),
        _part("box", (-a, a), (-thin, thin), (0.85 * h, h), 1.1),
        _part("box", (-thin, thin), (-b, b), (0.85 * h, h), 1.1),
    ]


BARS = frozenset(("BaseballBat", "ButterKnife", "Fork", "Knife", "Ladle", "Pen", "Pencil", "Spatula", "Spoon"))

_CATEGORIES: dict[Layout, str] = {
    _body: "CounterTop Dresser Ottoman",
    _cylinder: "AluminumFoil CD Candle Footstool Kettle PaperTowelRoll PepperShaker Plate Plunger SaltShaker "
    "ScrubBrush ShowerHead StoveBurner StoveKnob ToiletPaper Vase WateringCan",
    _ellipsoid: "Apple BasketBall Bread Egg Lettuce Pillow Potato Tomato GarbageBag",
    _bottle: "Bottle SoapBottle SprayBottle WineBottle Statue",
    _bowl: "Bowl Cup Mug Pot",
    _pan: "Pan TennisRacket",
    _table: "CoffeeTable Desk DiningTable SideTable TVStand",
    _chair: "Chair",
    _stool: "Stool",
    _sofa: "ArmChair Sofa",
    _bed: "Bed",
    _toilet: "Toilet",
    _front: "Cabinet Fridge Microwave Safe",
    _drawer: "Drawer",
    _tub: "BathtubBasin Bathtub SinkBasin Toaster",
    _filled: "GarbageCan",
    _lidded: "Box",
    _hamper: "LaundryHamper",
    _shelf: "Shelf",
    _shelving: "ShelvingUnit",
    _glass: "ShowerDoor ShowerGlass",
    _lamp: "DeskLamp FloorLamp",
    _plant: "HousePlant",
    _bear: "TeddyBear",
    _screen: "Desktop Television",
    _laptop: "Laptop",
    _coffee_machine: "CoffeeMachine",
    _tool: "ButterKnife Fork Knife Ladle Spatula Spoon",
    _faucet: "Faucet",
}
LAYOUTS: dict[str, Layout] = {name: layout for layout, names in _CATEGORIES.items() for name in names.split()}
