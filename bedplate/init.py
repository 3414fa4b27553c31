"""`bedplate init ENV`: a company's own repository, with a profile to start from and a pinned Bedplate.

The profile is one of the examples, or with `--from-cluster CONTEXT` what a cluster shows to whoever may list.
"""

import argparse
import re
import sys
import textwrap
from collections.abc import Iterator, Mapping
from pathlib import Path

from bedplate import usage
from bedplate.charts.sets import newest
from bedplate.nearest import meant
from bedplate.origin import FOLDER, Origin, origin
from bedplate.stacks.profile.schema import SCHEMA_FILE
from bedplate.stacks.profile.stack_file import StackFileError, StackFiles
from bedplate.wrong import refusing

TEMPLATES = Path(__file__).parent / "repository"
NAME = re.compile(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?")
PLACES = {
    "Pulumi.yaml": "Pulumi.yaml",
    "__main__.py.txt": "__main__.py",
    "requirements.txt": "requirements.txt",
    "README.md": "README.md",
    "gitignore": ".gitignore",
    "pre-commit-config.yaml": ".pre-commit-config.yaml",
}
"""Under names of their own: here they must not act on this project."""
CI = {
    "github": {
        "preview.yml": ".github/workflows/preview.yml",
        "up.yml": ".github/workflows/up.yml",
        "drift.yml": ".github/workflows/drift.yml",
        "releases.yml": ".github/workflows/releases.yml",
        "comment": ".ci/comment",
    },
    "gitlab": {"gitlab-ci.yml": ".gitlab-ci.yml"},
    "none": {},
}
"""The same, by whose CI it is."""


@refusing
def main(words: list[str]) -> int:
    """Write what is not there yet; nothing that is there is touched."""
    options = usage.stated(__file__, "init", ci=tuple(CI)).parse_args(words)
    _check(options.into)
    stated, doubts = _stated(options)
    source = origin(_cloud(stated), options.wheel)
    texts = {**PLACES, **CI[options.ci]}
    files = repository(options.environment, stated, options.into, source, texts, bare=options.bare)
    for path, content in files.items():
        sys.stdout.write(f"{'wrote' if _wrote(options.into / path, content) else 'kept '} {path}\n")
    doubts = (*doubts, *filter(None, [source.missing]))
    sys.stdout.write(_next(options.environment, next(iter(files)), doubts))
    return 0


def _check(folder: Path) -> None:
    """Before a cluster is asked or anything is written."""
    there = next(place for place in (folder.absolute(), *folder.absolute().parents) if place.exists())
    if not there.is_dir():
        raise StackFileError(f"--into {folder}: {there} is a file: name a folder")


def _wrote(place: Path, content: bytes) -> bool:
    """Whether it was not there before."""
    if place.exists():
        return False
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content)
    except OSError as error:
        raise StackFileError(f"{place}: cannot be written: {error.strerror}; name another folder by --into") from error
    return True


def _stated(options: argparse.Namespace) -> tuple[str, tuple[str, ...]]:
    """The profile's text, and what it leaves open."""
    if not NAME.fullmatch(options.environment):
        raise StackFileError(
            f"{options.environment}: no name for a cluster; write letters, digits and dashes: prod-eu1"
        )
    if not options.from_cluster:
        return _pinned(_profile(_example(options.like), options.environment, bare=options.bare)), ()
    from bedplate.live.from_cluster import described, written  # noqa: PLC0415 - an example must not cost it

    found = described(options.environment, options.from_cluster)
    return _pinned(written(found, bare=options.bare)), found.unseen


def _pinned(stated: str) -> str:
    """With the version set of today: without it a newer Bedplate moves every chart at its next `up`."""
    line = f'set: "{newest()}" # of charts and images; `bedplate upgrade` goes to another one'
    return re.sub(r"(?m)^( *)context: .*$", lambda found: f"{found[0]}\n{found[1]}{line}", stated, count=1)


def _cloud(stated: str) -> str:
    return next((extra for extra in ("aws", "gcp") if f"kind: {extra}\n" in stated), "")


def repository(  # noqa: PLR0913 - a repository is just these
    environment: str, stated: str, into: Path, source: Origin, places: Mapping[str, str], *, bare: bool
) -> dict[str, bytes]:
    """Every file with its content, the profile first; `places` says where the templates go."""
    known = {
        "environment": environment,
        "project": folder if NAME.fullmatch(folder := into.resolve().name) else "clusters",
        "requirement": "\n".join(source.lines),
    }
    name = f"clusters/{environment}.yaml" if bare else f"clusters/Pulumi.{environment}.yaml"
    schema = {} if bare else {f"clusters/{SCHEMA_FILE.name}": SCHEMA_FILE.read_text(encoding="utf-8")}
    texts = {name: stated, **schema, **dict(_rendered(known, places))}
    wheel = {f"{FOLDER}/{source.wheel.name}": source.wheel.read_bytes()} if source.wheel else {}
    return {**{place: text.encode() for place, text in texts.items()}, **wheel}


def _example(like: str) -> str:
    files = StackFiles()
    if like not in (known := files.known()):
        fix = meant(like, known) or f"use {', '.join(known)}"
        raise StackFileError(f"--like {like}: no such example; {fix}")
    return files.place(like).read_text(encoding="utf-8")


def _profile(stated: str, environment: str, *, bare: bool) -> str:
    """The example with the cluster's own name and context, and all that it says in comments."""
    context = f"{environment} # of your kubeconfig; nothing is deployed with any other"
    for key, value in (("name", environment), ("context", context)):
        stated = re.sub(rf"(?m)^    {key}: .*$", f"    {key}: {value}", stated, count=1)
    if not bare:
        return stated
    below = stated.split("  bedplate:profile:\n", 1)[1]
    return "".join(line.removeprefix("    ") for line in below.splitlines(keepends=True))


def _rendered(known: dict[str, str], places: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    for template, place in places.items():
        text = (TEMPLATES / template).read_text(encoding="utf-8")
        for key, value in known.items():
            text = text.replace("{{" + key + "}}", value)
        yield place, text


def _next(environment: str, profile: str, doubts: tuple[str, ...]) -> str:
    """What to do, after what is open."""
    open_ = [f"- {line}\n" for line in doubts]
    folded = [textwrap.fill(line, 80, subsequent_indent="  ", break_on_hyphens=False) + "\n" for line in open_]
    return "".join(
        (
            *(["\nTo fill in, and what could not be seen:\n", *folded] if doubts else ()),
            f"\nNext: describe your cluster in {profile}, then\n",
            f"  bedplate plan {environment}      offline: what would be declared, and what is wrong\n",
            f"  bedplate preview {environment}   against the cluster, with Pulumi's CLI\n",
        )
    )
