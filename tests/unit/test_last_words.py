"""After a run that failed three lines say what, why and what next; before it, what it would lack."""

import json
from pathlib import Path

import pytest

from bedplate.cli import main
from bedplate.engine import command as engine
from bedplate.engine import tool
from bedplate.engine.last_words import last_words

FILE = "clusters/Pulumi.prod.yaml"
STACK = "urn:pulumi:prod::p::pulumi:pulumi:Stack::p-prod"
RELEASE = "urn:pulumi:prod::p::bedplate:operators:GpuOperator$kubernetes:helm.sh/v3:Release::gpu-operator"
CLASS = "urn:pulumi:prod::p::kubernetes:storage.k8s.io/v1:StorageClass::storage.existingClasses/cephfs"
AWAY = "is the cluster reached, and KUBECONFIG its file? `kubectl get nodes` tells"
TRACE = """<{%reset%}>error: Program failed with an unhandled exception:
Traceback (most recent call last):
  File "__main__.py", line 4, in <module>
    deploy()
bedplate.stacks.StorageError: no class named ceph
"""


def error(message: str, urn: str = "") -> dict[str, object]:
    return {"diagnosticEvent": {"urn": urn, "message": message, "severity": "error"}}


def words(folder: Path, *events: dict[str, object], command: str = "preview") -> list[str]:
    log = folder / "events.json"
    log.write_text("".join(f"{json.dumps({'sequence': 1, 'timestamp': 1, **event})}\n" for event in events))
    return last_words(log, command, "prod", FILE).splitlines()


@pytest.mark.parametrize(
    ("message", "urn", "command", "expected"),
    [
        (
            "Preview failed: failed to read resource state due to unreachable cluster.",
            CLASS,
            "preview",
            [
                f"failed: StorageClass storage.existingClasses/cephfs (storage.existingClasses in {FILE})",
                "why: failed to read resource state due to unreachable cluster.",
                f"next: {AWAY}; then `bedplate preview prod`",
            ],
        ),
        (
            "<{%reset%}>Helm release 'gpu-operator' was created, but failed to initialize completely.\nmore",
            RELEASE,
            "up",
            [
                f"failed: Release gpu-operator (gpuOperator in {FILE})",
                "why: Helm release 'gpu-operator' was created, but failed to initialize completely.",
                "next: `bedplate doctor prod` says how the cluster is; then `bedplate up prod` goes on from here",
            ],
        ),
        (
            TRACE,
            STACK,
            "preview",
            [
                "failed: the program",
                "why: no class named ceph",
                "next: mend that, then `bedplate preview prod`",
            ],
        ),
        (
            "error: lookup ghcr.io on 10.0.0.2:53: no such host",
            RELEASE,
            "up",
            [
                f"failed: Release gpu-operator (gpuOperator in {FILE})",
                "why: lookup ghcr.io on 10.0.0.2:53: no such host",
                "next: open the way to it, or name a copy in `charts.mirror` (docs/profile.md); then `bedplate up prod`",
            ],
        ),
    ],
    ids=["cluster away", "release", "program", "no internet"],
)
def test_what_failed_why_and_what_next(
    tmp_path: Path, message: str, urn: str, command: str, expected: list[str]
) -> None:
    echo = error("rpc error: code = Canceled desc = grpc: the client connection is closing", CLASS)
    end = error("preview failed")
    assert words(tmp_path, echo, error(message, urn), end, command=command) == expected


def test_a_violated_rule_is_named_and_the_others_counted(tmp_path: Path) -> None:
    policy = {
        "resourceUrn": RELEASE,
        "message": "GPU-101: the driver is the host's\nDescription",
        "policyName": "gpu-101",
        "enforcementLevel": "mandatory",
    }
    advice = {**policy, "resourceUrn": CLASS, "enforcementLevel": "advisory"}
    said = words(tmp_path, {"policyEvent": advice}, {"policyEvent": policy}, error("bad", CLASS))
    assert said == [
        f"failed: Release gpu-operator (gpuOperator in {FILE}), and 1 more",
        "why: GPU-101: the driver is the host's",
        "next: `bedplate rules --explain GPU-101` says how to comply, `bedplate plan prod` whether you do",
    ]


def test_events_that_say_nothing_add_nothing(tmp_path: Path) -> None:
    assert words(tmp_path, error("update failed"), {"summaryEvent": {}}) == []
    assert last_words(tmp_path / "absent", "up", "prod", FILE) == ""
    (tmp_path / "torn").write_text('{"diagnosticEvent": {"sever')
    assert last_words(tmp_path / "torn", "up", "prod", FILE) == ""


CLI = """#!/bin/sh
[ "$1" = stack ] && exit 0
while [ "$1" ]; do [ "$1" = --event-log ] && echo '{{"diagnosticEvent": {event}}}' > "$2"; shift; done
echo "$PULUMI_DEBUG_COMMANDS" > {folder}/debug
exit 1
"""


