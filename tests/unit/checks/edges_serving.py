"""Servers: how they scale from none, how a chart routes, and who calls them, on either side of what is refused."""

from typing import Any

from tests.stack_files import document
from tests.unit.checks.case import GONE, Case, edited, refused, taken
from tests.unit.checks.edges_teams import GROUP, S
from tests.unit.serving.test_ways_in import ADMITTED, GOOGLE
from tests.unit.serving.test_ways_in import profile as behind

ROCE, L40S = "onprem-h100-roce", "inference-l40s"
SERVER = "serving.servers[0]"
WAKE = "sum(rate(gateway_requests_total[2m]))"
FROM_ZERO = {f"{S}replicas": 0, f"{S}scaling.wake": WAKE}
PICKER = f"{SERVER}.route.endpointPicker"
ROUTE = {"kind": "gateway", "gateway": "llm", "gatewayNamespace": "edge", "hostnames": ["llm.example.com"]}
PICKED = {f"{S}route": {**ROUTE, "endpointPicker": {}}, "tenancy.teams.1.ingressFrom": ["edge"]}
TRITON = {
    "kind": "triton",
    "name": "embed",
    "namespace": "serving",
    "pool": "h100",
    "weights": {"kind": "volume", "volume": "models", "directory": "repository"},
    "route": {**ROUTE, "endpointPicker": {}},
}
STACK = {f"{S}kind": "vllm-stack"}
BUCKET = {"kind": "bucket", "url": "s3://models/llama", "endpoint": "https://s3.example.com", "secretName": "s3-keys"}


SECOND = "serving.servers.1."
SIX = {"billions": 8, "layers": 32, "heads": 24, "kvHeads": 24}
APART = (
    (f"{SERVER}.kvTransfer.role = prefill", "no server of role decode"),
    ("serving.servers[1].kvTransfer.role = decode", "no server of role prefill"),
)


def halves(changes: dict[str, Any]) -> dict[str, Any]:
    """A server for prompts and one for answers, with these changes."""
    one = document(ROCE)["serving"]["servers"][0]
    alike = {**one, "replicas": 1, "maxReplicas": None, "scaling": None, "servedModelName": "llama"}
    alike = {key: value for key, value in alike.items() if value is not None}
    servers = [{**alike, "kvTransfer": PREFILL}, {**alike, "name": "answers", "kvTransfer": DECODE}]
    return edited(ROCE, {"serving.servers": servers, **changes})


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


ADAPTERS = [{"name": "sql", "directory": "adapters/sql"}, {"name": "legal", "directory": "adapters/legal"}]
BOTH_PARTS, PREFILL, DECODE = {"role": "both"}, {"role": "prefill"}, {"role": "decode"}
BESIDE = {"name": "l40s", "shape": {"gpu": "L40S", "gpus": 8, "cpus": 128, "memoryGib": 1024}, "nodes": 6}
EFA_SERVER = edited(EFA_GROUP, {f"{S}pipelineParallel": 1, f"{S}precision": "fp8", "training": GONE})


def stack(change: dict[str, Any]) -> dict[str, Any]:
    return edited(ROCE, {**STACK, **change})


def group(stack: str, pool: str, tensor: int, change: dict[str, Any]) -> dict[str, Any]:
    """A model on two nodes of a pool, with so many GPUs of each."""
    server = {
        "kind": "vllm",
        "name": "llama",
        "namespace": "research",
        "pool": pool,
        "model": "llama-3.1-8b",
        "tensorParallel": tensor,
        "pipelineParallel": 2,
        "image": "public.ecr.aws/deep-learning-containers/vllm:0.12-gpu",
        "weights": BUCKET,
    }
    team = {"name": "research", "egress": ["0.0.0.0/0"]}
    own = {"podCidr": "10.244.0.0/16", "serviceCidr": "10.96.0.0/12", "nodeCidrs": ["192.168.20.0/24"]}
    alone = {
        "clusterNetwork": own,
        "tenancy": {"teams": [team]},
        "training": {"leaderWorkerSet": {}},
        "serving": {"servers": [server]},
    }
    beside = {key: GONE for key in ("storage", "verification", "monitoring", "autoscaling") if key in document(stack)}
    return edited(stack, {**alone, **beside, **change})


