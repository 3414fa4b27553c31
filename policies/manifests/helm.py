"""Charts: what `helm template` makes of them with their own values is judged, not their templates.

Somebody's values may make it right, so that what is found is advice. Without helm, and where a chart does not render,
its templates are passed over, as templates are. Nothing is fetched: a chart without its dependencies does not render.
"""

import shutil
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from bedplate.policies.manifests.documents import Document, documents
from bedplate.policies.values import dig

NAME = "Chart.yaml"
RELEASE = "release"
LONGEST = 200
SECONDS = 30
"""How long one may take to render."""


@dataclass
class Charted:
    """What the charts among some files come to."""

    rendered: dict[Path, bytes] = field(default_factory=dict[Path, bytes])
    """The objects, by the Chart.yaml of the chart that no other one contains."""
    passed: set[Path] = field(default_factory=set[Path])
    """Files of templates that were rendered."""
    reasons: dict[Path, str] = field(default_factory=dict[Path, str])
    """Why each of the others was not."""


def charted(files: Iterable[Path]) -> Charted:
    """Render each chart among the files that is in no other chart."""
    result, helm = Charted(), shutil.which("helm")
    known = [file.resolve() for file in files]
    folders = {file.parent for file in known if file.name == NAME and helm}
    for folder in (each for each in folders if not folders & {*each.parents} and not _is_library(each)):
        objects, reason = _render(str(helm), folder)
        if reason:
            result.reasons[folder / NAME] = reason
        else:
            result.rendered[folder / NAME] = objects
            inside = (folder / "templates", folder / "charts")
            result.passed.update(file for file in known if any(file.is_relative_to(each) for each in inside))
    return result


def _is_library(folder: Path) -> bool:
    """Whether a chart is a part of others, and makes nothing itself."""
    read = [each.value for each in documents((folder / NAME).read_bytes()) if isinstance(each, Document)]
    return any(dig(each, "type") == "library" for each in read)


def _render(helm: str, folder: Path) -> tuple[bytes, str]:
    """The objects, or why there are none."""
    try:
        done = subprocess.run(  # noqa: S603 (templates of a local folder: without DNS they ask nothing of anybody)
            [helm, "template", RELEASE, folder], capture_output=True, timeout=SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        return b"", f"it takes more than {SECONDS} s"
    lines = [line.strip() for line in done.stderr.decode(errors="replace").splitlines() if line.startswith("Error")]
    return (done.stdout, "") if done.returncode == 0 else (b"", f"helm says: {''.join(lines[:1])[:LONGEST]}")
