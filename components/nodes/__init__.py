"""Nodes: what labels them, and what they are told about their hardware."""