def wide(change: dict[str, Any]) -> dict[str, Any]:
    """Copies of a mixture on two nodes, which share its experts."""
    copies = {f"{S}dataParallel": 16, f"{S}dataParallelLocal": 8, f"{S}expertParallel": True}
    model = {f"{S}model": "qwen3-235b-a22b", f"{S}tensorParallel": 1, **copies}
    return edited(ROCE, {**GROUP, f"{S}pipelineParallel": 1, **model, "tenancy.teams.1.gpus.h100": 16, **change})


WHOLE_NICS = {"fabric.exposure": "host-device", "fabric.hcas": GONE, "fabric.mtu": GONE}
RACK = {
    "pools.1": {"name": "gb200", "shape": "gb200-nvl72", "nodes": 4},
    "draDriver": {},
    "fabric.rails": ["ib0", "ib1", "ib2", "ib3"],
    "fabric.hcas": GONE,
    "scheduling": {"kind": "kueue"},
}
ALONE = {f"{S}replicas": 1, f"{S}maxReplicas": GONE, f"{S}scaling": GONE}
TENSOR = f"{SERVER}.tensorParallel"
EDGES = {
    "a replica on parts of nodes with shared NICs": taken(group("lab", "h100", 4, {})),
    "a replica on whole nodes with whole NICs": taken(group("lab", "h100", 8, WHOLE_NICS)),
    "a replica on parts of nodes with whole NICs": refused(
        group("lab", "h100", 4, WHOLE_NICS),
        (f"{TENSOR} = 4", "not be beside the GPUs", "use 8, or pipelineParallel: 1"),
    ),
    "a pipeline outside the fabric": taken(
        group(ROCE, "l40s", 4, {"pools.2": {"name": "l40s", "shape": "l40s-8", "nodes": 2, "rails": []}})
    ),
    "a pipeline of a team without the fabric": taken(
        group("lab", "h100", 4, {**WHOLE_NICS, "tenancy.teams.0.rdma": False, "tenancy.teams.1": {"name": "other"}})
    ),
    "a pipeline where there is no fabric": taken(
        edited(L40S, {**ALONE, f"{S}pipelineParallel": 2, "training": {"leaderWorkerSet": {}}})
    ),
    "a replica on parts of Google's nodes": refused(
        group("gke-a3-mega", "a3-mega", 4, {}), (f"{TENSOR} = 4", "tcpxo gives its interfaces to one pod with all 8")
    ),
    "a replica on GPUs without a NIC": refused(
        group("eks-p5", "p5", 1, {"pools.1.shape": "p4d.24xlarge"}), (f"{TENSOR} = 1", "1 of 8 GPUs have no NIC")
    ),
    "a replica on whole trays of racks": taken(group("onprem-h100-ib", "gb200", 4, RACK)),
    "a replica on parts of the trays of racks": refused(
        group("onprem-h100-ib", "gb200", 2, RACK), (f"{TENSOR} = 2", "a node has one IMEX channel")
    ),
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
    "the chart's own patience": taken(stack({f"{S}grace": 30})),
    "one pod for each request": taken(edited(ROCE, PICKED)),
    "one pod for each request, by a gateway of Google's": taken(
        behind("gke", {**ROUTE, "endpointPicker": {}}, [*GOOGLE, "10.129.0.0/23"])
    ),
    "one pod for each request, by a gateway of Google's whose proxies are not let in": refused(
        behind("gke", {**ROUTE, "endpointPicker": {}}, GOOGLE),
        (
            "tenancy.teams[0].ingressFrom",
            "a regional gateway of Google's",
            "add the addresses of the proxy-only subnet",
        ),
    ),
    "requests in turns, by a gateway of Google's": taken(behind("gke", ROUTE, GOOGLE)),
    "one pod for each request, chosen for the chart": refused(
        stack(PICKED), (f"{PICKER} = present", "the chart has a router of its own")
    ),
    "one pod for each request, chosen for Triton": refused(
        edited(ROCE, {**PICKED, "serving.servers.0": TRITON}), (f"{PICKER} = present", "it asks metrics of vLLM")
    ),
    "one pod for each request of a pair": refused(
        halves({f"{S}route": {**ROUTE, "endpointPicker": {}}, "tenancy.teams.1.ingressFrom": ["edge"]}),
        (f"{PICKER} = present", "these need two"),
        (f"{SERVER}.route = gateway", "requests would stay with this half"),
    ),
    "one pod for each request, which has both parts": taken(
        edited(ROCE, {**PICKED, f"{S}kvTransfer": {"role": "both"}})
    ),
    "weights from a bucket": taken(edited(ROCE, {f"{S}weights": BUCKET})),
    "weights from a bucket that cannot be reached": refused(
        edited(ROCE, {f"{S}weights": BUCKET, "tenancy.teams.1.egress": GONE}),
        ("tenancy.teams[1].egress = absent", "hub or bucket"),
    ),
    "a group on EFA with its plug-in": taken(EFA_GROUP),
    "a group on EFA without its plug-in": refused(
        edited(EFA_GROUP, {f"{S}image": "vllm/vllm-openai:v0.12.0"}), (f"{SERVER}.image", "no aws-ofi-nccl")
    ),
    "a group on EFA without its plug-in, by digest and by a mirror": refused(
        edited(EFA_GROUP, {f"{S}image": f"docker.io/vllm/vllm-openai:v0.32.0@sha256:{'0' * 64}"}),
        (f"{SERVER}.image", "no aws-ofi-nccl"),
    ),
    "copies within a node": taken(
        edited(ROCE, {f"{S}model": "llama-3.1-8b", f"{S}tensorParallel": 2, f"{S}dataParallel": 2})
    ),
    "copies over nodes": refused(
        edited(ROCE, {**GROUP, f"{S}model": "llama-3.1-8b", f"{S}tensorParallel": 4, f"{S}dataParallel": 2}),
        (f"{SERVER}.dataParallel = 2", "a pipeline or copies"),
    ),
    "copies of a mixture over nodes": taken(wide({})),
    "copies over nodes without the controller of groups": refused(
        wide({"training.leaderWorkerSet": GONE}), ("training.leaderWorkerSet", f"{SERVER} spans nodes")
    ),
    "copies over nodes of a team without the fabric": refused(
        wide({"tenancy.teams.1.rdma": False}), (f"{SERVER}.dataParallelLocal = 8", "experts on other nodes")
    ),
    "copies on parts of nodes with shared NICs": taken(wide({f"{S}dataParallelLocal": 4})),
    "copies on parts of nodes with whole NICs": refused(
        wide({f"{S}dataParallelLocal": 4, **WHOLE_NICS}),
        (f"{SERVER}.dataParallelLocal = 4", "not be beside the GPUs", "use 8"),
    ),
    **{name: admitted(name) for name in ADMITTED},
    "adapters beside the model": taken(edited(ROCE, {f"{S}adapters": ADAPTERS})),
    "adapters beside weights from elsewhere": refused(
        edited(ROCE, {f"{S}adapters": ADAPTERS, f"{S}weights": BUCKET}),
        (f"{SERVER}.adapters = 2 adapters", "these are of kind bucket", "put the weights on a volume"),
    ),
    "an adapter that is called as the model": refused(
        edited(ROCE, {f"{S}adapters": [{**ADAPTERS[0], "name": "llama-70b"}]}),
        (f"{SERVER}.adapters[0].name = llama-70b", "is called so already"),
    ),
    "an adapter that is called as what clients ask for": refused(
        edited(ROCE, {f"{S}adapters": ADAPTERS, f"{S}servedModelName": "sql"}),
        (f"{SERVER}.adapters[0].name = sql", "is called so already"),
    ),
    "two adapters of one name": refused(
        edited(ROCE, {f"{S}adapters": [ADAPTERS[0], ADAPTERS[0]]}),
        (f"{SERVER}.adapters[1].name = sql", "is called so already"),
    ),
    "a transfer that nobody can look at": refused(
        edited(ROCE, {f"{S}extraArgs": ["--kv-transfer-config={}"]}),
        (f"{SERVER}.extraArgs = --kv-transfer-config", "use kvTransfer"),
    ),
    "its longest request by an argument": refused(
        edited(ROCE, {f"{S}extraArgs": ["--max-model-len=4096"]}),
        (
            f"{SERVER}.extraArgs = --max-model-len=4096",
            "the plan goes by maxModelLen",
            "remove it, and say maxModelLen",
        ),
    ),
    "its GPUs by the short name of an argument": refused(
        edited(ROCE, {f"{S}extraArgs": ["-tp", "4"]}),
        (f"{SERVER}.extraArgs = -tp", "the plan goes by tensorParallel", "remove it, and say tensorParallel"),
    ),
    "its GPUs by the beginning of an argument, with underscores": refused(
        edited(ROCE, {f"{S}extraArgs": ["--tensor_parallel", "4"]}),
        (
            f"{SERVER}.extraArgs = --tensor_parallel",
            "the plan goes by tensorParallel",
            "remove it, and say tensorParallel",
        ),
    ),
    "its name by an argument": refused(
        edited(ROCE, {f"{S}extraArgs": ["--served-model-name", "other"]}),
        (
            f"{SERVER}.extraArgs = --served-model-name",
            "the plan goes by servedModelName",
            "remove it, and say servedModelName",
        ),
    ),
    "arguments that the plan has no use for": taken(edited(ROCE, {f"{S}extraArgs": ["--max-num-seqs", "64", "--"]})),
    "a repository of GGUF": refused(
        edited(ROCE, {f"{S}weights": {"kind": "hugging-face", "repository": "org/Model-GGUF", "cache": "models"}}),
        (f"{SERVER}.weights.repository = org/Model-GGUF", "one file that must be named", "with safetensors"),
    ),
    "a repository with safetensors": taken(
        edited(ROCE, {f"{S}weights": {"kind": "hugging-face", "repository": "org/model", "cache": "models"}})
    ),
    "both halves of a pair": taken(halves({})),
    "answers on twice the GPUs of the prompts": taken(halves({f"{SECOND}tensorParallel": 8})),
    "answers on half the GPUs of the prompts": taken(halves({f"{S}tensorParallel": 8})),
    "answers on half the GPUs by an image that nobody has read": taken(
        halves({f"{S}tensorParallel": 8, f"{SECOND}image": "example.com/vllm:1"})
    ),
    "answers on a part of the GPUs that divides nothing": refused(
        halves({f"{S}tensorParallel": 6, f"{SECOND}tensorParallel": 4, f"{S}model": SIX, f"{SECOND}model": SIX}),
        ("serving.servers[1].tensorParallel = 4", "is 6", "use a multiple of 6"),
    ),
    "answers on half the GPUs of the prompts by an old release": refused(
        halves({f"{S}tensorParallel": 8, f"{SECOND}image": "vllm/vllm-openai:v0.12.0"}),
        ("serving.servers[1].tensorParallel = 4", "caches of llama-70b", "is 8", "use a multiple of 8"),
    ),
    "half of a pair as the way in": refused(
        halves({f"{S}route": ROUTE, "tenancy.teams.1.ingressFrom": ["edge"]}),
        (f"{SERVER}.route = gateway", "no cache would be handed over", "kvTransfer.pair"),
    ),
    "half of a pair": refused(
        edited(ROCE, {f"{S}kvTransfer": PREFILL}), (f"{SERVER}.kvTransfer.role = prefill", "no server of role decode")
    ),
    "two first halves": refused(
        halves({f"{SECOND}kvTransfer": PREFILL}),
        (f"{SERVER}.kvTransfer.role = prefill", "no server of role decode"),
        ("serving.servers[1].kvTransfer.role = prefill", "no server of role decode"),
    ),
    "halves of other models": refused(halves({f"{SECOND}model": "llama-3.1-8b"}), *APART),
    "halves with other names": refused(halves({f"{SECOND}servedModelName": GONE}), *APART),
    "caches over the fabric": taken(edited(ROCE, {f"{S}kvTransfer": BOTH_PARTS})),
    "caches without a fabric": refused(
        edited(L40S, {f"{S}kvTransfer": BOTH_PARTS}),
        (f"{SERVER}.kvTransfer = both", "would go over TCP", "no RDMA on fabric none of pool l40s"),
    ),
    "caches of a pool outside the fabric": refused(
        edited(ROCE, {f"{S}kvTransfer": BOTH_PARTS, f"{S}pool": "l40s", f"{S}tensorParallel": 8, "pools.2": BESIDE}),
        (f"{SERVER}.kvTransfer = both", "no RDMA on fabric roce of pool l40s"),
    ),
    "caches of a team outside the fabric": refused(
        edited(ROCE, {f"{S}kvTransfer": BOTH_PARTS, "tenancy.teams.1.rdma": False}),
        (f"{SERVER}.kvTransfer = both", "the team serving has no fabric"),
    ),
    "caches over EFA by its library": taken(edited(EFA_SERVER, {f"{S}kvTransfer": BOTH_PARTS})),
    "caches over EFA without its library": refused(
        edited(EFA_SERVER, {f"{S}kvTransfer": BOTH_PARTS, f"{S}image": "vllm/vllm-openai:v0.12.0"}),
        (f"{SERVER}.kvTransfer = both", "no libfabric of EFA"),
    ),
}
