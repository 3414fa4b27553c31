"""Declare this stack's cluster."""

import pulumi

from stacks.cluster import providers
from stacks.load import load
from stacks.platform import deploy

profile = load(pulumi.Config("bedplate").require_object("profile"), f"stacks/Pulumi.{pulumi.get_stack()}.yaml")
deploy(profile, providers(profile))
