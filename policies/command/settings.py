"""`bedplate-check.yaml`: what a repository asks of every check, so that people, hooks and CI ask the same.

The nearest one counts, from the working folder up to the top of the git repository. Its paths begin at its own folder.
What the command line says too wins; lists are joined.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Literal, TypeAlias

from pydantic import Field

from bedplate.policies.facts import Fact
from bedplate.policies.manifests.files import upwards
from bedplate.policies.manifests.records import record_in
from bedplate.policies.rule import REGISTRY
from bedplate.wrong import WrongError

NAME = "bedplate-check.yaml"
FailOn: TypeAlias = Literal["mandatory", "advisory", "never"]
FAIL_ON: tuple[FailOn, ...] = ("mandatory", "advisory", "never")


class Settings(Fact):
    """What the file may hold; every key is optional."""

    levels: Mapping[str, Literal["mandatory", "advisory", "disabled"]] = {}
    """mandatory, advisory or disabled, by the id of a rule."""
    exclude: tuple[str, ...] = ()
    """Files and folders to leave out, by path or name."""
    facts: Path | None = None
    """A file of facts about the cluster."""
    profile: str = ""
    """The stack, or the file with a profile, that the manifests are for; not beside `facts`."""
    waivers: tuple[Path, ...] = ()
    """Files of waivers that hold for every manifest."""
    baseline: Path | None = None
    """What is known already."""
    rules: tuple[Path, ...] = ()
    """Files with rules of one's own."""
    fail_on: FailOn = "mandatory"
    """The lightest complaint that makes exit status 1."""
    waivers_beside: bool = True
    """Whether annotations and waiver files beside the manifests count: not where a pull request may bring none."""
    file: Path = Field(default=Path(NAME), exclude=True)
    """Where it stands: not a key of it."""

    def at(self, path: Path) -> Path:
        """A path of the file, as the working folder knows it."""
        return self.file.parent / path

    def refuse_unknown(self) -> None:
        """Raise WrongError where a level is of a rule that nobody has; own rules are registered by then."""
        if name := next((each for each in self.levels if each not in REGISTRY), None):
            raise WrongError(
                f"{self.file}: levels.{name}: no rule has this name; `bedplate rules --list` names them all"
            )


def settings(file: Path | None, start: Path) -> Settings:
    """What the named file says, or the nearest one from a folder up; nothing where there is none."""
    chosen = file or nearest(start)
    return _read(chosen) if chosen else Settings()


def nearest(start: Path) -> Path | None:
    """The file that counts, from a folder up."""
    return next(upwards(start, NAME), None)


def _read(file: Path) -> Settings:
    read = record_in(file, Settings, "exclude: [vendor/]", file=file)
    if read.facts and read.profile:
        raise WrongError(f"{file}: facts and profile both say what the cluster is: keep one")
    return read
