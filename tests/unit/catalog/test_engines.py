"""Releases of vLLM, as their wheels say: the files are whole, the tool reads what is there, and we say nothing else."""

import json
import subprocess
from pathlib import Path
from zipfile import ZipFile

import pytest
from semver import Version

from bedplate.catalog.engines import Engine, releases, vllm
from bedplate.components.serving.server import DEFAULT_IMAGE
from bedplate.components.serving.vllm import VllmServer
from bedplate.components.serving.vllm_stack import VllmStackServer
from bedplate.plan.manifests import manifests
from tests.rooms import ROOT
from tests.stack_files import STACKS, graph
from tests.tools import engine_limits

KEYS = (
    "engine",
    "release",
    "source",
    "sha256",
    "read",
    "cuda",
    "narrowerDecode",
    "arguments",
    "capability",
    "configurations",
)
ADVISED = Version.parse("0.23.0")
"""The last release that GHSA-hgg8-fqqc-vfmw is about."""
SERVE = """
class BaseFrontendArgs:
    lora_modules: list = None

class FrontendArgs(BaseFrontendArgs):
    host: str = None

def make_arg_parser(parser):
    parser.add_argument("model_tag")
    parser.add_argument("--headless", action="store_true")
"""
ARGS = 'group.add_argument("--quantization", "-q", **kwargs)\n'
METHODS = 'def chosen():\n    method_to_config: dict[str, type] = {"fp8": Fp8, "any": Any}\n'
FP8 = "class Fp8:\n    def get_min_capability(cls):\n        return 75\n"
VARYING = "class Any:\n    def get_min_capability(cls):\n        return least()\n"


def pinned() -> Engine:
    engine = vllm(DEFAULT_IMAGE)
    assert engine
    return engine


def wheel(folder: Path, files: dict[str, str | bytes]) -> Path:
    """A release with what the tool reads and no more."""
    quantisation = "vllm/model_executor/layers/quantization"
    whole = {
        "vllm/entrypoints/somewhere/cli_args.py": SERVE,
        "vllm/entrypoints/cli_args.py": "class Other: ...\n",
        "vllm/engine/arg_utils.py": ARGS,
        f"{quantisation}/__init__.py": METHODS,
        f"{quantisation}/fp8.py": FP8,
        f"{quantisation}/other.py": VARYING,
        "vllm/transformers_utils/config.py": "_CONFIG_REGISTRY: dict = Lazy(kimi='KimiConfig')\n",
        "vllm/model_executor/models/registry.py": "_TEXT_MODELS = {'A': ('a', 'A')}\n_OOT_SUPPORTED_MODELS = {'B': 1}\n",
        "vllm/transformers_utils/runai_utils.py": 'SUPPORTED_SCHEMES = ["s3://", "az://"]\n',
        "vllm/_C.abi3.so": b"\x7fELF..libcudart.so.13\0",
        **files,
    }
    path = folder / "vllm-1.2.3-cp38-abi3-any.whl"
    with ZipFile(path, "w") as archive:
        for name, text in whole.items():
            archive.writestr(name, text)
    return path


def test_the_tool_reads_a_wheel(tmp_path: Path) -> None:
    read = engine_limits.limits(wheel(tmp_path, {}))
    assert (read["release"], read["cuda"]) == ("1.2.3", 13)
    assert read["arguments"] == ["--headless", "--host", "--lora-modules", "--quantization"]
    assert read["capability"] == {"fp8": 75}
    assert read["narrowerDecode"] is True
    assert (read["configurations"], read["architectures"]) == (["kimi"], {"A": "generate"})
    assert read["schemes"] == ["az", "s3"]


def test_a_connector_that_refuses_narrower_answers_is_read(tmp_path: Path) -> None:
    asserted = 'assert ratio > 0, "Decode TP cannot be smaller than prefill TP"\n'
    read = engine_limits.limits(wheel(tmp_path, {"vllm/distributed/kv_transfer/v1/nixl_connector.py": asserted}))
    assert read["narrowerDecode"] is False


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("vllm/transformers_utils/config.py", "_OTHER = {}\n"),
        ("vllm/_C.abi3.so", b"\x7fELF"),
        ("vllm/transformers_utils/runai_utils.py", "SCHEMES = ['s3://']\n"),
        ("vllm/entrypoints/somewhere/cli_args.py", "class Frontend: ...\n"),
    ],
)
def test_what_moved_is_an_error_and_no_gap(name: str, text: str | bytes, tmp_path: Path) -> None:
    with pytest.raises((LookupError, ValueError)):
        engine_limits.limits(wheel(tmp_path, {name: text}))


@pytest.mark.parametrize("release", releases())
def test_a_release_is_whole(release: str) -> None:
    path = engine_limits.DATA / f"vllm-{release}.json"
    read = json.loads(path.read_bytes())
    assert list(read) == [*KEYS, "architectures", "schemes"]
    assert read["release"] == release
    assert len(read["arguments"]) > 150
    assert len(read["architectures"]) > 200
    assert {"--model", "--tensor-parallel-size", "--trust-remote-code", "--host", "--headless"} <= set(
        read["arguments"]
    )
    assert path.read_text() == json.dumps(read, indent=1) + "\n"


def test_our_default_was_read_and_no_advisory_is_open_in_it() -> None:
    assert Version.parse(pinned().release) > ADVISED
    assert VllmServer.model_fields["image"].default == VllmStackServer.model_fields["image"].default == DEFAULT_IMAGE


def test_the_engine_that_is_asked_in_its_own_words_is_the_default() -> None:
    said = subprocess.run(["make", "-n", "-B", "test-vllm"], cwd=ROOT, capture_output=True, text=True, check=True)
    assert f"pip install --quiet vllm=={pinned().release} " in said.stdout


@pytest.mark.parametrize(
    ("image", "release", "cuda"),
    [
        ("vllm/vllm-openai:v0.32.0", "0.32.0", 13),
        ("registry.example.com/a/vllm-openai:v0.32.0-cu129", "0.32.0", 12),
        ("vllm/vllm-openai:v0.12.0-x86_64", "0.12.0", 12),
        (f"vllm/vllm-openai:v0.32.0@sha256:{'0' * 64}", "0.32.0", 13),
    ],
)
def test_an_image_names_its_release(image: str, release: str, cuda: int) -> None:
    engine = vllm(image)
    assert engine
    assert (engine.release, engine.cuda) == (release, cuda)


@pytest.mark.parametrize("image", ["vllm/vllm-openai:latest", "vllm/vllm-openai:v0.99.0", "example.com/vllm:v0.32.0"])
def test_another_image_is_not_known(image: str) -> None:
    assert vllm(image) is None


def arguments(stack: str) -> list[list[str]]:
    """Every command of vLLM in a plan."""
    pods = [
        one.document["spec"].get("template") or one.document["spec"]["leaderWorkerTemplate"]["workerTemplate"]
        for one in manifests(graph(stack))
        if one.document["kind"] in ("Deployment", "LeaderWorkerSet")
    ]
    commands = [container.get("command", []) for pod in pods for container in pod["spec"]["containers"]]
    return [command for command in commands if command[:2] == ["vllm", "serve"]]


def test_what_we_say_to_it_it_knows() -> None:
    said = [command for stack in STACKS for command in arguments(stack)]
    assert said
    for command in said:
        assert pinned().unknown(command) == []
