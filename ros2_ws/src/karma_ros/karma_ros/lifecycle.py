# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""A lifecycle node with declared parameters and diagnostics, which gives back what it made."""

from __future__ import annotations

import threading
import traceback
from collections.abc import Iterable, Mapping
from contextlib import ExitStack
from typing import Any

from rclpy.callback_groups import MutuallyExclusiveCallbackGroup
from rclpy.lifecycle import LifecycleNode, LifecycleState, TransitionCallbackReturn

from karma_ros import watchdog
from karma_ros.declared_parameters import DeclaredParameters
from karma_ros.diagnostics import Diagnosis, DiagnosticsPublisher
from karma_ros.parameter_service import SafeParameterService
from karma_ros.parameters import Parameter, ParameterError
from karma_ros.timers import steady_timer

DIAGNOSTICS_PERIOD_S = 1.0


class ConfigurationError(Exception):
    """The node can't be configured; the message says why and what to do."""


class ManagedNode(LifecycleNode):
    """Subclasses override `configure`, `activate`, `deactivate`, `cleanup`, `apply` and `diagnose` as they need.

    `deactivate` and `cleanup` are also called for what was not begun, or has ended: at the end of the process, and
    where a configuration failed.
    """

    def __init__(self, name: str, parameters: Iterable[Parameter]) -> None:
        super().__init__(name, start_parameter_services=False)
        SafeParameterService(self)
        self.active = False
        self.defect = False
        """Whether the process must end, so that it is started again (karma_ros.process)."""
        self.housekeeping = MutuallyExclusiveCallbackGroup()
        """Group of what is done from time to time, one after the other."""
        self.until_cleanup = ExitStack()
        """What `configure` made and how it is given back, in reverse order, after `cleanup`."""
        self.until_deactivated = ExitStack()
        """What `activate` made and how it is given back, in reverse order, before `deactivate`."""
        self._reporting = threading.Lock()
        """Held while it is told how the node is: another thread may take the publisher away just then."""
        self._declared = DeclaredParameters(self, parameters, self.apply, self.fit)

    def configure(self) -> None:
        """Make what the node needs. ConfigurationError where that can't be."""

    def activate(self) -> None:
        """Begin to work; `active` is set afterwards."""

    def deactivate(self) -> None:
        """End what runs, and tell its clients."""

    def cleanup(self) -> None:
        """Give back what `until_cleanup` does not."""

    def apply(self, changes: Mapping[str, Any]) -> None:
        """Give effect to changes of parameters that hold at once, and are not just read. ValueError refuses them."""

    def fit(self, values: Mapping[str, Any]) -> None:
        """ValueError where the values that parameters are to have don't fit each other."""

    def diagnose(self) -> Diagnosis | None:
        """Say how the node is, every second while it is active; None: nothing this time."""
        return None

    def value(self, name: str) -> Any:
        """Return the value of a parameter that holds now."""
        return self._declared.value(name)

    def values(self) -> dict[str, Any]:
        """Return the values that hold now, by name."""
        return self._declared.values()

    def on_configure(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Check and hold the parameters, and configure; all is given back where that fails."""
        watchdog.allow(watchdog.CONFIGURES_S)
        try:
            self._declared.hold()
            self.configure()
        except (ConfigurationError, ParameterError) as error:
            self.get_logger().error(str(error))
        except Exception:  # noqa: BLE001 - rclpy would swallow it: the log must tell
            self.get_logger().error(f"a defect in the configuration; please report it:\n{traceback.format_exc()}")
        else:
            return super().on_configure(state)
        self.close()
        return TransitionCallbackReturn.FAILURE

    def on_activate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Activate, and begin to tell how the node is."""
        done = super().on_activate(state)
        diagnostics = DiagnosticsPublisher(self)
        self.until_deactivated.callback(diagnostics.destroy)

        def report() -> None:
            with self._reporting:
                if self.active and (diagnosis := self.diagnose()):
                    diagnostics.publish([diagnosis])

        timer = steady_timer(self, DIAGNOSTICS_PERIOD_S, report, self.housekeeping)
        self.until_deactivated.callback(self.destroy_timer, timer)
        try:
            self.activate()
        except Exception:  # noqa: BLE001 - rclpy would swallow it: the log must tell
            self.get_logger().error(f"a defect in the activation; please report it:\n{traceback.format_exc()}")
            return TransitionCallbackReturn.ERROR  # on_error gives everything back
        self.active = True
        return done

    def on_deactivate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Come to rest."""
        self.halt()
        return super().on_deactivate(state)

    def on_cleanup(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Give everything back."""
        self.close()
        return TransitionCallbackReturn.SUCCESS

    def on_shutdown(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Come to rest and give everything back, from whatever state."""
        self.close()
        return TransitionCallbackReturn.SUCCESS

    def on_error(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Give everything back, so that the node can be configured again."""
        self.close()
        return TransitionCallbackReturn.SUCCESS

    def halt(self) -> None:
        """Come to rest. May be called again."""
        with self._reporting:
            self.active = False
        self.until_deactivated.close()
        self.deactivate()

    def close(self) -> None:
        """Come to rest and give everything back. May be called again."""
        self.halt()
        self.cleanup()
        self.until_cleanup.close()
        self._declared.release()
