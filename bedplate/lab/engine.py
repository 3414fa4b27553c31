"""The real Pulumi CLI on the lab: a project of its own, a file backend, no account and no prompt.

The project is a folder of links into this one with a stack file of its own, so that neither the secrets provider nor a
changed profile value ever touches the work tree. It drives the CLI itself: the Automation API ignores `stackConfigDir`.
"""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from bedplate.folders import INSTALLED, PROJECT, for_programs
from bedplate.lab.binaries import LabError, home
from bedplate.lab.cluster import Cluster
from bedplate.stacks.profile.stack_file import PROFILE_KEY, StackFiles

TOOLS = (home() / "tools" if INSTALLED else PROJECT / ".tools") / "pulumi"
SECRET = "lab: made for it"  # noqa: S105 - of a simulated cluster
"""Of each secret that a profile asks for: whatever reads one takes a map."""
LINKED = ("Pulumi.yaml", "__main__.py", "bedplate", "components", "policies", ".venv")
"""`components`, too: the engine applies our kustomizations from there."""
STACK = "lab"


@dataclass(frozen=True)
class Engine:
    """One stack of one project, deployed to one lab."""

    cluster: Cluster
    folder: Path
    """Holds the project's links, the stack file and the backend."""
    cli: str = "pulumi"
    environment: Mapping[str, str] = field(default_factory=dict[str, str])
    """What a test changes of the environment."""
    source: StackFiles = field(default_factory=StackFiles)
    """Whose program it is, and whose configuration."""
    deployed: str = STACK
    """The stack of it that is deployed; here it is called `lab`, whatever it is called there."""

    @property
    def files(self) -> StackFiles:
        """The stack files of this project, which has one."""
        return StackFiles(self.folder, self.source.folder, self.source.project)

    @property
    def stack_file(self) -> Path:
        """The stack's own configuration; a copy, free to change."""
        return self.files.place(STACK)

    def prepare(self, profile: Mapping[str, Any] | None = None) -> "Engine":
        """Make the project, with the lab's profile or a changed one, and its stack if there is none."""
        link_project(self.folder, self.source)
        self.configure(profile or lab_profile())
        (self.folder / "backend").mkdir(exist_ok=True)
        self.run("stack", "select", "--create", STACK)
        return self

    def configure(self, profile: Mapping[str, Any]) -> None:
        """Write the profile, keeping what the CLI wrote beside it, such as the salt of its secrets."""
        kept = self.files.document(STACK) if STACK in self.files.known() else {}
        stated = {key: value for key, value in self.source.config(self.deployed).items() if not _encrypted(value)}
        config = {**stated, **kept.get("config", {}), PROFILE_KEY: dict(profile)}
        self.stack_file.write_text(yaml.safe_dump({**kept, "config": config}, sort_keys=False))

    def set_secrets(self, keys: Iterable[str]) -> None:
        """Each that is not set yet; those of the stack itself are encrypted for others, and stay there."""
        there = self.files.config(STACK)
        for key in (f"bedplate:{key}" for key in keys):
            if key not in there:
                self.run("config", "set", "--secret", key, SECRET, "--stack", STACK)

    def run(self, *arguments: str, show: bool = False) -> str:
        """Run the CLI and return what it prints; with `show` it goes to the terminal instead. Its complaint is ours."""
        command = self.command(*arguments, interactive=show and sys.stdout.isatty())
        done = subprocess.run(command, env=self.variables, capture_output=not show, text=True, check=False)
        if done.returncode:
            output = "" if show else f"\n{done.stdout}{done.stderr}"
            raise LabError(f"`pulumi {arguments[0]}` ended with status {done.returncode}{output}")
        return done.stdout or ""

    def destroy(self, *options: str, show: bool = False) -> None:
        """Destroy the stack, protected or not: what a lab holds was made to go."""
        self.run("state", "unprotect", "--all", "--yes", "--stack", STACK)
        self.run("destroy", *(options or ("--yes", "--stack", STACK)), show=show)

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        """Run the CLI without waiting for it."""
        command = self.command(*arguments)
        return subprocess.Popen(
            command, env=self.variables, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, bufsize=1
        )

    def command(self, *arguments: str, interactive: bool = False) -> list[str]:
        """The CLI in this project, asking nothing; on a terminal it shows its own progress instead of a log."""
        return [self.cli, "--cwd", str(self.folder), *([] if interactive else ["--non-interactive"]), *arguments]

    @property
    def backend(self) -> str:
        """Where the state is kept."""
        return (self.folder / "backend").as_uri()

    @property
    def variables(self) -> dict[str, str]:
        """The environment: the backend is a folder, and the only cluster in sight is the lab."""
        around = {**os.environ, **dict(for_programs())}
        return {
            **around,
            "PULUMI_BACKEND_URL": self.backend,
            "PULUMI_CONFIG_PASSPHRASE": "lab",
            "PULUMI_SKIP_UPDATE_CHECK": "true",
            "KUBECONFIG": str(self.cluster.kubeconfig),
            "PATH": os.pathsep.join((str(Path(self.cluster.kubectl_command[0]).parent), around["PATH"])),
            **self.environment,
        }

    def state(self) -> list[dict[str, Any]]:
        """The resources of the deployed stack."""
        return json.loads(self.run("stack", "export", "--stack", STACK))["deployment"].get("resources", [])

    def remove(self) -> None:
        """Delete the project, its stack file and its backend."""
        shutil.rmtree(self.folder, ignore_errors=True)


def link_project(folder: Path, source: StackFiles) -> None:
    """A project of links, with a folder of its own for its stack file, which may be another."""
    (folder / source.folder).mkdir(parents=True, exist_ok=True)
    ours = source.root == PROJECT
    for name in LINKED if ours else {path.name for path in source.root.iterdir()} - {".git", source.folder}:
        link, target = folder / name, Path(sys.prefix) if ours and name == ".venv" else source.root / name
        if not link.exists() and target.exists():
            link.symlink_to(target)


def lab_config() -> dict[str, Any]:
    """The lab's stack file, as it is kept."""
    return StackFiles().config(STACK)


def _encrypted(value: object) -> bool:
    return isinstance(value, Mapping) and "secure" in value


def lab_profile(stack: str = STACK, source: StackFiles | None = None) -> dict[str, Any]:
    """The profile of a stack, the lab's own if none is named, with its charts from where they can be had."""
    return mirrored((source or StackFiles()).profile(stack))


def mirrored(profile: Mapping[str, Any]) -> dict[str, Any]:
    """The profile, with its charts from the mirror that the environment names, if it names one.

    `BEDPLATE_CHART_MIRROR` is a folder of charts, for where the public repositories are out of reach.
    """
    mirror = os.environ.get("BEDPLATE_CHART_MIRROR")
    return {**profile, **({"charts": {"mirror": mirror}} if mirror else {})}


def find_cli() -> str | None:
    """The Pulumi CLI: the project's own, or the one on the PATH."""
    return shutil.which("pulumi", path=str(TOOLS / "bin")) or shutil.which("pulumi")
