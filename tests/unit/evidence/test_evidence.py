"""A signed statement: what it says, that it verifies offline, and that any changed byte is found."""

import base64
import json
import stat
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature, encode_dss_signature
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    KeySerializationEncryption,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
)
from hypothesis import given
from hypothesis import strategies as st

from bedplate.cli import main
from bedplate.evidence.envelope import PAYLOAD_TYPE, NotWhatWasSignedError, canonical, encoded, opened, sealed
from bedplate.evidence.keys import identity
from bedplate.evidence.parts import digests, of_checks, of_cluster
from bedplate.evidence.statement import STATEMENT, Part, Planned, result, sha256, statement
from bedplate.stacks.profile.stack_file import StackFiles
from bedplate.wrong import WrongError
from tests.stack_files import document, graph

KEYS = {
    "ed25519": ed25519.Ed25519PrivateKey.from_private_bytes(bytes(range(32))),
    "ecdsa-p256": ec.derive_private_key(1234567, ec.SECP256R1()),
    "ecdsa-p384": ec.derive_private_key(1234567, ec.SECP384R1()),
}
SAID = {
    "_type": STATEMENT,
    "subject": [{"name": "plan", "digest": {"sha256": "0" * 64}}],
    "predicate": {"é": [1, None]},
}
PLANNED = Planned(
    "lab",
    {"Pulumi.lab.yaml": b"config: {}\n", "machines.yaml": b"shapes: {}\n"},
    [{"urn": "u", "type": "t"}],
    [],
    {"count": 3, "sha256": "f" * 64},
    [],
    {"images": [], "notKnown": []},
)
CHECKS: dict[str, Any] = {
    "stack": "lab",
    "level": "full",
    "finished": "2026-01-02T00:00:00+00:00",
    "counts": {"passed": 1, "failed": 0, "unknown": 0},
    "cases": [{"check": "GPUs", "subject": "n1", "status": "passed", "text": "8 GPUs"}],
    "notChecked": ["RDMA links of pool h100"],
}
HEAD = {"created": "2026-01-01T00:00:00+00:00", "bedplate": "0"}


def pem(key: Any, locked: KeySerializationEncryption | None = None) -> bytes:
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, locked or NoEncryption())


@pytest.fixture(params=sorted(KEYS))
def key(request: pytest.FixtureRequest) -> Any:
    return KEYS[request.param]


def test_what_is_sealed_opens_with_the_other_half_of_the_key(key: Any) -> None:
    assert opened(sealed(SAID, key), key.public_key()) == SAID


def test_the_file_is_an_in_toto_statement_in_a_dsse_envelope(key: Any) -> None:
    body = json.loads(sealed(SAID, key))
    assert set(body) == {"payload", "payloadType", "signatures"}
    assert body["payloadType"] == "application/vnd.in-toto+json"
    assert body["signatures"][0]["keyid"] == identity(key.public_key())
    assert json.loads(base64.b64decode(body["payload"]))["_type"] == "https://in-toto.io/Statement/v1"


def test_what_is_signed_is_the_type_and_the_statement_each_with_its_length() -> None:
    assert encoded(b"hello world") == b"DSSEv1 28 application/vnd.in-toto+json 11 hello world"
    assert len(PAYLOAD_TYPE) == 28


@pytest.mark.parametrize("name", sorted(KEYS))
def test_any_changed_byte_is_found(name: str) -> None:
    file, public = sealed(SAID, KEYS[name]), KEYS[name].public_key()

    @given(st.integers(0, len(file) - 1), st.integers(1, 255))
    def changed(place: int, flip: int) -> None:
        other = bytes([*file[:place], file[place] ^ flip, *file[place + 1 :]])
        with pytest.raises(NotWhatWasSignedError):
            opened(other, public)

    changed()


