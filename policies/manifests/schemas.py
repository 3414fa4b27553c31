"""What an API server would refuse of a document: unknown fields, and values of a wrong type.

What a kind requires and a document lacks is not asked for: a file may be a patch.

Kinds of Kubernetes by the schemas of its releases, which the package `kubernetes-validate` holds; custom resources by
their definition among the manifests, else by the fields that `python -m tests.tools.crd_schemas` read from the releases
we know. The schemas are compiled once for each kind and run by `jsonschema-rs`: 20 microseconds a document.
Without the extra `bedplate[schema]` nothing is known here, and `available` says so.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from importlib.util import find_spec
from typing import Any

from bedplate.charts import measured, names, releases
from bedplate.policies.values import Tree, dig, is_list, is_map, text

CRDS = "crds.json"
"""The file of a chart's release: its own kinds, `group/version/Kind`, with the schema of each."""
POD_SPEC, OBJECT_META = "io.k8s.api.core.v1.PodSpec", "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"
DEFINITIONS = "/api/_definitions.json"
PLACEHOLDER = re.compile(r"\$|\{\{|<|%|ENC\[|[A-Z][A-Z0-9]*(_[A-Z0-9]+)+$")
"""What somebody fills in before the file is applied: `${N}`, `{{ n }}`, `<n>`, `NUM_NODES`, SOPS' `ENC[...]`."""
SOPS = "sops"
"""Where SOPS keeps its own data at the top of an encrypted file; it goes as the file is decrypted."""
NAMES = {
    "array": "a list",
    "boolean": "true or false",
    "integer": "a whole number",
    "number": "a number",
    "object": "a map",
    "string": "a text",
}
"""JSON Schema's types in words."""


@dataclass(frozen=True)
class Misfit:
    """What does not fit a schema."""

    path: str
    """Of the field: `spec.template.spec.containers[0].image`."""
    reason: str
    """As the end of a sentence that begins with the path."""
    unknown: bool
    """Whether the field is not known, rather than its value wrong."""
    steps: tuple[str | int, ...] = ()
    """The way to the field, key by key."""
    fitting: tuple[str, ...] = ()
    """Words that its value may be, or names of JSON Schema's types."""


@cache
def available() -> bool:
    """Whether the packages of the extra `schema` are installed."""
    return bool(find_spec("jsonschema_rs") and find_spec("kubernetes_validate"))


def misfits(document: Tree, release: str | None) -> Iterator[Misfit]:
    """Every misfit of a document of a known kind; `release` is Kubernetes' (1.35), the newest where it is not known."""
    api, kind = text(document.get("apiVersion")), text(document.get("kind"))
    validator = _built_in(api, kind, release or "") or _custom(api, kind, release or "")
    for error in validator.iter_errors(document) if validator else ():
        yield from _misfits(error)


def last_taking(document: Tree, misfit: Misfit) -> str:
    """The newest release of Kubernetes that takes what a newer one does not; empty where none has ever."""
    api, kind = text(document.get("apiVersion")), text(document.get("kind"))
    judging = (line for line in reversed([*_releases()]) if _built_in(api, kind, line))
    return next((line for line in judging if misfit.path not in {each.path for each in misfits(document, line)}), "")


def source(document: Tree) -> str:
    """Whose fields a document is held against: `kueue 0.19.2`; empty for kinds of Kubernetes."""
    return _customs().get(_key(document), ("", {}))[0]


def field_names(document: Tree, release: str | None) -> frozenset[str]:
    """The names of all fields that the schema of a document knows, wherever they stand."""
    found = _customs().get(_key(document))
    return _names_in(_key(document), release or "") if found else _names_in("", release or "")


@cache
def _names_in(custom: str, release: str) -> frozenset[str]:
    todo: list[Any] = [_customs()[custom][1] if custom else _definitions(release)]
    names = set[str]()
    while todo:
        node = todo.pop()
        todo += node.values() if is_map(node) else node if is_list(node) else ()
        properties = node.get("properties") if is_map(node) else None
        names.update(properties if is_map(properties) else ())
    return frozenset(names)


