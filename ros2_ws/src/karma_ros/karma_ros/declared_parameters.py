# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The parameters of a node: declared from a table, and every change of them checked, told and given effect."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from rcl_interfaces.msg import FloatingPointRange, IntegerRange, ParameterDescriptor, SetParametersResult
from rclpy.node import Node

from karma_ros.parameters import Effect, Parameter, Value, checked


class DeclaredParameters:
    """Declares parameters, and answers whoever sets them: nothing is accepted that would have no effect."""

    def __init__(
        self,
        node: Node,
        parameters: Iterable[Parameter],
        apply: Callable[[Mapping[str, Any]], None] = lambda _: None,
        fit: Callable[[Mapping[str, Any]], None] = lambda _: None,
    ) -> None:
        """Declare them. `apply` gets the changes of what takes effect at once, before they are accepted.

        It raises ValueError to refuse them, and so does `fit`, which gets all values as a change would make them.
        rclpy raises InvalidParameterTypeException or InvalidParameterValueException for a start value of another type,
        or out of range.
        """
        self._node = node
        self._table = {parameter.name: parameter for parameter in parameters}
        self._apply = apply
        self._fit = fit
        self._held: dict[str, Value] = {}
        """What the node was configured with."""
        for parameter in self._table.values():
            node.declare_parameter(parameter.name, parameter.default, _descriptor(parameter))
        node.add_on_set_parameters_callback(self._accept)
        node.add_post_set_parameters_callback(self._tell)

    def value(self, name: str) -> Any:
        """Return what holds now: a change that takes effect at the next configuration does not yet."""
        return self._held.get(name, self._node.get_parameter(name).value)

    def values(self) -> dict[str, Any]:
        """Return what holds now, of all."""
        return {name: self.value(name) for name in self._table}

    def check(self) -> None:
        """ParameterError for a value from the start that is not allowed; what rclpy can check it has refused then."""
        for name, parameter in self._table.items():
            if (value := self._node.get_parameter(name).value) != parameter.default:
                checked(parameter, value)

    def hold(self) -> None:
        """Begin a configuration. ParameterError where a value is not allowed."""
        self.release()
        self.check()
        configured = (name for name, parameter in self._table.items() if parameter.effect is Effect.CONFIGURATION)
        self._held = {name: self._node.get_parameter(name).value for name in configured}

    def release(self) -> None:
        """End a configuration."""
        self._held = {}

    def _accept(self, changes: Iterable[Any]) -> SetParametersResult:
        known = {change.name: change.value for change in changes if change.name in self._table}
        try:
            for name, value in known.items():
                checked(self._table[name], value)
            self._fit({name: self._node.get_parameter(name).value for name in self._table} | known)
            if now := {n: v for n, v in known.items() if self._table[n].effect is Effect.AT_ONCE}:
                self._apply(now)
        except ValueError as error:
            return SetParametersResult(successful=False, reason=str(error))
        return SetParametersResult(successful=True)

    def _tell(self, changes: Iterable[Any]) -> None:
        """Say in the log what a change means, because rclpy's answer can't: it drops the reason of a success."""
        for change in changes:
            if change.name not in self._table:
                continue
            when = "from now on"
            if self._table[change.name].effect is Effect.CONFIGURATION:
                when = f"from the next configuration on, and {self.value(change.name)!r} until then" * bool(self._held)
            self._node.get_logger().info(f"{change.name} is {change.value!r} {when}".rstrip())


def _descriptor(parameter: Parameter) -> ParameterDescriptor:
    """Return what `ros2 param describe` says, and what rclpy checks itself."""
    descriptor = ParameterDescriptor(
        description=f"{parameter.description} {parameter.effect.value}",
        additional_constraints=f"one of {', '.join(parameter.choices)}" if parameter.choices else "",
        read_only=parameter.effect is Effect.READ_ONLY,
    )
    low, high = parameter.low, parameter.high
    if low is not None and high is not None:
        if isinstance(parameter.default, float):
            descriptor.floating_point_range = [FloatingPointRange(from_value=float(low), to_value=float(high))]
        else:
            descriptor.integer_range = [IntegerRange(from_value=int(low), to_value=int(high), step=1)]
    return descriptor
