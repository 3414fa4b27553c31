"""The schema of the component package: the profile's JSON Schema, said in Pulumi's words, so that programs are typed.

Only form goes over: names, types, unions, choices. Bounds and patterns have no words there, and defaults are left to
the profile: a language's SDK would write them all out, and presence is a switch. What an SDK lets through is judged as
every profile is. https://www.pulumi.com/docs/iac/guides/building-extending/packages/schema/
"""

from collections.abc import Iterator, Mapping
from typing import Any, cast

from bedplate import __version__
from bedplate.stacks.profile.schema import stack_schema

CLUSTER = "bedplate:index:Cluster"
PROFILE = "profile"
ANY = {"$ref": "pulumi.json#/Any"}
Json = Mapping[str, Any]
CONTRACT = "Name of the ConfigMap in each team's namespace that says what its jobs must carry."


def package_schema() -> dict[str, Any]:
    """As the engine and `pulumi package gen-sdk` ask for it."""
    stated = stack_schema()
    whole = stated["properties"]["config"]["properties"]["bedplate:profile"]["else"]
    objects = {"Profile": whole, **stated["$defs"]}
    return {
        "name": "bedplate",
        "version": __version__,
        "description": "A whole GPU cluster on Kubernetes, from one profile.",
        "license": "Apache-2.0",
        "types": dict(pair for name, one in objects.items() for pair in types_of(name, one)),
        "resources": {CLUSTER: cluster(str(whole["description"]))},
        "language": {"nodejs": {"respectSchemaVersion": True}, "go": {"respectSchemaVersion": True}},
    }


def cluster(description: str) -> dict[str, Any]:
    """The one component. Its input is plain: whether a section is there decides what is made, so it must be known."""
    return {
        "isComponent": True,
        "description": "A GPU cluster from its profile.",
        "inputProperties": {PROFILE: {"$ref": reference("Profile"), "plain": True, "description": description}},
        "requiredInputs": [PROFILE],
        "properties": {"workloadContract": {"type": "string", "description": CONTRACT}},
    }


def types_of(name: str, one: Json) -> Iterator[tuple[str, dict[str, Any]]]:
    """An object of the profile, and before it each choice of its keys, which Pulumi wants by name."""
    properties: dict[str, Any] = {}
    for key, stated in one.get("properties", {}).items():
        form = without_null(stated)
        if choices := form.get("enum"):
            chosen = f"{name}{key[0].upper()}{key[1:]}"
            yield token(chosen), {"type": form["type"], "enum": [{"value": choice} for choice in choices]}
            properties[key] = {"$ref": reference(chosen)}
        else:
            properties[key] = typed(form)
        if text := stated.get("description"):
            properties[key]["description"] = text
    yield (
        token(name),
        {
            "type": "object",
            "description": one.get("description", ""),
            "properties": properties,
            "required": list(one.get("required", ())),
        },
    )


def without_null(stated: Json) -> Json:
    """What a key holds if it is there; one that may be null is one that may be absent."""
    forms = [form for form in stated.get("anyOf", ()) if form.get("type") != "null"]
    return {**stated, "anyOf": forms} if len(forms) > 1 else forms[0] if forms else stated


def typed(form: Json) -> dict[str, Any]:
    """A form in Pulumi's words."""
    if "$ref" in form:
        return {"$ref": reference(name_of(form["$ref"]))}
    if forms := form.get("oneOf") or form.get("anyOf"):
        discriminated = {"discriminator": discriminator(form["discriminator"])} if "discriminator" in form else {}
        return {"oneOf": [typed(one) for one in forms], **discriminated}
    if form.get("type") == "array":
        return {"type": "array", "items": typed(form["items"])}
    if form.get("type") == "object":
        return {"type": "object", "additionalProperties": held(form)}
    if "type" not in form:
        return dict(ANY)
    return {"type": form["type"], **({"const": form["const"]} if "const" in form else {})}


def held(form: Json) -> dict[str, Any]:
    """What a map of free keys holds."""
    patterns = cast("Mapping[str, Json]", form.get("patternProperties", {}))
    stated: Any = next(iter(patterns.values()), form.get("additionalProperties"))
    return typed(cast("Json", stated)) if isinstance(stated, dict) and stated else dict(ANY)


def discriminator(stated: Json) -> dict[str, Any]:
    """The key that says which of several objects it is."""
    mapping = {value: reference(name_of(target)) for value, target in stated["mapping"].items()}
    return {"propertyName": stated["propertyName"], "mapping": mapping}


def name_of(target: str) -> str:
    """Of a definition, `#/$defs/Pool`."""
    return target.rpartition("/")[2]


def token(name: str) -> str:
    """A type's, by its name."""
    return f"bedplate:index:{name}"


def reference(name: str) -> str:
    """To a type of the package."""
    return f"#/types/{token(name)}"
