"""What a release of vLLM takes: its arguments, its CUDA and the pool's driver and GPU, on either side of a limit."""

from typing import Any

from tests.unit.checks.case import GONE, Case, edited, refused, taken
from tests.unit.checks.edges_teams import S

ROCE = "onprem-h100-roce"
IMAGE, WORDS = "serving.servers[0].image", "serving.servers[0].extraArgs"
NEW, OLD = "vllm/vllm-openai:v0.32.0", "vllm/vllm-openai:v0.12.0"
BRANCH = "gpuOperator.driverVersion"
VOLTA: dict[str, Any] = {
    "pools.1.shape": "v100-8",
    "fabric": {"kind": "none"},
    "networkOperator": GONE,
    "verification": GONE,
    BRANCH: "580.65.06",
    "gpuOperator.version": "v26.3.3",
    "gpuOperator.kernelModules": "proprietary",
    f"{S}model": "llama-3.1-8b",
}


def said(*words: str, **more: Any) -> dict[str, Any]:
    """The RoCE stack, its server with these further arguments."""
    return edited(ROCE, {f"{S}extraArgs": list(words), **more})


def run(image: str, **more: Any) -> dict[str, Any]:
    """The same with another image."""
    return edited(ROCE, {f"{S}image": image, **more})


BY_IMAGE: dict[str, Any] = {"driverOwner": "image", "gpuOperator": {}}
BUCKET = {"kind": "bucket", "url": "s3://models/llama", "endpoint": "https://store.example.com", "secretName": "keys"}
EDGES: dict[str, Case] = {
    "arguments that the release has": taken(said("--enforce-eager", "--max-num-seqs=64", "--seed", "1")),
    "an argument with underscores": taken(said("--enforce_eager")),
    "a switch turned off": taken(said("--no-enable-prefix-caching")),
    "a key of a JSON argument": taken(said("--compilation-config.mode", "3")),
    "a value that looks like nothing": taken(said("--seed", "swap-space")),
    "an argument that is gone": refused(
        said("--swap-space=4"), (f"{WORDS} = --swap-space", "vLLM 0.32.0 has no such argument")
    ),
    "an argument of the release before": taken(said("--swap-space=4", **{f"{S}image": OLD})),
    "an argument that is misspelt": refused(
        said("--enforce-eagr"), (f"{WORDS} = --enforce-eagr", "did you mean --enforce-eager?")
    ),
    "an argument of a release that nobody read": taken(said("--new-thing", **{f"{S}image": f"{NEW[:-6]}0.99.0"})),
    "an argument of an image of one's own": taken(said("--new-thing", **{f"{S}image": "example.com/vllm:v0.32.0"})),
    "a port besides ours": refused(said("--port=9000"), (f"{WORDS} = --port=9000:", "the probes", "leave the port")),
    "a port besides ours, as two words": refused(said("--port", "9000"), (f"{WORDS} = --port:", "the probes")),
    "a key in the open": refused(
        said("--api-key=sk-123"), (f"{WORDS} = --api-key:", "would read the key", "say apiKey, and set servingApiKey")
    ),
    "a way to load from a volume": taken(said("--load-format=fastsafetensors")),
    "a way to load that is not the bucket's": refused(
        said("--load_format=auto", **{f"{S}weights": BUCKET}), (f"{WORDS} = --load_format=auto:", "are streamed")
    ),
    "the first driver of CUDA 13": taken(run(NEW, **{BRANCH: "580.65.06"})),
    "a driver before it": refused(
        run(NEW, **{BRANCH: "570.211.01"}),
        (f"{IMAGE} = {NEW}", "needs driver 580 or later, and gpuOperator has 570.211.01", f"{NEW}-cu129"),
    ),
    "a driver before it with the image on CUDA 12": taken(run(f"{NEW}-cu129", **{BRANCH: "570.211.01"})),
    "a driver before it from a mirror": refused(
        run(f"registry.example.com/mirror/{NEW}", **{BRANCH: "570.211.01"}), (IMAGE, "needs driver 580")
    ),
    "a GPU that CUDA 13 left behind": refused(
        run(NEW, **VOLTA), (f"{IMAGE} = {NEW}", "has no code for Tesla-V100-SXM2-32GB of pool h100", f"{NEW}-cu129")
    ),
    "a driver of that GPU, spelt with its letter": taken(run(f"{NEW}-cu129", **{**VOLTA, BRANCH: "v580.65.06"})),
    "the same GPU with the image on CUDA 12": taken(run(f"{NEW}-cu129", **VOLTA)),
    "a driver that is older than all": refused(
        run(OLD, **{BRANCH: "470.256.02"}),
        (f"{IMAGE} = {OLD}", "needs driver 525", "raise it, or use an older release"),
    ),
    "the oldest GPU of CUDA 13": taken(run(NEW, **{**VOLTA, "pools.1.shape": "t4-4"})),
    "a driver of the release's time": taken(run(OLD, **{BRANCH: "570.211.01"})),
    "an operator whose own driver is before it": refused(
        edited(ROCE, {"gpuOperator.version": "v24.9.2", "kubernetesVersion": "1.31"}),
        (IMAGE, "needs driver 580 or later, and gpuOperator has 550"),
    ),
    "the first operator whose own driver is not": taken(
        edited(ROCE, {"gpuOperator.version": "v25.3.4", "kubernetesVersion": "1.33"})
    ),
    "a driver of the node's image before it": refused(
        edited(ROCE, {**BY_IMAGE, "existing": {"driver": {"version": "570.211.01"}}}),
        (IMAGE, "needs driver 580 or later, and existing.driver has 570.211.01"),
    ),
    "a driver of the node's image that nobody has said": taken(edited(ROCE, BY_IMAGE)),
    "a router's chart with an image without a tag": refused(
        edited(ROCE, {f"{S}kind": "vllm-stack", f"{S}image": "example.com:5000/vllm"}),
        (f"{IMAGE} = example.com:5000/vllm", "the chart writes a tag behind it", "add one"),
    ),
    "a router's chart with an image by its digest": taken(
        edited(ROCE, {f"{S}kind": "vllm-stack", f"{S}image": f"example.com/vllm@sha256:{'0' * 64}"})
    ),
}
