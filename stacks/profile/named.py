"""`--profile`: a stack's name, or any file that holds a profile, bare or below the keys of a stack file."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bedplate.stacks.profile.stack_file import PROFILE_KEY, StackFileError, StackFiles, read_mapping

SUFFIXES = (".yaml", ".yml", ".json")


@dataclass(frozen=True)
class ProfileFile(StackFiles):
    """One file, wherever it lies, as if it were the only stack of a project."""

    path: Path = Path()

    @property
    def stack(self) -> str:
        """What its cluster's stack is called."""
        return self.path.stem.removeprefix("Pulumi.")

    def known(self) -> list[str]:
        """Only itself."""
        return [self.stack]

    def file(self, stack: str) -> str:  # noqa: ARG002 - as any project's stack files
        """Its name as the user gave it."""
        return str(self.path)

    def place(self, stack: str) -> Path:  # noqa: ARG002 - as any project's stack files
        """Itself."""
        return self.path

    def document(self, stack: str) -> dict[str, Any]:
        """All that stands in it, a bare profile below the key that it has in a stack file."""
        document = read_mapping(self.path, self.file(stack))
        return document if "config" in document else {"config": {PROFILE_KEY: document}}


def named(text: str, files: StackFiles | None = None) -> tuple[StackFiles, str]:
    """Where a profile stands, and its stack's name; a name is looked up in `files`, or where the user stands."""
    path = Path(text)
    if text == "-" or text.startswith("/dev/"):
        raise StackFileError(f"{text}: a profile is read from a file, and not from a stream; write it to one, .yaml")
    if not is_file(text):
        return files or StackFiles.here(), text
    if not path.is_file():
        raise StackFileError(f"{text}: there is no such file; name a profile, a stack file or a stack")
    file = ProfileFile(path=path)
    return file, file.stack


def is_file(text: str) -> bool:
    """Whether a file is meant: stacks' names have no suffix of YAML."""
    return text.endswith(SUFFIXES) or text == "-" or text.startswith("/dev/")
