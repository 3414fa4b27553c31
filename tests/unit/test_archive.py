"""A chart's CRDs come from whom the profile names, by https, and are what their publisher lists."""

import gzip
import io
import json
import tarfile
from email.message import Message
from hashlib import sha256
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request

import pytest
import yaml

from bedplate.charts import sets
from bedplate.components import archive, crds, download
from bedplate.components.archive import definitions, fetch
from bedplate.components.download import NoArchiveError, Redirects

REPO = "https://charts.example/a"
BASE = "https://registry.example/v2/charts/jobset"
TOKENS = "https://auth.example/token?service=registry.example&scope=repository%3Acharts%2Fjobset%3Apull"
CHALLENGE = 'Bearer realm="{realm}",service="registry.example",scope="repository:charts/jobset:pull"'


def packed(**files: str) -> bytes:
    held = io.BytesIO()
    with tarfile.open(fileobj=held, mode="w:gz") as tar:
        for path, text in files.items():
            info = tarfile.TarInfo(path)
            info.size = len(text)
            tar.addfile(info, io.BytesIO(text.encode()))
    return held.getvalue()


def crd(name: str) -> str:
    return f"kind: CustomResourceDefinition\nmetadata: {{name: {name}}}\n"


CHART = packed(**{"jobset/crds/jobsets.yaml": crd("jobsets"), "jobset/templates/crds/no.yaml": crd("rendered")})
DIGEST = sha256(CHART).hexdigest()


class Internet:
    """Bytes by address; a registry's only with a token."""

    def __init__(self, **answers: Any) -> None:
        self.answers = answers
        self.realm = "https://auth.example/token"
        self.asked: list[Request] = []

    def open(self, request: Request, timeout: int) -> io.BytesIO:
        self.asked.append(request)
        url = request.full_url
        if url.startswith("https://registry.example/") and request.headers.get("Authorization") != "Bearer let-me-in":
            headers = Message()
            headers["WWW-Authenticate"] = CHALLENGE.format(realm=self.realm)
            raise HTTPError(url, 401, "Unauthorized", headers, None)
        if url not in self.answers:
            raise HTTPError(url, 404, "Not Found", Message(), None)
        return io.BytesIO(self.answers[url])


@pytest.fixture
def internet(monkeypatch: pytest.MonkeyPatch) -> Internet:
    made = Internet(**{TOKENS: b'{"token": "let-me-in"}'})
    monkeypatch.setattr(download, "opener", lambda: made)
    return made


def listed(internet: Internet, url: str = "files/jobset-0.12.0.tgz", **more: Any) -> None:
    index = {"entries": {"jobset": [{"version": "v0.12.0", "urls": [url], **more}]}}
    internet.answers |= {f"{REPO}/index.yaml": json.dumps(index).encode(), f"{REPO}/files/jobset-0.12.0.tgz": CHART}


def pushed(internet: Internet, *layers: tuple[str, str]) -> None:
    manifest = {"layers": [{"mediaType": kind, "digest": digest} for kind, digest in layers]}
    internet.answers[f"{BASE}/manifests/0.12.0"] = json.dumps(manifest).encode()
    internet.answers |= {f"{BASE}/blobs/{digest}": CHART for _, digest in layers}


def from_registry() -> bytes:
    return fetch("oci://registry.example/charts/jobset", "", "0.12.0")


@pytest.mark.parametrize("said", [{}, {"digest": DIGEST}, {"digest": f"sha256:{DIGEST}"}])
def test_a_chart_comes_from_its_repository(internet: Internet, said: dict[str, str]) -> None:
    listed(internet, **said)
    assert fetch("jobset", f"{REPO}/", "0.12.0") == CHART


def test_what_a_repository_does_not_have_is_said(internet: Internet) -> None:
    listed(internet)
    with pytest.raises(NoArchiveError, match=rf"^{REPO} has no chart jobset 0\.13\.0$"):
        fetch("jobset", REPO, "0.13.0")
    del internet.answers[f"{REPO}/files/jobset-0.12.0.tgz"]
    with pytest.raises(NoArchiveError, match=rf"^{REPO}/files/jobset-0\.12\.0\.tgz: HTTP Error 404: Not Found$"):
        fetch("jobset", REPO, "0.12.0")


def test_a_chart_comes_from_a_registry_that_wants_a_token_of_everybody(internet: Internet) -> None:
    pushed(internet, ("text/plain", "sha256:0"), (archive.LAYER, f"sha256:{DIGEST}"))
    assert from_registry() == CHART


def test_a_chart_that_was_altered_is_not_taken(internet: Internet) -> None:
    said = f"is not what its publisher lists: digest .*0000, and what came has {DIGEST}$"
    listed(internet, digest="0000")
    with pytest.raises(NoArchiveError, match=f"^{REPO}/files/jobset-0.12.0.tgz: {said}"):
        fetch("jobset", REPO, "0.12.0")
    pushed(internet, (archive.LAYER, "sha256:0000"))
    with pytest.raises(NoArchiveError, match=f"^registry.example/charts/jobset:0.12.0: {said}"):
        from_registry()


@pytest.mark.parametrize("url", ["file:///etc/passwd", "http://charts.example/a.tgz", "ftp://x/a.tgz", "data:,x"])
def test_an_index_leads_nowhere_but_to_https(internet: Internet, url: str) -> None:
    listed(internet, url)
    with pytest.raises(NoArchiveError, match=f"^{url}: charts come by https alone"):
        fetch("jobset", REPO, "0.12.0")
    assert len(internet.asked) == 1


