"""The API server says of every document of the corpus what the checker says: no more, and of what it guards no less.

All guards warn here, so that each speaks for itself: a refusal would hide those behind it.
"""

import json
import re
import subprocess
import urllib.error
import urllib.request
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, Self

import pytest
import yaml

from bedplate.lab.cluster import Cluster
from bedplate.policies.admission import GUARDS, Enforcement, manifests, name
from bedplate.policies.facts import Facts
from bedplate.policies.judging.judge import judge
from bedplate.policies.manifests.charts import from_manifest
from bedplate.policies.rule import REGISTRY
from bedplate.policies.values import whole
from tests.cluster.guarding import guarding
from tests.unit.policies.test_good_manifests import good
from tests.unit.policies.test_rules import CASES

CORPUS = sorted((Path(__file__).parents[1] / "corpus").rglob("*.yaml"))
Finding = tuple[str, str]
"""Rule and severity."""
GUARDED: Mapping[str, Finding] = {
    name(guard): (guard.rule, guard.severity or REGISTRY[guard.rule].severity) for guard in GUARDS
}
PARTLY = {
    "NCCL-310": "whether a job spans nodes, and one GPU's vLLM",
    "NCCL-312": "cores for each GPU",
    "SCH-414": "kinds whose size is no plain sum",
    "TRN-508": "what the program is, and its ports",
    "INF-605": "what an adapter makes",
    "STO-701": "every driver's name",
    "NET-201": "whether there is one",
    "NET-217": "kinds whose pods stand where no guard looks; their pods are judged themselves",
    "GPU-102": "charts and addresses",
    "GPU-125": "the host's IPC",
}
"""Rules of which the API server judges a part, with what it leaves to the checker."""
NEVER = {"SCH-414", "NET-213"}
"""Rules that no document of these breaks alone and as the API server takes it. `test_admission.py` breaks SCH-414; what
breaks NET-213 lacks fields that its CRD requires, so that the API server refuses it before any guard."""
LEAST = 400
"""Documents that the API server must have judged for the comparison to mean something."""


class Api:
    """The API server by plain HTTP, so that warnings come with the object that they are about."""

    def __init__(self, cluster: Cluster) -> None:
        command = [*cluster.kubectl_command, "proxy", "--port=0"]
        self._proxy = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)

    def __enter__(self) -> Self:
        assert self._proxy.stdout
        self._address = "http://" + self._proxy.stdout.readline().split()[-1]
        return self

    def __exit__(self, *_: object) -> None:
        self._proxy.terminate()
        self._proxy.communicate()

    def _get(self, path: str) -> Any:
        with urllib.request.urlopen(f"{self._address}{path}") as answer:  # noqa: S310 (the lab's own, on loopback)
            return json.load(answer)

    @cached_property
    def places(self) -> dict[tuple[str, str], tuple[str, bool]]:
        """Path and scope of every kind that is served."""
        groups = self._get("/apis")["groups"]
        versions = ["/api/v1", *(f"/apis/{each['groupVersion']}" for group in groups for each in group["versions"])]
        return {
            (version.removeprefix("/apis/").removeprefix("/api/"), each["kind"]): (
                f"{version}/{{}}{each['name']}",
                each["namespaced"],
            )
            for version in versions
            for each in self._get(version)["resources"]
            if "/" not in each["name"]
        }

    def said(self, doc: Mapping[str, Any]) -> set[Finding] | None:
        """What the guards warn of; None where the API server does not serve or take such an object at all."""
        if (doc["apiVersion"], doc["kind"]) not in self.places:
            return None
        path, namespaced = self.places[doc["apiVersion"], doc["kind"]]
        place = f"namespaces/{doc['metadata'].get('namespace', 'default')}/" if namespaced else ""
        url = f"{self._address}{path.format(place)}?dryRun=All&fieldValidation=Ignore"
        kind = {"Content-Type": "application/json"}
        request = urllib.request.Request(url, json.dumps(doc).encode(), kind)  # noqa: S310 (the same)
        try:
            with urllib.request.urlopen(request) as answer:  # noqa: S310 (the same)
                warnings = answer.headers.get_all("Warning") or []
        except urllib.error.HTTPError:
            return None
        found = (re.search(r"ValidatingAdmissionPolicy '(bedplate-[^']+)'", warning) for warning in warnings)
        return {GUARDED[each[1]] for each in found if each}


def documents() -> Iterator[tuple[str, dict[str, Any]]]:
    """Every Kubernetes object of the corpus and of the rules' own cases, right and broken, once each."""
    seen: set[str] = set()
    for title, doc in (*corpus(), *cases(), *rendered()):
        if isinstance(doc, dict) and doc.get("kind") and doc.get("apiVersion") and whole(doc):
            named = {"name": "x", **(doc.get("metadata") or {})}
            found = {**{key: value for key, value in doc.items() if key != "dependencies"}, "metadata": named}
            text = json.dumps(found, sort_keys=True)
            if text not in seen:
                seen.add(text)
                yield title, found


def corpus() -> Iterator[tuple[str, Any]]:
    for path in CORPUS:
        for number, doc in enumerate(yaml.safe_load_all(path.read_text())):
            yield f"{path.parent.name}/{path.stem}#{number}", doc


def rendered() -> Iterator[tuple[str, Any]]:
    for title, text in good().items():
        yield from ((f"{title} #{number}", doc) for number, doc in enumerate(yaml.safe_load_all(text)))


def cases() -> Iterator[tuple[str, Any]]:
    for case in CASES:
        yield from ((f"{case.rule} {title}", doc) for title, doc in case.docs.items())
        for change in case.breaks:
            yield from ((f"{case.rule} {change.path}", doc) for doc in case.broken(change).values())


def checked(doc: Mapping[str, Any]) -> set[Finding]:
    """What the checker says of one document alone, as far as some guard says it too."""
    found = judge([from_manifest(doc)], Facts(), complete=False)
    return {(each.rule, each.severity) for each in found} & set(GUARDED.values())


@pytest.fixture(scope="module")
def api(cluster: Cluster, crds: None) -> Iterator[Api]:
    places = {doc["metadata"].get("namespace", "default") for _, doc in documents()} | {"team"}
    cluster.apply([{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": place}} for place in sorted(places)])
    with guarding(cluster, manifests(Enforcement(actions=("Warn",)))), Api(cluster) as running:
        yield running


def test_admission_says_of_the_whole_corpus_what_the_checker_says(api: Api) -> None:
    judged: Counter[Finding] = Counter()
    more: list[tuple[str, Finding]] = []
    less: list[tuple[str, Finding]] = []
    count = 0
    for title, doc in documents():
        said = api.said(doc)
        if said is None:
            continue
        count += 1
        here = checked(doc)
        graver = {(rule, "advisory") for rule, _ in here}
        judged.update(said)
        more += [(title, each) for each in sorted(said - here - graver)]
        less += [(title, each) for each in sorted(here - said) if each[0] not in PARTLY]
    assert more == []
    assert less == []
    assert count >= LEAST
    assert {rule for rule, _ in judged} >= {rule for rule, _ in GUARDED.values()} - NEVER
