"""The road between two version sets on a real engine, with a team's jobs at work: forth, stopped at a gate, on, and back."""

import json
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest
import yaml

from bedplate.charts import sets
from bedplate.lab.engine import Engine
from bedplate.lab.watch import PHASE, counted, counts, watch
from bedplate.stacks.facts.derive import facts
from bedplate.stacks.load import load
from bedplate.stacks.profile.stack_file import PROFILE_KEY
from tests.engine.people import TEAM, fifty
from tests.engine.profiles import impatient
from tests.engine.test_gates import SHORT, WHOLE, patch, play_no_more, profile_of
from tests.rooms import ROOT
from tests.training_jobs import job, rendered

OLD, NEW = sets.known()[-2:]
MOVED = ["network-operator", "gpu-operator"]
"""What differs between the two, in the order in which it is deployed."""
AT_WORK = {"lab.bedplate/runs-for": "7200s"}
UP = ("up", "--yes", "--skip-preview", "--stack", "lab")
POLICY = "clusterpolicy/cluster-policy"


OPERATORS = "default"
"""Where the job at work is: in a team's namespace `bedplate doctor` asks for its Workload, and no Kueue runs here."""


def people(profile: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """What waits in queues and what lies there, and on both nodes with GPUs a job that outlives the test."""
    yield from (one for one in fifty() if one["kind"] != "PersistentVolumeClaim")  # none is bound in this lab
    written = job("Job", name="at-work", annotations=AT_WORK)
    for one in rendered(written, facts(load(profile))):
        yield {**one, "metadata": {**one["metadata"], "namespace": OPERATORS}}


@pytest.fixture
def busy(engine: Engine) -> Engine:
    """The lab's stack with the older set, and its people at work."""
    profile = {**impatient(profile_of(engine), 60), "set": OLD}
    engine.configure(profile)
    engine.run(*UP)
    counted(engine.cluster, [TEAM])
    engine.cluster.apply(people(profile))
    watch(engine.cluster, f"pods --namespace {OPERATORS}", PHASE, counts("Running", 2))
    return engine


def road(engine: Engine, to: str, *more: str, hear: Callable[[str], None] = lambda _: None) -> tuple[int, str]:
    """`bedplate upgrade`, as a person types it in the project; its exit status, and all that it says."""
    words = [sys.executable, "-m", "bedplate", "upgrade", "lab", "--to", to, *more]
    variables = {**engine.variables, "PYTHONPATH": str(ROOT), "CI": "true"}
    said: list[str] = []
    with subprocess.Popen(
        words, cwd=engine.folder, env=variables, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as process:
        for line in process.stdout or ():
            said.append(line)
            hear(line)
    return process.returncode, "".join(said)


def stands(engine: Engine) -> dict[str, Any]:
    """What the profile's file says of its set."""
    profile = yaml.safe_load(engine.stack_file.read_text())["config"][PROFILE_KEY]
    return {key: profile[key] for key in ("set", "upgrade") if key in profile}


def deployed(engine: Engine) -> list[str]:
    """Releases of both operators, as the engine's state has them."""
    releases = (one for one in engine.state() if one["type"].endswith(":Release"))
    versions = {one["urn"].rsplit("::", 1)[-1]: one["inputs"]["version"] for one in releases}
    return [versions[name] for name in MOVED]


def pins(name: str) -> list[str]:
    return [sets.pins(name)[chart] for chart in MOVED]


def belongings(engine: Engine) -> dict[str, str]:
    """By identity what the team has and what is at work, of every kind that there is, pods with what they do."""
    kinds = engine.cluster.kubectl("api-resources", "--verbs=list", "--namespaced", "-o", "name", "--cached=false")
    own = sorted(kind for kind in kinds.split() if not kind.startswith(("events", "leases")))
    listed = (
        one
        for home in (TEAM, OPERATORS)
        for one in json.loads(engine.cluster.kubectl("get", ",".join(own), "-n", home, "-o", "json"))["items"]
    )
    return {one["metadata"]["uid"]: f"{one['kind']}/{one['metadata']['name']} {_does(one)}" for one in listed}


def _does(one: Mapping[str, Any]) -> str:
    return str(one.get("status", {}).get("phase", "")) if one["kind"] == "Pod" else ""


def test_from_the_older_set_to_the_newer_and_back_nothing_is_lost_and_a_broken_stage_stops_it(busy: Engine) -> None:
    own, resources = belongings(busy), {one["urn"] for one in busy.state()}
    assert sum(name.startswith("Pod/") and name.endswith("Running") for name in own.values()) == 2
    assert len(own) > 45

    def whole() -> None:
        lost = {name for uid, name in own.items() if belongings(busy).get(uid) != name}
        assert lost == set(), "lost, and no plan names it"
        assert {one["urn"] for one in busy.state()} == resources

    status, said = road(busy, NEW, "--json")
    assert status == 0, said
    assert [stage["name"] for stage in json.loads(said)["stages"]] == MOVED

    def break_it(line: str) -> None:
        """Once the second stage is begun its operator is never content again."""
        if line.startswith("stage 2 of 2: gpu-operator"):
            play_no_more(busy, "ClusterPolicy")
            patch(busy, POLICY, {"status": {"state": "notReady"}})

    status, said = road(busy, NEW, "--yes", hear=break_it)
    assert (status, "stopped at a gate: gpu-operator" in said) == (1, True), said
    assert "gpu-operator-ready" in said
    assert stands(busy) == {"set": OLD, "upgrade": {"to": NEW, "moved": MOVED}}
    assert deployed(busy)[0] == pins(NEW)[0]
    whole()

    patch(busy, POLICY, {"status": {"state": "ready"}})
    status, said = road(busy, NEW, "--yes")
    assert status == 0, said
    assert "stage 1" not in said, "what is through is not begun again"
    assert (stands(busy), deployed(busy)) == ({"set": NEW}, pins(NEW))
    whole()
    busy.run("preview", "--stack", "lab", "--expect-no-changes")

    patch(busy, "node/h100-1", SHORT)
    status, said = road(busy, OLD, "--yes")
    assert (status, "nothing was changed" in said) == (1, True), said
    assert (stands(busy), deployed(busy)) == ({"set": NEW}, pins(NEW))

    patch(busy, "node/h100-1", WHOLE)
    status, said = road(busy, OLD, "--yes")
    assert status == 0, said
    assert (stands(busy), deployed(busy)) == ({"set": OLD}, pins(OLD))
    whole()
    busy.run("preview", "--stack", "lab", "--expect-no-changes")
