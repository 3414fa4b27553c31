"""What a file with a profile has before a model reads it: the keys around the profile, and the error that names it."""

from collections.abc import Mapping
from typing import Any, cast

from bedplate.stacks.profile.reading import kind_of
from bedplate.wrong import WrongError

PROFILE_KEY = "bedplate:profile"
BASE = "base"
"""Key of a profile: the files that it builds upon."""


class StackFileError(WrongError):
    """What a file lacks, in one line that begins with its name."""


def mapping_of(value: object, shown: str) -> dict[str, Any]:
    """The value where it is one, an empty one of nothing; else an error."""
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise StackFileError(f"{shown}: holds {kind_of(value)} where a mapping belongs")
    return {str(key): item for key, item in cast("Mapping[object, Any]", value).items()}
