"""A stack's configuration, as the Pulumi CLI would hand it to the program, from the files alone.

Structured values become JSON text, defaults of `Pulumi.yaml` apply, and an encrypted value becomes the placeholder
`[secret]`: nothing here can decrypt it, so a plan never holds a real secret.
"""

import json
from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import yaml

from .errors import PlanError
from .wire import MASK, Json

try:
    from yaml import CSafeLoader as SafeLoader
except ImportError:  # PyYAML without libyaml: slower, the same values
    from yaml import SafeLoader


@dataclass(frozen=True)
class Project:
    """What `Pulumi.yaml` says about itself, its stacks' folder and its configuration."""

    root: Path
    name: str
    main: Path
    stacks: Path
    schema: Mapping[str, Mapping[str, Any]]

    def known_stacks(self) -> list[str]:
        """Every stack that has a file."""
        names = (path.name for path in self.stacks.glob("Pulumi.*.yaml"))
        return sorted(name.removeprefix("Pulumi.").removesuffix(".yaml") for name in names)


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
    document = load_mapping(root / "Pulumi.yaml")
    name = str(document.get("name", ""))
    schema = {_full(name, key): _declaration(value) for key, value in document.get("config", {}).items()}
    main = root / document.get("main", "")
    return Project(root, name, main, root / document.get("stackConfigDir", ""), schema)


def load_configuration(project: Project, stack: str) -> Configuration:
    """Read the stack's file and fill in what `Pulumi.yaml` declares."""
    path = project.stacks / f"Pulumi.{stack}.yaml"
    if stack not in project.known_stacks():
        known = ", ".join(project.known_stacks()) or "none yet"
        raise PlanError([f"{stack}: there is no {path.relative_to(project.root)}; known stacks: {known}"])
    config = cast("dict[str, Json]", load_mapping(path).get("config") or {})
    stated = {_full(project.name, key): value for key, value in config.items()}
    if problems := list(_problems(project, path, stated)):
        raise PlanError(problems)
    return configure(project, stated)


def configure(project: Project, stated: Mapping[str, Any], secret_keys: frozenset[str] = frozenset()) -> Configuration:
    """Turn plain values into what the program reads."""
    defaults = {key: declared["default"] for key, declared in project.schema.items() if "default" in declared}
    plain = {key: _without_secrets(value) for key, value in stated.items()}
    # One encrypted leaf makes the whole key secret, as it does for the CLI.
    encrypted = {key for key, value in stated.items() if plain[key] != value}
    declared = {key for key, declared in project.schema.items() if declared.get("secret")}
    missing = declared - stated.keys() - defaults.keys()
    values = {key: _text(value) for key, value in {**defaults, **plain}.items()} | dict.fromkeys(missing, MASK)
    return Configuration(values, encrypted | declared | secret_keys, frozenset(missing))


def _problems(project: Project, path: Path, stated: Mapping[str, Any]) -> Iterator[str]:
    """What the CLI would refuse before it starts the program."""
    file = path.relative_to(project.root)
    for key, declared in project.schema.items():
        if declared.get("secret") and key in stated and not _is_encrypted(stated[key]):
            yield f"{file}: {key}: it is a secret and stands in plain text: run `pulumi config set --secret {key}`"
        required = "default" not in declared and not declared.get("secret")
        if required and key not in stated:
            yield f"{file}: {key}: not set, and Pulumi.yaml gives no default: {declared.get('description', 'set it')}"


def load_mapping(path: Path) -> dict[str, Any]:
    """A YAML file that holds a mapping."""
    try:
        document = yaml.load(path.read_text(encoding="utf-8"), SafeLoader)
    except OSError as error:
        raise PlanError([f"{path.name}: cannot be read: {error.strerror}"]) from error
    except yaml.YAMLError as error:
        raise PlanError([f"{path.name}: is not YAML: {' '.join(str(error).split())}"]) from error
    if not isinstance(document or {}, dict):
        raise PlanError([f"{path.name}: holds a {type(document).__name__} where a mapping belongs"])
    return cast("dict[str, Any]", document or {})


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
