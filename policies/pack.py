"""The rules as a Pulumi policy pack: the only module that knows `pulumi_policy`.

Four policies, by scope and severity, run all rules: the SDK unpacks every resource anew for each policy, so one policy
per rule would add seconds to a preview. Levels are therefore set per rule in `levels` of the configuration, and each
policy reports the rules whose level is its own.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from pulumi_policy import (
    EnforcementLevel,
    Policy,
    PolicyConfigSchema,
    PolicyPack,
    PolicyResource,
    ReportViolation,
    ResourceValidationArgs,
    ResourceValidationPolicy,
    StackValidationArgs,
    StackValidationPolicy,
)
from pulumi_policy.proxy import UnknownValueError

from bedplate.components.docstrings import Documented
from bedplate.policies.facts import Facts
from bedplate.policies.judging.judge import Levels, on_resource, on_stack
from bedplate.policies.judging.verdict import Verdict
from bedplate.policies.resources.model import Resource
from bedplate.policies.resources.stack import Stack, Subject
from bedplate.policies.rule import ADVISORY, MANDATORY, REGISTRY, Severity
from bedplate.policies.values import UNKNOWN

NAME = "bedplate"
Json: TypeAlias = Any
LEVELS: dict[Severity, EnforcementLevel] = {
    MANDATORY: EnforcementLevel.MANDATORY,
    ADVISORY: EnforcementLevel.ADVISORY,
}


def policies() -> list[Policy]:
    """What the engine runs."""
    return [*map(_resource_policy, LEVELS), *map(_stack_policy, LEVELS)]


def serve() -> None:
    """Answer the engine; does not return."""
    PolicyPack(NAME, policies(), EnforcementLevel.MANDATORY)


def configuration(facts: Facts, levels: Levels | None = None) -> dict[str, object]:
    """What `--policy-pack-config` takes for a cluster: every policy knows the facts, and levels may be added."""
    stated = facts.model_dump(by_alias=True, exclude_defaults=True, mode="json")
    return {policy.name: {"facts": stated, "levels": dict(levels or {})} for policy in policies()}


def schema() -> PolicyConfigSchema:
    """The facts and the levels, with defaults that know nothing and change nothing."""
    whole = Facts.model_json_schema(by_alias=True, schema_generator=Documented)
    facts: Json = {**inlined(whole, whole.pop("$defs")), "default": {}}
    levels: Json = {
        "type": "object",
        "default": {},
        "propertyNames": {"enum": sorted(REGISTRY)},
        "additionalProperties": {"enum": [MANDATORY, ADVISORY, "disabled"]},
    }
    return PolicyConfigSchema({"facts": facts, "levels": levels})


def inlined(node: Json, definitions: Json) -> Json:
    """A schema without references: the engine checks each property of a configuration by itself."""
    if isinstance(node, list):
        return [inlined(item, definitions) for item in node]  # pyright: ignore[reportUnknownVariableType]
    if not isinstance(node, dict):
        return node
    if reference := node.get("$ref"):  # pyright: ignore[reportUnknownVariableType, reportUnknownMemberType]
        return inlined(definitions[str(reference).rsplit("/", 1)[-1]], definitions)  # pyright: ignore[reportUnknownArgumentType]
    return {key: inlined(below, definitions) for key, below in node.items()}  # pyright: ignore[reportUnknownVariableType]


def _resource_policy(severity: Severity) -> ResourceValidationPolicy:
    def validate(args: ResourceValidationArgs, report: ReportViolation) -> None:
        facts, levels = _config(args.get_config())
        resource = Resource(args.resource_type, args.name, args.urn, _tree(args.props), parent=args.opts.parent or "")
        if resource.judged:
            _report(on_resource(Subject(resource, fabric=facts.verbs_devices), facts, levels), severity, report)

    description = f"{severity.capitalize()} rules on single resources"
    return ResourceValidationPolicy(f"resources-{severity}", description, validate, LEVELS[severity], schema())


def _stack_policy(severity: Severity) -> StackValidationPolicy:
    def validate(args: StackValidationArgs, report: ReportViolation) -> None:
        facts, levels = _config(args.get_config())
        stack = Stack(map(_resource, args.resources), facts)
        _report(on_stack(stack, levels), severity, report)

    description = f"{severity.capitalize()} rules on the whole stack"
    return StackValidationPolicy(f"stack-{severity}", description, validate, LEVELS[severity], schema())


def _config(config: Mapping[str, Any]) -> tuple[Facts, Levels]:
    return Facts.from_mapping(config.get("facts", {})), config.get("levels", {})


def _report(verdicts: Iterator[Verdict], severity: Severity, report: ReportViolation) -> None:
    shown = {ADVISORY: {ADVISORY, "waived"}, MANDATORY: {MANDATORY}}[severity]
    for verdict in sorted({verdict for verdict in verdicts if verdict.severity in shown}):
        report(f"{verdict.rule} {verdict.message}", verdict.urn or None)


def _resource(resource: PolicyResource) -> Resource:
    parent = resource.parent.urn if resource.parent else ""
    waits = tuple(sorted(each.urn for each in resource.dependencies))
    return Resource(resource.resource_type, resource.name, resource.urn, _tree(resource.props), parent, waits)


def _tree(props: Mapping[str, Any]) -> dict[str, object]:
    return {key: _item(props, key) for key in props}


def _item(props: Any, key: Any) -> object:  # noqa: ANN401 (the SDK's proxies)
    """Plain Python of a proxy; touching what preview does not know raises, which would end the policy."""
    try:
        return _plain(props[key])
    except UnknownValueError:
        return UNKNOWN


def _plain(value: Any) -> object:  # noqa: ANN401 (the SDK's proxies)
    if isinstance(value, Mapping):
        return {key: _item(value, key) for key in value}  # pyright: ignore[reportUnknownVariableType]
    if isinstance(value, Sequence) and not isinstance(value, str | bytes):
        return [_item(value, index) for index in range(len(value))]  # pyright: ignore[reportUnknownArgumentType]
    return int(value) if isinstance(value, float) and value.is_integer() else value
