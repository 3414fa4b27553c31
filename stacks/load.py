"""From the stack file's mapping to a sound profile, or to one clear line per fault."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from bedplate.stacks.checks.check import check
from bedplate.stacks.profile.files_beside import TABLES, mapping, shared_file, with_manifests, with_shared
from bedplate.stacks.profile.model_configs import with_models
from bedplate.stacks.profile.models import empty_sections
from bedplate.stacks.profile.named import named
from bedplate.stacks.profile.problem import Problem, ProfileError
from bedplate.stacks.profile.profile import Profile
from bedplate.stacks.profile.renamed import with_new_names
from bedplate.stacks.profile.secrecy import MASK, secrets_within
from bedplate.stacks.profile.stack_file import PROFILE_KEY, StackFileError, StackFiles, read_mapping, read_objects
from bedplate.stacks.profile.validation import translated
from bedplate.stacks.profile.version_set import pinned

REFERENCE = "docs/profile.md"


def load(document: Mapping[str, Any], source: str = PROFILE_KEY, place: Path | None = None) -> Profile:
    """A profile that can be deployed; raises ProfileError with every fault found.

    `source` names the file in messages; `place` is where it lies, if not there for whoever stands where the user does.
    """
    if not is_mapping(document):
        raise ProfileError(
            [Problem("profile", document, "not a mapping", f"write its keys below it ({REFERENCE})")], source, place
        )
    document = with_new_names(document, source, place)
    if problems := list(secrets_in(document)):
        raise ProfileError(problems, source, place)
    if problems := list(empty_sections(document, Profile)):
        raise ProfileError(problems, source, place)

    def folder() -> Path:
        return place.parent if place else _folder()

    try:
        whole = with_manifests(with_shared(document, folder, read_mapping), folder, read_objects)
        whole, problems = with_models(whole, folder)
        if problems := problems or list(secrets_in(whole) if whole.get("extensions") else ()):
            raise ProfileError(problems, source, place)
        profile = Profile.model_validate(whole, by_alias=True, by_name=False)
    except StackFileError as error:
        raise ProfileError([_unread(document, str(error))], source, place) from None
    except ValidationError as error:
        raise ProfileError(translated(error.errors(), Profile, REFERENCE), source, place) from None
    profile = pinned(profile, profile.version_set, profile.upgrade)
    if problems := list(check(profile)):
        raise ProfileError(problems, source, place)
    return profile


def _unread(document: Mapping[str, Any], fault: str) -> Problem:
    """Of a file that the profile names."""
    parts = enumerate(document.get("extensions") or ())
    named = {
        **{f"{section}.file": shared_file(document, section) for section in TABLES},
        **{f"extensions[{n}].file": mapping(part).get("file") for n, part in parts},
    }
    key = next((key for key, name in named.items() if name and fault.startswith(f"{name}: ")), "hardware.file")
    return Problem(key, named[key], fault, "correct it, or remove the key")


def load_named(text: str, files: StackFiles | None = None) -> Profile:
    """The profile of a stack, or in a file, as a command names it; raises StackFileError or ProfileError."""
    where, stack = named(text, files)
    return load_stack(stack, where)


def load_stack(stack: str, files: StackFiles) -> Profile:
    """The profile of a stack that is known; raises StackFileError or ProfileError."""
    return load(files.profile(stack), files.file(stack), files.place(stack))


def _folder() -> Path:
    files = StackFiles.here()
    return files.root / files.folder


def is_mapping(document: object) -> bool:
    """Whatever the stack file's key holds comes here as it is."""
    return isinstance(document, Mapping)


def secrets_in(document: Mapping[str, Any]) -> Iterator[Problem]:
    """Secrets do not belong in the profile: it is printed, compared and put in review."""
    for key, _ in secrets_within(dict(document)):
        reason = "a secret does not belong in the profile, which is printed and reviewed"
        fix = "remove it here and use `pulumi config set --secret bedplate:<key>`"
        yield Problem(key, MASK, reason, fix)
