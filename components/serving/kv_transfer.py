"""How a KV cache goes from the server that read the prompt to the one that answers: by RDMA, or not at all.

vLLM's NixlConnector (vLLM documentation, "NixlConnector Usage Guide"). UCX takes whatever it finds, TCP among it, so it
is told which transports there are: without RDMA a request then fails at once instead of taking a hundred times as long.
"""

import json
from collections.abc import Mapping
from typing import Literal

from bedplate.components.section import DnsLabel, Section


class KvTransfer(Section):
    """A server's part where one reads prompts and another goes on with the answers."""

    role: Literal["prefill", "decode", "both"]
    pair: DnsLabel | None = None
    """The pair that the server is a half of, by one name in both: a DisaggregatedSet, which rolls out both together,
    with a way in by the decode half's `route` and its `endpointPicker`. Absent: each half is a Deployment of its own,
    and who asks both comes besides, such as vllm-project/router, by the addresses of the servers' Services."""

    @property
    def labels(self) -> dict[str, str]:
        """Of the pods, by which llm-d's picker finds the halves of a pair and tells them apart."""
        return {PAIR: self.pair, ROLE: self.role} if self.pair else {}


PAIR, ROLE = "app.kubernetes.io/part-of", "llm-d.ai/role"
"""The second is the picker's own (llm-d/llm-d-router v0.10.0, filter/bylabel/roles.go)."""

ROLES = {"prefill": "kv_producer", "decode": "kv_consumer", "both": "kv_both"}
RDMA = {"UCX_TLS": "rc,cuda_copy,cuda_ipc,sm,self"}
"""No `tcp` (OpenUCX documentation, UCX_TLS). Which devices the fabric says, UCX_NET_DEVICES; by default all."""
BACKENDS: Mapping[str, str] = {"infiniband": "UCX", "roce": "UCX", "gib": "UCX", "efa": "LIBFABRIC"}
"""NIXL's plug-in of each fabric that it can use; GPUDirect-TCPXO is NCCL's alone."""
KEEP_ALIVE = {"VLLM_HTTP_TIMEOUT_KEEP_ALIVE": "120"}
"""Seconds; vLLM closes idle connections after 5, which the routing sidecar would use for 90 (llm-d/llm-d,
guides/pd-disaggregation, modelserver/gpu/vllm/base/disaggregatedset.yaml)."""
FIELDS = {"VLLM_NIXL_SIDE_CHANNEL_HOST": "status.podIP"}
"""Where the other server asks for the cache's place; by default `localhost`, which no other pod reaches."""


def arguments(role: str, fabric: str) -> tuple[str, ...]:
    """What vLLM is told."""
    backend = BACKENDS[fabric]
    more = {} if backend == "UCX" else {"kv_connector_extra_config": {"backends": [backend]}}
    chosen = {"kv_connector": "NixlConnector", "kv_role": ROLES[role], **more}
    return ("--kv-transfer-config", json.dumps(chosen, separators=(",", ":")))


def environment(fabric: str) -> Mapping[str, str]:
    """What the transport is told."""
    return RDMA if BACKENDS[fabric] == "UCX" else {}
