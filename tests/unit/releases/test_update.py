"""What is newer is looked up at a registry and a chart repository that are really there, and a fork gets a set of it."""

import json
import os
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import date
from hashlib import sha256
from pathlib import Path
from types import MappingProxyType
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
import yaml

from bedplate.charts import sets
from bedplate.components import archive
from bedplate.components.chart import Chart
from bedplate.components.download import NoArchiveError
from bedplate.releases import cli, new_set
from bedplate.releases.lookup import of_chart
from bedplate.releases.newer import Look, newer
from bedplate.releases.published import Published, _path
from bedplate.stacks.profile.charts import installable
from bedplate.stacks.profile.profile import Profile
from hatch_build import listed
from tests.rooms import ROOT
from tests.unit.test_archive import packed
from tests.unit.test_registry import BASIC, Registry, certificate, logged_in, start

__all__ = ["certificate", "start"]
NEWEST = sets.newest()
PINS = sets.pins(NEWEST)
CHARTS = {one.name: one for one in installable(Profile).values() if isinstance(one, Chart)}
KIND = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": "jobsets.jobset.x-k8s.io"},
    "spec": {
        "group": "jobset.x-k8s.io",
        "names": {"kind": "JobSet"},
        "versions": [
            {
                "name": "v1alpha2",
                "served": True,
                "schema": {
                    "openAPIV3Schema": {
                        "type": "object",
                        "properties": {"spec": {"type": "object", "properties": {"brandNew": {"type": "string"}}}},
                    }
                },
            }
        ],
    },
}


def chart(name: str, version: str, **values: Any) -> bytes:
    return packed(
        **{
            f"{name}/Chart.yaml": yaml.safe_dump({"apiVersion": "v2", "name": name, "version": version}),
            f"{name}/values.yaml": yaml.safe_dump(values),
            f"{name}/charts/below/values.yaml": "below: true",
            f"{name}/crds/jobsets.yaml": yaml.safe_dump(KIND),
        }
    )


class Shelf(Registry):
    """A registry of charts and images, and a chart repository; pages have two tags."""

    has: dict[str, dict[str, bytes]]
    """Archives by chart and release; of an image its tags, with nothing."""
    listed: Mapping[str, str] = MappingProxyType({})
    """What its index says instead of a release's own digest; nothing at all where that is empty."""
    elsewhere = ""

    def do_GET(self) -> None:
        url = urlsplit(self.path)
        name, verb, what = ([*url.path.removeprefix("/v2/mirror/").rsplit("/", 2), "", ""])[:3]
        self.asked.append((self.path, self.headers.get("Authorization", "")))
        if self.wants == "basic" and self.headers.get("Authorization") != BASIC:
            self.say(401, {}, {"WWW-Authenticate": 'Basic realm="x"'})
        elif url.path == "/charts/index.yaml":
            self.say(200, yaml.safe_dump({"entries": self.index()}).encode())
        elif verb == "tags" and name in self.has:
            last = parse_qs(url.query).get("last", [""])[0]
            self.say(200, {"tags": [tag for tag in sorted(self.has[name]) if tag > last][:2]})
        elif verb == "manifests" and what in self.has.get(name, {}):
            digest = f"sha256:{sha256(self.has[name][what]).hexdigest()}"
            self.say(200, {"layers": [{"mediaType": archive.LAYER, "digest": self.listed.get(what, digest)}]})
        elif verb == "blobs" or url.path.startswith("/files/"):
            self.send_back(url.path)
        else:
            self.say(404, {})

    def send_back(self, path: str) -> None:
        every = {f"sha256:{sha256(one).hexdigest()}": one for below in self.has.values() for one in below.values()}
        every |= {f"{name}-{version}": one for name, below in self.has.items() for version, one in below.items()}
        if self.elsewhere:
            self.say(307, {}, {"Location": self.elsewhere})
        else:
            self.say(200, every.get(path.rsplit("/", 1)[-1], b"something else"))

    def index(self) -> dict[str, Any]:
        return {
            name: [
                {"version": version, "urls": [f"../files/{name}-{version}"]} | self.digest(version, content)
                for version, content in below.items()
            ]
            for name, below in self.has.items()
        }

    def digest(self, version: str, content: bytes) -> dict[str, str]:
        said = self.listed.get(version, sha256(content).hexdigest())
        return {"digest": said} if said else {}


