"""Make `pods.json` in `bedplate/charts/`: what the pods of each pinned chart ask of their node.

    python -m tests.tools.make_pod_needs ARCHIVES... [--assets CHART-VERSION FOLDER]

An archive is CHART-VERSION.tgz; it is rendered with the name and values of every example stack that installs it, and
what any of them asks for is kept. FOLDER holds manifests that the chart's operator makes (NVIDIA/gpu-operator assets,
Mellanox/network-operator manifests); lines of a template in them are left out.
"""

import json
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

from bedplate.charts import DATA, stated, written
from bedplate.components.pod_needs import FILE, asks, charted
from bedplate.lab.binaries import provide
from bedplate.lab.controllers.known import HELM
from bedplate.plan.answers import RELEASE
from tests.stack_files import STACKS, graph
from tests.tools.make_chart_keys import split, write_text
from tests.tools.probe_charts import APIS, Loader

TEMPLATE = re.compile(r"^\s*\{\{.*\}\}\s*$", re.MULTILINE)
PLACE = re.compile(r"\{\{.*?\}\}")
KINDS = ("DaemonSet", "Deployment", "StatefulSet", "Job", "CronJob", "Pod")
Needs = dict[str, list[str]]


def installed(chart: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Name and values of each release of it in the example stacks; its own values where none has it."""
    nodes = [node for stack in STACKS for node in graph(stack).resources if node.type == RELEASE]
    mine = [node.inputs for node in nodes if str(node.inputs["chart"]).rpartition("/")[2] == chart]
    every = [(str(one["name"]), plain(one.get("values") or {})) for one in mine] or [
        (chart, stated(chart, "sources.toml").get("render", {}))
    ]
    yield from (one for index, one in enumerate(every) if one not in every[:index])


def plain(value: Any) -> Any:
    """Without what a plan masks."""
    return json.loads(json.dumps(value, default=str))


def rendered(archive: Path, name: str, given: Mapping[str, Any]) -> list[Any]:
    """Objects of a chart."""
    words = [str(provide(HELM)["helm"]), "template", name, str(archive), "-f", "-", "--kube-version", "1.35.0"]
    more = [word for one in APIS for word in ("--api-versions", one)]
    done = subprocess.run([*words, *more], input=yaml.safe_dump(given), capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{archive.name}: {done.stderr.strip().splitlines()[-1]}")
    return [one for one in yaml.load_all(done.stdout, Loader) if isinstance(one, dict) and not tests(one)]


def tests(one: Mapping[str, Any]) -> bool:
    """Only `helm test` makes it."""
    return "test" in str((one["metadata"].get("annotations") or {}).get("helm.sh/hook", ""))


def assets(folder: Path) -> Iterator[Any]:
    """Objects that an operator makes, without what its templates choose."""
    for path in sorted(folder.rglob("*.y*ml")):
        text = PLACE.sub("…", TEMPLATE.sub("", path.read_text()))
        try:
            yield from (one for one in yaml.load_all(text, Loader) if isinstance(one, dict))
        except yaml.YAMLError as error:
            sys.stderr.write(f"{path}: {' '.join(str(error).split())[:120]}\n")


def needs(objects: Iterable[Any]) -> Needs:
    """By workload, of all of these."""
    found: Needs = {}
    for one in objects:
        if one.get("kind") in KINDS:
            name = f"{one['kind']} {one['metadata']['name']}"
            found[name] = sorted({*found.get(name, ()), *asks(pod(one))})
    return found


def pod(one: Mapping[str, Any]) -> Mapping[str, Any]:
    """Of a workload, the spec of its pods."""
    spec: Any = one["spec"]
    for key in ("jobTemplate", "spec", "template", "spec"):
        spec = spec.get(key, spec) if isinstance(spec, dict) else spec
    return spec


def write(name: str, source: str, found: Needs) -> None:
    """Beside what is there already of the same chart."""
    chart, version = split(name)
    before = charted(chart, version) or {}
    pods = {key: sorted({*before.get(key, ()), *found.get(key, ())}) for key in sorted({**before, **found})}
    write_text(DATA / chart / version / FILE, written({"source": source, "pods": pods}))


def main(words: list[str]) -> None:
    """Of archives, or of one folder of assets."""
    if words[0] == "--assets":
        write(words[1], f"{words[1]}: templates, and manifests of its operator", needs(assets(Path(words[2]))))
        return
    for archive in map(Path, words):
        chart = re.sub(r"-v?[0-9].*", "", archive.stem)
        found = needs(one for name, given in installed(chart) for one in rendered(archive, name, given))
        write(archive.stem, f"{archive.stem}: templates with our values", found)


if __name__ == "__main__":
    main(sys.argv[1:])
