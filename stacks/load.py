"""From the stack file's mapping to a sound profile, or to one clear line per fault."""

from collections.abc import Iterator, Mapping
from typing import Any

from pydantic import ValidationError

from stacks.checks.check import check
from stacks.profile.problem import MASK, Problem, ProfileError
from stacks.profile.profile import Profile
from stacks.profile.secrecy import secrets_within
from stacks.profile.stack_file import PROFILE_KEY
from stacks.profile.validation import translated

REFERENCE = "docs/profile.md"


def load(document: Mapping[str, Any], source: str = PROFILE_KEY) -> Profile:
    """A profile that can be deployed; raises ProfileError with every fault found."""
    if not is_mapping(document):
        raise ProfileError(
            [Problem("profile", document, "not a mapping", f"write its keys below it ({REFERENCE})")], source
        )
    if problems := list(secrets_in(document)):
        raise ProfileError(problems, source)
    try:
        profile = Profile.model_validate(document)
    except ValidationError as error:
        raise ProfileError([translated(details, Profile, REFERENCE) for details in error.errors()], source) from None
    if problems := list(check(profile)):
        raise ProfileError(problems, source)
    return profile


def is_mapping(document: object) -> bool:
    """Whatever the stack file's key holds comes here as it is."""
    return isinstance(document, Mapping)


def secrets_in(document: Mapping[str, Any]) -> Iterator[Problem]:
    """Secrets do not belong in the profile: it is printed, compared and put in review."""
    for key, _ in secrets_within(dict(document)):
        reason = "a secret does not belong in the profile, which is printed and reviewed"
        fix = "remove it here and use `pulumi config set --secret bedplate:<key>`"
        yield Problem(key, MASK, reason, fix)
