"""A statement signed by a key that stays in a KMS: AWS' as moto plays it, through securesystemslib's own signer."""

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import boto3
import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import Prehashed, decode_dss_signature
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat, load_der_public_key
from moto import mock_aws
from moto.kms.utils import ECDSAPrivateKey

from bedplate.cli import main
from bedplate.evidence import kms
from bedplate.evidence.envelope import opened, sealed
from bedplate.evidence.keys import private_key, public_key, sign
from bedplate.wrong import WrongError

SAID = {"subject": [{"name": "plan", "digest": {"sha256": "0" * 64}}]}
NAME = "awskms:alias/evidence"


@pytest.fixture
def aws(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """An account's KMS."""
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "testing")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "eu-central-1")
    with mock_aws():
        yield boto3.client("kms")


@pytest.fixture
def digests(monkeypatch: pytest.MonkeyPatch) -> None:
    """Moto 5.2.5 hashes a digest again (moto/kms/models.py: `DIGEST` is not implemented), AWS signs it as it is."""

    def signed(self: Any, message: bytes, _: str) -> bytes:
        return self.private_key.sign(message, ec.ECDSA(Prehashed(SHA256())))

    monkeypatch.setattr(ECDSAPrivateKey, "sign", signed)


def key_in(aws: Any, spec: str = "ECC_NIST_P256") -> str:
    made = aws.create_key(KeyUsage="SIGN_VERIFY", KeySpec=spec)["KeyMetadata"]
    aws.create_alias(AliasName="alias/evidence", TargetKeyId=made["KeyId"])
    return made["Arn"]


def exported(aws: Any, file: Path) -> Path:
    """Its public half, as `aws kms get-public-key` and openssl write it (docs/evidence.md)."""
    half = load_der_public_key(aws.get_public_key(KeyId="alias/evidence")["PublicKey"])
    file.write_bytes(half.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo))
    return file


@pytest.mark.usefixtures("digests")
def test_what_a_kms_has_signed_opens_with_the_public_half_alone(aws: Any, tmp_path: Path) -> None:
    arn = key_in(aws)
    for name in (NAME, f"awskms:{arn}"):
        file = sealed(SAID, private_key(Path(name)))
        assert opened(file, public_key(exported(aws, tmp_path / "evidence.pub"))) == SAID


@pytest.mark.usefixtures("digests")
def test_of_its_two_signatures_the_one_with_the_lower_s_is_written(aws: Any) -> None:
    key_in(aws)
    key = private_key(Path(NAME))
    order = ec.SECP256R1().group_order
    for number in range(8):
        assert decode_dss_signature(sign(key, b"%d" % number))[1] <= order // 2


@pytest.mark.usefixtures("digests")
def test_the_command_signs_by_a_kms_and_verifies_without_it(
    aws: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    key_in(aws)
    public, out = exported(aws, tmp_path / "evidence.pub"), tmp_path / "e.json"
    assert main(["evidence", "lab", "--key", NAME, "--out", str(out)]) == 3, "nothing was checked"
    aws.disable_key(KeyId=aws.describe_key(KeyId="alias/evidence")["KeyMetadata"]["KeyId"])
    capsys.readouterr()
    assert main(["evidence", "verify", str(out), "--key", str(public)]) == 0
    assert capsys.readouterr().out.startswith("signed as it is\nstack lab, ")


def test_a_signature_over_something_else_is_never_written(aws: Any) -> None:
    """As of moto itself, which hashes the digest once more."""
    key_in(aws)
    with pytest.raises(WrongError, match="signed something else than it was given"):
        sealed(SAID, private_key(Path(NAME)))


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("ECC_NIST_P384", f"{NAME}: signs by ecdsa-sha2-nistp384; make a key of one of ecdsa-sha2-nistp256, ed25519"),
        ("RSA_2048", f"{NAME}: signs by rsassa-pss-sha256; make a key of one of ecdsa-sha2-nistp256, ed25519"),
    ],
)
def test_a_key_of_another_kind_is_refused_before_anything_is_planned(
    aws: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str], spec: str, message: str
) -> None:
    key_in(aws, spec)
    assert main(["evidence", "lab", "--key", NAME, "--out", str(tmp_path / "e.json")]) == 2
    assert capsys.readouterr().err == f"{message}\n"
    assert not (tmp_path / "e.json").exists()


@pytest.mark.usefixtures("aws")
def test_a_key_that_is_not_there_is_said_in_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["evidence", "lab", "--key", NAME, "--out", str(tmp_path / "e.json")]) == 2
    said = capsys.readouterr().err
    assert said.startswith(f"{NAME}: An error occurred (NotFoundException)")
    assert len(said.splitlines()) == 1


@pytest.mark.parametrize("name", sorted(kms.EXTRA))
def test_every_kms_has_a_signer_in_the_library(name: str) -> None:
    library = importlib.import_module("securesystemslib.signer")
    signer, _ = kms.EXTRA[name]
    assert name == getattr(library, signer).SCHEME


@pytest.mark.parametrize("name", ["azurekms", "gcpkms", "hv"])
def test_a_kms_whose_sdk_is_not_installed_is_named_with_what_it_needs(name: str) -> None:
    with pytest.raises(WrongError, match=rf"^{name}:vault/key: .*require"):
        kms.HeldKey(f"{name}:vault/key")


def test_without_the_library_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "securesystemslib.signer", None)
    with pytest.raises(WrongError, match=r"pip install 'securesystemslib\[awskms,crypto\]>=1\.6,<2'"):
        kms.HeldKey(NAME)
