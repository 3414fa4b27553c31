"""What `bedplate diff --format json` found, to be shown beside the plan that the change ends in.

It is judged there (review/): a plan only reads the file, so that whoever reviews finds both in one place.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, cast

from bedplate.components.bounded_yaml import parsed_json

from .errors import PlanError

KEYS = {"summary", "reach", "cost", "changes"}
QUIET = "nothing"
"""The label of what does nothing to the running cluster."""
Json = Mapping[str, Any]


def read(file: Path) -> Json:
    """The document, or one line that says why it is none."""
    try:
        document: object = parsed_json(file.read_bytes())
    except OSError as error:
        raise PlanError([f"--diff {file}: cannot be read: {error.strerror}"]) from None
    except ValueError:
        document = None
    if not isinstance(document, dict) or not document.keys() >= KEYS:
        raise PlanError([f"--diff {file}: no output of `bedplate diff A B --stack ENV --format json`"])
    return cast("Json", document)


def rows(difference: Json) -> Iterator[tuple[str, str, str]]:
    """Danger, change and reason of what does something, the dangerous first, as they were found."""
    for change in difference["changes"]:
        if change["danger"] != QUIET:
            yield str(change["danger"]), _title(change), str(change["acknowledged"] or change["reason"])


def words(difference: Json) -> str:
    """All of it in a line or two."""
    return ". ".join(filter(None, (difference["summary"], difference["reach"], difference["cost"])))


def _title(change: Json) -> str:
    """As `bedplate diff` names it."""
    kind, _, name = str(change["urn"]).rpartition("::")
    return f"{change['what']} {kind.rpartition(':')[2]} {name}"
