"""What releases of vLLM take and refuse: one file a release in `data/`, written from its wheel.

`python -m tests.tools.engine_limits WHEEL` writes one. A release without a file is not known, and whoever asks says so
instead of guessing.
"""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from semver import Version

from bedplate.catalog.table import DATA

IMAGE = re.compile(
    r"(?:.*/)?vllm-openai:v(?P<release>\d+\.\d+\.\d+)(?:-cu(?P<cuda>\d\d)\d)?(?:-(?:x86_64|aarch64))?(?:@.*)?"
)
"""The project's own images, from wherever; `-cu129` is the same release on CUDA 12.9."""
OLDEST_DRIVER = {12: 525, 13: 580}
"""Driver branch that a major release of CUDA needs (CUDA Toolkit release notes, "CUDA Driver", minor compatibility)."""
OLDEST_CAPABILITY = {12: (5, 0), 13: (7, 5)}
"""GPUs that its compiler knows (CUDA 13.0 release notes: Maxwell, Pascal and Volta are gone)."""


@dataclass(frozen=True)
class Engine:
    """One release, of one image."""

    release: str
    cuda: int
    """Major release of CUDA that its kernels need."""
    narrower_decode: bool
    """A server of answers may have fewer GPUs than the one that read the prompt (NixlConnector)."""
    arguments: frozenset[str]
    """Of `vllm serve`, with their dashes."""
    capability: Mapping[str, int]
    """The least compute capability by quantisation, 80 for 8.0."""
    configurations: frozenset[str]
    """`model_type` that it reads without code of the model's repository, besides those of transformers."""
    architectures: Mapping[str, tuple[str, ...]]
    """What a server of each can be asked for: generate, embed, classify, transcribe."""
    schemes: frozenset[str]
    """Of stores that it streams weights from, such as `s3`."""

    @property
    def title(self) -> str:
        """As messages call it."""
        return f"vLLM {self.release}"

    def unknown(self, words: Iterable[str]) -> list[str]:
        """Those arguments that this release does not have, as they are written.

        It takes underscores for dashes, `--no-` before a switch, keys of a JSON argument behind a dot, and the
        beginning of a name (vllm/utils/argparse_utils.py).
        """
        named = [word.split("=")[0] for word in words if word.startswith("--")]
        return [name for name in named if not self._takes(name.split(".")[0].replace("_", "-"))]

    def _takes(self, name: str) -> bool:
        spellings = (name, f"--{name.removeprefix('--no-')}")
        return any(each.startswith(spellings) for each in self.arguments)


def release(image: str) -> tuple[int, ...]:
    """Numbers of the release that an image of the project's own names, read or not; of another's none."""
    named = IMAGE.fullmatch(image)
    return tuple(map(int, named["release"].split("."))) if named else ()


def vllm(image: str) -> Engine | None:
    """What an image runs; None where nobody has read its release, or it is another's image."""
    named = IMAGE.fullmatch(image)
    if named is None or (read := _read(named["release"])) is None:
        return None
    return Engine(
        release=read["release"],
        cuda=int(named["cuda"] or read["cuda"]),
        narrower_decode=read["narrowerDecode"],
        arguments=frozenset(read["arguments"]),
        capability=read["capability"],
        configurations=frozenset(read["configurations"]),
        architectures={name: tuple(tasks.split()) for name, tasks in read["architectures"].items()},
        schemes=frozenset(read["schemes"]),
    )


def older(image: str) -> str:
    """What runs on drivers and GPUs that an image's CUDA left behind."""
    engine, name = vllm(image), image.partition("@")[0].rpartition(":")[0]
    newer = engine is not None and engine.cuda > min(OLDEST_DRIVER)
    return f"its image on CUDA 12.9, {name}:v{engine.release}-cu129" if engine and newer else "an older release"


def projects_own(image: str) -> bool:
    """Whether it is the project's own image, from wherever and however it is named: one without EFA's libraries."""
    return image.partition("@")[0].rpartition("/")[2].partition(":")[0] == "vllm-openai"


def releases() -> list[str]:
    """Every release that was read, oldest first."""
    return sorted((path.stem.removeprefix("vllm-") for path in DATA.glob("vllm-*.json")), key=Version.parse)


@cache
def _read(release: str) -> Mapping[str, Any] | None:
    path = DATA / f"vllm-{release}.json"
    return json.loads(path.read_bytes()) if path.is_file() else None
