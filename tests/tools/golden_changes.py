"""What differs between what a cluster declares and what is recorded of it, field by field.

The record is a digest, so the objects come from the revision that planned them: the commit that wrote the record last,
or where somebody wrote it before a merge, the merge base with `origin/main` or the commit before. One of which the
objects have another digest is not believed.
"""

import json
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator, Mapping
from io import BytesIO
from itertools import islice
from typing import Any

from bedplate.folders import PROJECT
from bedplate.review.fields import differences
from tests.tools.golden_objects import DIGESTS, line, objects, recorded

MOST = 60
"""Lines that are shown of one cluster."""
WIDTH = 100
"""Characters that are shown of one value."""


def explained(name: str) -> list[str]:
    """The lines for one cluster: every object that is new, gone or changed, with the fields."""
    if not recorded(name):
        return [f"{name}: nothing is recorded of it yet"]
    for revision in revisions():
        before = planned(revision, name)
        if before is not None and line(name, before) == recorded(name):
            shown = list(islice(changed(before, objects(name)), MOST + 1))
            return [f"{name}, against {revision}:", *shown[:MOST], *(["..."] if len(shown) > MOST else [])]
    return [f"{name}: no revision at hand plans what is recorded (a clone without history?)"]


def changed(before: Mapping[str, Any], now: Mapping[str, Any]) -> Iterator[str]:
    """Every object that is not what it was."""
    yield from (f"  - {one}" for one in before if one not in now)
    yield from (f"  + {one}" for one in now if one not in before)
    for one in now:
        # As it went through JSON, as the other side did.
        after = json.loads(json.dumps(now[one], default=str))
        if one in before and before[one] != after:
            yield f"  ~ {one}"
            for field in differences(before[one], after):
                yield f"      {field.path}: {_short(field.old)} -> {_short(field.new)}"


def revisions() -> Iterator[str]:
    """Where what is recorded may have been planned, the likeliest first."""
    written = _git("log", "-1", "--format=%H", "--", str(DIGESTS))
    ours = _git("merge-base", "HEAD", "origin/main")
    found = (written, ours, _git("rev-parse", "--verify", "--quiet", "HEAD~1"))
    yield from dict.fromkeys(one.decode().strip() for one in found if one)


def planned(revision: str, name: str) -> Mapping[str, Any] | None:
    """A cluster's objects by the code of a revision; None where it cannot plan it."""
    with tempfile.TemporaryDirectory(prefix="bedplate-golden-") as folder:
        with tarfile.open(fileobj=BytesIO(_git("archive", revision))) as tree:
            tree.extractall(folder, filter="data")
        command = [sys.executable, "-m", "tests.tools.golden_objects", "--json", name]
        done = subprocess.run(command, cwd=folder, capture_output=True, check=False)
    return json.loads(done.stdout) if done.returncode == 0 and done.stdout.startswith(b"{") else None


def _git(*words: str) -> bytes:
    done = subprocess.run(["git", *words], cwd=PROJECT, capture_output=True, check=False)
    return b"" if done.returncode else done.stdout


def _short(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= WIDTH else f"{text[:WIDTH]}..."