def test_every_byte_is_covered_not_only_those_that_chance_has_met() -> None:
    file, public = sealed(SAID, KEYS["ed25519"]), KEYS["ed25519"].public_key()
    found = 0
    for place in range(len(file)):
        for flip in (1, 0x20, 0x80):
            with pytest.raises(NotWhatWasSignedError):
                opened(bytes([*file[:place], file[place] ^ flip, *file[place + 1 :]]), public)
            found += 1
    assert found == 3 * len(file)


@pytest.mark.parametrize("name", ["ecdsa-p256", "ecdsa-p384"])
def test_the_other_signature_that_anybody_can_make_of_one_is_not_taken(name: str) -> None:
    """ECDSA holds for (r, n-s) whenever it does for (r, s)."""
    key: Any = KEYS[name]
    for number in range(8):
        body = json.loads(sealed({**SAID, "subject": [{"name": f"plan {number}"}]}, key))
        r, s = decode_dss_signature(base64.b64decode(body["signatures"][0]["sig"]))
        twin = encode_dss_signature(r, key.curve.group_order - s)
        key.public_key().verify(twin, encoded(base64.b64decode(body["payload"])), ec.ECDSA(SHA256()))
        body["signatures"][0]["sig"] = base64.b64encode(twin).decode()
        with pytest.raises(NotWhatWasSignedError, match="not one of this statement"):
            opened(canonical(body) + b"\n", key.public_key())


@pytest.mark.parametrize(
    "change", [lambda file: file[:-1], lambda file: file + b"\n", lambda file: b" " + file, lambda _: b""]
)
def test_a_shorter_or_longer_file_is_found(change: Any) -> None:
    key = KEYS["ed25519"]
    with pytest.raises(NotWhatWasSignedError):
        opened(change(sealed(SAID, key)), key.public_key())


def test_the_same_statement_written_anew_around_is_said_to_be_that() -> None:
    key = KEYS["ed25519"]
    anew = json.dumps(json.loads(sealed(SAID, key)), indent=2).encode()
    with pytest.raises(NotWhatWasSignedError, match="its envelope is not: it was written anew"):
        opened(anew, key.public_key())


def test_another_key_is_said_to_be_another() -> None:
    with pytest.raises(NotWhatWasSignedError, match="it is signed by key"):
        opened(sealed(SAID, KEYS["ed25519"]), KEYS["ecdsa-p256"].public_key())


def test_a_statement_of_another_key_under_our_name_is_not_taken() -> None:
    theirs = json.loads(sealed(SAID, ed25519.Ed25519PrivateKey.generate()))
    theirs["signatures"][0]["keyid"] = identity(KEYS["ed25519"].public_key())
    with pytest.raises(NotWhatWasSignedError, match="the signature is not one of this statement"):
        opened(canonical(theirs) + b"\n", KEYS["ed25519"].public_key())


def part(name: str, checked: Part) -> dict[str, Any]:
    return statement(PLANNED, {"cluster": Part({"version": "v1.35.0"})}, {name: checked}, HEAD)["predicate"]


def test_a_digest_is_the_one_that_sha256sum_says() -> None:
    subjects = {one["name"]: one["digest"]["sha256"] for one in statement(PLANNED, {}, {}, HEAD)["subject"]}
    assert subjects["Pulumi.lab.yaml"] == sha256(b"config: {}\n")
    assert subjects["machines.yaml"] == sha256(b"shapes: {}\n")
    assert set(subjects) == {"Pulumi.lab.yaml", "machines.yaml", "plan", "policies"}


def test_another_plan_has_another_digest_and_the_order_of_keys_makes_none() -> None:
    same = replace(PLANNED, resources=[{"type": "t", "urn": "u"}])
    other = replace(PLANNED, resources=[{"type": "t", "urn": "v"}])
    assert same.plan_digest == PLANNED.plan_digest != other.plan_digest


@pytest.mark.parametrize(
    ("faults", "open_", "expected"), [(0, [], "passed"), (0, ["x"], "unknown"), (1, ["x"], "failed")]
)
def test_what_was_not_checked_is_no_pass(faults: int, open_: list[str], expected: str) -> None:
    assert result(faults, open_) == expected


