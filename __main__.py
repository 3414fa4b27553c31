"""Declare this stack's cluster."""

import pulumi

from stacks.load import load
from stacks.platform import deploy
from stacks.providers import providers

profile = load(pulumi.Config("bedplate").require_object("profile"), f"stacks/Pulumi.{pulumi.get_stack()}.yaml")
deploy(profile, providers(profile))