Start = Callable[..., Any]


def everything(**more: dict[str, bytes]) -> dict[str, dict[str, bytes]]:
    """What is pinned, and more."""
    charts = {name: {PINS[name]: chart(name, PINS[name])} for name in CHARTS}
    images = {_path(image): {tag: b""} for image, tag in sets.read(NEWEST)["images"].items()}
    every = charts | images
    return every | {name: every[name] | releases for name, releases in more.items()}


def repository(registry: Any) -> Chart:
    return replace(CHARTS["keda"], repo=f"https://{registry.host}/charts")


KEDA = {"2.20.2": chart("keda", "2.20.2"), "2.20.3": chart("keda", "2.20.3"), "2.21.0": chart("keda", "2.21.0")}


@pytest.mark.parametrize(
    ("now", "published", "line", "newest"),
    [
        ("0.19.2", ["0.19.10", "0.19.7", "0.20.0", "0.20.1-rc.1", "v0.19.9"], "0.19.10", "0.20.0"),
        ("v26.7.0", ["v26.7.2", "26.7.3", "v26.10.0", "v26.7.4-beta"], "v26.7.2", "v26.10.0"),
        ("25.06-py3", ["26.01-py3", "26.02-py3-igpu", "25.07-vllm-py3"], "25.06-py3", "26.01-py3"),
        ("0.19.2", ["0.19.1", "0.18.9"], "0.19.2", "0.19.2"),
    ],
)
def test_newer_is_what_is_spelt_alike_and_of_the_line_unless_asked(
    now: str, published: list[str], line: str, newest: str
) -> None:
    assert newer("x", now, published, of_all=False) == Look("x", now, line, newest)
    assert newer("x", now, published, of_all=True).to == newest


def test_every_page_of_a_registry_is_read_and_a_page_that_comes_again_ends_it(start: Start) -> None:
    versions = [f"2.{number}.0" for number in range(5)]
    registry = start(has={"keda": dict.fromkeys(versions, b"")}, kind=Shelf)
    assert sorted(Published(f"oci://{registry.host}/mirror").releases(CHARTS["keda"])) == versions
    assert len(registry.asked) == 4
    deaf = start(has={"keda": {"2.20.2": b""}}, kind=Shelf)
    assert Published(images=f"{deaf.host}/mirror").tags("keda") == ["2.20.2"]


@pytest.mark.parametrize("mirrored", [False, True], ids=["repository", "registry"])
@pytest.mark.parametrize("of_all", [(), ("keda",)], ids=["line", "all"])
def test_an_archive_comes_with_its_digest(start: Start, *, mirrored: bool, of_all: tuple[str, ...]) -> None:
    registry = start(has=everything(keda=KEDA), kind=Shelf)
    places = Published(f"oci://{registry.host}/mirror" if mirrored else "")
    look, content = of_chart(repository(registry), "2.20.2", places, of_all=bool(of_all))
    to = "2.21.0" if of_all else "2.20.3"
    digest = f"sha256:{sha256(KEDA[to]).hexdigest()}"
    assert look == Look("keda", "2.20.2", to, "2.21.0", digest)
    assert content == KEDA[to]


@pytest.mark.parametrize("mirrored", [False, True], ids=["repository", "registry"])
@pytest.mark.parametrize(
    ("how", "said"),
    [
        ({"listed": {"2.20.3": f"sha256:{'0' * 64}"}}, "is not what its publisher lists"),
        ({"has": {"keda": {**KEDA, "2.20.3": KEDA["2.20.3"][:-40]}}}, "is no chart's archive"),
        ({"has": {"keda": {**KEDA, "2.20.3": KEDA["2.21.0"]}}}, "keda 2.20.3: what came is keda 2.21.0"),
        ({"elsewhere": "http://127.0.0.1/storage"}, "charts come by https alone"),
        ({"wants": "basic"}, "401"),
    ],
    ids=["wrong digest", "cut short", "another release", "plain http", "no login"],
)
def test_what_comes_otherwise_than_published_leaves_the_pin_and_says_why(
    start: Start, how: dict[str, Any], said: str, *, mirrored: bool
) -> None:
    registry = start(kind=Shelf, **{"has": everything(keda=KEDA), **how})
    places = Published(f"oci://{registry.host}/mirror" if mirrored else "")
    look, content = of_chart(repository(registry), "2.20.2", places, of_all=False)
    assert said in look.problem
    assert (look.to, look.digest, content) == ("2.20.2", "", b"")


