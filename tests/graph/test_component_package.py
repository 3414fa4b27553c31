"""The component package: what other Pulumi languages declare is what Python declares, and typed as the profile is."""

import asyncio
import json
from collections.abc import Iterator, Mapping
from typing import Any

import pulumi
import pytest
import yaml
from pulumi.errors import InputPropertiesError, InputPropertyError
from pulumi.output import Unknown

from bedplate.component import CLUSTER, Package, sound, whole
from bedplate.component_schema import package_schema
from bedplate.plan.capture import record
from bedplate.plan.graph import Graph
from bedplate.plan.stackfile import configure, load_project
from bedplate.plan.verdicts import verdicts
from bedplate.stacks.profile.schema import stack_schema
from tests.rooms import ROOT, imports
from tests.stack_files import STACKS, document, graph

SCHEMA = package_schema()
TYPES = SCHEMA["types"]
PROFILES = [*sorted((ROOT / "tests" / "profiles").glob("*.yaml")), *sorted((ROOT / "clusters").glob("*.yaml"))]


def on_the_wire(value: Any) -> Any:
    """As protobuf's Struct carries it: every number is a float."""
    if isinstance(value, dict):
        return {key: on_the_wire(one) for key, one in value.items()}
    if isinstance(value, list):
        return [on_the_wire(one) for one in value]
    return float(value) if isinstance(value, int) and not isinstance(value, bool) else value


def constructed(stack: str) -> Graph:
    def program() -> None:
        Package().construct("cluster", CLUSTER, {"profile": on_the_wire(document(stack))})

    project = load_project(ROOT)
    secrets = {key: value for key, value in project.stacks.config(stack).items() if "secure" in str(value)}
    return record(program, project.name, stack, configure(project, secrets, frozenset(secrets)))


@pytest.mark.parametrize("stack", STACKS)
def test_another_language_declares_the_same_resources_under_the_same_names_with_the_same_inputs(stack: str) -> None:
    ours = {one.urn: one for one in graph(stack).resources}
    theirs = {one.urn: one for one in constructed(stack).resources}
    assert [one.type for urn, one in theirs.items() if urn not in ours] == [CLUSTER]
    assert ours.keys() <= theirs.keys()
    assert verdicts(graph(stack), document(stack)) == verdicts(constructed(stack), document(stack))
    for urn, one in ours.items():
        assert told(one.inputs) == told(theirs[urn].inputs), urn
        assert set(one.dependencies) == set(theirs[urn].dependencies), urn


def told(inputs: Mapping[str, Any]) -> str:
    """Our own providers are pickled, each process in its own bytes."""
    return json.dumps({**inputs, "__provider": ""}, sort_keys=True, default=str)


def test_every_key_of_the_profile_is_an_input_and_nothing_else_is() -> None:
    stated = stack_schema()
    profile = stated["properties"]["config"]["properties"]["bedplate:profile"]["else"]
    for name, one in {"Profile": profile, **stated["$defs"]}.items():
        typed = TYPES[f"bedplate:index:{name}"]
        assert typed["properties"].keys() == one.get("properties", {}).keys(), name
        assert typed["required"] == one.get("required", []), name
    assert SCHEMA["resources"][CLUSTER]["inputProperties"]["profile"]["$ref"] == "#/types/bedplate:index:Profile"


def test_every_reference_of_the_package_leads_to_a_type() -> None:
    wanted = {one for one in references(SCHEMA) if one.startswith("#")}
    assert wanted == {f"#/types/{token}" for token in TYPES}


