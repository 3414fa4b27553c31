"""Model servers for `tests/any_profile.py`."""

from collections.abc import Callable, Sequence
from typing import Any

Choose = Callable[[Sequence[Any]], Any]


def serving(choose: Choose, one: dict[str, Any]) -> dict[str, Any]:
    """The section, or nothing."""
    if choose([True, False]):
        return {}
    pool = choose([pool["name"] for pool in one["pools"] if pool["name"] != "system"])
    return {"serving": {"servers": [_server(choose, pool)]}}


def _server(choose: Choose, pool: str) -> dict[str, Any]:
    kind = choose(["vllm", "vllm", "vllm", "vllm-stack", "triton"])
    server: dict[str, Any] = {"kind": kind, "name": "llm", "namespace": "research", "pool": pool}
    server["weights"] = _weights(choose, kind)
    if kind == "triton":
        return server | {"gpus": choose([1, 2])} | _ways(choose)
    server |= {"model": choose(["llama-3.1-8b", "llama-3.1-70b"]), "tensorParallel": choose([1, 2, 4, 8])}
    if kind == "vllm":
        server |= {"pipelineParallel": choose([1, 1, 2])}
    return server | _ways(choose)


def _weights(choose: Choose, kind: str) -> dict[str, Any]:
    on_volume = {"kind": "volume", "volume": "models", "directory": "m"}
    if kind == "triton":
        return on_volume
    hub = {"kind": "hugging-face", "repository": "Qwen/Qwen2.5-7B-Instruct"}
    return choose(
        [on_volume, hub, {**hub, "cache": "models"}, {"kind": "bucket", "url": "s3://m/m", "secretName": "m"}]
    )


def _ways(choose: Choose) -> dict[str, Any]:
    optional = {
        "replicas": [1, 2],
        "spread": ["host", "zone"],
        "apiKey": [True],
        "route": [
            {"kind": "gateway", "gateway": "llm", "gatewayNamespace": "gateways", "hostnames": ["llm.example.com"]},
            {"kind": "ingress", "className": "nginx", "hostname": "llm.example.com"},
        ],
        "extraArgs": [["--enable-prefix-caching"]],
    }
    drawn = {key: choose(values) for key, values in optional.items() if choose([False, False, True])}
    if choose([False, True]):
        drawn |= {"maxReplicas": 4, "scaling": {"target": 16}}
    return drawn
