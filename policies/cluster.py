"""The facts of a stack's cluster, for the command line.

The only module here that asks `stacks/`: the rules themselves are told what they need to know.
"""

from pathlib import Path

import yaml

from policies.facts import Facts
from stacks.facts.policies import policy_facts
from stacks.load import PROFILE_KEY, load
from stacks.profile.problem import ProfileError

STACKS = Path(__file__).parents[1] / "stacks"


class UnknownClusterError(Exception):
    """A stack that is not there or whose profile is wrong, in words for the user."""


def facts_of(environment: str) -> Facts:
    """What the rules need of `stacks/Pulumi.ENV.yaml`."""
    path = STACKS / f"Pulumi.{environment}.yaml"
    try:
        document = yaml.safe_load(path.read_text(encoding="utf-8"))["config"][PROFILE_KEY]
        return Facts.from_mapping(policy_facts(load(document, path.name)))
    except FileNotFoundError:
        known = ", ".join(sorted(each.stem.removeprefix("Pulumi.") for each in STACKS.glob("Pulumi.*.yaml")))
        message = f"{environment}: there is no stacks/{path.name}; known stacks: {known}"
        raise UnknownClusterError(message) from None
    except ProfileError as error:
        raise UnknownClusterError(str(error)) from None
