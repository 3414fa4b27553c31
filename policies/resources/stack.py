"""All resources together, with the questions that rules over the whole graph ask."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from bedplate.policies.facts import Facts
from bedplate.policies.resources.claims import claimed_devices
from bedplate.policies.resources.model import Resource
from bedplate.policies.resources.pod import Pod
from bedplate.policies.resources.release import Release, release_of
from bedplate.policies.resources.workloads import Devices, Workload, workload_of
from bedplate.policies.severity import ADVISORY, Severity
from bedplate.policies.values import Tree, flatten, text, tree, whole

ENFORCE = "pod-security.kubernetes.io/enforce"
STRICT = {"baseline", "restricted"}
"""Levels of Pod Security that refuse pods."""


@dataclass(frozen=True)
class Subject:
    """A resource with the views that rules take of it, each made once."""

    resource: Resource
    devices: Devices = field(default_factory=dict[tuple[str, str], int])
    """GPUs that claims bring."""
    fabric: frozenset[str] = frozenset()
    """Resources that are HCAs by the profile."""

    @cached_property
    def release(self) -> Release | None:
        """The Helm release that it is."""
        return release_of(self.resource)

    @cached_property
    def workload(self) -> Workload | None:
        """The workload that it is."""
        return workload_of(self.resource, self.devices, self.fabric)


class Stack:
    """The resources of one deployment, in a fixed order."""

    def __init__(self, resources: Iterable[Resource], facts: Facts, *, complete: bool = True) -> None:
        self.resources = sorted(resources, key=lambda resource: (resource.file, resource.urn))
        self.facts = facts
        self.complete = complete
        """Whether this is all of the cluster: only then is what we do not see absent."""

    @cached_property
    def subjects(self) -> list[Subject]:
        """Every resource with its views."""
        judged = [resource for resource in self.resources if resource.judged]
        devices = claimed_devices(judged)
        return [Subject(resource, devices, self.facts.verbs_devices) for resource in judged]

    def deployed_together(self, one: Resource, other: Resource) -> bool:
        """Whether two resources surely meet in one cluster: files of a folder may be alternatives."""
        return self.complete or one.file == other.file

    @property
    def elsewhere(self) -> Severity | None:
        """How grave it is that something is not here: in a folder it may be elsewhere, so that nothing is proven."""
        return None if self.complete else ADVISORY

    @cached_property
    def _by_kind(self) -> dict[str, list[Resource]]:
        found: dict[str, list[Resource]] = defaultdict(list)
        for subject in self.subjects:
            found[subject.resource.kind].append(subject.resource)
        return found

    def of(self, *kinds: str, group: str = "") -> list[Resource]:
        """Resources of these kinds, of one API group where kinds of several projects share a name."""
        return [resource for kind in kinds for resource in self._by_kind.get(kind, ()) if group in ("", resource.group)]

    def named(self, *kinds: str) -> bool:
        """Whether the name and the namespace of each of these is known, so that one not found is absent."""
        if kinds not in self._named:
            every = ([each.metadata.get("name"), each.metadata.get("namespace")] for each in self.of(*kinds))
            self._named[kinds] = all(map(whole, every))
        return self._named[kinds]

    @cached_property
    def _named(self) -> dict[tuple[str, ...], bool]:
        return {}

    def find(self, kind: str, name: str, namespace: str | None = None) -> Resource | None:
        """The first object of that kind and name, in that namespace where it has one."""
        return self._by_name.get((kind, name, namespace))

    @cached_property
    def _by_name(self) -> dict[tuple[str, str, str | None], Resource]:
        found: dict[tuple[str, str, str | None], Resource] = {}
        for subject in self.subjects:
            each = subject.resource
            found.setdefault((each.kind, each.object_name, each.namespace), each)
            found.setdefault((each.kind, each.object_name, None), each)
        return found

    @cached_property
    def all_releases(self) -> list[Release]:
        """Every Helm release."""
        return [subject.release for subject in self.subjects if subject.release]

    def releases(self, *charts: str) -> list[Release]:
        """The releases of these charts."""
        return [release for release in self.all_releases if release.chart in charts]

    @cached_property
    def charts_known(self) -> bool:
        """Whether every release says which chart it is."""
        return all(release.chart for release in self.all_releases)

    def lacks(self, *charts: str) -> bool:
        """Whether surely no release of these charts is in the cluster."""
        return self.complete and self.charts_known and not self.releases(*charts)

    @cached_property
    def workloads(self) -> list[Workload]:
        """Everything that carries pod templates."""
        return [subject.workload for subject in self.subjects if subject.workload]

    @cached_property
    def beside(self) -> Mapping[tuple[str, str], list[Workload]]:
        """The workloads of a file and namespace; none where one of the file is not fully known."""
        pods = ((pod.resource.file, pod) for each in self.workloads for pod in each.pods)
        open_ones = {file for file, pod in pods if not (pod.marks_known and whole(pod.spec))}
        found: dict[tuple[str, str], list[Workload]] = defaultdict(list)
        for each in self.workloads:
            if each.resource.file not in open_ones:
                found[each.resource.file, each.resource.namespace].append(each)
        return found

    @cached_property
    def pods(self) -> list[Pod]:
        """Every pod template."""
        return [pod for workload in self.workloads for pod in workload.pods]

    def jobs(self) -> Iterator[Workload]:
        """Workloads whose GPUs span nodes."""
        return (workload for workload in self.workloads if workload.multi_node)

    def installs(self, project: str) -> list[Resource]:
        """Manifests taken from a project's address or folder: we see where they are from, not what they hold."""
        kinds = self.of("ConfigFile", "ConfigGroup", "Directory")
        return [resource for resource in kinds if any(project in source for source in _sources(resource))]

    def waits_for(self, later: Resource, earlier: Resource) -> bool:
        """Whether a resource, or a component around it, is made only after another one."""
        targets = {earlier.urn, *self._around(earlier.urn)}
        seen: set[str] = set()
        todo = [later.urn]
        while todo:
            urn = todo.pop()
            if urn not in seen and (resource := self._by_urn.get(urn)):
                seen.add(urn)
                todo += [*resource.dependencies, resource.parent]
                if targets & {*resource.dependencies}:
                    return True
        return False

    def _around(self, urn: str) -> Iterator[str]:
        while (resource := self._by_urn.get(urn)) and resource.parent:
            urn = resource.parent
            yield urn

    @cached_property
    def _by_urn(self) -> dict[str, Resource]:
        return {resource.urn: resource for resource in self.resources}

    def policies(self) -> list[Tree]:
        """The spec of each NicClusterPolicy."""
        return [resource.spec for resource in self.of("NicClusterPolicy")]

    def namespace(self, name: str) -> Resource | None:
        """The Namespace object of that name."""
        return self.find("Namespace", name)

    def strict(self, name: str) -> str:
        """The Pod Security level that this namespace enforces, where it is one that refuses pods; else nothing."""
        namespace = self.namespace(name)
        level = text(namespace.labels.get(ENFORCE)) if namespace else ""
        return level if level in STRICT else ""


def _sources(resource: Resource) -> Iterator[str]:
    props = tree(resource.props)
    yield from flatten([props.get(key) for key in ("file", "files", "directory", "url")])
