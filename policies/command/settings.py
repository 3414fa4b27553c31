"""`bedplate-check.yaml`: what a repository asks of every check, so that people, hooks and CI ask the same.

The nearest one counts, from the working folder up to the top of the git repository. Its paths begin at its own folder.
What the command line says too wins; lists are joined.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Literal, TypeAlias

from pydantic import Field, ValidationError

from bedplate.policies.facts import Fact
from bedplate.policies.manifests.documents import Document, documents
from bedplate.policies.manifests.files import upwards
from bedplate.policies.rule import REGISTRY
from bedplate.policies.values import is_map
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
    chosen = file or next(upwards(start, NAME), None)
    return _read(chosen) if chosen else Settings()


def _read(file: Path) -> Settings:
    try:
        found = list(documents(file.read_bytes()))
    except OSError as error:
        raise WrongError(f"{file}: {error.strerror or error}") from None
    stated = found[0] if found else Document({}, 0, 0)
    if not isinstance(stated, Document):
        raise WrongError(f"{file}: {stated}")
    if not is_map(stated.value) or "file" in stated.value:
        raise WrongError(f"{file}: write keys and values, such as `exclude: [vendor/]`; known are {_keys()}")
    try:
        read = Settings.model_validate({**stated.value, "file": file})
    except ValidationError as error:
        raise WrongError(
            "\n".join(_fault(file, each["loc"], each["type"], each["msg"], each["input"]) for each in error.errors())
        ) from None
    if read.facts and read.profile:
        raise WrongError(f"{file}: facts and profile both say what the cluster is: keep one")
    return read


def _fault(file: Path, where: tuple[int | str, ...], kind: str, reason: str, value: object) -> str:
    key = ".".join(str(each) for each in where if each != "[key]")
    if kind == "extra_forbidden":
        return f"{file}: {key}: there is no such key; known are {_keys()}"
    fix = "write a list" if kind == "tuple_type" else reason.replace("Input should be", "write")
    return f"{file}: {key} = {json.dumps(value, default=str)}: {fix}"


def _keys() -> str:
    names = (field.alias or name for name, field in Settings.model_fields.items())
    return ", ".join(name for name in names if name != "file")
