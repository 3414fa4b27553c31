"""What is wrong with a profile, said in one line: the YAML key, the value, the reason and the fix."""

from dataclasses import dataclass
from typing import cast

import pulumi

SECRET_WORDS = ("token", "password", "secret", "credential", "apikey", "privatekey", "accesskey")
SECRET_PREFIXES = ("hf_", "AKIA", "ASIA", "ghp_", "github_pat_", "glpat-", "nvapi-", "sk-", "-----BEGIN", "dckr_pat_")
LONGEST = 60


@dataclass(frozen=True)
class Problem:
    """One fault."""

    key: str
    """Path below `bedplate:profile`, such as `pools[0].shape`."""
    value: object
    reason: str
    fix: str

    def __str__(self) -> str:
        """The line that a user reads; a value that may be a secret is not shown."""
        return f"{self.key} = {shown(self.key, self.value)}: {self.reason}; {self.fix}"


class ProfileError(pulumi.RunError):
    """The profile cannot be deployed; the message has one line per fault, and nothing was touched."""

    def __init__(self, problems: list[Problem], source: str = "profile") -> None:
        super().__init__("\n".join(f"{source}: {problem}" for problem in problems))
        self.problems = problems


def shown(key: str, value: object) -> str:
    """`value` in one line, short, and masked where it or its key looks like a secret."""
    if is_secret(key, value):
        return "[secret]"
    text = "absent" if value is None else " ".join(str(value).split())
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"


def is_secret(key: str, value: object) -> bool:
    """By the key's last word, or by how the value begins; a mapping counts by what is in it."""
    if isinstance(value, dict):
        items = cast("dict[object, object]", value).items()
        return any(is_secret(str(inner), item) for inner, item in items)
    if isinstance(value, list | tuple):
        return any(is_secret(key, item) for item in cast("list[object]", value))
    word = key.rsplit(".", 1)[-1].lower().replace("_", "").replace("-", "")
    named = any(secret in word for secret in SECRET_WORDS)
    return (named and isinstance(value, str)) or (isinstance(value, str) and value.startswith(SECRET_PREFIXES))
