"""What somebody tries on a team's namespace, and what must come of it: a file each, so that a new try needs no program.

Keys of a file: `title` and `why` for people; `schedulers` where it makes sense, else all; `given`, objects that stand
already (`$NAME` is the uid of an earlier object); then what is tried, for nothing but its answer: `create` an object,
`patch` a `resource` of a `name` (and its `subresource`) `with` a merge patch, or `delete` a `path` with `options`.
`as: controller` is somebody whom the guards let do more (`tests/attempts.py` lists all), and `alone` says why a queue's real webhooks are in the way. `refused` are words of the refusal; without, it is taken, and an attack says in `harmless` why it may be.

A file may also be a list; an entry may have `pod` instead of an act: what is laid over a plain pod, and with `in` over
the templates of these kinds. What is `queued` gets queue, scheduler and tolerations of the cluster that it is tried on, and
`source` says who ships such a manifest. `needs: rails` is for clusters whose pods attach networks of the fabric, `needs: node
networks` for GKE's with networks of the node's (`$network` is one), `needs: taint` for those whose GPU nodes have the taint
`nvidia.com/gpu` and no other.
"""

import json
from collections.abc import Generator, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from bedplate.components.facts import Facts
from bedplate.folders import PROJECT
from bedplate.lab.cluster import Cluster
from tests.attempts import USERS, fitted, makes_sense, spread
from tests.cluster import guarding
from tests.cluster.attacks import HOME
from tests.training_jobs import SCHEDULERS

ROOT = PROJECT / "tests"
WHO = {who: (f"--as={name}", *(f"--as-group={one}" for one in groups)) for who, (name, *groups) in USERS.items()}
DRY = "--dry-run=server"
EVERYWHERE = (*SCHEDULERS, "none")
"""Also where the cluster's own scheduler places everything, and each team has its part by its quota."""


@dataclass(frozen=True)
class Try:
    """One file."""

    name: str
    document: Mapping[str, Any]

    @property
    def schedulers(self) -> tuple[str, ...]:
        """With which it makes sense."""
        return tuple(self.document.get("schedulers", EVERYWHERE))

    @property
    def alone(self) -> bool:
        """It can be tried on the guards alone, and not beside the queue's own webhooks."""
        return "alone" in self.document

    @property
    def refused(self) -> str | None:
        """Words of the refusal."""
        return self.document.get("refused")

    @property
    def action(self) -> tuple[str, str]:
        """Verb and resource with its API group, such as `jobs.batch` or `pods/binding`."""
        if asked := self.document.get("create"):
            return "create", qualified(asked["apiVersion"].rpartition("/")[0], _plural(asked["kind"]))
        if asked := self.document.get("patch"):
            below = f"/{asked['subresource']}" if "subresource" in asked else ""
            return "patch", asked["resource"] + below
        before, _, parts = self.document["delete"]["path"].partition(f"/namespaces/{HOME}/")
        plural, one, _ = parts.partition("/")
        group = before.split("/")[2] if before.startswith("/apis/") else ""
        return "delete" if one else "deletecollection", qualified(group, plural)

    def on(self, facts: Facts) -> "Try | None":
        """As it is written for such a cluster; None where it makes no sense."""
        sound = facts.scheduler.kind in self.schedulers and makes_sense(self.document, facts)
        return Try(self.name, fitted(self.document, facts)) if sound else None

    def run(self, cluster: Cluster) -> tuple[bool, str]:
        """Whether it is taken, and all that is said; nothing of it stays."""
        who = WHO[self.document.get("as", "member")]
        with self._standing(cluster):
            return guarding.attempt(cluster, self.document.get("create", {}), *who, *self._words())

    def wrong(self, cluster: Cluster) -> str | None:
        """What was said, if it was not what the file says."""
        taken, said = self.run(cluster)
        right = not taken and self.refused in said if self.refused else taken
        return None if right else f"{self.name}: {'taken' if taken else 'refused'}: {said.strip()}"

    def _words(self) -> tuple[str, ...]:
        if "create" in self.document:
            return guarding.TRY
        if asked := self.document.get("patch"):
            below = (f"--subresource={asked['subresource']}",) if "subresource" in asked else ()
            place = (asked["resource"], asked["name"], "-n", HOME)
            return ("patch", *place, *below, DRY, "--type=merge", f"-p={json.dumps(asked['with'])}")
        asked = self.document["delete"]
        options = [*filter(None, [asked.get("options")]), "dryRun=All"]
        return ("delete", "--raw", f"{asked['path']}?{'&'.join(options)}")

    @contextmanager
    def _standing(self, cluster: Cluster) -> Generator[None]:
        """While what is given is there."""
        uids: dict[str, str] = {}
        with ExitStack() as last:
            for one in self.document.get("given", ()):
                text = json.dumps(one)
                for name, uid in uids.items():
                    text = text.replace(f"${name}", uid)
                if one["kind"] != "Binding":
                    last.callback(_away, cluster, one)
                made = guarding.attempt(cluster, json.loads(text), *WHO["controller"], *MAKE)
                assert made[0], made[1]
                uids[one["metadata"]["name"]] = json.loads(made[1])["metadata"].get("uid", "")
            yield


def qualified(group: str, resource: str) -> str:
    """A resource as kubectl names it; what is below it comes last."""
    plural, below, part = resource.partition("/")
    return f"{plural}.{group}".rstrip(".") + below + part


MAKE = ("create", "--validate=ignore", "--output=json", "-f", "-")


def _away(cluster: Cluster, one: Mapping[str, Any]) -> None:
    """Also what has a finalizer."""
    kind = f"{_plural(one['kind'])}.{one['apiVersion'].rpartition('/')[0]}".rstrip(".")
    place = (kind, one["metadata"]["name"], "-n", one["metadata"]["namespace"])
    free = '-p={"metadata":{"finalizers":null}}'
    guarding.attempt(cluster, {}, *WHO["controller"], "patch", *place, "--type=merge", free)
    gone = ("--wait=true", "--ignore-not-found", "--grace-period=0", "--force", "--timeout=30s")
    went, said = guarding.attempt(cluster, {}, *WHO["controller"], "delete", *place, *gone)
    assert went, said


def _plural(kind: str) -> str:
    return f"{kind.lower()}s"


@cache
def tries(folder: str) -> tuple[Try, ...]:
    """All files of a folder below tests."""
    return tuple(one for path in sorted((ROOT / folder).glob("*.yaml")) for one in _of(path))


def played(all_of: Iterable[Try], facts: Facts) -> list[Try]:
    """Those that make sense on such a cluster, as they are written for it."""
    return [fitting for one in all_of if (fitting := one.on(facts)) is not None]


def _of(path: Path) -> Iterator[Try]:
    document = yaml.load(path.read_text(), yaml.CSafeLoader)
    if not isinstance(document, list):
        yield Try(path.stem, document)
        return
    for entry in document:
        yield from (Try(f"{path.stem}: {entry['title']} ({kind})", whole) for kind, whole in spread(entry))
