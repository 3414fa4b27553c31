"""`make upstream`: out of the sources of public releases, by the content that was recorded."""

import io
import tarfile
from collections.abc import Iterator, Mapping
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest
import yaml

from tests.tools import fetch_upstream as tool
from tests.tools.upstream_sources import SOURCES, Source
from tests.upstream import UPSTREAM, upstream

CRD = """
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: queues.example.com
  annotations: {tool: v1}
spec:
  group: example.com
  scope: Cluster
  conversion: {strategy: None}
  versions:
  - name: v1
    schema:
      openAPIV3Schema:
        description: A queue.
        properties:
          description: {type: string, description: Text of its own.}
"""
TEMPLATE = CRD.replace("metadata:", "metadata:\n  labels:\n    {{- include `labels` . | nindent 4 }}")
VALUES = "# How many.\nreplicas: 1\nrules: '{{ this is a value }}'\n"
SOURCE = Source("example/queues", "v1.0.0", ("queues-1.0.0",))


def archive(files: Mapping[str, str]) -> bytes:
    held = io.BytesIO()
    with tarfile.open(fileobj=held, mode="w:gz") as source:
        for name, text in files.items():
            member = tarfile.TarInfo(f"queues-1.0.0/{name}")
            member.size = len(text.encode())
            source.addfile(member, io.BytesIO(text.encode()))
    return held.getvalue()


@pytest.fixture
def host(tmp_path: Path) -> Iterator[str]:
    """A host of sources, on this machine."""

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the protocol's name
            pass

    (tmp_path / "host").mkdir()
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(tmp_path / "host"))) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the data of one release, recorded, and gone again."""
    folder = tmp_path / "data"
    for path, text in (("crds/queues-1.0.0/queues.example.com.yaml", CRD), ("values/queues-1.0.0.yaml", VALUES)):
        (folder / path).parent.mkdir(parents=True)
        (folder / path).write_text(text)
    monkeypatch.setattr(tool, "DIGESTS", tmp_path / "digests")
    monkeypatch.setattr(tool, "SOURCES", (SOURCE,))
    assert tool.main(["--record", "--to", str(folder)]) == 0
    for path in tool.kept(folder):
        (folder / path).unlink()
    return folder


def serve(tmp_path: Path, files: Mapping[str, str]) -> None:
    place = tmp_path / "host" / "example" / "queues" / "archive"
    place.mkdir(parents=True)
    (place / "v1.0.0.tar.gz").write_bytes(archive(files))


def test_what_was_recorded_is_found_wherever_the_project_keeps_it(tmp_path: Path, host: str, data: Path) -> None:
    noise = {"README.md": "text", "broken.yaml": "{{ if }}: [", "other/values.yaml": "replicas: 2\n"}
    serve(
        tmp_path,
        {**noise, "chart/templates/crd.yaml": f"---\n{TEMPLATE}---\nkind: Role\n", "chart/values.yaml": VALUES},
    )
    assert tool.main(["--to", str(data), "--host", host]) == 0
    assert tool.kept(data) == ["crds/queues-1.0.0/queues.example.com.yaml", "values/queues-1.0.0.yaml"]
    definition = yaml.safe_load((data / "crds/queues-1.0.0/queues.example.com.yaml").read_text())
    assert definition["metadata"] == {"name": "queues.example.com"}
    schema = definition["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
    assert schema == {"properties": {"description": {"type": "string"}}}
    assert yaml.safe_load((data / "values/queues-1.0.0.yaml").read_text()) == yaml.safe_load(VALUES)


def test_another_content_is_not_written_and_each_file_is_named(
    tmp_path: Path, host: str, data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    serve(tmp_path, {"crd.yaml": CRD.replace("Cluster", "Namespaced"), "values.yaml": VALUES})
    assert tool.main(["--to", str(data), "--host", host]) == 1
    assert tool.kept(data) == ["values/queues-1.0.0.yaml"]
    assert "crds/queues-1.0.0/queues.example.com.yaml: no release had it" in capsys.readouterr().err


def test_a_host_that_is_out_of_reach_is_named_and_nothing_is_written(
    data: Path, host: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert tool.main(["--to", str(data), "--host", host]) == 1
    said = capsys.readouterr().err
    assert f"{host}/example/queues/archive/v1.0.0.tar.gz: HTTP Error 404" in said
    assert tool.kept(data) == []


def test_what_is_there_already_is_not_fetched_again(tmp_path: Path, host: str, data: Path) -> None:
    serve(tmp_path, {"crd.yaml": CRD, "values.yaml": VALUES})
    assert tool.main(["--to", str(data), "--host", host]) == 0
    (tmp_path / "host" / "example" / "queues" / "archive" / "v1.0.0.tar.gz").unlink()
    assert tool.main(["--to", str(data), "--host", host]) == 0


def test_every_file_has_a_release_that_it_is_of() -> None:
    orphans = [path for path in tool.recorded() if not any(source.holds(path) for source in SOURCES)]
    assert orphans == []
    assert [one for one in SOURCES if not any(one.holds(path) for path in tool.recorded())] == []


def test_a_packed_chart_is_asked_of_its_own_repository() -> None:
    packed = Source("https://charts.example.com", "1.0.0", ("queues-1.0.0",))
    assert packed.address("https://github.com") == "https://charts.example.com/queues-1.0.0.tgz"


def test_the_digests_are_of_the_data_that_is_beside_the_project() -> None:
    upstream("crds")
    assert tool.recorded() == {path: tool.digest(tool.read(UPSTREAM / path)) for path in tool.kept(UPSTREAM)}
