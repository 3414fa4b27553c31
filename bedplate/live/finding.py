"""One thing that is not as the profile says."""

from dataclasses import asdict, dataclass
from typing import NamedTuple

from bedplate.folders import beside


class Subject(NamedTuple):
    """A group of findings as `bedplate doctor` shows it."""

    title: str
    page: str
    """The page to read, with its anchor."""


WORDS = beside(__file__, "findings.toml")
SUBJECTS = {check: Subject(row["title"], row["page"]) for check, row in WORDS.items()}
"""What the checks look at, in the order in which it is shown."""


@dataclass(frozen=True)
class Finding:
    """What is wrong, where, and why that matters."""

    check: str
    where: str
    what: str
    why: str

    @property
    def page(self) -> str:
        """The page to read."""
        return SUBJECTS[self.check].page

    def as_json(self) -> dict[str, str]:
        """The fields with the page, for machines."""
        return {**asdict(self), "page": self.page}


def finding(kind: str, where: str, /, **values: object) -> Finding:
    """A finding in the words of `findings.toml` for its kind, such as `nodes.stray`."""
    check, _, name = kind.partition(".")
    words = {**WORDS[check], **WORDS[check][name]}
    return Finding(check, where, words["what"].format(**values), words["why"])
