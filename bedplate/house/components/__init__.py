"""The components, under the name that stands in an old state."""

from bedplate import components

__path__ = components.__path__
