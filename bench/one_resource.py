"""The yardstick: the smallest Kubernetes program there is, under the same monitor."""

import pulumi_kubernetes as k8s

from bedplate.plan.capture import record
from bedplate.plan.stackfile import Configuration


def program() -> None:
    """Declare one ConfigMap."""
    k8s.core.v1.ConfigMap("one", metadata={"name": "one"}, data={"key": "value"})


if __name__ == "__main__":
    record(program, "bench", "one", Configuration({}))
