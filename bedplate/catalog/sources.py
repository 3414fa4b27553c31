"""Where figures come from, and when they were read (`data/sources.csv`); what each column is (`data/columns.csv`)."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date

from bedplate.catalog import table


@dataclass(frozen=True)
class Source:
    """One document, repository or API."""

    text: str
    read: date
    region: str
    """Whose list it is, for prices; empty: the same everywhere."""


SOURCES: Mapping[str, Source] = {
    row["key"]: Source(row["source"], date.fromisoformat(row["read"]), table.text(row["region"]))
    for row in table.read("sources")
}
