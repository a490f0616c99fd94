# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""One name for what habitat-sim calls differently before and after 2026-02; it calls itself 0.3.3 on both sides."""

from __future__ import annotations

import habitat_sim

PRIVATE_SENSORS = not hasattr(habitat_sim.Simulator, "sensors")
"""Whether this is the habitat-sim before, whose sensors have private names only."""


def publish_sensors() -> None:
    """Give the older habitat-sim the newer one's names, by which the worker and habitat-lab 0.3.320260507 find sensors.

    An older habitat-lab uses the private names, which the newer habitat-sim still has.
    """
    simulator, sensor = habitat_sim.Simulator, habitat_sim.simulator.Sensor
    if PRIVATE_SENSORS:
        simulator.sensors = property(lambda self: self._sensors)
        simulator.get_sensor = lambda self, uuid: self._sensors[uuid]
        sensor.sensor_object = property(lambda self: self._sensor_object)
