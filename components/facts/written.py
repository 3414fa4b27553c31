"""The facts as JSON: what a job is rendered from where nobody has the profile."""

import json
from collections.abc import Set as AbstractSet
from dataclasses import asdict, replace
from ipaddress import IPv4Network, IPv6Network

from pydantic import BaseModel, TypeAdapter

from bedplate.components.facts.cluster import Facts


def written(facts: Facts) -> str:
    """Without what jobs have no use for.

    That is how the owners reach the cluster, what they allow each other, and what only gates ask, which changes with
    every operator.
    """
    site = {"existing": (), "site_runs": frozenset[str](), "name_servers": (), "health": None}
    held = asdict(replace(facts, context="", waivers=(), foundation="", **site))
    del held["digests"]  # of what the stack deploys; a job says its own image
    return json.dumps(held, default=_plain)


def read(text: str) -> Facts:
    """The facts again; ValueError where they are another version's."""
    return TypeAdapter(Facts).validate_json(text)


def _plain(value: object) -> object:
    """Sets in one order: hashes of strings differ from run to run, and each would be a change of the ConfigMap."""
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json", by_alias=True, exclude_defaults=True)
    if isinstance(value, AbstractSet):
        return sorted(str(one) for one in value)  # type: ignore[reportUnknownVariableType]
    if isinstance(value, IPv4Network | IPv6Network):
        return str(value)
    raise TypeError(f"{value!r} has no form in JSON")
