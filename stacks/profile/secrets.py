"""Which secrets a profile needs: configuration keys that stand beside it, encrypted."""

from collections.abc import Iterator

from bedplate.components.section import Section
from bedplate.stacks.profile.profile import Profile


def secret_keys(profile: Profile) -> tuple[str, ...]:
    """Keys to set with `pulumi config set --secret bedplate:<key>`, each once."""
    return tuple(dict.fromkeys(_keys(profile)))


def _keys(section: Section) -> Iterator[str]:
    yield from getattr(section, "secrets", ())
    for name in type(section).model_fields:
        value = getattr(section, name)
        for inner in value if isinstance(value, tuple) else (value,):  # pyright: ignore[reportUnknownVariableType]
            if isinstance(inner, Section):
                yield from _keys(inner)
