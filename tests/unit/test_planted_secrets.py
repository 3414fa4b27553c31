"""A secret is planted wherever a stack, its environment, a state or a cluster can have one, and no output has it."""

import base64
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import BestAvailableEncryption, Encoding, PrivateFormat

from bedplate.cli import main
from bedplate.live.kinds import ATTACHMENT, CLUSTER_POLICY, DEPLOYMENT, NODE, Kind
from bedplate.policies.reports.outputs import FORMATS
from bedplate.stacks.load import load
from bedplate.stacks.profile.stack_file import PROFILE_KEY
from tests.live_cluster import FakeCluster, settled
from tests.stack_files import document, graph_of
from tests.unit.live.test_from_cluster import cluster as machines

PLANTED = "Pl4nted0fN00ne"
"""Of letters and digits alone, so that no encoding hides it."""
ROCE = "onprem-h100-roce"
CONFIG = {
    "bedplate:grafanaPassword": PLANTED,
    "bedplate:alertmanagerConfig": f"receivers: [{{name: x, webhook_configs: [{{url: https://x/{PLANTED}}}]}}]",
    "bedplate:registryCredentials": json.dumps({"auths": {"example.com": {"auth": PLANTED}}}),
    "bedplate:huggingFaceToken": PLANTED,
    "bedplate:nobodyAsksForThis": PLANTED,
}
"""As somebody writes them who forgot `--secret`."""
ENVIRONMENT = (
    *("PULUMI_CONFIG_PASSPHRASE", "PULUMI_ACCESS_TOKEN", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "HF_TOKEN"),
    *("AZURE_CLIENT_SECRET", "GOOGLE_CREDENTIALS", "BEDPLATE_KEY_PASSWORD", "HTTPS_PROXY"),
)
Run = Callable[..., tuple[int, str]]


