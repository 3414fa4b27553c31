"""CRDs that Helm never upgrades are brought to each release's version before it, from wherever its chart is."""

import base64
import io
import json
import tarfile
from email.message import Message
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request

import pytest

from components import archive, crds
from components.archive import NoArchiveError, definitions, fetch
from components.crds import CrdsProvider, unserved
from components.dynamic import pickled
from tests.stack_files import graph

CRD = "kind: CustomResourceDefinition\nmetadata: {{name: {name}}}\n"


def packed(**files: str) -> bytes:
    held = io.BytesIO()
    with tarfile.open(fileobj=held, mode="w:gz") as tar:
        for path, text in files.items():
            info = tarfile.TarInfo(path)
            info.size = len(text)
            tar.addfile(info, io.BytesIO(text.encode()))
    return held.getvalue()


CHART = packed(
    **{
        "jobset/crds/jobsets.yaml": CRD.format(name="jobsets"),
        "jobset/templates/crds/no.yaml": CRD.format(name="rendered"),
        "jobset/charts/lws/crds/no.yaml": CRD.format(name="another-charts"),
    }
)


def test_only_the_charts_own_folder_is_taken() -> None:
    assert definitions(CHART) == CRD.format(name="jobsets")


class Answers:
    """The internet: bytes by URL; some only with a token."""

    def __init__(self, **answers: Any) -> None:
        self.answers = answers
        self.locked = "https://registry.example/v2/"

    def __call__(self, request: Request, timeout: int) -> io.BytesIO:
        url = request.full_url
        if url.startswith(self.locked) and request.headers.get("Authorization") != "Bearer let-me-in":
            headers = Message()
            headers["WWW-Authenticate"] = (
                'Bearer realm="https://auth.example/token",service="registry.example",scope="repository:charts/jobset:pull"'
            )
            raise HTTPError(url, 401, "Unauthorized", headers, None)
        return io.BytesIO(self.answers[url])


def test_a_chart_comes_from_its_repository(monkeypatch: pytest.MonkeyPatch) -> None:
    index = {"entries": {"jobset": [{"version": "v0.12.0", "urls": ["files/jobset-0.12.0.tgz"]}]}}
    known = {
        "https://charts.example/a/index.yaml": json.dumps(index).encode(),
        "https://charts.example/a/files/jobset-0.12.0.tgz": CHART,
    }
    monkeypatch.setattr(archive, "urlopen", Answers(**known))
    assert fetch("jobset", "https://charts.example/a/", "0.12.0") == CHART
    with pytest.raises(NoArchiveError, match=r"https://charts.example/a has no chart jobset 0.13.0"):
        fetch("jobset", "https://charts.example/a", "0.13.0")


def test_a_chart_comes_from_a_registry_that_wants_a_token_of_everybody(monkeypatch: pytest.MonkeyPatch) -> None:
    layers = [{"mediaType": "text/plain", "digest": "sha256:0"}, {"mediaType": archive.LAYER, "digest": "sha256:1"}]
    known = {
        "https://auth.example/token?service=registry.example&scope=repository%3Acharts%2Fjobset%3Apull": b'{"token": "let-me-in"}',
        "https://registry.example/v2/charts/jobset/manifests/0.12.0": json.dumps({"layers": layers}).encode(),
        "https://registry.example/v2/charts/jobset/blobs/sha256:1": CHART,
    }
    monkeypatch.setattr(archive, "urlopen", Answers(**known))
    assert fetch("oci://registry.example/charts/jobset", "", "0.12.0") == CHART


def test_another_version_is_a_change_and_another_place_is_none() -> None:
    old = {"of": "jobset", "version": "0.12.0", "source": "oci://a/jobset", "repo": ""}
    diff = CrdsProvider().diff
    assert not diff("", old, old | {"source": "/mirror/jobset-0.12.0.tgz"}).changes
    assert diff("", old, old | {"version": "0.12.1"}).changes


def served(name: str, status: str = "True") -> dict[str, Any]:
    return {"metadata": {"name": name}, "status": {"conditions": [{"type": "Established", "status": status}]}}


def test_they_are_applied_over_whoever_had_them(monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[tuple[str, ...]] = []

    def kubectl(context: str, *arguments: str, stdin: str = "") -> str:
        said.append((context, *arguments, stdin))
        return "customresourcedefinition.apiextensions.k8s.io/jobsets\n"

    monkeypatch.setattr(crds, "kubectl", kubectl)
    monkeypatch.setattr(crds, "fetch", lambda *_: CHART)
    monkeypatch.setattr(crds, "until", lambda _, __, judge, ___: (judge([served("jobsets")]), False))
    monkeypatch.setattr("components.dynamic.identity", lambda _: "uid")
    props = {"context": "here", "source": "x", "repo": "", "version": "0.12.0", "of": "jobset"}
    made = CrdsProvider().create(props)
    assert (made.id, made.outs and made.outs["names"]) == ("jobset", ["jobsets"])
    assert {"here", "--server-side", "--force-conflicts", CRD.format(name="jobsets")} < set(said[0])


@pytest.mark.parametrize("one", [served("jobsets", "False"), {"metadata": {"name": "jobsets"}}, served("others")])
def test_a_definition_that_is_not_served_yet_is_waited_for(one: dict[str, Any]) -> None:
    assert unserved(frozenset({"jobsets"}), [one]) == ["jobsets is not established"]


def test_nothing_of_ours_deletes_them() -> None:
    assert "delete" not in vars(CrdsProvider), "the SDK's own does nothing"


def test_the_state_of_deployed_clusters_names_the_provider_by_its_place() -> None:
    kept = base64.b64decode(pickled(CrdsProvider))
    assert b"components.crds" in kept
    assert len(kept) < 200


def test_a_release_comes_after_its_crds_and_does_not_install_its_own() -> None:
    nodes = {(node.kind, node.name): node for node in graph("lab").resources}
    made, release = nodes["Crds", "jobset-crds"], nodes["Release", "jobset"]
    assert made.urn in release.dependencies
    assert release.inputs["skipCrds"] is True
    assert release.inputs["namespace"] == "jobset-system"
    assert "skipCrds" not in nodes["Release", "gpu-operator"].inputs
