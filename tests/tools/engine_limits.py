"""Write into the catalogue what a release of vLLM takes and refuses, from its wheel: no GPU, nothing of it is run.

    python -m tests.tools.engine_limits vllm-0.33.0-cp38-abi3-manylinux_2_28_x86_64.whl

One file a release, `bedplate/catalog/data/vllm-<release>.json`: arguments of `vllm serve`, the least compute capability
of each quantisation, architectures and what they answer, kinds of configuration that need no remote code, stores that it
streams weights from, and the CUDA release of its kernels. Everything is read as a syntax tree or as bytes, so that a source
that moved raises instead of leaving a gap.
"""

import ast
import json
import re
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from zipfile import ZipFile

from bedplate.catalog.table import DATA

ENGINE, SERVE = "vllm/engine/arg_utils.py", re.compile(r"vllm/entrypoints/.*cli_args\.py")
FRONT_END = re.compile(rb"^class FrontendArgs\b", re.MULTILINE)
QUANTISATION, CONFIGS = "vllm/model_executor/layers/quantization/", "vllm/transformers_utils/config.py"
STREAMER = "vllm/transformers_utils/runai_utils.py"
REGISTRY = "vllm/model_executor/models/registry.py"
TRANSFER = re.compile(r"vllm/distributed/kv_transfer/.*nixl.*\.py")
NO_NARROWER = b"Decode TP cannot be smaller than prefill TP"
LEFT_OUT = ("_PREVIOUSLY_SUPPORTED_MODELS", "_OOT_SUPPORTED_MODELS", "_SPECULATIVE_DECODING_MODELS")
"""Tables of the registry whose architectures no server of this release answers for by itself."""
TASKS = {
    "_TEXT_GENERATION_MODELS": "generate",
    "_MULTIMODAL_MODELS": "generate",
    "_EMBEDDING_MODELS": "embed",
    "_LATE_INTERACTION_MODELS": "embed",
    "_CROSS_ENCODER_MODELS": "classify",
    "_REWARD_MODELS": "classify",
    "_SEQUENCE_CLASSIFICATION_MODELS": "classify",
    "_TOKEN_CLASSIFICATION_MODELS": "classify",
}
"""By table of the registry."""
MARKS = {"Embedding": "embed", "Classification": "classify", "": "generate"}
"""By the name, in tables of every task: those of transformers."""
MODELS = re.compile(r"vllm/(model_executor/)?models/.*\.py")
RUNTIME = re.compile(rb"libcudart\.so\.(\d+)")


def limits(wheel: Path) -> dict[str, object]:
    """Everything of one release."""
    with ZipFile(wheel) as archive:
        names = set(archive.namelist())
        (front,) = (one for one in names if SERVE.fullmatch(one) and FRONT_END.search(archive.read(one)))
        return {
            "engine": "vllm",
            "release": wheel.name.split("-")[1],
            "source": f"wheel {wheel.name} of the Python package index",
            "sha256": sha256(wheel.read_bytes()).hexdigest(),
            "read": datetime.now(UTC).date().isoformat(),
            "cuda": cuda(archive),
            "narrowerDecode": not any(NO_NARROWER in archive.read(one) for one in names if TRANSFER.fullmatch(one)),
            "arguments": sorted({*_declared(tree(archive, front)), *_added(tree(archive, ENGINE))}),
            "capability": dict(sorted(capabilities(archive, names).items())),
            "configurations": sorted(set(_table(tree(archive, CONFIGS), "_CONFIG_REGISTRY"))),
            "architectures": tasks(archive, names),
            "schemes": sorted(one.removesuffix("://") for one in _list(tree(archive, STREAMER), "SUPPORTED_SCHEMES")),
        }


def tree(archive: ZipFile, name: str) -> ast.Module:
    """A file of the wheel."""
    return ast.parse(archive.read(name), name)


def cuda(archive: ZipFile) -> int:
    """The major release of the runtime that its kernels are linked against."""
    libraries = [
        one for one in archive.infolist() if one.filename.startswith("vllm/_") and one.filename.endswith(".so")
    ]
    found = {int(major) for one in libraries for major in RUNTIME.findall(archive.read(one))}
    (only,) = found
    return only


def _added(module: ast.AST) -> Iterator[str]:
    """Names that calls of `add_argument` write down."""
    for node in ast.walk(module):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "add_argument":
            yield from (name for name in map(_text, node.args) if name.startswith("--"))


def _declared(module: ast.Module) -> Iterator[str]:
    """Of the front end: what it adds by name, and the fields of the class that it makes arguments of."""
    yield from _added(module)
    classes = {node.name: node for node in module.body if isinstance(node, ast.ClassDef)}
    bases = [classes["FrontendArgs"]]
    while bases:
        current = bases.pop()
        bases += [classes[base.id] for base in current.bases if isinstance(base, ast.Name) and base.id in classes]
        for field in current.body:
            if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name):
                yield f"--{field.target.id.replace('_', '-')}"


