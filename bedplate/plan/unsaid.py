"""What nobody has said of a server's model and a check would have to know: the plan names it beside what fits."""

from bedplate.components.serving.fit import PLAIN
from bedplate.components.serving.server import Llm
from bedplate.stacks.checks.serving_engine import needs_code


def unsaid(server: Llm) -> list[str]:
    """Keys of the model's facts that a check of this server lacks."""
    model = server.facts
    if model is None:
        return []
    divided = model.expert_billions > 0 and server.precision == "fp8" and server.cut.node > 1
    lacking = {
        "maxLength": model.max_length is None,
        "remoteCode": needs_code(server) is None and not server.trusts,
        "expertWidth": divided and not server.whole_experts and model.expert_width is None,
        "fp8Block": divided and not server.whole_experts and model.fp8_block is None,
        "stateBytes": model.linear > 0 and model.state_bytes is None,
        "hidden and vocabulary": server.precision != PLAIN and not model.word_billions,
    }
    return [name for name, lacks in lacking.items() if lacks]
