"""A version set says what is installed, and of each part no more than what was proven."""

import json
import re
import shutil
import sys
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from bedplate import charts
from bedplate.charts import sets
from bedplate.components.chart import Chart
from bedplate.components.kustomization import Manifests
from bedplate.stacks.load import load
from bedplate.stacks.profile.charts import installable
from bedplate.stacks.profile.problem import ProfileError
from bedplate.stacks.profile.profile import Profile
from tests.rooms import ROOT
from tests.stack_files import STACKS, document, profile
from tests.tools import version_sets as tool

OLD, NEW = sets.known()[0], sets.newest()
BY_SET = pytest.mark.parametrize("name", sets.known())
PATTERN = json.loads((ROOT / "renovate.json").read_text())["customManagers"][0]["matchStrings"][0].replace(
    "(?<", "(?P<"
)


@BY_SET
def test_a_set_names_everything_that_a_profile_can_install_and_nothing_else(name: str) -> None:
    """What came to Bedplate after an older one has the newest pin there too."""
    every = {one.name for one in installable(Profile).values()}
    assert sets.read(name)["charts"].keys() == every if name == NEW else sets.read(name)["charts"].keys() < every


@BY_SET
def test_every_release_of_a_set_can_be_asked_for(name: str) -> None:
    pins = sets.pins(name)
    for one in (one for one in installable(Profile).values() if one.name in pins):
        assert one.knows(pins[one.name]) if isinstance(one, Chart) else one.version == pins[one.name]


def test_kustomizations_come_with_bedplate_and_are_the_same_in_every_set() -> None:
    names = {one.name for one in installable(Profile).values() if isinstance(one, Manifests)}
    assert len({json.dumps({one: sets.pins(name)[one] for one in sorted(names)}) for name in sets.known()}) == 1


def test_the_newest_set_is_what_the_tool_writes() -> None:
    assert tool.rewritten(NEW) == (sets.DATA / f"{NEW}.toml").read_text(), "python -m tests.tools.version_sets"


@BY_SET
def test_a_set_claims_no_proof_that_is_not_there_and_hides_none_that_is_lacking(name: str) -> None:
    for chart, entry in sets.read(name)["charts"].items():
        # The lab runs the newest set's controllers alone: of an older set it was shown when that was the newest.
        shown = tool.evidence(name, chart) | ({"lab": True} if name != NEW and "lab" in entry["proven"] else {})
        assert set(entry["proven"]) <= {one for one in shown if shown[one]}, chart
        assert set(entry["proven"]) | set(entry["unproven"]) == shown.keys(), chart


def test_a_set_that_another_follows_has_not_changed_since() -> None:
    for older, newer in zip(sets.known(), sets.known()[1:], strict=False):
        assert sets.read(newer)["follows"] == {"set": older, "digest": tool.digest(older)}
    assert "follows" not in sets.read(sets.known()[0])


def test_digests_of_archives_are_written_once_and_proven(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(sets.DATA, tmp_path / "charts")
    monkeypatch.setattr(sets, "DATA", tmp_path / "charts")
    monkeypatch.setattr(sys, "argv", ["", "--archives", str(tmp_path)])
    version = sets.pins(NEW)["kueue"]
    jobset = sets.read(NEW)["charts"]["jobset"]
    for content in (b"one", b"another"):
        (tmp_path / f"kueue-{version}.tgz").write_bytes(content)
        tool.main()
        charts.cache_clear()
        entry = sets.read(NEW)["charts"]["kueue"]
        assert entry["digest"] == f"sha256:{sha256(content).hexdigest()}" == sets.digest("kueue", version)
        assert "digest" in entry["proven"]
        assert sets.read(NEW)["charts"]["jobset"] == jobset
    assert sets.digest("kueue", "0.0.1") == ""
    monkeypatch.undo()
    charts.cache_clear()


def test_renovate_reads_every_image_of_the_newest_set() -> None:
    text = (sets.DATA / f"{NEW}.toml").read_text()
    seen = {found["depName"]: found["currentValue"] for found in re.finditer(PATTERN, text)}
    assert sets.read(NEW)["images"].items() <= seen.items()


def test_no_pin_stands_anywhere_else() -> None:
    said = [
        path
        for path in sets.DATA.glob("*/release.toml")
        if re.search(r"^(version|older) *=", path.read_text(), re.MULTILINE)
    ]
    assert said == []


@pytest.mark.parametrize("stack", STACKS)
def test_a_profile_without_a_set_has_the_newest(stack: str) -> None:
    named = load({**document(stack), "set": NEW})
    assert named.model_copy(update={"version_set": None}) == profile(stack)


def versions(**keys: Any) -> tuple[str | None, str | None]:
    one = load({**document("onprem-h100-roce"), **keys})
    assert one.gpu_operator
    assert one.network_operator
    return one.gpu_operator.version, one.network_operator.version


@pytest.mark.parametrize("name", [OLD, float(OLD)], ids=["text", "a number, as YAML reads it"])
def test_a_set_fills_the_versions_that_a_profile_leaves_open(name: object) -> None:
    pins = sets.pins(OLD)
    assert versions(set=name) == (pins["gpu-operator"], pins["network-operator"])


def test_a_version_in_a_section_stays() -> None:
    section = {**document("onprem-h100-roce")["gpuOperator"], "version": "v25.10.1"}
    assert versions(set=OLD, gpuOperator=section)[0] == "v25.10.1"


def test_what_went_ahead_has_the_version_of_the_other_set() -> None:
    way = {"to": NEW, "moved": ["network-operator"]}
    assert versions(set=OLD, upgrade=way) == (sets.pins(OLD)["gpu-operator"], None)
    assert versions(set=OLD, upgrade={"to": NEW, "moved": ["network-operator", "gpu-operator"]}) == (None, None)


def test_an_image_of_a_set_is_run_where_a_section_names_none(monkeypatch: pytest.MonkeyPatch) -> None:
    pins = {**sets.pins(OLD), "vllm/vllm-openai": "v0.33.0"}
    monkeypatch.setattr(sets, "pins", lambda name: pins if name == OLD else dict(sets.read(name)["images"]))
    asked: dict[str, Any] = {**document("inference-l40s"), "set": OLD}
    assert {server.image for server in load(asked).servers} == {"vllm/vllm-openai:v0.33.0"}
    asked["serving"]["servers"] = [{**one, "image": "vllm/vllm-openai:v0.32.0"} for one in asked["serving"]["servers"]]
    assert {server.image for server in load(asked).servers} == {"vllm/vllm-openai:v0.32.0"}


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ({"set": "2020.01"}, f"set = 2020.01: no version set of this Bedplate; use one of {', '.join(sets.known())}"),
        ({"set": 7}, "set = 7: "),
        ({"upgrade": {"to": NEW, "moved": ["nothing"]}}, f"nothing is nothing of version set {NEW}"),
    ],
    ids=["unknown", "no name", "moved"],
)
def test_what_is_no_set_is_refused_in_a_line(keys: dict[str, Any], said: str) -> None:
    with pytest.raises(ProfileError) as refused:
        load({**document("onprem-h100-roce"), **keys})
    (line,) = [str(problem) for problem in refused.value.problems]
    assert said in line


def test_kubernetes_is_judged_by_the_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sets, "kubernetes", lambda name: ("1.31", "1.34") if name == OLD else ("1.31", "1.36"))
    with pytest.raises(ProfileError, match=r"kubernetesVersion = 1.35: outside what the pinned operators run on"):
        load({**document("onprem-h100-roce"), "set": OLD})
