"""Kustomizations: what `kubectl kustomize` makes of them is judged, not the bases and patches that they are made of.

Without kubectl, and where a kustomization needs the network or a plug-in, its files are judged as they stand, and what
is found in them is advice: a name suffix, an image or a patch may make it right.
"""

import re
import shutil
import subprocess
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from bedplate.policies.manifests.documents import Document, documents
from bedplate.policies.values import Tree, dig, text, texts, trees
from bedplate.policies.values import tree as as_tree

NAMES = ("kustomization.yaml", "kustomization.yml", "Kustomization")
BELOW = ("resources", "bases", "components", "crds")
PATCHES = ("patches", "patchesJson6902")
WORD = re.compile(r"\w")
LONGEST = 200
SECONDS = 30
"""How long one may take to render."""


@dataclass(frozen=True)
class Kustomization:
    """One kustomization.yaml and the files that it names."""

    file: Path
    below: tuple[Path, ...]
    """Manifests, and kustomizations of other folders."""
    patches: tuple[Path, ...]
    elsewhere: str
    """The first thing that it needs and that is not here."""
    component: bool
    """Whether it is only a part of others."""


@dataclass
class Kustomized:
    """What the kustomizations among some files come to."""

    rendered: dict[Path, bytes] = field(default_factory=dict[Path, bytes])
    """The objects, by the kustomization that nothing else builds on."""
    passed: set[Path] = field(default_factory=set[Path])
    """Files that are not judged as they stand: what was rendered, the kustomizations themselves, and patches."""
    unsure: set[Path] = field(default_factory=set[Path])
    """Manifests that a kustomization changes which was not rendered."""
    reasons: dict[Path, str] = field(default_factory=dict[Path, str])
    """Why each of the others was not."""


def kustomized(files: Iterable[Path]) -> Kustomized:
    """Render each kustomization among the files that no other one of them builds on."""
    found = {file.resolve().parent: _read(file) for file in files if file.name in NAMES}
    used = {_folder(below) for each in found.values() for below in each.below}
    result = Kustomized(passed={each.file for each in found.values()})
    for folder, each in found.items():
        result.passed.update(each.patches)
        if folder in used or each.component:
            continue
        parts = list(_closure(each, found))
        text_, reason = _render(each, parts)
        if reason:
            result.reasons[each.file] = reason
            result.unsure.update(path for part in parts for path in part.below)
        else:
            result.rendered[each.file] = text_
            result.passed.update(path for part in parts for path in (*part.below, *part.patches))
    result.unsure -= result.passed
    return result


def _folder(path: Path) -> Path:
    return path.parent if path.name in NAMES else path


def _closure(top: Kustomization, found: Mapping[Path, Kustomization]) -> Iterator[Kustomization]:
    """A kustomization and all that it is made of, as far as they are here; others are read where they lie."""
    seen: set[Path] = set()
    todo = [top]
    while todo:
        each = todo.pop()
        if each.file not in seen:
            seen.add(each.file)
            yield each
            todo += [found.get(folder) or _read(_in(folder)) for folder in map(_folder, each.below) if folder.is_dir()]


def _in(folder: Path) -> Path:
    return next((folder / name for name in NAMES if (folder / name).exists()), folder / NAMES[0])


def _render(top: Kustomization, parts: list[Kustomization]) -> tuple[bytes, str]:
    """The objects, or why there are none."""
    if missing := next((part.elsewhere for part in parts if part.elsewhere), ""):
        return b"", missing
    kubectl, kustomize = shutil.which("kubectl"), shutil.which("kustomize")
    if kubectl is None and kustomize is None:
        return b"", "there is no kubectl here"
    command = [kubectl, "kustomize"] if kubectl else [str(kustomize), "build"]
    try:
        done = subprocess.run(  # noqa: S603 (kustomize of a local folder: it fetches and runs nothing)
            [*command, top.file.parent], capture_output=True, timeout=SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        return b"", f"it takes more than {SECONDS} s"
    lines = [line.strip() for line in done.stderr.decode(errors="replace").splitlines() if WORD.search(line)]
    return (done.stdout, "") if done.returncode == 0 else (b"", f"kubectl says: {''.join(lines[-1:])[:LONGEST]}")


def _read(file: Path) -> Kustomization:
    """A kustomization as it stands; one that is no YAML names nothing."""
    try:
        read = [each.value for each in documents(file.read_bytes()) if isinstance(each, Document)]
    except OSError:
        read = []
    tree = as_tree(read[0] if read else None)
    here = file.resolve().parent
    named = [entry for key in BELOW for entry in texts(tree.get(key))]
    below = [(here / entry).resolve() for entry in named]
    patches = [text(each.get("path")) for key in PATCHES for each in trees(tree.get(key))]
    patches += [entry for entry in texts(tree.get("patchesStrategicMerge")) if "\n" not in entry]
    changed = [(here / entry).resolve() for entry in patches if entry]
    needed = dict(zip([*named, *filter(None, patches)], [*below, *changed], strict=True))
    return Kustomization(
        file=file.resolve(),
        below=tuple(_in(path) if path.is_dir() else path for path in below),
        patches=tuple(changed),
        elsewhere=_elsewhere(tree, needed),
        component=dig(tree, "kind") == "Component",
    )


def _elsewhere(tree: Tree, needed: Mapping[str, Path]) -> str:
    """What a kustomization needs and that is not in the folder: nothing is fetched, and nothing of others is run."""
    if away := next((entry for entry, path in needed.items() if not path.exists()), ""):
        return f"{away} is not here"
    plugins = [key for key in ("helmCharts", "helmChartInflationGenerator") if tree.get(key)]
    return f"it has {plugins[0]}" if plugins else ""
