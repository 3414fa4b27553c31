"""Who should have signed is asked of cosign by its own options, and what nobody knows is said."""

import sys
from pathlib import Path

import pytest

from bedplate.charts import sets
from bedplate.components import signatures
from bedplate.components.signatures import NoCosignError, Signer, of, signers, verified
from bedplate.evidence.images_command import main
from bedplate.releases.lookup import of_chart
from bedplate.releases.published import Published
from tests.unit.releases.test_update import CHARTS, Shelf, Start, certificate, everything, start

__all__ = ["certificate", "start"]
COSIGN = """#!{python}
import sys
open({asked!r}, "a").write(" ".join(sys.argv[1:]) + "\\n")
if "kueue" in sys.argv[-1]:
    print("main.go:62: error during command execution: no signatures found", file=sys.stderr)
    sys.exit("Error: no signatures found")
"""


@pytest.fixture
def cosign(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The program as far as its options go: nothing of Kueue's is signed."""
    program, asked = tmp_path / "bin" / "cosign", tmp_path / "asked"
    program.parent.mkdir()
    program.write_text(COSIGN.format(python=sys.executable, asked=str(asked)))
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(program.parent), prepend=":")
    return asked


def own(tmp_path: Path, text: str) -> Path:
    file = tmp_path / "signers.toml"
    file.write_text(text)
    return file


def test_cosign_is_told_the_identity_the_key_and_whether_there_is_a_log(cosign: Path) -> None:
    table = [Signer("a/", identity="me@example.com", issuer="https://issuer"), Signer("b/", key="b.pub")]
    table += [Signer("b/old", key="old.pub", log=False), Signer("c/", unsigned="scanned here")]
    each = verified(["a/one:1", "b/two:2", "b/old:3", "c/four:4", "d/five:5", "a/kueue:6"], table)
    assert [(one.state, one.text) for one in each] == [
        ("signed", "me@example.com"),
        ("signed", "b.pub"),
        ("signed", "old.pub"),
        ("unsigned", "scanned here"),
        ("unknown", "nobody is known to sign it"),
        ("refused", "not verified as me@example.com's: Error: no signatures found"),
    ]
    assert sorted(cosign.read_text().splitlines()) == [
        "verify --certificate-identity me@example.com --certificate-oidc-issuer https://issuer a/kueue:6",
        "verify --certificate-identity me@example.com --certificate-oidc-issuer https://issuer a/one:1",
        "verify --key b.pub b/two:2",
        "verify --key old.pub --insecure-ignore-tlog=true b/old:3",
    ]


def test_a_sites_table_comes_before_ours_and_the_longest_beginning_counts(tmp_path: Path) -> None:
    file = own(tmp_path, '[[signers]]\nimages = "registry.k8s.io/"\nkey = "ours.pub"\n')
    found = of("registry.k8s.io/kueue/kueue:v1", signers(file))
    assert found is not None
    assert found.who == "ours.pub"
    assert of("nvcr.io/nvidia/cuda:1", [Signer("nvcr.io/", key="a"), Signer("nvcr.io/nvidia/", key="b")]) == Signer(
        "nvcr.io/nvidia/", key="b"
    )


@pytest.mark.parametrize(
    "text",
    [
        'images = "a/"',
        'key = "a.pub"',
        'images = "a/"\nidentity = "me"',
        'images = "a/"\nkey = "k"\nunsigned = "no"',
        'images = "a/"\nkey = "k"\nkeys = "x"',
    ],
)
def test_a_row_that_says_nothing_that_can_be_verified_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(NoCosignError, match=r"signer 1: write `images` and one of"):
        signers(own(tmp_path, f"[[signers]]\n{text}\n"))


def test_every_row_of_ours_has_a_source() -> None:
    assert all(one.source for one in signers())


@pytest.mark.usefixtures("cosign")
def test_images_and_charts_of_registries_are_verified(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = own(tmp_path, '[[signers]]\nimages = "nvcr.io/"\nunsigned = "scanned here"\n')
    assert main(["onprem-h100-roce", "--verify", "--signers", str(file)]) == 1
    said = capsys.readouterr().out.splitlines()
    refused = [line.split(": ")[0] for line in said if line.startswith("refused")]
    assert f"refused  registry.k8s.io/kueue/charts/kueue:{sets.version('kueue')}" in refused
    assert any(line.startswith(("unsigned nvcr.io/", "unknown  nvcr.io/nvidia/")) for line in said)


def test_without_cosign_nothing_is_called_verified(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(signatures.shutil, "which", lambda _: None)
    assert main(["onprem-h100-roce", "--verify"]) == 2
    assert "cosign, which verifies signatures, is not on the PATH" in capsys.readouterr().err
    assert main(["onprem-h100-roce", "--signers", str(tmp_path)]) == 2


@pytest.mark.usefixtures("cosign")
def test_a_chart_without_its_signature_leaves_the_pin(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    registry = start(has=everything(), kind=Shelf)
    table = (Signer(registry.host, identity="me", issuer="https://issuer"),)
    monkeypatch.setattr("bedplate.releases.published.signers", lambda: table)
    places = Published(f"oci://{registry.host}/mirror", signed=True)
    look, content = of_chart(CHARTS["kueue"], sets.version("kueue"), places, of_all=False)
    assert "not verified as me's: Error: no signatures found" in look.problem
    assert content == b""
    assert of_chart(CHARTS["lws"], sets.version("lws"), places, of_all=False)[0].problem == ""
