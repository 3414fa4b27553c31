"""List prices and quota families that Karpenter's providers generate from the clouds' own price lists and APIs."""

import json
import re
from collections.abc import Mapping, Sequence

from bedplate.catalog import table

GO_REGION = re.compile(r'^\s*(?:\w+\[)?"([\w-]+)"(?:\] =|:) (?:map\[string\]float64)?\{$')
GO_PRICE = re.compile(r'"([\w.-]+)": +([0-9.]+)')
HEADING = re.compile(r"# +(\w+Family):$")
ENTRY = re.compile(r"(\w+):$")
AZURE = "Standard_"
PLACES = 6
"""Decimals of a price."""


def priced(rows: Sequence[table.Row], prices: Mapping[str, float], source: str) -> list[table.Row]:
    """The rows with prices where no other list has given one; a row without stays without."""
    return [
        {**row, "usd_hour": f"{round(prices[row['name']], PLACES):.12g}", "price_source": source}
        if row["name"] in prices and row["price_source"] in (table.NONE, source)
        else row
        for row in rows
    ]


def of_go(text: str, region: str) -> dict[str, float]:
    """Of a map of maps in Go, the region's."""
    found: dict[str, float] = {}
    inside = False
    for line in text.splitlines():
        if heading := GO_REGION.match(line):
            inside = heading[1] == region
        if inside:
            found.update((name.removeprefix(AZURE), float(price)) for name, price in GO_PRICE.findall(line))
    return found


def of_json(text: str, region: str) -> dict[str, float]:
    """On demand in a region."""
    return json.loads(text)["prices"][region]["on_demand"]


def families(text: str) -> dict[str, str]:
    """Azure's quota families: each stands as a heading above the sizes that count against it."""
    found: dict[str, str] = {}
    family = ""
    for line in text.splitlines():
        if line.startswith("#"):
            family = heading[1] if (heading := HEADING.match(line)) else ""
        elif family and (entry := ENTRY.match(line)):
            found[entry[1]] = family
    return found