@pytest.fixture
def company(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Path:
    monkeypatch.chdir(tmp_path)
    assert main(["init", "prod", "--like", "inference-l40s"]) == 0
    capsys.readouterr()
    monkeypatch.setattr("bedplate.stacks.providers.guard", lambda *_: 0)
    monkeypatch.setattr(tool, "policies", lambda *_: ())
    for name in ("BACKEND_URL", "ACCESS_TOKEN", "CONFIG_PASSPHRASE", "CONFIG_PASSPHRASE_FILE", "CREDENTIALS_PATH"):
        monkeypatch.delenv(f"PULUMI_{name}", raising=False)
    monkeypatch.setenv("PULUMI_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("CI", "1")
    event = json.dumps({"severity": "error", "message": "no room", "urn": RELEASE})
    (tmp_path / "pulumi").write_text(CLI.format(event=event, folder=tmp_path))
    (tmp_path / "pulumi").chmod(0o755)
    monkeypatch.setattr(tool, "cli", lambda: str(tmp_path / "pulumi"))
    return tmp_path


SECRETS = [
    f"prod: secret {key} is not set: `bedplate pulumi config prod set --secret bedplate:{key}`"
    for key in ("grafanaPassword", "huggingFaceToken")
]


def keep_secrets(company: Path) -> None:
    file = company / FILE
    set_ = "".join(f"  bedplate:{key}: {{secure: x}}\n" for key in ("grafanaPassword", "huggingFaceToken"))
    file.write_text(file.read_text().replace("config:\n", f"config:\n{set_}", 1))


def test_all_that_is_lacking_is_said_at_once(company: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["up", "prod"]) == engine.WRONG
    first, *rest = capsys.readouterr().err.splitlines()
    assert first.startswith("prod: no place for the state: set PULUMI_BACKEND_URL (file:///…, s3://…")
    assert rest == SECRETS
    assert not (company / "debug").exists()


@pytest.mark.parametrize(
    ("backend", "line"),
    [
        ("{url: file:///s}", "prod: no passphrase for the stack's secrets: set PULUMI_CONFIG_PASSPHRASE"),
        ("file:///s", "prod: no place for the state: set PULUMI_BACKEND_URL"),
    ],
)
def test_the_place_for_the_state_is_below_a_key_of_its_own(
    company: Path, capsys: pytest.CaptureFixture[str], backend: str, line: str
) -> None:
    """`backend:` with text is none: Pulumi refuses it (pulumi/pulumi, sdk/go/common/workspace/project.go, ProjectBackend)."""
    project = company / "Pulumi.yaml"
    project.write_text(f"{project.read_text()}backend: {backend}\n")
    assert main(["up", "prod"]) == engine.WRONG
    assert capsys.readouterr().err.startswith(line)


@pytest.mark.parametrize(
    ("environment", "line"),
    [
        ({"PULUMI_BACKEND_URL": "file:///s"}, "prod: no passphrase for the stack's secrets: set PULUMI_CONFIG_PASSPH"),
        ({"PULUMI_BACKEND_URL": "https://p.example.org"}, "prod: https://p.example.org needs a login: set PULUMI_ACC"),
        ({"PULUMI_BACKEND_URL": "file:///s", "PULUMI_CONFIG_PASSPHRASE": ""}, ""),
        ({"PULUMI_BACKEND_URL": "file:///s", "PULUMI_CONFIG_PASSPHRASE_FILE": "/p"}, ""),
        ({"PULUMI_ACCESS_TOKEN": "t"}, ""),
    ],
)
def test_each_alone(
    company: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    environment: dict[str, str],
    line: str,
) -> None:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    keep_secrets(company)
    assert main(["up", "prod"]) == (engine.WRONG if line else 1)
    said = capsys.readouterr().err
    assert said.startswith(line or f"failed: Release gpu-operator (gpuOperator in {FILE})\nwhy: no room\nnext: ")
    assert (company / "debug").exists() == (not line)


def test_a_login_and_a_projects_own_backend_are_places(company: Path) -> None:
    keep_secrets(company)
    (company / "home").mkdir()
    kept = {"current": "https://c", "accessTokens": {"https://c": "t"}}
    (company / "home" / "credentials.json").write_text(json.dumps(kept))
    assert main(["up", "prod"]) == 1
    (company / "home" / "credentials.json").unlink()
    project = company / "Pulumi.yaml"
    project.write_text(f"{project.read_text()}backend: {{url: 's3://bucket'}}\n")
    (company / FILE).write_text(f"secretsprovider: awskms://key\n{(company / FILE).read_text()}")
    assert main(["up", "prod"]) == 1


def test_a_login_itself_needs_none_of_it(company: Path) -> None:
    assert main(["pulumi", "whoami", "prod"]) == 1
    assert (company / "debug").read_text() == "true\n"
