"""Take over what a cluster has already: `.ci/pulumi adopt ENV` (docs/adopting.md).

Reads what the engine would create and the import file that it wrote of it, looks up which of that is on the cluster,
and leaves only that in the file, with its identity. Changes nothing on the cluster but who owns foreign labels.
"""

import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from bedplate import usage
from bedplate.cluster.errors import ClusterError
from bedplate.cluster.kubectl import get, kubectl
from bedplate.cluster.objects import bundle
from bedplate.components.chart import Chart
from bedplate.plan.adoption import (
    Key,
    Live,
    Object,
    Release,
    Taken,
    counterpart,
    faults,
    filled,
    foreign,
    key_of,
    planned,
    release_of,
    taken,
    to_create,
)

KEEPER = "site"
"""Field manager of labels and annotations that are not ours."""
OWNER = ".metadata.annotations.meta\\.helm\\.sh/release-name"
CRDS = "jsonpath={range .items[*]}{.metadata.name} {.spec.group} {" + OWNER + '}{"\\n"}{end}'


def main(arguments: Sequence[str] | None = None) -> int:
    """0 with a file to import, or none where nothing is to be taken over; 2 with one line for each reason not to."""
    options = usage.stated(__file__, "adopt").parse_args(arguments)
    preview, imports = (json.loads(Path(name).read_text()) for name in (options.preview, options.imports))
    steps, context = list(to_create(preview)), json.loads(preview["config"]["bedplate:profile"])["context"]
    Path(options.imports).unlink()
    try:
        taken, wrong = _look(context, steps)
    except ClusterError as error:
        taken, wrong = [], [str(error)]
    sys.stderr.writelines(f"{fault}\n" for fault in wrong)
    if wrong:
        return 2
    sys.stdout.writelines(f"{line}\n" for line in report(taken))
    if taken:
        Path(options.imports).write_text(json.dumps(filled(imports, taken)))
    return 0


def _look(context: str, steps: Sequence[Object]) -> tuple[list[Taken], list[str]]:
    live = Live(objects(context, steps), list(releases(context)))
    wrong = [*faults(steps, live), *unowned(context, steps, live)]
    if not wrong:
        keep(context, steps, live)
    return list(taken(steps, live)), wrong


def objects(context: str, steps: Sequence[Object]) -> dict[Key, Object]:
    """Which of the objects are there, as they are; of kinds that nobody serves there are none."""
    keys = [key for step in steps if (key := key_of(step["inputs"]))]
    served = {version: set(_kinds(context, version)) for version in {key.version for key in keys}}
    stubs = [key.stub() for key in keys if key.kind in served[key.version]]
    if not stubs:
        return {}
    answer = kubectl(context, "get", "-f", "-", "--ignore-not-found", "-o", "json", stdin=bundle(stubs))
    objects_there: dict[str, Any] = json.loads(answer) if answer else {"items": []}
    return {key: item for item in objects_there.get("items", [objects_there]) if (key := key_of(item))}


def _kinds(context: str, version: str) -> Iterator[str]:
    try:
        answer = get(context, f"/apis/{version}" if "/" in version else f"/api/{version}")
    except ClusterError as error:
        if "not find the requested resource" in str(error):
            return
        raise
    yield from (resource["kind"] for resource in json.loads(answer)["resources"])


def releases(context: str) -> Iterator[Release]:
    """Helm's releases, each as its newest record says."""
    answer = kubectl(context, "get", "secrets", "-A", "-l", "owner=helm", "-o", "json")
    newest: dict[tuple[str, str], Object] = {}
    for record in sorted(
        json.loads(answer)["items"], key=lambda release: int(release["metadata"]["labels"]["version"])
    ):
        newest[record["metadata"]["namespace"], record["metadata"]["labels"]["name"]] = record
    yield from map(release_of, newest.values())


def unowned(context: str, steps: Sequence[Object], live: Live) -> Iterator[str]:
    """CRDs that a chart has as templates and that are there without it: Helm would refuse to install over them."""
    missing = [ours for _, ours in planned(steps) if not counterpart(ours, live.releases, alone=True)]
    lines = kubectl(context, "get", "crd", "-o", CRDS).splitlines() if missing else []
    there = [(*line.split(), "")[:3] for line in lines if line]
    for ours in missing:
        chart = _known(ours.chart)
        groups = chart.groups if chart and chart.crds in ("template", "release") else ()
        if names := [name for name, group, owner in there if group in groups and owner != ours.name]:
            words = f"release {ours.id}: {len(names)} CRDs of {', '.join(groups)} are there, and not this release's"
            yield f"{words}: hand them over (docs/adopting.md): {' '.join(names)}"


def _known(name: str) -> Chart | None:
    from bedplate.stacks.profile.charts import installable  # noqa: PLC0415 - the whole profile comes with it
    from bedplate.stacks.profile.profile import Profile  # noqa: PLC0415

    charts = (chart for chart in installable(Profile).values() if isinstance(chart, Chart))
    return next((chart for chart in charts if chart.name == name), None)


def keep(context: str, steps: Sequence[Object], live: Live) -> None:
    """Give labels and annotations that are not ours another owner beside kubectl.

    What kubectl set the provider takes over with its first update, and would drop as none of its own
    (pulumi-kubernetes, provider/pkg/await/await.go `fixCSAFieldManagers`).
    """
    both = ((key, step["inputs"], live.objects.get(key)) for step in steps if (key := key_of(step["inputs"])))
    items = [kept for key, ours, there in both if there and (kept := foreign(key, ours, there))]
    if items:
        flags = ("--server-side", "--force-conflicts", f"--field-manager={KEEPER}")
        kubectl(context, "apply", *flags, "-f", "-", "-o", "name", stdin=bundle(items))


def report(taken: Sequence[Taken]) -> Iterator[str]:
    """What will be taken over, and what comes after it."""
    if not taken:
        yield "Nothing that this stack would create is on the cluster."
        return
    yield f"{len(taken)} things of this stack are on the cluster already:"
    yield from (f"  {resource.words}" for resource in sorted(taken, key=lambda resource: resource.words))
    yield "Importing changes nothing on the cluster. What a rollout then changes is shown by:"
    yield "  PULUMI_K8S_ENABLE_PATCH_FORCE=true make preview STACK=...    (docs/adopting.md)"


if __name__ == "__main__":
    sys.exit(main())
