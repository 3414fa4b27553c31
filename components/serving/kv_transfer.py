"""How a KV cache goes from the server that read the prompt to the one that answers: by RDMA, or not at all.

vLLM's NixlConnector (vLLM documentation, "NixlConnector Usage Guide"). UCX takes whatever it finds, TCP among it, so it
is told which transports there are: without RDMA a request then fails at once instead of taking a hundred times as long.
"""

import json
from collections.abc import Mapping
from typing import Literal

from bedplate.components.section import Section


class KvTransfer(Section):
    """A server's part where one reads prompts and another goes on with the answers."""

    role: Literal["prefill", "decode", "both"]
    """Who asks both and tells one where the other's cache is comes besides: llm-d's endpoint picker or
    vllm-project/router, by the addresses of the servers' Services."""


ROLES = {"prefill": "kv_producer", "decode": "kv_consumer", "both": "kv_both"}
RDMA = {"UCX_TLS": "rc,cuda_copy,cuda_ipc,sm,self"}
"""No `tcp` (OpenUCX documentation, UCX_TLS). Which devices the fabric says, UCX_NET_DEVICES; by default all."""
BACKENDS: Mapping[str, str] = {"infiniband": "UCX", "roce": "UCX", "gib": "UCX", "efa": "LIBFABRIC"}
"""NIXL's plug-in of each fabric that it can use; GPUDirect-TCPXO is NCCL's alone."""
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
