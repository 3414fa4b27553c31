"""`docs/policies.md` and a page a subject below it: every rule, made from the rules themselves (`make schema`)."""

from collections.abc import Mapping
from itertools import groupby

from bedplate.folders import PROJECT
from bedplate.policies.admission import GUARDS, name
from bedplate.policies.resources.stack import Stack
from bedplate.policies.rule import Rule
from bedplate.policies.rules import RULES

DOCS = PROJECT / "docs"
HEAD = """# Policies: every rule, its reason and its fix

The same rules run in `bedplate plan`, in Pulumi's engine, over any folder of manifests, and, where CEL can say them,
on the API server. This page is made from the code (`make schema`).

| where | how |
|---|---|
| plan | `bedplate plan ENV`: verdicts in the tree, in `--json` and in the report; status 1 where one is mandatory |
| engine | `pulumi preview --policy-pack policies --policy-pack-config pack.json` |
| state | `pulumi policy analyze --file state.json --policy-pack policies` |
| folder | `bedplate check PATH...`, as [check.md](check.md) says |
| API server | `bedplate rules admission --out DIR`, then `kubectl apply -f DIR` |

`bedplate rules config --profile ENV > pack.json` tells the pack about the cluster. In a folder, a Helm release is
a document `helmRelease: {chart, repo, version, namespace, values}`, Flux's HelmRelease or Argo CD's Application; a bare
file of values is one with `check values.yaml --chart gpu-operator@v26.7.0`. Pods are found in any kind: in one that we
do not know, what is not said is not known. Advice is printed once for each rule, and in full with `--format details`.
Without a profile, a rule that needs to know the cluster says nothing. A folder is one deployment, unless the same
object stands in two of its files. Levels change per rule: `--level NCCL-301=disabled`, or
`levels: {NCCL-301: disabled}` in the pack's configuration.

## What a severity means

Mandatory: it cannot work, corrupts or destroys, and that is proven from what is in front of the rule: the manifest, the
others of its deployment, the profile. Each such rule says on its page what proves it. Where an operator, a patch, another
folder or the node's own settings may make it right, the same complaint is advisory.

Advisory: it is slow or fragile, or it fails unless something else is as it should be, which is not to be seen here.
"""
SUBJECTS = {
    "driver": "Charts, driver and device plugin",
    "network": "Network operator, secondary networks, RDMA",
    "nccl": "NCCL and the shape of pods",
    "scheduling": "Scheduling and queues",
    "training": "Training jobs",
    "serving": "Model servers",
    "storage": "Storage",
    "cloud": "Cloud nodes",
    "objects": "Fields and values of any object",
}


def pages() -> Mapping[str, str]:
    """Each by its file below docs/."""
    subjects = {subject: list(rules) for subject, rules in groupby(RULES, lambda rule: rule.subject)}
    index = "\n".join([HEAD, *(_table(subject, rules) for subject, rules in subjects.items())])
    return {"policies.md": index, **{_file(subject): _page(subject, rules) for subject, rules in subjects.items()}}


def _file(subject: str) -> str:
    return f"policies/{subject}.md"


def _page(subject: str, rules: list[Rule]) -> str:
    about = "More about [the rules](../policies.md): where they run, and what a severity means."
    head = f"# Policies: {SUBJECTS[subject]}\n\n{about}\n"
    return "\n".join([head, *map(_section, rules)])


def _table(subject: str, rules: list[Rule]) -> str:
    rows = [
        f'| <a id="{rule.id.lower()}"></a>[{rule.id}]({_file(subject)}#{rule.id.lower()}) | {rule.title} '
        f"| {_severity(rule)} | {_scope(rule)} | {_guards(rule)} |"
        for rule in rules
    ]
    head = ["| rule | wants | severity | blocks | API server |", "|---|---|---|---|---|"]
    return "\n".join([f"## {SUBJECTS[subject]}", "", *head, *rows, ""])


def _section(rule: Rule) -> str:
    return (
        f'## <a id="{rule.id.lower()}"></a>{rule.id} {rule.title}\n\n{rule.description}\n\n'
        f"* Severity: {_severity(rule)}\n{_proof(rule)}* Why: {rule.why}.\n"
        f"* Fix: {rule.fix}.\n* Source: {rule.source}.\n"
    )


def _proof(rule: Rule) -> str:
    return f"* Proven by: {rule.proof}.\n" if rule.proof else ""


def _severity(rule: Rule) -> str:
    return f"{rule.severity} or {rule.also}" if rule.also else rule.severity


def _scope(rule: Rule) -> str:
    """What the engine stops: the resource itself, or the preview as a whole."""
    return "preview" if Stack in rule.on else "resource"


def _guards(rule: Rule) -> str:
    return ", ".join(f"`{name(guard)}`" for guard in GUARDS if guard.rule == rule.id)


def write() -> None:
    """Bring the pages up to date."""
    (DOCS / "policies").mkdir(exist_ok=True)
    for file, text in pages().items():
        (DOCS / file).write_text(text, encoding="utf-8")
