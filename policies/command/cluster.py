"""The facts of a stack's cluster, for the command line.

The only module here that asks `stacks/`: the rules themselves are told what they need to know.
"""

from bedplate.policies.facts import Facts
from bedplate.stacks.facts.policies import policy_facts
from bedplate.stacks.load import load_named
from bedplate.stacks.profile.stack_file import StackFiles

STACKS: StackFiles | None = None
"""Whose stacks are meant by a name; those of the project that the user stands in, unless a test says others."""


def facts_of(environment: str) -> Facts:
    """What the rules need of a stack, or of a file that holds a profile."""
    return Facts.from_mapping(policy_facts(load_named(environment, STACKS)))
