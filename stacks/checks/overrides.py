"""Overrides of chart values: only keys that the pinned chart honours and that the profile does not own."""

from collections.abc import Iterator, Mapping
from typing import Any, cast

from bedplate.components.chart_keys import honours
from bedplate.components.operators.gpu_operator import NO_HCAS
from bedplate.components.section import HelmSection
from bedplate.stacks.facts.derive import facts
from bedplate.stacks.profile.charts import chart, helm_sections, values
from bedplate.stacks.profile.problem import Problem
from bedplate.stacks.profile.profile import Profile

Path = tuple[str, ...]


def check_overrides(profile: Profile) -> Iterator[Problem]:
    """Dead paths change nothing, and owned ones would contradict the profile: both are refused."""
    overridden = [(key, section) for key, section in helm_sections(profile) if section.overrides]
    for key, section in overridden:
        owned = set(leaves(values(section, facts(profile))))
        yield from _faults(key, section, owned)
    yield from _hcas(profile)


def _hcas(profile: Profile) -> Iterator[Problem]:
    """Without GPUDirect Storage the variables of the device plugin are the site's, all but this one."""
    section = profile.gpu_operator
    stated: Any = dict(leaf_values(section.overrides)).get(("devicePlugin", "env")) if section else None
    listed = cast("list[Any]", stated) if isinstance(stated, list) else []
    variables = [cast("dict[str, Any]", each) for each in listed if isinstance(each, dict)]
    for name, value in NO_HCAS.items():
        if any(each.get("name") == name and each.get("value") != value for each in variables):
            reason = "every pod with a GPU would get all HCAs of its node, past rails and teams"
            yield Problem("gpuOperator.overrides.devicePlugin.env", name, reason, "remove it")


def _faults(key: str, section: HelmSection, owned: set[Path]) -> Iterator[Problem]:
    installed = chart(section)
    for path, value in leaf_values(section.overrides):
        where = f"{key}.overrides.{'.'.join(path)}"
        if any(path[: len(own)] == own or own[: len(path)] == path for own in owned):
            yield Problem(where, value, "the profile owns this value", f"change the field of {key} that sets it")
        elif honours(installed.name, installed.version, path) is False:
            reason = f"{installed.name} {installed.version} ignores this key"
            yield Problem(where, value, reason, "remove it, or look up its new name")


def leaves(values: Mapping[str, Any]) -> Iterator[Path]:
    """Paths of all leaves; an empty mapping counts as one."""
    return (path for path, _ in leaf_values(values))


def leaf_values(values: Mapping[str, Any], above: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Paths and values of all leaves; lists are leaves."""
    for key, value in values.items():
        if isinstance(value, Mapping) and value:
            yield from leaf_values(value, (*above, key))  # pyright: ignore[reportUnknownArgumentType]
        else:
            yield (*above, key), value
