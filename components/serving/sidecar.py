"""llm-d's routing sidecar: beside the server that answers, it has another one read the prompt first.

It listens where clients and the picker ask, on the server's port, and vLLM behind it on one of its own. What the picker
has written into a request's header says which server reads the prompt; without it the request goes to vLLM as it is
(llm-d/llm-d-router v0.10.0, docs/disaggregation.md, pkg/sidecar/proxy). Its container ends after vLLM's, as those of
init containers that go on do, so that answers on their way are finished.
"""

from typing import Any

from bedplate.charts import sets

IMAGE = sets.image("ghcr.io/llm-d/llm-d-router-disagg-sidecar")
BEHIND = 8200
"""vLLM's port (there, defaultVLLMPort)."""
SIZE = {"cpu": "1", "memory": "1Gi"}
"""A whole CPU, so that those of the server stay whole."""


def sidecar(port: int) -> dict[str, Any]:
    """In plain HTTP, as the gateway speaks to servers; the header that it obeys the picker writes over any client's."""
    return {
        "name": "routing",
        "image": IMAGE,
        "args": [
            f"--port={port}",
            f"--model-server-port={BEHIND}",
            "--kv-connector=nixlv2",
            "--secure-proxy=false",
        ],
        "restartPolicy": "Always",
        "resources": {"requests": dict(SIZE), "limits": dict(SIZE)},
        "securityContext": {
            "allowPrivilegeEscalation": False,
            "capabilities": {"drop": ["ALL"]},
            "runAsNonRoot": True,
            "seccompProfile": {"type": "RuntimeDefault"},
        },
    }
