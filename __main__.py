"""Declare this stack's cluster."""

from bedplate import deploy

deploy()
