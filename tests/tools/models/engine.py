"""What the engine's wheel knows of kinds of models: parsed from its sources, never imported."""

import re
from dataclasses import dataclass
from pathlib import Path

from bedplate.catalog.engines import vllm

ENGINE, LATER = "0.12.0", "0.32.0"
"""vLLM's releases whose wheels are read: the oldest that servers may run, and that of the default image."""

TABLES = ("configuration_auto.py", "auto_mappings.py")
"""Where transformers has them, by release."""


@dataclass(frozen=True)
class Engine:
    """Kinds of models by `model_type`, and classes by `architectures`."""

    native: frozenset[str]
    """Types whose configuration class vLLM or its transformers has: others need the repository's own code."""
    later: frozenset[str]
    """The same of the later release."""
    wide: frozenset[str]
    """Types that vLLM refuses to run in float16."""
    classes: frozenset[str]
    """Architectures that it can run."""


def engine(wheels: Path) -> Engine:
    """Read the unpacked wheels of vLLM and transformers; below `later` that transformers which the later one asks for."""
    own = (wheels / "vllm/transformers_utils/config.py").read_text(encoding="utf-8")
    model = (wheels / "vllm/config/model.py").read_text(encoding="utf-8")
    registry = (wheels / "vllm/model_executor/models/registry.py").read_text(encoding="utf-8")
    new = vllm(f"vllm/vllm-openai:v{LATER}")
    assert new, f"no vllm-{LATER}.json"
    return Engine(
        frozenset(_transformers(wheels) + re.findall(r"^    (\w+)=\"\w+\",$", own, re.MULTILINE)),
        frozenset(_transformers(wheels / "later")) | new.configurations,
        frozenset(re.findall(r'^    "(\w+)": "Numerical instability', model, re.MULTILINE)),
        frozenset(re.findall(r'^    "(\w+)": \(', registry, re.MULTILINE)),
    )


def _transformers(wheels: Path) -> list[str]:
    """Types of its own."""
    folder = wheels / "transformers/models/auto"
    texts = (path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.py")) if path.name in TABLES)
    return [kind for text in texts for kind in re.findall(r'\("([\w.-]+)", "\w+Config"\)', text)]
