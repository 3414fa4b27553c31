"""The site's own parts: names, charts and namespaces on either side of what is refused."""

from typing import Any

from tests.unit.checks.case import Case, Document, edited, refused, taken

PART = {"kind": "chart", "chart": "agent", "version": "1.2.3", "repository": "https://charts.example.com"}


def twice(index: int) -> tuple[str, ...]:
    return (f"extensions[{index}].name = agent: another part has this name",)


def there(index: int = 0) -> tuple[str, ...]:
    return (f"extensions[{index}].podSecurity = baseline: a namespace that is there already",)


OF_A_TEAM = ("extensions[0].namespace = research: a team's namespace",)
MANIFESTS = {"name": "notes", "kind": "manifests", "manifests": [
    {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "notes", "namespace": "notes"}},
]}  # fmt: skip


def parts(*stated: dict[str, Any]) -> Document:
    named = [part if "kind" in part else PART | {"name": "agent", "namespace": "agents"} | part for part in stated]
    return edited("lab", {"extensions": named})


EDGES: dict[str, Case] = {
    "no parts": taken(edited("lab", {})),
    "two parts of two names in one namespace that is there": taken(parts({}, {"name": "b"})),
    "a part with a namespace of its own beside one that uses it": taken(
        parts({"podSecurity": "baseline"}, {"name": "b"})
    ),
    "manifests": taken(parts(MANIFESTS)),
    "two parts of one name": refused(parts({}, {}), twice(0), twice(1)),
    "a chart of ours": refused(
        parts({"chart": "kueue"}), ("extensions[0].chart = kueue", "by the section scheduling.kueue")
    ),
    "a team's namespace": refused(parts({"namespace": "research"}), OF_A_TEAM),
    "a team's namespace, made": refused(parts({"namespace": "research", "podSecurity": "baseline"}), OF_A_TEAM),
    "a namespace of ours": taken(parts({"namespace": "gpu-operator"})),
    "a namespace of ours, made": refused(parts({"namespace": "gpu-operator", "podSecurity": "baseline"}), there()),
    "a namespace of the system, made": refused(parts({"namespace": "kube-agents", "podSecurity": "baseline"}), there()),
    "one namespace made twice": refused(
        parts({"podSecurity": "baseline"}, {"name": "b", "podSecurity": "baseline"}), there(0), there(1)
    ),
}