def _misfits(error: Any) -> Iterator[Misfit]:  # noqa: ANN401 (the library names its errors at run time)
    path = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in error.instance_path).lstrip(".")
    value, what, steps = error.instance, error.kind, tuple(error.instance_path)
    if what.name == "additionalProperties":
        # `$patch` and its like are directives, and `{` begins what a bare `{{ .Values.x }}` is read as
        strange = [name for name in what.unexpected if not name.startswith(("$", "{"))]
        for name in strange if path or SOPS not in strange else ():
            where = f"{path}.{name}".lstrip(".")
            yield Misfit(where, "is no field of this kind", unknown=True, steps=(*steps, name))
    elif filled_in(value) or (what.name == "type" and "integer" in what.types and _is_word(value)):
        return
    elif what.name == "enum":
        words = tuple(str(each) for each in what.options if each is not None)
        said = f"is {_shown(value)}, none of {', '.join(words)}"
        yield Misfit(path, said, unknown=False, steps=steps, fitting=words)
    elif what.name == "type":
        types = " or ".join(NAMES[each] for each in what.types if each != "null")
        said = f"is {_shown(value)} where {types} belongs"
        yield Misfit(path, said, unknown=False, steps=steps, fitting=tuple(what.types))
    elif what.name == "oneOf" and value is not None:
        yield Misfit(path, f"is {_shown(value)} where a number or a text belongs", unknown=False)


def filled_in(value: object) -> bool:
    """Whether somebody fills a value in before it is applied; a bare `{{ n }}` is a map with a map for a key.

    A bare `{name}` is a map, too, of a name without a value, and a bare `[YOUR_NAME]` a list.
    """
    if is_map(value) and list(value.values()) == [None]:
        return True
    if is_list(value) and len(value) == 1:
        return filled_in(value[0])
    written = next(iter(value), "") if is_map(value) else value
    return isinstance(written, str) and (written.startswith("{") or PLACEHOLDER.search(written) is not None)


def _is_word(value: object) -> bool:
    """Whether a value is a word in capitals, which stands for a number (`PORT`)."""
    return isinstance(value, str) and value.isalpha() and value.isupper()


def _shown(value: object) -> str:
    return "a map" if is_map(value) else "a list" if is_list(value) else json.dumps(value)


@cache
def _releases() -> Mapping[str, str]:
    """Folders of strict schemas by release line, oldest first: 1.35 to `v1.35.0-local-strict`."""
    names = (each.name for each in (files("kubernetes_validate") / "kubernetes-json-schema").iterdir())
    lines = {".".join(name[1:].split(".")[:2]): name for name in names if name.endswith("-strict")}
    return dict(sorted(lines.items(), key=lambda pair: _line(pair[0])))


def _line(release: str) -> tuple[int, ...]:
    return tuple(int(part) for part in release.split(".")[:2])


def _folder(release: str) -> Any:  # noqa: ANN401 (a path inside of a package)
    """The schemas of that release, or of the newest before it; the newest of all where it is not known."""
    fitting = [name for line, name in _releases().items() if not release or _line(line) <= _line(release)]
    return files("kubernetes_validate") / "kubernetes-json-schema" / (fitting or list(_releases().values())[:1])[-1]


@cache
def _definitions(release: str) -> Any:  # noqa: ANN401 (JSON)
    return json.loads((_folder(release) / "_definitions.json").read_text("utf-8"))


@cache
def _built_in(api: str, kind: str, release: str) -> Any:  # noqa: ANN401 (a validator)
    """The validator of a kind of Kubernetes, if that release has it under this API version."""
    group, _, version = api.rpartition("/")
    if "." in group and not group.endswith(".k8s.io"):
        return None
    file = _folder(release) / f"{kind.lower()}-{'-'.join(filter(None, (group.split('.')[0], version)))}.json"
    return _compiled(json.loads(file.read_text("utf-8")), release) if api and kind and file.is_file() else None


@cache
def _custom(api: str, kind: str, release: str) -> Any:  # noqa: ANN401 (a validator)
    found = _customs().get(f"{api}/{kind}")
    return _compiled(found[1], release) if found else None


def _compiled(schema: Any, release: str) -> Any:  # noqa: ANN401 (JSON, a validator)
    from jsonschema_rs import Draft7Validator  # noqa: PLC0415

    return Draft7Validator(schema, retriever=lambda _: _definitions(release))


@cache
def _customs() -> Mapping[str, tuple[str, Any]]:
    """The schema of each custom resource that we know, with the release it is from: `kueue 0.19.2`."""
    return {
        key: (f"{chart} {release}", schema)
        for chart in names()
        for release in releases(chart, CRDS)
        for key, schema in measured(chart, CRDS, release).items()
    }


def _key(document: Tree) -> str:
    return f"{text(document.get('apiVersion'))}/{text(dig(document, 'kind'))}"