def references(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        yield from (one for key, one in value.items() if key == "$ref")
        yield from (one for inner in value.values() for one in references(inner))
    elif isinstance(value, list):
        yield from (one for inner in value for one in references(inner))


def fits(value: Any, form: Mapping[str, Any]) -> bool:  # noqa: PLR0911 - one line for each form
    """Whether a typed SDK lets a value through: a second reading of the schema."""
    match form:
        case {"oneOf": forms}:
            return any(fits(value, one) for one in forms)
        case {"$ref": "pulumi.json#/Any"}:
            return True
        case {"$ref": target}:
            return fits(value, TYPES[target.removeprefix("#/types/")])
        case {"enum": choices}:
            return value in [one["value"] for one in choices]
        case {"const": only}:
            return value == only
        case {"properties": keys, "required": required}:
            known = isinstance(value, dict) and value.keys() <= keys.keys() and set(required) <= value.keys()
            return known and all(fits(one, keys[key]) for key, one in value.items())
        case {"type": "object", "additionalProperties": held}:
            return isinstance(value, dict) and all(fits(one, held) for one in value.values())
        case {"type": "array", "items": held}:
            return isinstance(value, list) and all(fits(one, held) for one in value)
        case {"type": kind}:
            kinds: dict[str, Any] = {"string": str, "integer": int, "number": (int, float), "boolean": bool}
            return isinstance(value, kinds[kind]) and isinstance(value, bool) == (kind == "boolean")
        case _:
            raise AssertionError(form)


@pytest.mark.parametrize("path", PROFILES, ids=lambda path: path.stem)
def test_typed_programs_can_say_every_profile_that_is_sound(path: Any) -> None:
    text = path.read_text()
    if not text.startswith("# refused"):
        assert fits(yaml.safe_load(text), {"$ref": "#/types/bedplate:index:Profile"})


@pytest.mark.parametrize("stack", STACKS)
def test_typed_programs_can_say_every_stack_and_no_other_key(stack: str) -> None:
    profile = {"$ref": "#/types/bedplate:index:Profile"}
    stated = document(stack)
    assert fits(stated, profile)
    assert not fits({**stated, "poools": []}, profile)
    assert not fits({**stated, "platform": "kubernetes"}, profile)
    assert not fits({**stated, "pools": [{**stated["pools"][0], "nodes": "two"}]}, profile)


def test_a_fault_is_told_as_the_property_that_has_it() -> None:
    stated = document("lab")
    stated["pools"][1]["shape"] = "dgx-h10"
    with pytest.raises(InputPropertiesError) as refused:
        sound(on_the_wire(stated))
    (fault,) = refused.value.errors or []
    assert fault["property_path"].startswith("profile.pools[1].shape")
    assert "dgx-h100" in fault["reason"]


def test_what_is_only_known_later_is_no_profile() -> None:
    with pytest.raises(InputPropertyError) as refused:
        sound({**document("lab"), "name": Unknown()})
    assert "a plan needs every value" in refused.value.reason


def test_what_is_secret_is_no_profile() -> None:
    async def stated() -> None:
        sound({**document("lab"), "pools": [{"name": pulumi.Output.secret("h100")}]})

    with pytest.raises(InputPropertyError) as refused:
        asyncio.run(stated())
    assert "a plan needs every value" in refused.value.reason


def test_a_profile_that_is_missing_is_told() -> None:
    with pytest.raises(InputPropertiesError, match="cannot be deployed"):
        sound(None)


def test_another_component_is_refused() -> None:
    with pytest.raises(InputPropertyError) as refused:
        Package().construct("cluster", "bedplate:index:Node", {})
    assert refused.value.reason == "bedplate:index:Node: this package has bedplate:index:Cluster only"


def test_whole_numbers_come_back_whole_and_others_stay() -> None:
    assert str(whole({"a": [1.0, 0.5, True, "1.0"]})) == "{'a': [1, 0.5, True, '1.0']}"


def test_nobody_but_the_package_itself_pays_for_it() -> None:
    users = [path for path in sorted((ROOT / "bedplate").rglob("*.py")) if "bedplate.component" in imports(path)]
    assert users == []


def test_the_example_of_the_package_serves_it() -> None:
    package = ROOT / "examples" / "languages" / "package"
    assert "from bedplate.component import serve" in (package / "__main__.py").read_text()
    assert yaml.safe_load((package / "PulumiPlugin.yaml").read_text())["runtime"]["name"] == "python"
    assert (package / (package / "requirements.txt").read_text().splitlines()[-1]).resolve() == ROOT


def test_the_program_of_the_example_in_yaml_is_typed_and_sound() -> None:
    program = yaml.safe_load((ROOT / "examples" / "languages" / "yaml" / "Pulumi.yaml").read_text())
    stated = program["resources"]["cluster"]["properties"]["profile"]
    assert fits(stated, {"$ref": "#/types/bedplate:index:Profile"})
    assert sound(stated).name == "lab"
