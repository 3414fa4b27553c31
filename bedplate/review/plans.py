"""Where the two plans come from: a git revision, a folder that `plan --out` wrote, or Pulumi's own preview."""

import contextlib
import json
import subprocess
import sys
import tempfile
from collections.abc import Generator, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bedplate.review.changes import Resource, What
from bedplate.wrong import WrongError

SECONDS = 600
"""How long one side may take to plan: about 10 s each on a desk, more on a machine that does other work."""


@dataclass(frozen=True)
class Plan:
    """What one side declares."""

    name: str
    resources: tuple[Resource, ...]
    profile: Mapping[str, Any] | None = None
    engine: Mapping[str, What] | None = None
    """What the engine does to resources, by URN, where a preview tells."""


def plan(named: str, stack: str | None, root: Path = Path()) -> Plan:
    """A side as the command names it: a plan's folder, `.` for the working tree, or a git revision."""
    folder = Path(named)
    if (folder / "deployment.json").is_file():
        return read(named, folder)
    if stack is None:
        raise WrongError(f"{named}: no plan's folder; say which stack of that revision: --stack ENV")
    if named == ".":
        return _planned("the working tree", root, stack)
    return _revision(named, stack, root)


def read(name: str, folder: Path) -> Plan:
    """A plan's folder."""
    states = json.loads((folder / "deployment.json").read_text(encoding="utf-8"))["deployment"]["resources"]
    profile = folder / "profile.json"
    return Plan(name, of_states(states), json.loads(profile.read_text(encoding="utf-8")) if profile.is_file() else None)


def of_states(states: Iterable[Mapping[str, Any]]) -> tuple[Resource, ...]:
    """The resources of a plan that is at hand, as `deployment.json` has them."""
    return tuple(_resource(state) for state in states)


def _resource(state: Mapping[str, Any]) -> Resource:
    name = state["urn"].rpartition("::")[2]
    return Resource(state["urn"], state["type"], name, state.get("inputs") or {}, bool(state.get("external")))


def _revision(revision: str, stack: str, root: Path) -> Plan:
    """Planned by the project's own code, as it was."""
    with tree_of(revision, root) as tree:
        return _planned(revision, tree, stack)


@contextlib.contextmanager
def tree_of(revision: str, root: Path) -> Generator[Path]:
    """The whole project as it was, in a folder of its own."""
    with tempfile.TemporaryDirectory(prefix="bedplate-review-") as folder:
        tree = Path(folder) / "tree"
        _git(root, "worktree", "add", "--detach", "--quiet", str(tree), revision)
        try:
            yield tree
        finally:
            _git(root, "worktree", "remove", "--force", str(tree))


def _git(root: Path, *words: str) -> None:
    done = subprocess.run(["git", "-C", str(root), *words], capture_output=True, text=True, check=False)  # noqa: S603, S607 - git of the user's PATH
    if "not a git repository" in done.stderr:
        raise WrongError(f"{words[-1]}: no git repository here; run it in a clone, or name folders of `plan --out`")
    if "invalid reference" in done.stderr:
        fix = "name a branch, a tag or a commit of this clone, or a folder of `plan --out`"
        raise WrongError(f"{words[-1]}: no such revision; {fix}")
    if done.returncode:
        raise WrongError(
            f"{words[-1]}: {done.stderr.strip().splitlines()[-1] if done.stderr.strip() else 'git failed'}"
        )


def _planned(name: str, tree: Path, stack: str) -> Plan:
    own = (tree / "plan" / "__main__.py").is_file()  # a checkout plans by its own code, whatever version it is
    with tempfile.TemporaryDirectory(prefix="bedplate-review-") as folder:
        out = Path(folder) / "plan"
        module = ("plan",) if own else ("bedplate", "plan")
        command = [sys.executable, "-m", *module, stack, "--json", "--out", str(out)]
        done = _run(command, name, tree)
        if not (out / "deployment.json").is_file():
            errors = done.stderr.strip().splitlines() or ["no plan was written"]
            raise WrongError("\n".join(f"{name}: {line}" for line in errors))
        return read(name, out)


def _run(command: list[str], name: str, tree: Path) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(command, cwd=tree, capture_output=True, text=True, check=False, timeout=SECONDS)  # noqa: S603 - our own command
    except subprocess.TimeoutExpired as error:
        reason = (
            f"{name}: no plan after {SECONDS} s; plan it by hand (`bedplate plan ENV --out DIR`), and name the folder"
        )
        raise WrongError(reason) from error


_OPERATIONS: Mapping[str, What] = {
    "update": "update",
    "replace": "replace",
    "create-replacement": "replace",
    "delete-replaced": "replace",
}
"""What the engine calls them (pulumi/pulumi pkg/resource/deploy/step.go)."""


def previewed(file: Path) -> tuple[Plan, Plan]:
    """Both sides of `pulumi preview --json`: what the state has, and what the program declares."""
    try:
        steps = json.loads(file.read_text(encoding="utf-8"))["steps"]
    except (OSError, ValueError, KeyError) as error:
        raise WrongError(f"{file}: no output of `pulumi preview --json`: {type(error).__name__}") from error
    old = tuple(_resource(step["oldState"]) for step in steps if step.get("oldState"))
    new = tuple(_resource(step["newState"]) for step in steps if step.get("newState") and step["op"] != "delete")
    engine: dict[str, What] = {step["urn"]: _OPERATIONS[step["op"]] for step in steps if step["op"] in _OPERATIONS}
    return Plan("the state", old), Plan("the program", new, engine=engine)
