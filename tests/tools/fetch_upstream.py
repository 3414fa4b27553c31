"""`make upstream`: the public data that tests check against, from each project's own release into ../shared/upstream.

Of a release's source only what was recorded is taken: a CustomResourceDefinition or a chart's default values whose
content has the digest that stands in `upstream.sha256` beside this. So it matters neither where a project keeps them nor
whose copy it is, and whatever has another content is not written. Descriptions and comments are left out, and so are
lines of templates, which no test reads. `--record` writes the digests of what is there.
"""

import argparse
import hashlib
import io
import json
import re
import sys
import tarfile
import urllib.request
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple, cast

import yaml

from tests.tools.upstream_sources import SOURCES
from tests.upstream import UPSTREAM

DIGESTS = Path(__file__).with_name("upstream.sha256")
PUBLIC = "https://github.com"
PATIENCE = 300
COMPOSED = frozenset({"values/keda-2.20.2.yaml", "values/kube-prometheus-stack-88.5.3.yaml"})
"""With keys of subcharts and of templates, which no one file of a release has; like `keys.yaml` they are not fetched."""
DEFINITION = "CustomResourceDefinition"


class Found(NamedTuple):
    """A document of a release."""

    name: str
    """A definition's own; of values `values`."""
    content: dict[str, Any]


def main(words: list[str] | None = None) -> int:
    """Fetch what is not there; 1 with each file that no release had."""
    parser = argparse.ArgumentParser(
        prog="make upstream", description="Fetch the public data that tests check against."
    )
    parser.add_argument("--to", type=Path, default=UPSTREAM, help="the folder; by default ../shared/upstream")
    parser.add_argument("--host", default=PUBLIC, help="who has the repositories")
    parser.add_argument("--record", action="store_true", help="write the digests of what is there")
    options = parser.parse_args(words)
    if options.record:
        DIGESTS.write_text("".join(f"{digest(read(options.to / path))}  {path}\n" for path in kept(options.to)))
        return 0
    missing = list(fetched(options.to, options.host))
    sys.stderr.writelines(f"{path}: no release had it with the digest that is recorded\n" for path in missing)
    return 1 if missing else 0


def kept(folder: Path) -> list[str]:
    """The files of the data."""
    paths = (*folder.glob("crds/*/*.yaml"), *folder.glob("values/*.yaml"))
    return sorted({path.relative_to(folder).as_posix() for path in paths} - COMPOSED)


def recorded() -> dict[str, str]:
    """The digest of each file."""
    lines = (line.split("  ", 1) for line in DIGESTS.read_text().splitlines())
    return {path: one for one, path in lines}


def fetched(folder: Path, host: str) -> Iterator[str]:
    """Write what is missing there; what nobody had comes back."""
    wanted = {path: one for path, one in recorded().items() if not (folder / path).is_file()}
    for source in SOURCES:
        mine = {path: wanted[path] for path in wanted if source.holds(path)}
        if not mine:
            continue
        sys.stderr.write(f"{source.repository} {source.tag}\n")
        for found in documents(download(source.address(host))):
            for path in [path for path, one in mine.items() if named(path, found) and digest(found.content) == one]:
                write(folder / path, found.content)
                del mine[path], wanted[path]
    yield from wanted


def download(address: str) -> bytes:
    """The source of a release; nothing where it cannot be had."""
    try:
        with urllib.request.urlopen(address, timeout=PATIENCE) as answer:  # noqa: S310 - https, or a test's own host
            return cast("bytes", answer.read())
    except OSError as error:
        sys.stderr.write(f"  {address}: {error}\n")
        return b""


def documents(archive: bytes) -> Iterator[Found]:
    """Definitions and default values of a source."""
    if not archive:
        return
    with tarfile.open(fileobj=io.BytesIO(archive)) as source:
        for member in source:
            name = member.name.rpartition("/")[2]
            if member.isfile() and name.endswith((".yaml", ".yml")):
                data = source.extractfile(member)
                text = data.read().decode(errors="replace") if data else ""
                if name == "values.yaml" or DEFINITION in text:
                    yield from parsed(text)


def parsed(text: str) -> Iterator[Found]:
    """Of a file, as far as it is YAML; of a template without its own lines."""
    for part in re.split(r"(?m)^---.*$", text):
        document = loaded(part) or loaded(re.sub(r"(?m)^.*\{\{.*$\n?", "", part))
        if isinstance(document, dict):
            one = cast("dict[str, Any]", document)
            if one.get("kind") == DEFINITION and one.get("metadata") and one.get("spec"):
                yield Found(str(one["metadata"].get("name")), stripped(one))
            elif "kind" not in one:
                yield Found("values", one)


class Loader(yaml.CSafeLoader):
    """To which `=` is text: so are the matchers that an AlertmanagerConfig may have."""


Loader.add_constructor("tag:yaml.org,2002:value", Loader.construct_yaml_str)


def loaded(text: str) -> object:
    """None where it is no YAML."""
    try:
        return yaml.load(text, Loader)  # noqa: S506 - a safe one
    except yaml.YAMLError:
        return None


def named(path: str, found: Found) -> bool:
    """Whether a file of the data is for such a document."""
    return Path(path).stem == found.name or (found.name == "values" and path.startswith("values/"))


def stripped(definition: Mapping[str, Any]) -> dict[str, Any]:
    """What an API server does by it: its name and its spec, without descriptions."""
    spec = {key: value for key, value in definition["spec"].items() if key != "conversion"}
    return {
        "apiVersion": definition["apiVersion"],
        "kind": DEFINITION,
        "metadata": {"name": definition["metadata"].get("name")},
        "spec": without_descriptions(spec),
    }


def without_descriptions(value: Any) -> Any:
    """A key of that name which holds text; a field may be called so, and holds a schema."""
    if isinstance(value, dict):
        items = cast("dict[str, Any]", value).items()
        return {k: without_descriptions(v) for k, v in items if not (k == "description" and isinstance(v, str))}
    return [without_descriptions(one) for one in cast("list[Any]", value)] if isinstance(value, list) else value


def read(path: Path) -> dict[str, Any]:
    """A file of the data, as it is compared."""
    document = yaml.load(path.read_text(), yaml.CSafeLoader)
    return stripped(document) if path.parent.parent.name == "crds" else document


def digest(content: Mapping[str, Any]) -> str:
    """Of what it says, however it is written."""
    return hashlib.sha256(json.dumps(ordered(content), default=str).encode()).hexdigest()


def ordered(value: Any) -> Any:
    """Keys in one order; those of YAML may be of any kind."""
    if isinstance(value, dict):
        return {str(key): ordered(one) for key, one in sorted(cast("dict[Any, Any]", value).items(), key=str)}
    return [ordered(one) for one in cast("list[Any]", value)] if isinstance(value, list) else value


def write(path: Path, content: Mapping[str, Any]) -> None:
    """As data: whoever reads it needs no comment."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(yaml.safe_dump(dict(content), sort_keys=False))


if __name__ == "__main__":
    raise SystemExit(main())
