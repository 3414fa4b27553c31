"""A model by its `config.json`: a file beside the profile, or a repository of the Hugging Face hub at a commit.

What stands in it is read before anything is derived (`stacks/profile/model_configs.py`), which puts the facts in its
place; what is left here is a repository that nobody could ask.
"""

import re
from collections.abc import Mapping
from typing import Annotated, Self, cast

from pydantic import AfterValidator, Field, model_validator

from bedplate.components.section import Section
from bedplate.components.serving.models import Model

COMMIT = re.compile(r"[0-9a-f]{40}")


def _commit(value: str) -> str:
    """A branch would give tomorrow's replicas other weights than today's."""
    if not COMMIT.fullmatch(value):
        raise ValueError("a branch or tag moves; give the commit, 40 hexadecimal digits")
    return value


class ModelSource(Section):
    """Where the model's `config.json` is; its facts are read from it."""

    config: str | None = Field(default=None, min_length=1)
    """A file, from the folder of the profile."""
    repository: Annotated[str, Field(pattern=r"^[\w.-]+/[\w.-]+$")] | None = None
    """On the Hugging Face hub; read with the package huggingface_hub where it is installed, else what docs/models.md
    knows of it."""
    revision: Annotated[str, AfterValidator(_commit)] | None = None
    """Of the repository: a commit. Weights of the same repository are loaded at it, too."""

    @model_validator(mode="after")
    def _is_one(self) -> Self:
        if (self.config is None) is (self.repository is None):
            raise ValueError("give either config or repository")
        if (self.repository is None) is not (self.revision is None):
            raise ValueError("repository and revision go together")
        return self

    def __str__(self) -> str:
        """As messages name it."""
        return self.config or f"{self.repository}@{self.revision}"


def form(value: object) -> str:
    """Which of the ways to name a model it is."""
    if isinstance(value, Mapping):
        keys = set(cast("Mapping[str, object]", value))
        return "ModelSource" if keys & set(ModelSource.model_fields) else "Model"
    return type(value).__name__ if isinstance(value, Model | ModelSource) else "str"