def capabilities(archive: ZipFile, names: set[str]) -> dict[str, int]:
    """The least compute capability (`80` is 8.0) by name of a quantisation; those without a constant are left out."""
    least: dict[str, int] = {}
    for name in names:
        if name.startswith(QUANTISATION) and name.endswith(".py"):
            least |= _least(tree(archive, name))
    chosen = _table(tree(archive, f"{QUANTISATION}__init__.py"), "method_to_config")
    return {method: least[kind] for method, kind in chosen.items() if kind in least}


def _least(module: ast.Module) -> dict[str, int]:
    """By class, what its `get_min_capability` returns."""
    found: dict[str, int] = {}
    for kind in (node for node in ast.walk(module) if isinstance(node, ast.ClassDef)):
        for method in kind.body:
            if isinstance(method, ast.FunctionDef) and method.name == "get_min_capability":
                returned = [node.value for node in ast.walk(method) if isinstance(node, ast.Return)]
                if len(returned) == 1 and isinstance(returned[0], ast.Constant) and isinstance(returned[0].value, int):
                    found[kind.name] = returned[0].value
    return found


def tasks(archive: ZipFile, names: set[str]) -> dict[str, str]:
    """What a server of each architecture can be asked for: text, vectors, a class or score, the words of a sound."""
    heard, deaf_to_text = _listening(archive, names)
    found: dict[str, set[str]] = {}
    for task, architecture, kind in _registered(tree(archive, REGISTRY)):
        own = {task} - ({"generate"} if kind in deaf_to_text else set())
        found.setdefault(architecture, set()).update(own | ({"transcribe"} if kind in heard else set()))
    return {architecture: " ".join(sorted(found[architecture])) for architecture in sorted(found)}


def _listening(archive: ZipFile, names: set[str]) -> tuple[set[str], set[str]]:
    """Classes that transcribe, and those that do nothing else."""
    heard, only = set[str](), set[str]()
    for name in (one for one in names if MODELS.fullmatch(one) and b"SupportsTranscription" in archive.read(one)):
        for kind in (node for node in ast.walk(tree(archive, name)) if isinstance(node, ast.ClassDef)):
            if any(_text(base) == "SupportsTranscription" for base in kind.bases):
                heard.add(kind.name)
                only |= {kind.name for field in kind.body if ast.unparse(field) == "supports_transcription_only = True"}
    return heard, only


def _registered(module: ast.Module) -> Iterator[tuple[str, str, str]]:
    """Task, architecture and the class that runs it, of every table."""
    for node in module.body:
        target = (
            node.target
            if isinstance(node, ast.AnnAssign)
            else node.targets[0]
            if isinstance(node, ast.Assign)
            else None
        )
        if not isinstance(target, ast.Name) or not target.id.endswith("_MODELS") or target.id in LEFT_OUT:
            continue
        value = node.value if isinstance(node, ast.Assign | ast.AnnAssign) else None
        pairs = zip(value.keys, value.values, strict=True) if isinstance(value, ast.Dict) else ()
        for key, place in pairs:
            if isinstance(key, ast.Constant) and isinstance(place, ast.Tuple):
                task = TASKS.get(target.id) or next(task for mark, task in MARKS.items() if mark in str(key.value))
                yield task, str(key.value), _text(place.elts[-1])


def _list(module: ast.Module, name: str) -> list[str]:
    """Words of the list that is assigned to this name.

    Raises:
        LookupError: there is none.
    """
    for node in module.body:
        if isinstance(node, ast.Assign) and [_text(target) for target in node.targets] == [name]:
            assert isinstance(node.value, ast.List)
            return [_text(each) for each in node.value.elts]
    raise LookupError(name)


def _table(module: ast.Module, name: str) -> dict[str, str]:
    """Keys and values, as names, of a dictionary that is assigned to this name, or of the call that makes it.

    Raises:
        LookupError: there is none.
    """
    for node in ast.walk(module):
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value:
            target = node.targets[0] if isinstance(node, ast.Assign) else node.target
            if isinstance(target, ast.Name) and target.id == name:
                return dict(_pairs(node.value))
    raise LookupError(name)


def _pairs(value: ast.expr) -> Iterator[tuple[str, str]]:
    if isinstance(value, ast.Call):
        yield from ((word.arg, _text(word.value)) for word in value.keywords if word.arg)
    elif isinstance(value, ast.Dict):
        yield from ((_text(key), _text(each)) for key, each in zip(value.keys, value.values, strict=True) if key)


def _text(node: ast.expr | None) -> str:
    if isinstance(node, ast.Constant):
        return str(node.value)
    return node.id if isinstance(node, ast.Name) else ""


def main() -> None:
    """Write a file for each wheel."""
    for wheel in map(Path, sys.argv[1:]):
        read = limits(wheel)
        path = DATA / f"vllm-{read['release']}.json"
        path.write_text(json.dumps(read, indent=1) + "\n", encoding="utf-8")
        sys.stdout.write(f"{path.name}\n")


if __name__ == "__main__":
    main()
