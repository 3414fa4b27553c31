"""Servers: how they scale from none, how a chart routes, and who calls them, on either side of what is refused."""

from typing import Any

from tests.unit.checks.case import GONE, Case, edited, refused, taken
from tests.unit.checks.edges_teams import GROUP, S
from tests.unit.serving.test_ways_in import ADMITTED
from tests.unit.serving.test_ways_in import profile as behind

ROCE, L40S = "onprem-h100-roce", "inference-l40s"
SERVER = "serving.servers[0]"
WAKE = "sum(rate(gateway_requests_total[2m]))"
FROM_ZERO = {f"{S}replicas": 0, f"{S}scaling.wake": WAKE}
STACK = {f"{S}kind": "vllm-stack"}
BUCKET = {"kind": "bucket", "url": "s3://models/llama", "serviceAccount": "reader"}


BOTH = [("add 35.191.0.0/16",), ("add 130.211.0.0/22",)]
"""What a namespace lacks that admits neither of Google's networks."""


def admitted(name: str) -> Case:
    """A server behind that route, in a namespace that admits those callers."""
    platform, route, callers, words = ADMITTED[name]
    document = behind(platform, route, callers)
    if not words:
        return taken(document)
    lines = BOTH if "35.191" in words[0] else [words]
    return refused(document, *(("tenancy.teams[0].ingressFrom", *line) for line in lines))


EFA_GROUP = edited(
    "eks-p5",
    {
        "training": {"leaderWorkerSet": {}},
        "serving": {
            "servers": [
                {
                    "kind": "vllm",
                    "name": "llama",
                    "namespace": "serving",
                    "pool": "p5",
                    "model": "llama-3.1-405b",
                    "tensorParallel": 8,
                    "pipelineParallel": 2,
                    "image": "public.ecr.aws/deep-learning-containers/vllm:0.12-gpu",
                    "weights": {"kind": "volume", "volume": "models", "directory": "llama"},
                }
            ]
        },
    },
)


def stack(change: dict[str, Any]) -> dict[str, Any]:
    return edited(ROCE, {**STACK, **change})


EDGES = {
    "no replica until a query wakes one": taken(edited(ROCE, FROM_ZERO)),
    "no replica and nothing that wakes one": refused(
        edited(ROCE, {f"{S}replicas": 0}), (f"{SERVER}.scaling.wake = absent", "gone with its last replica")
    ),
    "no replica without KEDA": refused(edited(L40S, FROM_ZERO), (f"{SERVER}.replicas = 0", "only KEDA")),
    "a further measure of another server": refused(
        edited(ROCE, {f"{S}scaling.further": [{"metric": "requests-pending", "target": 1}]}),
        (f"{SERVER}.scaling.further[0].metric = requests-pending", "vllm does not emit it"),
    ),
    "a further measure": taken(edited(ROCE, {f"{S}scaling.further": [{"metric": "kv-cache", "target": 0.8}]})),
    "sessions by a header": taken(stack({f"{S}routing": "session", f"{S}sessionKey": "x-user-id"})),
    "sessions by nothing": refused(stack({f"{S}routing": "session"}), (f"{SERVER}.sessionKey = absent", "go together")),
    "a header for no sessions": refused(stack({f"{S}sessionKey": "x"}), (f"{SERVER}.sessionKey = x", "go together")),
    "a chart that cannot spread": refused(
        stack({f"{S}spread": "host"}), (f"{SERVER}.spread = host", "no such setting")
    ),
    "a chart that cannot wait": refused(stack({f"{S}grace": 121}), (f"{SERVER}.grace = 121", "no such setting")),
    "the chart's own patience": taken(stack({f"{S}grace": 120})),
    "weights from a bucket": taken(edited(ROCE, {f"{S}weights": BUCKET})),
    "weights from a bucket that cannot be reached": refused(
        edited(ROCE, {f"{S}weights": BUCKET, "tenancy.teams.1.egress": GONE}),
        ("tenancy.teams[1].egress = absent", "hub or bucket"),
    ),
    "a group on EFA with its plug-in": taken(EFA_GROUP),
    "a group on EFA without its plug-in": refused(
        edited(EFA_GROUP, {f"{S}image": "vllm/vllm-openai:v0.12.0"}), (f"{SERVER}.image", "no aws-ofi-nccl")
    ),
    "copies within a node": taken(
        edited(ROCE, {f"{S}model": "llama-3.1-8b", f"{S}tensorParallel": 2, f"{S}dataParallel": 2})
    ),
    "copies over nodes": refused(
        edited(ROCE, {**GROUP, f"{S}model": "llama-3.1-8b", f"{S}tensorParallel": 4, f"{S}dataParallel": 2}),
        (f"{SERVER}.dataParallel = 2", "within one node"),
    ),
    **{name: admitted(name) for name in ADMITTED},
}