def test_mandatory_findings_alone_are_faults_of_a_statement() -> None:
    levels = ("mandatory", "advisory", "mandatory")
    planned = replace(PLANNED, findings=[{"rule": "GPU-101", "severity": level} for level in levels])
    said = statement(planned, {}, {}, HEAD)["predicate"]
    assert (said["faults"]["findings"], said["result"]) == (2, "failed")
    advised = replace(PLANNED, findings=[{"rule": "GPU-101", "severity": "advisory"}])
    assert statement(advised, {}, {}, HEAD)["predicate"]["result"] == "passed"


def test_what_a_check_left_out_is_left_out_in_the_statement_too() -> None:
    said = part("verify", of_checks(json.dumps(CHECKS).encode(), "v.json", "lab"))
    assert said["notChecked"] == ["RDMA links of pool h100"]
    assert said["result"] == "unknown"
    assert said["checked"]["verify"]["cases"] == CHECKS["cases"]


def test_a_failed_check_is_a_failed_statement_and_an_unknown_one_is_named() -> None:
    case = {"check": "NVLink", "subject": "n2", "status": "unknown", "text": "its log breaks off"}
    bad = {**CHECKS, "counts": {"passed": 1, "failed": 1, "unknown": 1}, "cases": [case], "notChecked": []}
    said = part("verify", of_checks(json.dumps(bad).encode(), "v.json", "lab"))
    assert (said["result"], said["faults"]["verify"]) == ("failed", 1)
    assert said["notChecked"] == ["NVLink n2: its log breaks off"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"{}", "v.json: no result of `bedplate verify --json`"),
        (b"[", "v.json: no result of `bedplate verify --json`"),
        (json.dumps({**CHECKS, "counts": {"passed": 1}}).encode(), "v.json: no result of `bedplate verify --json`"),
        (
            json.dumps({key: value for key, value in CHECKS.items() if key != "finished"}).encode(),
            "v.json: it does not say when it ended (`finished`); run `bedplate verify` anew",
        ),
        (json.dumps({**CHECKS, "stack": "prod"}).encode(), "v.json: a result of stack prod, and this is lab"),
    ],
)
def test_a_file_that_is_no_result_of_this_stack_is_refused(text: bytes, message: str) -> None:
    with pytest.raises(WrongError) as error:
        of_checks(text, "v.json", "lab")
    assert str(error.value) == message


def test_images_have_the_digest_that_the_nodes_pulled() -> None:
    started = {"image": "registry.k8s.io/kueue/kueue:v0.19.2", "imageID": "registry.k8s.io/kueue/kueue@sha256:aa"}
    waiting = {"image": "quay.io/a/b:1", "imageID": "", "state": {"waiting": {"reason": "ImagePullBackOff"}}}
    pods = [{"status": {"containerStatuses": [started], "initContainerStatuses": [waiting]}}, {}]
    assert digests(pods) == {"registry.k8s.io/kueue/kueue:v0.19.2": "sha256:aa"}


def test_an_image_that_runs_and_whose_digest_no_node_tells_is_said_to_be_unknown() -> None:
    one = {"image": "quay.io/a/b:1", "state": {"running": {}}}
    loaded, pulled = one | {"imageID": "sha256:config"}, one | {"imageID": "quay.io/a/b@sha256:aa"}
    assert digests([{"status": {"containerStatuses": [pulled, loaded]}}]) == {"quay.io/a/b:1": "sha256:aa"}
    found = of_cluster("v1.35.0", [], {}, 7, digests([{"status": {"containerStatuses": [loaded]}}]))
    assert found.says["images"] == {}
    assert found.not_checked == ("image quay.io/a/b:1: it runs, and its node tells no digest",)


def test_what_may_not_be_listed_on_the_cluster_is_not_checked() -> None:
    found = of_cluster("v1.35.0", [{"what": "x"}], {"Pod v1": "you may not list them"}, 7, {})
    assert (found.faults, found.not_checked) == (1, ("Pod v1: you may not list them",))


