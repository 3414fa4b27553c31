"""The one reader of stack files, `stacks/Pulumi.<env>.yaml`: plan, policies, lab, benchmarks and tests all ask here.

It says what stands in a file; whether a profile is sound is for `stacks/load.py`. It imports neither Pulumi nor
pydantic, because a wrong name must be told at once, so its error is one of its own that each command turns into its
own.
"""

import contextlib
import os
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar, cast

from bedplate.folders import PROJECT
from bedplate.nearest import meant
from bedplate.stacks.profile.document import BASE, PROFILE_KEY, StackFileError, mapping_of
from bedplate.stacks.profile.files_beside import files_beside, with_manifests, with_shared
from bedplate.stacks.profile.reading import NotYamlError, bounded, documents, parsed

T = TypeVar("T")
BARE = "clusters"
"""Where a project may keep a profile by itself, `clusters/<env>.yaml`, without the keys of a stack file around it."""
HELP = "docs/profile.md has every key"


@dataclass(frozen=True)
class StackFiles:
    """The stack files of a project."""

    root: Path = PROJECT
    folder: str = "stacks"
    """Below the root; Pulumi.yaml calls it `stackConfigDir`."""
    project: str = "bedplate"
    """What a key without a namespace belongs to."""

    @classmethod
    def here(cls) -> "StackFiles":
        """Those of the Pulumi project that the user stands in; elsewhere the examples that come with Bedplate.

        A plan says itself whose they are, and its program asks here.
        """
        if _CHOSEN:
            return _CHOSEN[-1]
        for folder in (Path.cwd(), *Path.cwd().parents):
            if (folder / "Pulumi.yaml").is_file():
                project = read_mapping(folder / "Pulumi.yaml", "Pulumi.yaml")
                return cls(folder, str(project.get("stackConfigDir") or ""), str(project.get("name") or ""))
        return cls()

    @contextlib.contextmanager
    def chosen(self) -> Generator[None]:
        """While it lasts, these are meant wherever the user stands."""
        _CHOSEN.append(self)
        try:
            yield
        finally:
            _CHOSEN.pop()

    def known(self) -> list[str]:
        """Every stack that has a file."""
        names = (path.name for path in (self.root / self.folder).glob("Pulumi.*.yaml"))
        bare = (path.stem for path in (self.root / BARE).glob("*.yaml") if not path.name.startswith("Pulumi."))
        return sorted({*(name.removeprefix("Pulumi.").removesuffix(".yaml") for name in names), *bare})

    def file(self, stack: str) -> str:
        """The stack's file as people know it: the bare profile where there is one."""
        bare, whole = Path(BARE, f"{stack}.yaml"), Path(self.folder, f"Pulumi.{stack}.yaml")
        return str(bare if "/" not in stack and (self.root / bare).is_file() else whole)

    def document(self, stack: str) -> dict[str, Any]:
        """All that stands in it, a bare profile below the key that it has in a stack file."""
        if stack not in (names := self.known()):
            raise StackFileError(self._unknown(stack, names))
        whole, shown = self.root / self.folder / f"Pulumi.{stack}.yaml", self.file(stack)
        document = read_mapping(whole, str(whole.relative_to(self.root))) if whole.exists() else {}
        if Path(shown).name == whole.name:
            return document
        config = mapping_of(document.get("config"), f"{whole.name}: config")
        return {**document, "config": {**config, PROFILE_KEY: read_mapping(self.root / shown, shown)}}

    def _unknown(self, stack: str, names: list[str]) -> str:
        if Path(stack).is_file():
            return f"{stack}: is a file where a stack's name belongs; write --profile {stack}"
        if os.sep in stack and Path(stack).is_dir():
            return f"{stack}: is a folder where a stack's name belongs; name a file in it: --profile FILE"
        guess = f"{meant(stack, names)} ".lstrip()
        there = f"{stack}: there is no {self.file(stack)}"
        if self.root == PROJECT != Path.cwd() and not guess:
            there = f"{stack}: no Pulumi.yaml here or above, so only the examples are there"
            guess = f"`bedplate init {stack}` makes a project; "
        return f"{there}; {guess}known stacks: {', '.join(names) or 'none yet'}"

    def config(self, stack: str) -> dict[str, Any]:
        """Its configuration, every key with its namespace; empty where it has none, which is for Pulumi to judge.

        What files beside the profile say stands in it, so that whoever reads it later needs neither them nor a folder.
        """
        config = mapping_of(self.document(stack).get("config"), f"{self.file(stack)}: config")
        named = {key if ":" in key else f"{self.project}:{key}": value for key, value in config.items()}
        profile: object = named.get(PROFILE_KEY)
        if not isinstance(profile, dict):
            return named
        own = resolved(self.place(stack), self.file(stack), cast("dict[str, Any]", profile))
        return {**named, PROFILE_KEY: self._whole(own, self.place(stack).parent)}

    @staticmethod
    def _whole(document: dict[str, Any], folder: Path) -> Mapping[str, Any]:
        """With what the files beside it say; one that cannot be read stays a name, for `load` to refuse."""
        try:
            known = with_shared(document, lambda: folder, read_mapping)
            profile = with_manifests(known, lambda: folder, read_objects)
        except StackFileError:
            return document
        if not document.get("serving"):
            return profile
        from bedplate.stacks.profile.model_configs import with_models  # noqa: PLC0415 - most commands have no servers

        whole, problems = with_models(profile, lambda: folder)
        return profile if problems else whole

    def place(self, stack: str) -> Path:
        """Where the stack's file lies."""
        return self.root / self.file(stack)

    def sources(self, stack: str) -> dict[str, Path]:
        """Every file that the stack's configuration comes from, by its name from the profile's folder."""
        place, whole = self.place(stack), self.root / self.folder / f"Pulumi.{stack}.yaml"
        files = {path.name: path for path in (place, whole) if path.is_file()}
        config = mapping_of(self.document(stack).get("config"), f"{self.file(stack)}: config")
        written = config.get(PROFILE_KEY, config.get(PROFILE_KEY.rpartition(":")[2]))
        if isinstance(written, dict):
            profile = resolved(place, self.file(stack), cast("dict[str, Any]", written))
            files |= self.bases(stack) | {name: place.parent / name for name in files_beside(profile)}
        return files

    def bases(self, stack: str) -> dict[str, Path]:
        """The files below its profile, by their names from the profile's folder."""
        from bedplate.stacks.profile.bases import sources  # noqa: PLC0415 - most profiles have none

        place = self.place(stack)
        return {os.path.relpath(path, place.parent): path for path in sources(place, self.file(stack))}

    def profile(self, stack: str) -> dict[str, Any]:
        """Its profile as written."""
        config = self.config(stack)
        if not config:
            raise StackFileError(f"{self.file(stack)}: config: not set; the profile belongs below it ({HELP})")
        if PROFILE_KEY not in config:
            spelt = next((f"{key}: no such key; did you mean {PROFILE_KEY}?" for key in config if _nearly(key)), None)
            unset = f"{PROFILE_KEY}: not set; add the cluster's profile ({HELP})"
            raise StackFileError(f"{self.file(stack)}: {spelt or unset}")
        return mapping_of(config[PROFILE_KEY], f"{self.file(stack)}: {PROFILE_KEY}")


def resolved(file: Path, shown: str, document: dict[str, Any]) -> dict[str, Any]:
    """A profile with its bases below it (docs/bases.md)."""
    if BASE not in document:
        return document
    from bedplate.stacks.profile.bases import merged  # noqa: PLC0415 - most profiles have none

    return merged(file, shown)


def _nearly(key: str) -> bool:
    return bool(meant(key, [PROFILE_KEY]))


_CHOSEN: list[StackFiles] = []
"""Not a context variable: a program runs in a context of its own."""


def read_mapping(path: Path, shown: str) -> dict[str, Any]:
    """A YAML file that holds a mapping; `shown` is its name in messages."""
    return mapping_of(_read(path, shown, parsed), shown)


def read_objects(path: Path, shown: str) -> list[object]:
    """A YAML file of objects, one in a document."""
    return _read(path, shown, documents)


def _read(path: Path, shown: str, by: Callable[[bytes], T]) -> T:
    try:
        return by(bounded(path))
    except OSError as error:
        raise StackFileError(f"{shown}: cannot be read: {error.strerror}") from error
    except NotYamlError as error:
        raise StackFileError(f"{shown}: is not YAML: {error}") from error
