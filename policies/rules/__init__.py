"""Every rule: a folder a subject, with its modules and, in `rules.toml`, what is said about each rule."""

from importlib import import_module
from pkgutil import walk_packages

from bedplate.policies.rule import Rule, in_order

for module in walk_packages(__path__, f"{__name__}."):
    import_module(module.name)

RULES: tuple[Rule, ...] = in_order()
"""In the order of their ids."""