def test_an_archive_cut_short_is_refused_where_the_index_lists_no_digest(start: Start) -> None:
    has = {"keda": {**KEDA, "2.20.3": KEDA["2.20.3"][:-40]}}
    registry = start(has=has, listed={"2.20.3": ""}, kind=Shelf)
    look, _ = of_chart(repository(registry), "2.20.2", Published(), of_all=False)
    assert "is no chart's archive" in look.problem


def test_a_login_goes_to_its_registry_and_not_where_that_sends_us(start: Start, tmp_path: Path) -> None:
    storage = start(has=everything(keda=KEDA), kind=Shelf)
    there = f"https://{storage.host}/files/keda-2.20.3"
    registry = start(has=everything(keda=KEDA), kind=Shelf, wants="basic", elsewhere=there)
    logged_in(tmp_path, registry, {"auth": BASIC.removeprefix("Basic ")})
    look, content = of_chart(CHARTS["keda"], "2.20.2", Published(f"oci://{registry.host}/mirror"), of_all=False)
    assert (look.problem, content) == ("", KEDA["2.20.3"])
    assert storage.asked == [("/files/keda-2.20.3", "")]


def test_a_login_that_has_expired_is_named_with_what_mends_it(start: Start, tmp_path: Path) -> None:
    registry = start(has=everything(), kind=Shelf, wants="basic")
    logged_in(tmp_path, registry, {"auth": "b2xk"})
    look, _ = of_chart(CHARTS["keda"], "2.20.2", Published(f"oci://{registry.host}/mirror"), of_all=False)
    assert f"log in: `helm registry login {registry.host}`" in look.problem


