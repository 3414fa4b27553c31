"""The build backend: a checkout becomes a wheel in which everything of ours is below the one package `bedplate`.

The checkout's folders are the house that people work in, and their names (`plan`, `lab`, `stacks`) would be in the way
on somebody else's import path. So the wheel has them below `bedplate/house/`, the import statements say so, and nothing
puts that folder on any path: a company's program may have a `components` of its own. Rejected: a folder put on the path
at run time, which hides such a package, and which neither the provider of our gates nor the policies' process sees.
A wheel is a ZIP file with three lists: that needs no build tool, so an air-gapped machine can build one.
"""

import ast
import base64
import hashlib
import io
import subprocess
import tarfile
import tomllib
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bedplate import __version__

ROOT = Path(__file__).resolve().parent.parent
HOUSE = "bedplate.house"
FOLDERS = (
    "components",
    "evidence",
    "jobs",
    "lab",
    "live",
    "plan",
    "policies",
    "preflight",
    "review",
    "sizing",
    "stacks",
    "upgrades",
    "verify",
)
FILES = ("Pulumi.yaml", "__main__.py")
EXAMPLES = ("eks-p5", "gke-a3-mega", "inference-l40s", "lab", "onprem-h100-ib", "onprem-h100-roce")
"""The stacks that are everybody's: whatever else a checkout or a fork keeps in `stacks/` is somebody's own."""
SOURCES = "SOURCES.txt"
"""In an sdist, which has no git: what belongs to it."""
TAG = "py3-none-any"
INFO = f"bedplate-{__version__}.dist-info"


def build_wheel(wheel_directory: str, config_settings: Any = None, metadata_directory: Any = None) -> str:  # noqa: ANN401, ARG001 - PEP 517
    """What `pip wheel`, `pipx` and `uv` call."""
    name = f"bedplate-{__version__}-{TAG}.whl"
    held = {**dict(contents()), **information()}
    held[f"{INFO}/RECORD"] = record(held)
    with zipfile.ZipFile(Path(wheel_directory) / name, "w", zipfile.ZIP_DEFLATED) as wheel:
        for path, data in held.items():
            # The same date for all of them: two builds of one commit are the same file.
            wheel.writestr(zipfile.ZipInfo(path, (2026, 1, 1, 0, 0, 0)), data, zipfile.ZIP_DEFLATED)
    return name


def build_sdist(sdist_directory: str, config_settings: Any = None) -> str:  # noqa: ANN401, ARG001 - PEP 517
    """What git keeps, and nothing else."""
    name = f"bedplate-{__version__}"
    sources = listed()
    with tarfile.open(Path(sdist_directory) / f"{name}.tar.gz", "w:gz") as archive:
        for path in sources:
            archive.add(ROOT / path, f"{name}/{path}", recursive=False)
        for path, data in (("PKG-INFO", metadata()), (SOURCES, "\n".join(sources).encode())):
            info = tarfile.TarInfo(f"{name}/{path}")
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return f"{name}.tar.gz"


def listed() -> list[str]:
    """What belongs to the project: whatever else lies in its folders is somebody's own, a key or a stack."""
    if (ROOT / SOURCES).exists():
        return (ROOT / SOURCES).read_text(encoding="utf-8").splitlines()
    command = ["git", "ls-files", "-z"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)  # noqa: S603 - our own words
    paths = sorted(path for path in done.stdout.split("\0") if path and (ROOT / path).is_file())
    if "pyproject.toml" not in paths:
        raise FileNotFoundError(f"{ROOT}: no clone and no sdist, so nothing says what belongs to it; {done.stderr}")
    return paths


def contents() -> Iterator[tuple[str, bytes]]:
    """Every file of the wheel that is code or data."""
    yield "bedplate/house/__init__.py", b'"""What the checkout holds at its top."""\n'
    for path in listed():
        top, _, below = path.partition("/")
        if path in FILES or (top in FOLDERS and not _private(path)):
            yield f"bedplate/house/{path}", housed(ROOT / path)
        elif top == "bedplate" and below != Path(__file__).name:
            yield path, housed(ROOT / path)


def _private(path: str) -> bool:
    examples = [f"stacks/Pulumi.{name}.yaml" for name in EXAMPLES]
    return path.startswith("stacks/Pulumi.") and path not in examples


def housed(path: Path) -> bytes:
    """A file as the wheel has it: Python's imports of our folders name them where they are."""
    data = path.read_bytes()
    if path.suffix != ".py":
        return data
    lines = data.splitlines(keepends=True)
    for node in ast.walk(ast.parse(data)):
        if isinstance(node, ast.Import) and any(_ours(name.name) for name in node.names):
            raise SyntaxError(f"{path}:{node.lineno}: write `from x import y`: folders of ours move")
        if isinstance(node, ast.ImportFrom) and not node.level and _ours(node.module or ""):
            line = lines[node.lineno - 1]
            lines[node.lineno - 1] = line.replace(b"from ", f"from {HOUSE}.".encode(), 1)
    return b"".join(lines)


def _ours(module: str) -> bool:
    return module.split(".", maxsplit=1)[0] in FOLDERS


def information() -> dict[str, bytes]:
    """The wheel about itself."""
    wheel = f"Wheel-Version: 1.0\nGenerator: bedplate {__version__}\nRoot-Is-Purelib: true\nTag: {TAG}\n"
    scripts = "\n".join(f"{name} = {place}" for name, place in project()["scripts"].items())
    return {
        f"{INFO}/METADATA": metadata(),
        f"{INFO}/WHEEL": wheel.encode(),
        f"{INFO}/entry_points.txt": f"[console_scripts]\n{scripts}\n".encode(),
        f"{INFO}/licenses/LICENSE": (ROOT / "LICENSE").read_bytes(),
    }


def metadata() -> bytes:
    """`pyproject.toml` in the words of the package index."""
    stated = project()
    lines = [
        "Metadata-Version: 2.4",
        "Name: bedplate",
        f"Version: {__version__}",
        f"Summary: {stated['description']}",
        f"License-Expression: {stated['license']}",
        "License-File: LICENSE",
        f"Requires-Python: {stated['requires-python']}",
        *(f"Requires-Dist: {one}" for one in stated["dependencies"]),
    ]
    for extra, needed in stated["optional-dependencies"].items():
        lines += [f"Provides-Extra: {extra}", *(f"Requires-Dist: {one}; extra == '{extra}'" for one in needed)]
    head = "\n".join([*lines, "Description-Content-Type: text/markdown"])
    return f"{head}\n\n{(ROOT / stated['readme']).read_text(encoding='utf-8')}".encode()


def project() -> dict[str, Any]:
    """What `pyproject.toml` says about the package."""
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def record(held: dict[str, bytes]) -> bytes:
    """Each file with its digest and size; the list itself without."""
    lines = [f"{path},sha256={_digest(data)},{len(data)}" for path, data in held.items()]
    return "\n".join([*lines, f"{INFO}/RECORD,,", ""]).encode()


def _digest(data: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
