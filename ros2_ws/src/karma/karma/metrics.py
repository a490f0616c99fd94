# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The diagnostics of a graph for Prometheus, on this machine's own address."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from prometheus_client import CollectorRegistry, Metric, start_http_server
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

from karma_ros.diagnostics import OK
from karma_ros.diagnostics_watch import DiagnosticsWatch

HOST = "127.0.0.1"


class GraphCollector(Collector):
    """Gauges: which nodes are active, how they say they are, and each of their figures that is a number."""

    def __init__(self, watch: DiagnosticsWatch) -> None:
        self._watch = watch

    def collect(self) -> Iterator[Metric]:
        """Yield what is known now; of a node that is silent, nothing."""
        active = GaugeMetricFamily("karma_node_active", "1: active, by the lifecycle manager.", labels=["node"])
        for node, heard in self._watch.states().items():
            if heard.fresh:
                active.add_metric([node], heard.status.level == OK)
        level = GaugeMetricFamily("karma_node_level", "0: well, 1: a warning, 2: an error.", labels=["node", "part"])
        figures: dict[str, GaugeMetricFamily] = {}
        for (node, part), heard in self._watch.parts().items():
            if not heard.fresh:
                continue
            level.add_metric([node, part], heard.status.level[0])
            for name, text in heard.values.items():
                with suppress(ValueError):
                    value = float(text)
                    key = f"karma_{re.sub(r'[^a-z0-9]+', '_', name.lower())}"
                    family = GaugeMetricFamily(key, f"{name}, as the node says on /diagnostics.", labels=["node"])
                    figures.setdefault(key, family).add_metric([node], value)
        yield from (active, level, *figures.values())


@contextmanager
def served(watch: DiagnosticsWatch, port: int) -> Iterator[str]:
    """Serve metrics at a port, 0 for a free one, and yield where. OSError where it is taken."""
    registry = CollectorRegistry(auto_describe=False)
    registry.register(GraphCollector(watch))
    server, thread = start_http_server(port, addr=HOST, registry=registry)
    try:
        yield f"http://{HOST}:{server.server_port}/metrics"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