def test_an_archive_other_than_a_set_had_is_refused(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    registry = start(has=everything(), kind=Shelf)
    monkeypatch.setattr(sets, "digest", lambda *_: f"sha256:{'1' * 64}")
    look, _ = of_chart(CHARTS["keda"], "2.20.2", Published(f"oci://{registry.host}/mirror"), of_all=False)
    assert "by its version set: is not what its publisher lists" in look.problem


def test_a_folder_of_archives_is_a_mirror(tmp_path: Path) -> None:
    for version in ("2.20.2", "2.20.3"):
        (tmp_path / f"keda-{version}.tgz").write_bytes(KEDA[version])
    (tmp_path / "keda-add-ons-http-0.12.2.tgz").write_bytes(b"of another chart")
    look, content = of_chart(CHARTS["keda"], "2.20.2", Published(str(tmp_path)), of_all=False)
    assert (look.to, content) == ("2.20.3", KEDA["2.20.3"])
    (tmp_path / "keda-2.20.2.tgz").unlink()
    (tmp_path / "keda-2.20.3.tgz").unlink()
    with pytest.raises(NoArchiveError, match=r"keda-2\.20\.2\.tgz: the mirror has no such file"):
        Published(str(tmp_path)).archive(CHARTS["keda"], "")


@pytest.mark.parametrize(
    ("newest", "today", "name"),
    [
        ("2026.11", date(2026, 11, 30), "2026.12"),
        ("2026.12", date(2026, 12, 1), "2027.01"),
        ("2026.11", date(2027, 3, 1), "2027.03"),
    ],
)
def test_a_new_set_has_a_name_that_no_set_has(newest: str, today: date, name: str) -> None:
    assert new_set.following(newest, today) == name


def test_a_wheel_looks_up_and_writes_no_set(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("bedplate.releases.update.INSTALLED", True)
    assert cli.main(["update", "--write"]) == 2
    assert "sets come with Bedplate, and this one is installed" in capsys.readouterr().err


def test_a_name_that_no_set_has_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["update", "--newest", "nothing"]) == 2
    assert f"--newest nothing: nothing of version set {NEWEST}" in capsys.readouterr().err


def test_all_of_it_is_there_for_machines(start: Start, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    registry = start(has=everything(keda=KEDA), kind=Shelf)
    words = ["update", "--mirror", f"oci://{registry.host}/mirror", "--images", f"{registry.host}/mirror"]
    assert cli.main([*words, "--archives", str(tmp_path / "kept"), "--newest", "keda", "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert (said["kind"], said["set"]) == ("NewerReleases", NEWEST)
    (keda,) = [one for one in said["looked"] if one["name"] == "keda"]
    assert (keda["now"], keda["to"], keda["newest"]) == ("2.20.2", "2.21.0", "2.21.0")
    assert (tmp_path / "kept" / "keda-2.21.0.tgz").read_bytes() == KEDA["2.21.0"]


@pytest.fixture
def fork(tmp_path: Path) -> Path:
    """A checkout of somebody else: what git keeps here, without what stands beside."""
    folder = tmp_path / "fork"
    for name in filter(None, listed(ROOT)):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        if (ROOT / name).exists():
            shutil.copy2(ROOT / name, folder / name, follow_symlinks=False)
    return folder


def test_a_fork_gets_a_set_with_what_is_known_of_its_releases(start: Start, fork: Path) -> None:
    version = newer("jobset", PINS["jobset"], ["0.12.1"], of_all=False).to
    image, tag = "vllm/vllm-openai", PINS["vllm/vllm-openai"]
    patch = f"{tag.rpartition('.')[0]}.9"
    more = {"jobset": {version: chart("jobset", version, image={"brandNew": 1})}, image: {patch: b"", "v9.0.0": b""}}
    registry = start(has=everything(**more), kind=Shelf)
    words = ["--mirror", f"oci://{registry.host}/mirror", "--images", f"{registry.host}/mirror", "--without-helm"]
    command = [sys.executable, "-m", "bedplate", "releases", "update", "--write", *words, "--markdown", "news.md"]
    done = subprocess.run(command, cwd=fork, capture_output=True, text=True, check=False, env=dict(os.environ))
    assert done.returncode == 0, f"{done.stdout}{done.stderr}"
    charts = fork / "bedplate" / "charts"
    (file,) = {path.name for path in charts.glob("20*.toml")} - {f"{name}.toml" for name in sets.known()}
    said = tomllib.loads((charts / file).read_text())
    before = f"sha256:{sha256((sets.DATA / f'{NEWEST}.toml').read_bytes()).hexdigest()}"
    assert said["follows"] == {"set": NEWEST, "digest": before}
    jobset = said["charts"]["jobset"]
    assert jobset["version"] == version
    assert jobset["digest"] == f"sha256:{sha256(more['jobset'][version]).hexdigest()}"
    assert {"keys", "crds", "digest"} <= set(jobset["proven"])
    assert {"engine", "pods", "upgrade", "rendered keys"} <= set(jobset["unproven"])
    assert said["images"][image] == patch
    assert all("digest" in said["charts"][name] for name, one in CHARTS.items() if one.repo)
    keys = json.loads((charts / "jobset" / version / "keys.json").read_text())
    assert keys["keys"]["image"] == {"brandNew": 1}
    assert "brandNew" in (charts / "jobset" / version / "crds.json").read_text()
    step = tomllib.loads((charts / "jobset" / "upgrades.toml").read_text())["steps"][-1]
    assert (step["old"], step["new"], step["verdict"]) == (PINS["jobset"], version, "unknown")
    assert file.replace(".toml", "").replace(".", "\\\\.") in (fork / "renovate.json").read_text()
    news = (fork / "news.md").read_text()
    assert f"| jobset | {PINS['jobset']} | {version} |" in news
    assert f"* {image} {patch}: v9.0.0" in news
    assert "keys come: `image.brandNew`" in news
    show = [sys.executable, "-m", "bedplate", "releases", "show", file.removesuffix(".toml"), "--json"]
    assert json.loads(subprocess.run(show, cwd=fork, capture_output=True, text=True, check=True).stdout)["set"]