@pytest.fixture
def stack(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A stack file with secrets in plain text, in an environment full of them."""
    for name in ENVIRONMENT:
        monkeypatch.setenv(name, PLANTED)
    file = tmp_path / "Pulumi.planted.yaml"
    profile: dict[str, Any] = document(ROCE) | {"name": "planted"}
    profile["tenancy"]["teams"][0]["imagePullSecret"] = True
    file.write_text(yaml.safe_dump({"config": {PROFILE_KEY: profile, **CONFIG}}))
    return file


@pytest.fixture
def run(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> Run:
    """A command, and all that it says or writes."""

    def ran(*words: str) -> tuple[int, str]:
        capfd.readouterr()
        status = main(list(words))
        out, err = capfd.readouterr()
        return status, "".join((out, err, *written(tmp_path)))

    return ran


def written(folder: Path) -> list[str]:
    """Text of every file that a command wrote."""
    return [path.read_text(errors="replace") for path in (folder / "out").rglob("*") if path.is_file()]


def without(said: str) -> None:
    assert len(said) > 100
    assert PLANTED not in said


@pytest.mark.parametrize("words", [("--format", "tree"), ("--json",), ("--format", "markdown"), ("--traceback",)])
def test_a_plan_has_none_in_any_form(words: tuple[str, ...], stack: Path, run: Run, tmp_path: Path) -> None:
    status, said = run("plan", "--profile", str(stack), "--out", str(tmp_path / "out"), *words)
    assert status in (0, 1)
    assert "[secret]" in "".join(written(tmp_path)), "the objects that hold them are there"
    without(said)


def test_the_difference_of_two_plans_has_none(stack: Path, run: Run, tmp_path: Path) -> None:
    before, after = tmp_path / "before", tmp_path / "out"
    run("plan", "--profile", str(stack), "--out", str(before))
    changed = yaml.safe_load(stack.read_text())
    changed["config"]["bedplate:grafanaPassword"] = f"{PLANTED}2"
    changed["config"][PROFILE_KEY]["pools"][1]["nodes"] = 7
    stack.write_text(yaml.safe_dump(changed))
    run("plan", "--profile", str(stack), "--out", str(after))
    for form in ("table", "markdown", "json"):
        without(run("diff", str(before), str(after), "--format", form)[1])


@pytest.mark.parametrize("form", ["text", "json", "skopeo"])
def test_the_list_of_images_has_none(form: str, stack: Path, run: Run) -> None:
    without(run("images", str(stack), "--format", form)[1])


@pytest.mark.parametrize("form", FORMATS)
def test_a_judgement_of_a_manifest_with_one_says_the_rule_and_not_the_secret(
    form: str, run: Run, tmp_path: Path
) -> None:
    limits = {"nvidia.com/gpu": "8", "rdma/rdma_shared_device_a": "8"}
    env = [{"name": name, "value": PLANTED} for name in ("HF_TOKEN", "NCCL_IB_HCA", "NCCL_DEBUG")]
    container = {"name": PLANTED[:3].lower(), "image": f"x:{PLANTED}@y", "env": env, "resources": {"limits": limits}}
    container |= {"args": [f"--api-key={PLANTED}"], "command": ["sh", "-c", f"export NCCL_NET={PLANTED}"]}
    made = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}, "spec": {"containers": [container]}}
    (tmp_path / "a.yaml").write_text(yaml.safe_dump(made))
    without(run("check", str(tmp_path / "a.yaml"), "--format", form)[1])


HELD_BY: dict[str, dict[str, Any]] = {
    "gpuOperator": {"overrides": {"driver": {"licensingConfig": {"token": PLANTED}}}},
    "monitoring": {"kind": "stack", "overrides": {"grafana": {"adminPassword": PLANTED}}},
    "networkOperator": {"overrides": {"env": [{"name": "NGC_API_KEY", "value": PLANTED}]}},
    "storage": {"drivers": [{"kind": "lustre", "password": PLANTED}]},
    "nobodyKnowsThisPassword": {"password": PLANTED},
}
"""Places of a profile in which people put one."""


@pytest.mark.parametrize("section", HELD_BY)
def test_a_profile_with_one_is_refused_without_saying_it(section: str, stack: Path, run: Run) -> None:
    file = yaml.safe_load(stack.read_text())
    file["config"][PROFILE_KEY][section] = HELD_BY[section]
    stack.write_text(yaml.safe_dump(file))
    for words in (("plan", "--profile", str(stack)), ("plan", "--profile", str(stack), "--traceback", "--json")):
        status, said = run(*words)
        assert status == 2
        assert section in said
        assert PLANTED not in said


ASSIGNED: tuple[object, ...] = (
    f"HF_TOKEN={PLANTED}",
    [f"HF_TOKEN={PLANTED}"],
    {f"HF_TOKEN={PLANTED}": "x"},
    [f"--api-key={PLANTED}"],
    [["sh", "-c", f"export HF_TOKEN={PLANTED} && exec serve"]],
)
"""As other tools write variables and arguments, in places that take something else."""


@pytest.mark.parametrize("value", ASSIGNED, ids=str)
@pytest.mark.parametrize("key", ["env", "script", "nobodyKnowsThis"])
def test_a_job_file_with_one_in_the_wrong_form_is_refused_without_saying_it(
    key: str, value: object, run: Run, tmp_path: Path
) -> None:
    written = {"name": "x", "team": "research", "kind": "Job", "image": "example.com/a:1", "nodes": 2}
    (tmp_path / "job.yaml").write_text(yaml.safe_dump({**written, "script": ["a"], key: value}))
    status, said = run("job", "render", str(tmp_path / "job.yaml"), "--stack", "lab")
    if status == 0:
        assert key == "script", "a job's own words are its manifest"
    else:
        assert key in said
        assert PLANTED not in said


@pytest.mark.parametrize("value", ASSIGNED, ids=str)
def test_a_server_with_one_in_the_wrong_form_is_refused_without_saying_it(value: object, stack: Path, run: Run) -> None:
    file = yaml.safe_load(stack.read_text())
    file["config"][PROFILE_KEY]["serving"]["servers"][0]["env"] = value
    stack.write_text(yaml.safe_dump(file))
    status, said = run("plan", "--profile", str(stack))
    assert status == 2
    assert "serving.servers[0].env" in said
    assert PLANTED not in said


def test_a_description_of_a_cluster_has_none_of_the_clusters(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cluster = machines()
    for kind in (NODE, DEPLOYMENT, CLUSTER_POLICY, ATTACHMENT):
        cluster.add(planted_in(kind))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("bedplate.live.reading.fetched", lambda _, path, **__: cluster.get(path))
    status, said = run("init", "prod", "--from-cluster", "far", "--into", str(tmp_path / "out"))
    assert status == 0, said
    without(said)


def planted_in(kind: Kind) -> dict[str, Any]:
    """An object with one in each place where people write them."""
    env = [{"name": "NGC_API_KEY", "value": PLANTED}]
    container = {"name": "c", "image": f"https://u:{PLANTED}@registry.example.com/x:v1", "env": env, "args": [PLANTED]}
    metadata = {"name": "planted", "namespace": "research", "annotations": {"note": PLANTED}}
    spec: dict[str, Any] = {"driver": {"env": env}, "template": {"spec": {"containers": [container]}}}
    spec["config"] = json.dumps({"type": "macvlan", "ipam": {"type": "whereabouts", "token": PLANTED}})
    return {"apiVersion": kind.version, "kind": kind.kind, "metadata": metadata, "spec": spec, "status": {}}


def state(urns: list[str]) -> dict[str, Any]:
    """As `pulumi stack export --show-secrets` writes it."""
    inputs = {"stringData": {"token": PLANTED}, "values": {"grafana": {"adminPassword": PLANTED}}}
    resources = [
        {"urn": urn, "type": urn.split("::")[2].rpartition("$")[2], "inputs": inputs, "outputs": inputs} for urn in urns
    ]
    manifest = {"time": "2026-11-01T10:00:00Z", "magic": PLANTED, "version": "v3"}
    return {
        "version": 3,
        "deployment": {"manifest": manifest, "resources": resources, "secrets_providers": {"state": PLANTED}},
    }


def test_a_statement_has_none_of_the_stacks_and_none_of_the_states(stack: Path, run: Run, tmp_path: Path) -> None:
    profile = yaml.safe_load(stack.read_text())["config"][PROFILE_KEY]
    urns = [node.urn for node in graph_of(profile).resources]
    (tmp_path / "state.json").write_text(json.dumps(state(urns)))
    key, out = tmp_path / "a.key", tmp_path / "out"
    out.mkdir()
    key.write_bytes(
        Ed25519PrivateKey.generate().private_bytes(
            Encoding.PEM, PrivateFormat.PKCS8, BestAvailableEncryption(PLANTED.encode())
        )
    )
    files = ("--key", str(key), "--out", str(out / "e.json"), "--state", str(tmp_path / "state.json"))
    status, said = run("evidence", str(stack), *files)
    assert status == 1, said
    envelope = json.loads((out / "e.json").read_text())
    without(base64.b64decode(envelope["payload"]).decode())
    without(said)


@pytest.fixture
def broken(stack: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FakeCluster:
    """The cluster of the stack, in which somebody wrote secrets into a server by hand."""
    profile = yaml.safe_load(stack.read_text())["config"][PROFILE_KEY]
    cluster = settled(graph_of(profile), load(profile))[1]
    context = profile.get("context", profile["name"])
    config = {
        "contexts": [{"name": context}],
        "current-context": context,
        "users": [{"name": "x", "user": {"token": PLANTED}}],
    }
    (tmp_path / "kubeconfig").write_text(yaml.safe_dump(config))
    monkeypatch.setenv("KUBECONFIG", str(tmp_path / "kubeconfig"))
    monkeypatch.setattr("bedplate.live.reading.fetched", lambda _, path, **__: cluster.get(path))
    return cluster


def server(cluster: FakeCluster) -> dict[str, Any]:
    return cluster.one(DEPLOYMENT, "llama-70b", "serving")["spec"]["template"]["spec"]["containers"][0]


def by_argument(cluster: FakeCluster) -> None:
    server(cluster)["command"] = ["serve", f"--api-key={PLANTED}"]


def by_the_next_argument(cluster: FakeCluster) -> None:
    server(cluster)["command"] = ["serve", "--hf-token", PLANTED]


def by_a_script(cluster: FakeCluster) -> None:
    server(cluster)["command"] = ["sh", "-c", f"export HF_TOKEN={PLANTED} && exec serve"]


def by_a_variable(cluster: FakeCluster) -> None:
    server(cluster)["env"] = [{"name": one["name"], "value": PLANTED} for one in server(cluster).get("env", ())] + [
        {"name": "HF_TOKEN", "value": PLANTED}
    ]


def by_a_message(cluster: FakeCluster) -> None:
    server(cluster)["image"] = f"https://user:{PLANTED}@registry.example.com/vllm:v1"


@pytest.mark.parametrize("plant", [by_argument, by_the_next_argument, by_a_script, by_a_variable, by_a_message])
def test_the_doctor_names_the_key_and_not_what_was_written_there(
    plant: Callable[[FakeCluster], None], broken: FakeCluster, stack: Path, run: Run
) -> None:
    plant(broken)
    for words in ((), ("--json",)):
        status, said = run("doctor", str(stack), *words)
        assert status == 1, said
        assert "llama-70b" in said
        without(said)


@pytest.mark.parametrize("words", ["profile show", "profile show --json", "size cluster --json --stack", "migrate"])
def test_other_readers_of_the_stack_file_say_none(words: str, stack: Path, run: Run) -> None:
    status, said = run(*words.split(), str(stack))
    assert status == 0, said
    assert PLANTED not in said


def test_a_log_for_others_has_none(stack: Path, run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit):
        run("--debug", "plan", "--profile", str(stack), "--password", PLANTED)
    without((tmp_path / "bedplate-debug.log").read_text())
