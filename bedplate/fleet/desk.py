"""What an update of one stack is given: its configuration with the profile whole in it, and the policies."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from bedplate.engine import tool
from bedplate.stacks.profile.stack_file import PROFILE_KEY, StackFiles


@dataclass(frozen=True)
class Desk:
    """Of one stack; `scratch` is gone with the run."""

    files: StackFiles
    stack: str
    scratch: Path

    @property
    def profile(self) -> Mapping[str, Any]:
        """As it is written, its bases and the files beside it in it."""
        return self.files.profile(self.stack)

    def beside(self, name: str, profile: str | None) -> str:
        """A file with a profile of another time; empty: there is none."""
        if profile is None:
            return ""
        place = self.scratch / f"{name}.yaml"
        place.write_text(profile, encoding="utf-8")
        return str(place)

    def options(self, profile: Mapping[str, Any]) -> dict[str, Any]:
        """Of `up` and `preview` of the Automation API."""
        config, alone = self.scratch / f"Pulumi.{self.stack}.yaml", self.scratch / "profile.yaml"
        whole = {**self.files.document(self.stack), "config": {**self.files.config(self.stack), PROFILE_KEY: profile}}
        for place, document in ((config, whole), (alone, profile)):
            plain: object = json.loads(json.dumps(document, default=str))
            place.write_text(yaml.safe_dump(plain, sort_keys=False), encoding="utf-8")
        words = tool.policies(str(alone), self.scratch)
        given = dict(zip(words[::2], words[1::2], strict=True))
        return {
            "config_file": str(config),
            "policy_packs": [given["--policy-pack"]],
            "policy_pack_configs": [given["--policy-pack-config"]],
            "color": "never",
            "suppress_progress": True,
        }
