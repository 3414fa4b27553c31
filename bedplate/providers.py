"""Our dynamic providers, by the one name that the state of a deployed cluster has for each.

The engine keeps a provider as a pickled reference and loads it to update or delete the resource, from a checkout and
from a wheel alike: the names here stay, wherever the classes stand (tests/unit/test_state_names.py).
"""

from bedplate.components.crds import CrdsProvider
from bedplate.components.tenancy.leaving import LeavingProvider
from bedplate.components.verification.proof import NodesProvider

__all__ = ["CrdsProvider", "LeavingProvider", "NodesProvider"]
