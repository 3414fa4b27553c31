"""What to plan: a stack of the project that the user stands in, or any file that holds a profile."""

from dataclasses import dataclass, replace
from pathlib import Path

from bedplate.folders import PROJECT
from bedplate.stacks.profile.named import is_file, named
from bedplate.stacks.profile.stack_file import StackFiles

from .errors import PlanError
from .stackfile import Project, load_project


@dataclass(frozen=True)
class Target:
    """A project and one of its stacks."""

    project: Project
    stack: str


def target(stack: str | None, profile: str | None, root: Path | None, usage: str) -> Target:
    """The user's choice. A file is planned by our own program, whatever program the folder holds."""
    if stack and profile:
        raise PlanError([f"{stack} and --profile {profile}: two clusters are named; leave one of them out"])
    if (stack_or_file := stack or profile) and is_file(stack_or_file):
        files, name = named(stack_or_file)
        return Target(replace(load_project(PROJECT), stacks=files), name)
    project = load_project(root or StackFiles.here().root)
    if stack_or_file:
        return Target(project, stack_or_file)
    choices = ", ".join(project.stacks.known()) or "none yet"
    raise PlanError([f"name a stack, or a file that holds a profile: {usage}; known stacks: {choices}"])
