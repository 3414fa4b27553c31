"""Arguments of vLLM that both ways to deploy it share."""

from bedplate.components.serving.server import POOLED, Llm
from bedplate.components.serving.weights import HubWeights

STREAMED = ("--load-format", "runai_streamer")
"""Of weights in a bucket (vLLM documentation, Run:ai Model Streamer)."""


def turned(server: Llm) -> tuple[str, ...]:
    """Arguments of a model that was made to write text and does something else."""
    made = server.does not in POOLED or (server.able and "generate" not in server.able)
    return () if made else ("--runner", "pooling", "--convert", server.does)


def revision(server: Llm) -> tuple[str, ...]:
    """The commit of a repository, which vLLM takes its configuration and tokenizer from as well."""
    stated = server.weights.revision if isinstance(server.weights, HubWeights) else None
    return ("--revision", stated) if stated else ()
