"""The direct monitor records what a real language host sends over the wire: same program, same graph."""

import json
import os
import subprocess
import sys
import threading
from collections.abc import Generator, Iterable
from concurrent import futures
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import grpc
from pulumi.runtime.proto import engine_pb2_grpc, resource_pb2_grpc

from bedplate.folders import PROJECT
from bedplate.plan.capture import capture
from bedplate.plan.graph import Graph
from bedplate.plan.monitor import Monitor
from bedplate.plan.stackfile import load_configuration, load_project
from bedplate.plan.wire import MASK

HOST = Path(__file__).with_name("language_host.py")
TOY = Path(__file__).parent / "toy"


def servicer(base: type, monitor: Monitor, lock: threading.Lock) -> Any:
    """The monitor's methods as gRPC ones: one at a time, an exception becomes a status."""

    def method(name: str) -> Any:
        def answer(_: object, request: Any, context: grpc.ServicerContext) -> Any:
            try:
                with lock:
                    return getattr(monitor, name)(request)
            except Exception as error:  # noqa: BLE001 - whatever it is, the client must hear of it
                context.abort(grpc.StatusCode.UNKNOWN, str(error))

        return answer

    names = [name for name in vars(Monitor) if name[0].isupper() and hasattr(base, name)]
    return type("Servicer", (base,), {name: method(name) for name in names})()


@contextmanager
def serving(monitor: Monitor) -> Generator[str]:
    server = grpc.server(futures.ThreadPoolExecutor(16))
    lock = threading.Lock()
    resources = servicer(resource_pb2_grpc.ResourceMonitorServicer, monitor, lock)
    resource_pb2_grpc.add_ResourceMonitorServicer_to_server(resources, server)
    engine_pb2_grpc.add_EngineServicer_to_server(servicer(engine_pb2_grpc.EngineServicer, monitor, lock), server)
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    try:
        yield f"127.0.0.1:{port}"
    finally:
        server.stop(None).wait()


def captured_over_grpc(root: Path, stack: str, missing: Iterable[str] = ()) -> Graph:
    project = load_project(root)
    configuration = load_configuration(project, stack)
    monitor = Monitor(project.name, stack)
    with serving(monitor) as engine:
        options = {
            "monitor": engine,
            "engine": engine,
            "project": project.name,
            "stack": stack,
            "program": str(project.main / "__main__.py"),
            "config": {**configuration.values, **dict.fromkeys(missing, MASK)},
            "secretKeys": sorted({*configuration.secret_keys, *missing}),
        }
        environment = {**os.environ, "LANGUAGE_HOST": json.dumps(options), "PYTHONPATH": str(root), "HOME": os.devnull}
        environment.pop("KUBECONFIG", None)
        subprocess.run([sys.executable, str(HOST)], check=True, env=environment, timeout=120)
    return monitor.graph()


def shape(graph: Graph) -> dict[str, tuple[object, ...]]:
    return {
        node.urn: (
            node.parent,
            node.dependencies,
            node.property_dependencies,
            node.provider,
            node.inputs,
            node.outputs,
            node.options,
        )
        for node in graph.nodes
    }


def test_a_toy_program_sends_the_same_over_grpc() -> None:
    assert shape(captured_over_grpc(TOY, "prod")) == shape(capture("prod", TOY))


def test_the_reference_stack_sends_the_same_over_grpc() -> None:
    direct = capture("onprem-h100-roce")

    assert shape(captured_over_grpc(PROJECT, "onprem-h100-roce", direct.missing_secrets)) == shape(direct)
