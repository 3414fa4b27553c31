"""GPU-1xx: charts, driver and device plugin."""

from bedplate.policies.rules.driver import charts, modules, operators, owner, platforms, resources, runtime, sharing

__all__ = ["charts", "modules", "operators", "owner", "platforms", "resources", "runtime", "sharing"]
