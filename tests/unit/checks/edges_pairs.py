"""Halves of a pair that are one object, on either side of what LWS and the router take."""

from typing import Any

import yaml

from bedplate.components.serving.pair import LONGEST
from tests.tools.golden_objects import PROFILES
from tests.unit.checks.case import GONE, Case, edited, refused, taken

FIRST, SECOND = "serving.servers[0]", "serving.servers[1]"
PROMPTS, ANSWERS = "serving.servers.0.", "serving.servers.1."


def pair(changes: dict[str, Any] | None = None) -> dict[str, Any]:
    """The pair that the tests know, with these changes."""
    return edited(yaml.safe_load((PROFILES / "pair-h200-ib.yaml").read_text()), changes or {})


def named(name: str) -> dict[str, Any]:
    """Both halves of a pair of this name."""
    return pair({f"{PROMPTS}kvTransfer.pair": name, f"{ANSWERS}kvTransfer.pair": name})


def at(reason: str) -> list[tuple[str, str]]:
    """Both halves are refused for it."""
    return [(f"{one}.kvTransfer.pair", reason) for one in (FIRST, SECOND)]


THIRD = {**pair()["serving"]["servers"][0], "name": "more", "replicas": 1, "maxReplicas": 2}
EDGES: dict[str, Case] = {
    "a pair": taken(pair()),
    "a pair whose router is the site's": taken(pair({f"{ANSWERS}route": GONE})),
    "a pair with the longest name": taken(named("x" * LONGEST)),
    "a pair with a longer name": refused(named("x" * (LONGEST + 1)), *at("more than 63 letters")),
    "a pair without LWS": refused(
        pair({"training": GONE}), *([("training.leaderWorkerSet", "add `leaderWorkerSet: {}`")] * 2)
    ),
    "a pair with two prompt halves": refused(
        pair({"serving.servers.2": THIRD, "pools.1.nodes": 8}),
        (f"{FIRST}.kvTransfer.pair", "more is this half"),
        ("serving.servers[2].kvTransfer.pair", "prompts is this half"),
    ),
    "halves of two pairs": refused(
        pair({f"{PROMPTS}kvTransfer.pair": "other"}),
        (f"{FIRST}.kvTransfer.role = prefill", "no server of role decode"),
        (f"{SECOND}.kvTransfer.role = decode", "no server of role prefill"),
    ),
    "a half of both parts": refused(
        pair({f"{PROMPTS}kvTransfer.role": "both"}),
        (f"{FIRST}.kvTransfer.pair", "one half that reads prompts"),
        (f"{SECOND}.kvTransfer.role = decode", "no server of role prefill"),
    ),
    "a pair from zero": refused(
        pair({f"{PROMPTS}replicas": 0, f"{PROMPTS}scaling.wake": "up"}), (f"{FIRST}.kvTransfer.pair", "answers nobody")
    ),
    "a pair with its way in by the prompts": refused(
        pair({f"{PROMPTS}route": pair()["serving"]["servers"][1]["route"], f"{ANSWERS}route": GONE}),
        (f"{FIRST}.route = gateway", "no cache would be handed over"),
    ),
    "a pair with a way in that asks no picker": refused(
        pair({f"{ANSWERS}route.endpointPicker": GONE}), (f"{SECOND}.route = gateway", "an endpointPicker")
    ),
}