@pytest.mark.parametrize("realm", ["file:///home/me/token.json#", "http://auth.example/token"])
def test_no_token_is_taken_from_where_a_registry_may_not_send_us(internet: Internet, realm: str) -> None:
    internet.realm = realm
    with pytest.raises(NoArchiveError, match=f"^{realm}.*: charts come by https alone"):
        from_registry()
    assert [one.headers.get("Authorization") for one in internet.asked] == [None]


def test_an_image_that_is_no_chart_is_said(internet: Internet) -> None:
    pushed(internet, ("application/vnd.oci.image.layer.v1.tar+gzip", "sha256:0"))
    with pytest.raises(NoArchiveError, match=r"^registry\.example/charts/jobset:0\.12\.0 is no Helm chart: it has app"):
        from_registry()
    pushed(internet)
    with pytest.raises(NoArchiveError, match=r"it has no layers at all$"):
        from_registry()


def redirected(to: str) -> Request | None:
    asked = Request("https://registry.example/v2/x", headers={"Authorization": "Bearer let-me-in"})
    return Redirects().redirect_request(asked, io.BytesIO(), 307, "", Message(), to)  # type: ignore[arg-type]


def test_a_token_is_shown_to_nobody_but_its_registry() -> None:
    there, elsewhere = redirected("https://registry.example/v2/y"), redirected("https://storage.example/y?signed=1")
    assert there
    assert elsewhere
    assert there.get_header("Authorization") == "Bearer let-me-in"
    assert not elsewhere.has_header("Authorization")
    with pytest.raises(NoArchiveError, match=r"^http://storage\.example/y: charts come by https alone"):
        redirected("http://storage.example/y")


def test_the_internet_is_reached_by_https_alone() -> None:
    handlers: dict[str, Any] = vars(download.opener())["handle_open"]
    assert "https" in handlers
    assert set(handlers) & {"file", "ftp", "data", "http"} == set()


def test_an_archive_that_unpacks_without_end_is_not_held_in_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(download, "LARGEST", 2**20)
    with pytest.raises(NoArchiveError, match=r"^chart, unpacked: larger than 1 MiB"):
        definitions(gzip.compress(b"0" * 2**21))
    with pytest.raises(NoArchiveError, match=r"^chart: is no chart's archive"):
        definitions(b"<html>")
    with pytest.raises(NoArchiveError, match=r"^chart: is no chart's archive"):
        definitions(CHART[:-40])


def test_an_answer_without_end_is_not_held_in_memory(internet: Internet, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(download, "LARGEST", 2**10)
    internet.answers[f"{REPO}/index.yaml"] = b"0" * 2**11
    with pytest.raises(NoArchiveError, match=rf"^{REPO}/index\.yaml: larger than"):
        fetch("jobset", REPO, "0.12.0")


def test_definitions_are_those_of_the_chart_and_of_the_charts_in_it_that_are_always_on() -> None:
    about = {
        "dependencies": [{"name": "lws", "condition": "lws.install"}, {"name": "nfd", "tags": ["x"]}, {"name": "sub"}]
    }
    chart = packed(
        **{
            "top/Chart.yaml": yaml.safe_dump(about),
            "top/crds/own.yaml": crd("own"),
            "top/crds/deep/er.yml": crd("deeper"),
            "top/crds/README.md": "no",
            "top/templates/crds/no.yaml": crd("rendered"),
            "top/charts/lws/crds/no.yaml": crd("off"),
            "top/charts/lws/charts/in/crds/no.yaml": crd("off-with-it"),
            "top/charts/nfd/crds/no.yaml": crd("off-by-tag"),
            "top/charts/sub/Chart.yaml": yaml.safe_dump({"name": "sub"}),
            "top/charts/sub/crds/yes.yaml": crd("always"),
        }
    )
    names = [one["metadata"]["name"] for one in yaml.safe_load_all(definitions(chart))]
    assert names == ["always", "deeper", "own"]
    assert definitions(CHART) == crd("jobsets")


def test_what_has_another_digest_than_its_version_set_says_is_refused_before_it_is_read(tmp_path: Path) -> None:
    mirrored = tmp_path / "jobset-0.12.0.tgz"
    mirrored.write_bytes(CHART)
    for known in ("", f"sha256:{DIGEST}"):
        assert fetch(str(mirrored), "", "0.12.0", known) == CHART
    with pytest.raises(NoArchiveError, match=r"by its version set: is not what its publisher lists: digest sha256:0"):
        fetch(str(mirrored), "", "0.12.0", f"sha256:{'0' * 64}")


def test_crds_are_applied_of_what_the_version_set_knows_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mirrored = tmp_path / "jobset-0.12.0.tgz"
    mirrored.write_bytes(CHART)
    asked: list[tuple[str, str]] = []
    monkeypatch.setattr(sets, "digest", lambda *words: asked.append(words) or f"sha256:{'0' * 64}")
    monkeypatch.setattr(crds, "kubectl", lambda *_, **__: pytest.fail("something was applied"))
    with pytest.raises(NoArchiveError, match="by its version set"):
        crds.applied({"of": "jobset", "version": "0.12.0", "source": str(mirrored), "repo": "", "context": "c"})
    assert asked == [("jobset", "0.12.0")]
