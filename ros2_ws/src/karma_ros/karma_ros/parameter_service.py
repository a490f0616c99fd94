# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The parameter services of a node that no request ends."""

from __future__ import annotations

from typing import Any

from rcl_interfaces.msg import SetParametersResult
from rcl_interfaces.srv import SetParameters, SetParametersAtomically
from rclpy.exceptions import ParameterNotDeclaredException
from rclpy.parameter import Parameter
from rclpy.parameter_service import ParameterService


class SafeParameterService(ParameterService):
    """rclpy's, for a node made with `start_parameter_services=False`.

    rclpy 9.1 raises ValueError for a value of a type that there is not, and the node's process would end.
    """

    def _set_parameters_callback(
        self, request: SetParameters.Request, response: SetParameters.Response
    ) -> SetParameters.Response:
        response.results = [self._set([message]) for message in request.parameters]
        return response

    def _set_parameters_atomically_callback(
        self, request: SetParametersAtomically.Request, response: SetParametersAtomically.Response
    ) -> SetParametersAtomically.Response:
        response.result = self._set(request.parameters)
        return response

    def _set(self, messages: Any) -> SetParametersResult:
        try:
            return self._get_node().set_parameters_atomically([Parameter.from_parameter_msg(m) for m in messages])
        except (ParameterNotDeclaredException, ValueError) as error:
            return SetParametersResult(successful=False, reason=str(error))
