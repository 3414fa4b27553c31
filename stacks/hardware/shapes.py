"""Node shapes as data: every name that a pool can give, from one table per seller.

Nothing is guessed: what is not here a profile describes itself, in full or under `hardware`
(`stacks/hardware/own.py`).
"""

from collections.abc import Mapping

from stacks.hardware.aws import AWS
from stacks.hardware.azure import AZURE
from stacks.hardware.google import GOOGLE
from stacks.hardware.on_site import ON_SITE
from stacks.hardware.oracle import ORACLE
from stacks.hardware.shape import Shape

SHAPES: Mapping[str, Shape] = {**AWS, **GOOGLE, **AZURE, **ORACLE, **ON_SITE}