@pytest.fixture
def desk(tmp_path: Path) -> Path:
    (tmp_path / "a.key").write_bytes(pem(KEYS["ed25519"]))
    public = KEYS["ed25519"].public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    (tmp_path / "a.pub").write_bytes(public)
    (tmp_path / "v.json").write_text(json.dumps({**CHECKS, "notChecked": []}))
    return tmp_path


def as_planned() -> bytes:
    """The state of a stack that was deployed as it is planned now."""
    held = [
        {"urn": node.urn, "inputs": dict(node.inputs), "outputs": {"password": "hunter2"}}
        for node in graph("lab").resources
    ]
    return json.dumps({"version": 3, "deployment": {"resources": held}}).encode()


def words(desk: Path, *more: str) -> list[str]:
    return ["evidence", "lab", "--key", str(desk / "a.key"), "--out", str(desk / "e.json"), *more]


def test_a_result_of_before_the_last_change_is_no_check_of_what_stands_now() -> None:
    text = json.dumps({**CHECKS, "notChecked": []}).encode()
    assert of_checks(text, "v.json", "lab", "2026-01-01T23:59:59.123456789Z").not_checked == ()
    late = "2026-01-02T00:00:00.5Z"
    assert of_checks(text, "v.json", "lab", late).not_checked == (
        f"v.json: it ended 2026-01-02T00:00:00+00:00, and the cluster was last changed {late}: verify anew",
    )


def test_the_command_states_and_verifies(desk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (desk / "s.json").write_bytes(as_planned())
    assert main(words(desk, "--verify", str(desk / "v.json"), "--state", str(desk / "s.json"))) == 3
    out = capsys.readouterr().out
    assert "not checked: the running cluster: it was not asked (--cluster asks it)" in out
    assert max(map(len, out.removeprefix(str(desk / "e.json")).splitlines())) <= 80
    assert main(["evidence", "verify", str(desk / "e.json"), "--key", str(desk / "a.pub")]) == 0
    assert capsys.readouterr().out.startswith("signed as it is\nstack lab, ")
    assert main(["evidence", "verify", str(desk / "e.json"), "--key", str(desk / "a.pub"), "--json"]) == 0
    said = json.loads(capsys.readouterr().out)["predicate"]
    assert said["deployed"]["state"]["notDeployed"] == said["deployed"]["state"]["notAsPlanned"] == []
    assert said["checked"]["verify v.json"]["counts"]["passed"] == 1
    assert {"registry.k8s.io/kueue/kueue:v0.19.2"} <= {one["image"] for one in said["planned"]["images"]}


def test_the_command_finds_a_changed_file(desk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = desk / "e.json"
    file.write_bytes(sealed(SAID, KEYS["ed25519"]).replace(b'"sig":"', b'"sig" :"'))
    assert main(["evidence", "verify", str(file), "--key", str(desk / "a.pub")]) == 1
    assert "not to be relied on" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "cannot be read: No such file or directory; `openssl genpkey -algorithm ed25519 -out evidence.key`"),
        (b"text", "holds no private key in PEM"),
        (pem(rsa.generate_private_key(65537, 2048)), "is RSAPrivateKey; what is signed here needs an Ed25519 key"),
        (pem(KEYS["ed25519"], BestAvailableEncryption(b"x")), "give its password in BEDPLATE_KEY_PASSWORD"),
    ],
)
def test_a_key_that_cannot_sign_is_refused_before_anything_is_planned(
    desk: Path, capsys: pytest.CaptureFixture[str], content: bytes | None, message: str
) -> None:
    (desk / "a.key").unlink()
    if content is not None:
        (desk / "a.key").write_bytes(content)
    assert main(words(desk)) == 2
    said = capsys.readouterr().err
    assert said.startswith(f"{desk / 'a.key'}: ")
    assert message in said
    assert len(said.splitlines()) == 1
    assert not (desk / "e.json").exists()


