"""Rules about what a server is asked for: its model was made for it, and nothing else is asked of it beside."""

from collections.abc import Iterator

from bedplate.components.serving.picker import picker
from bedplate.components.serving.server import POOLED, Llm
from bedplate.components.serving.vllm import VllmServer
from bedplate.stacks.profile.problem import Problem

TALKS = ("--enable-auto-tool-choice", "--tool-call-parser", "--reasoning-parser")
"""Flags that only answers in words have a use for."""
WORDS = {"embed": "vectors", "classify": "classes and scores", "transcribe": "the words of a sound"}


def check_task(server: Llm, key: str) -> Iterator[Problem]:
    """Every fault; none of an architecture that the release does not list, or of an image that nobody has read."""
    if server.able and not _can(server):
        made = " and ".join(WORDS.get(one, "text") for one in server.able)
        model = server.facts.architecture if server.facts else None
        reason = f"the model is a {model}, which gives {made}"
        yield Problem(f"{key}.task", server.does, reason, f"use {' or '.join(server.able)}, or another model")
    elif server.does != "generate":
        yield from _beside(server, key)


def _can(server: Llm) -> bool:
    """A model that writes text has vectors inside; one that gives vectors writes no text."""
    return server.does in server.able or ("generate" in server.able and server.does in POOLED)


def _beside(server: Llm, key: str) -> Iterator[Problem]:
    gives = f"it gives {WORDS[server.does]}, and no answers in words"
    for flag in filter(server.asks, TALKS):
        yield Problem(f"{key}.extraArgs", flag, gives, "remove it, or serve a model that writes text")
    if server.does not in POOLED:
        return
    if server.scaling and any(goal.metric == "kv-cache" for goal in server.scaling.goals):
        reason = f"it gives {WORDS[server.does]}, and keeps no cache from one token to the next"
        yield Problem(f"{key}.scaling.metric", "kv-cache", reason, "use requests-waiting")
    if isinstance(server, VllmServer) and server.kv_transfer:
        yield Problem(f"{key}.kvTransfer", server.kv_transfer.role, gives, "remove it")
    if picker(server):
        yield Problem(f"{key}.route.endpointPicker", "present", f"{gives}: it chooses by their caches", "remove it")
