"""A stack's configuration, as the Pulumi CLI would hand it to the program, from the files alone.

What stands in a stack file `stacks/profile/stack_file.py` says; here is what the CLI makes of it.

Structured values become JSON text, defaults of `Pulumi.yaml` apply, and an encrypted value becomes the placeholder
`[secret]`: nothing here can decrypt it, so a plan never holds a real secret.
"""

import json
from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from bedplate.stacks.profile.stack_file import StackFiles, read_mapping

from .errors import PlanError
from .wire import MASK, Json


@dataclass(frozen=True)
class Project:
    """What `Pulumi.yaml` says about itself, its stacks' folder and its configuration."""

    root: Path
    name: str
    main: Path
    stacks: StackFiles
    schema: Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True)
class Configuration:
    """Configuration values as text, which of them are secret, and which secrets are not set yet."""

    values: Mapping[str, str]
    secret_keys: AbstractSet[str] = frozenset()
    missing: AbstractSet[str] = frozenset()

    def structured(self, key: str) -> Mapping[str, Json] | None:
        """A structured value; None where it is absent or holds a secret."""
        return json.loads(self.values[key]) if key in self.values.keys() - self.secret_keys else None


def load_project(root: Path) -> Project:
    """Read `Pulumi.yaml`."""
    document = read_mapping(root / "Pulumi.yaml", "Pulumi.yaml")
    name = str(document.get("name", ""))
    schema = {_full(name, key): _declaration(value) for key, value in document.get("config", {}).items()}
    main = root / document.get("main", "")
    return Project(root, name, main, StackFiles(root, document.get("stackConfigDir", ""), name), schema)


def load_configuration(project: Project, stack: str) -> Configuration:
    """Read the stack's file and fill in what `Pulumi.yaml` declares."""
    config = project.stacks.config(stack)
    if problems := list(_problems(project, project.stacks.file(stack), config)):
        raise PlanError(problems)
    return configure(project, config)


def configure(project: Project, config: Mapping[str, Any], secret_keys: frozenset[str] = frozenset()) -> Configuration:
    """Turn plain values into what the program reads."""
    defaults = {key: declared["default"] for key, declared in project.schema.items() if "default" in declared}
    plain = {key: _without_secrets(value) for key, value in config.items()}
    # One encrypted leaf makes the whole key secret, as it does for the CLI.
    encrypted = {key for key, value in config.items() if plain[key] != value}
    declared = {key for key, declared in project.schema.items() if declared.get("secret")}
    missing = declared - config.keys() - defaults.keys()
    values = {key: _text(value) for key, value in {**defaults, **plain}.items()} | dict.fromkeys(missing, MASK)
    return Configuration(values, encrypted | declared | secret_keys, frozenset(missing))


def _problems(project: Project, file: str, config: Mapping[str, Any]) -> Iterator[str]:
    """What the CLI would refuse before it starts the program."""
    for key, declared in project.schema.items():
        if declared.get("secret") and key in config and not _is_encrypted(config[key]):
            yield f"{file}: {key}: it is a secret and stands in plain text: run `pulumi config set --secret {key}`"
        required = "default" not in declared and not declared.get("secret")
        if required and key not in config:
            yield f"{file}: {key}: not set, and Pulumi.yaml gives no default: {declared.get('description', 'set it')}"


def _full(project: str, key: str) -> str:
    return key if ":" in key else f"{project}:{key}"


def _declaration(value: Json) -> Mapping[str, Any]:
    return cast("Mapping[str, Any]", value) if isinstance(value, dict) else {"default": value}


def _is_encrypted(value: Json) -> bool:
    return isinstance(value, dict) and set(cast("dict[str, Any]", value)) == {"secure"}


def _text(value: Json) -> str:
    return value if isinstance(value, str) else json.dumps(value, default=str)


def _without_secrets(value: Json) -> Json:
    """A copy in which every encrypted leaf is a placeholder."""
    if _is_encrypted(value):
        return MASK
    if isinstance(value, dict):
        return {key: _without_secrets(item) for key, item in cast("dict[str, Json]", value).items()}
    if isinstance(value, list):
        return [_without_secrets(item) for item in cast("list[Json]", value)]
    return value
