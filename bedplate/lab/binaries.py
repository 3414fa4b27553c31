"""The lab's binaries, built once from pinned Go modules and kept outside the work tree.

Go's module proxy and checksum database are the only things it talks to, so it works where container registries and
GitHub are out of reach. It never takes what is on the PATH: the lab runs exactly the versions that are pinned here.
"""

import fcntl
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from bedplate.console import Console
from bedplate.lab import LabError
from bedplate.lab.sources import Source, download

KUBERNETES = "v1.35.4"


@dataclass(frozen=True)
class Project:
    """A Go module and the commands that the lab takes from it."""

    name: str
    module: str
    version: str
    commands: Mapping[str, str] = field(hash=False)
    """Package by name of the binary."""
    ldflags: str = ""
    tags: str = ""
    staging: str = ""
    """The version of the modules for which the project's own go.mod points into its source tree."""
    source: Source | None = None
    """If it is built in its own source, whose paths its commands then name."""


PROJECTS = (
    Project(
        "kubernetes",
        "k8s.io/kubernetes",
        KUBERNETES,
        {
            command: f"k8s.io/kubernetes/cmd/{command}"
            for command in ("kube-apiserver", "kube-controller-manager", "kube-scheduler", "kubectl")
        },
        # Without it the API server says v0.0.0 and charts refuse to install.
        ldflags=f"-X k8s.io/component-base/version.gitVersion={KUBERNETES}",
        staging=KUBERNETES.replace("v1.", "v0."),
    ),
    Project("etcd", "go.etcd.io/etcd/server/v3", "v3.6.16", {"etcd": "go.etcd.io/etcd/server/v3"}),
    Project(
        "kwok",
        "sigs.k8s.io/kwok",
        "v0.8.0",
        {command: f"sigs.k8s.io/kwok/cmd/{command}" for command in ("kwok", "kwokctl")},
    ),
)
Say = Callable[[Project, str], None]


def home() -> Path:
    """Where everything of the lab is kept that is worth keeping."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "bedplate" / "lab"


def folder(project: Project) -> Path:
    """Where a project's binaries are; its name holds the version, so a new pin is a new folder."""
    return home() / f"{project.name}-{project.version}"


def is_built(project: Project) -> bool:
    """Whether nothing is left to do; a folder appears under its name only when it is whole."""
    parts = (*project.commands, *(project.source.keeps if project.source else ()))
    return all((folder(project) / part).exists() for part in parts)


def provide(*projects: Project) -> dict[str, Path]:
    """Every binary of the projects (all of the lab's if none is named), building what is missing."""
    chosen = projects or PROJECTS
    if missing := [project for project in chosen if not is_built(project)]:
        go = find_go()
        with alone("build"), _progress(missing) as say:
            for project in missing:
                if not is_built(project):
                    _build(go, project, say)
    return {command: folder(project) / command for project in chosen for command in project.commands}


def find_go() -> str:
    """The Go command: on the PATH, or where Go's own installer puts it."""
    go = shutil.which("go") or shutil.which("go", path="/usr/local/go/bin")
    if go is None:
        raise LabError(
            "the lab builds its control plane with Go, and there is no `go` here: install Go 1.21 or newer "
            "(https://go.dev/doc/install), or install kwokctl and run `bedplate lab up --download`"
        )
    return go


def go_mod(project: Project, upstream: str) -> str:
    """A module that requires the project, with the `replace` lines that its own go.mod cannot pass on."""
    lines = ["module lab", "", f"go {_go_version(upstream)}", "", f"require {project.module} {project.version}"]
    staged = re.findall(r"^\s*(?:replace )?(\S+) => \./staging/", upstream, re.MULTILINE) if project.staging else []
    return "\n".join([*lines, *(f"replace {name} => {name} {project.staging}" for name in staged), ""])


def _go_version(upstream: str) -> str:
    match = re.search(r"^go (\S+)$", upstream, re.MULTILINE)
    return match[1] if match else "1.21"


def _build(go: str, project: Project, say: Say) -> None:
    """Compile in a scratch folder beside the target, then rename: the cache never holds half a project."""
    target = folder(project)
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=".build-") as scratch:
        root, made = Path(scratch) / "source", Path(scratch) / "bin"
        root.mkdir()
        say(project, "reading its modules")
        _prepare(go, project, root)
        for command, package in project.commands.items():
            flags = ["-mod=mod", "-trimpath", "-v", "-ldflags", f"-s -w {project.ldflags}", "-tags", project.tags]
            run_build([go, "build", *flags, "-o", str(made / command), package], root, project, say)
        if project.source:
            project.source.keep(root, made)
        shutil.rmtree(target, ignore_errors=True)
        made.rename(target)


def _prepare(go: str, project: Project, root: Path) -> None:
    """The module to build in: the project's own, or one that requires it."""
    if project.source:
        project.source.unpack(go, project.module, project.version, root)
    else:
        upstream = Path(download(go, project.module, project.version, root)["GoMod"])
        (root / "go.mod").write_text(go_mod(project, upstream.read_text()))


def run_build(command: list[str], root: Path, project: Project, say: Say) -> None:
    """Run a build, showing each package as it is compiled, and the end of its output if it fails."""
    tail: list[str] = []
    with subprocess.Popen(command, cwd=root, stderr=subprocess.PIPE, text=True) as build:
        for line in build.stderr or ():
            tail = [*tail[-20:], line.rstrip()]
            say(project, tail[-1])
    if build.returncode:
        raise LabError(f"{project.name} {project.version} does not build:\n" + "\n".join(tail))


@contextmanager
def alone(what: str) -> Generator[None]:
    """One at a time on this machine: two that build at once build once, two that start find ports of their own."""
    home().mkdir(parents=True, exist_ok=True)
    with (home() / f".{what}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


@contextmanager
def _progress(missing: Sequence[Project]) -> Generator[Say]:
    """One line: the project, the package being compiled, the time so far."""
    console = Console(stderr=True)
    names = ", ".join(f"{project.name} {project.version}" for project in missing)
    console.print(f"Building {names} (once; Kubernetes takes about 5 minutes on 2 cores)")
    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with Progress(*columns, console=console) as progress:
        task = progress.add_task("", total=None)
        yield lambda project, what: progress.update(task, description=f"{project.name} {project.version} {what[:48]}")