def test_a_locked_key_signs_with_its_password(desk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from bedplate.evidence.keys import private_key

    (desk / "a.key").write_bytes(pem(KEYS["ed25519"], BestAvailableEncryption(b"x")))
    monkeypatch.setenv("BEDPLATE_KEY_PASSWORD", "x")
    assert identity(private_key(desk / "a.key").public_key()) == identity(KEYS["ed25519"].public_key())


def test_openssl_says_the_same_of_the_signature(desk: Path) -> None:
    body = json.loads(sealed(SAID, KEYS["ed25519"]))
    (desk / "data").write_bytes(encoded(base64.b64decode(body["payload"])))
    (desk / "sig").write_bytes(base64.b64decode(body["signatures"][0]["sig"]))
    command = ["openssl", "pkeyutl", "-verify", "-pubin", "-inkey", "a.pub", "-rawin", "-in", "data", "-sigfile", "sig"]
    try:
        done = subprocess.run(command, cwd=desk, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        pytest.skip("no openssl here")
    assert "Signature Verified Successfully" in done.stdout


def test_no_secret_is_in_a_statement(desk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Whatever a stack keeps secret is masked in the plan, of which there is a digest alone."""
    secret = "s3cret-of-the-state"  # noqa: S105 - not one
    (desk / "s.json").write_bytes(as_planned().replace(b"hunter2", secret.encode()))
    main(words(desk, "--state", str(desk / "s.json")))
    capsys.readouterr()
    payload = base64.b64decode(json.loads((desk / "e.json").read_bytes())["payload"])
    assert secret.encode() not in payload
    assert pem(KEYS["ed25519"]).splitlines()[1] not in payload
    assert stat.S_ISREG((desk / "e.json").stat().st_mode)


def test_two_images_under_one_tag_are_both_named() -> None:
    pods = [
        {"status": {"containerStatuses": [{"image": "quay.io/a/b:1", "imageID": f"quay.io/a/b@sha256:{digest}"}]}}
        for digest in ("bb", "aa", "bb")
    ]
    assert digests(pods) == {"quay.io/a/b:1": "sha256:aa, sha256:bb"}


def test_every_file_that_a_plan_is_read_from_is_a_subject(desk: Path) -> None:
    machines = b"shapes: {}\n"
    (desk / "stacks").mkdir()
    (desk / "machines.yaml").write_bytes(machines)
    (desk / "Pulumi.yaml").write_text("name: bedplate\nruntime: python\nstackConfigDir: stacks\n")
    server = {"name": "chat", "model": {"config": "config.json"}}
    profile = {**document("lab"), "hardware": {"file": "../machines.yaml"}, "serving": {"servers": [server]}}
    (desk / "stacks" / "Pulumi.mine.yaml").write_text(yaml.safe_dump({"config": {"bedplate:profile": profile}}))
    sources = StackFiles(desk).sources("mine")
    assert list(sources) == ["Pulumi.mine.yaml", "../machines.yaml", "config.json"]
    assert sources["config.json"] == desk / "stacks" / "config.json"
    assert sources["../machines.yaml"].read_bytes() == machines
    bare = desk / "clusters" / "mine.yaml"
    bare.parent.mkdir()
    bare.write_text(yaml.safe_dump(document("lab")))
    assert list(StackFiles(desk).sources("mine")) == ["mine.yaml", "Pulumi.mine.yaml"], (
        "settings are beside a bare profile"
    )


def test_a_stack_file_that_changes_while_it_is_planned_is_not_signed(
    desk: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from bedplate.evidence import gather

    seen = iter(({"Pulumi.lab.yaml": b"1"}, {"Pulumi.lab.yaml": b"2"}))
    monkeypatch.setattr(gather, "_files", lambda _: next(seen))
    assert main(words(desk)) == 2
    assert capsys.readouterr().err == "stacks/Pulumi.lab.yaml: changed while it was planned; run it again\n"
    assert not (desk / "e.json").exists()
