"""What Pulumi will ask for, said before anything starts: a place for the state, a passphrase, the profile's secrets.

On a terminal Pulumi asks for the first two itself; off it, it ends with its own words, some minutes later.
"""

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, cast

from bedplate.stacks.profile.stack_file import StackFileError, StackFiles, read_mapping

RUNS = ("preview", "up", "destroy", "adopt", "refresh")
"""What needs the state; `pulumi login` and its like do not."""
PROGRAMS = ("preview", "up", "adopt")
"""What runs the program, which reads the secrets."""
CLOUD = ("https://", "http://")
PASSPHRASE = ("PULUMI_CONFIG_PASSPHRASE", "PULUMI_CONFIG_PASSPHRASE_FILE")


def lacking(command: str, stack: str, files: StackFiles, *, asks: bool) -> Iterator[str]:
    """One line for each."""
    if command not in RUNS:
        return
    if not asks:
        yield from _state(stack, files)
    if command in PROGRAMS:
        yield from _secrets(stack, files)


def _state(stack: str, files: StackFiles) -> Iterator[str]:
    backend, login = _backend(files.root)
    if not backend:
        yield (
            f"{stack}: no place for the state: set PULUMI_BACKEND_URL (file:///…, s3://…, gs://…, azblob://…) or "
            "PULUMI_ACCESS_TOKEN, or run `pulumi login` once (docs/day-2.md)"
        )
    elif backend.startswith(CLOUD) and not login:
        yield f"{stack}: {backend} needs a login: set PULUMI_ACCESS_TOKEN, or run `pulumi login` once"
    elif not backend.startswith(CLOUD) and _by_passphrase(stack, files) and not _set(PASSPHRASE):
        yield f"{stack}: no passphrase for the stack's secrets: set {PASSPHRASE[0]}, or {PASSPHRASE[1]} to a file of it"


def _backend(root: Path) -> tuple[str, bool]:
    """Its address, and whether there is a token for it.

    As Pulumi looks for them (pulumi/pulumi, sdk/go/common/workspace/creds.go, pkg/workspace/project.go).
    """
    kept = _credentials()
    backend = read_mapping(root / "Pulumi.yaml", "Pulumi.yaml").get("backend")
    stated: Mapping[str, Any] = cast("Mapping[str, Any]", backend) if isinstance(backend, Mapping) else {}
    token = bool(os.environ.get("PULUMI_ACCESS_TOKEN"))
    by_token = "https://api.pulumi.com" if token else ""
    address = os.environ.get("PULUMI_BACKEND_URL") or stated.get("url") or kept.get("current") or by_token
    tokens: Mapping[str, str] = kept.get("accessTokens") or {}
    return str(address), token or bool(tokens.get(str(address)))


def _credentials() -> Mapping[str, Any]:
    home = os.environ.get("PULUMI_CREDENTIALS_PATH") or os.environ.get("PULUMI_HOME")
    try:
        return json.loads((Path(home or Path.home() / ".pulumi") / "credentials.json").read_text(encoding="utf-8"))
    except (OSError, ValueError, RuntimeError):  # none, or none that Pulumi could read
        return {}


def _by_passphrase(stack: str, files: StackFiles) -> bool:
    try:
        stated = read_mapping(files.root / files.folder / f"Pulumi.{stack}.yaml", stack)
    except StackFileError:
        return True  # Pulumi makes it, by a passphrase
    return str(stated.get("secretsprovider") or "passphrase") == "passphrase"


def _set(names: tuple[str, ...]) -> bool:
    """An empty passphrase is one."""
    return any(name in os.environ for name in names)


def _secrets(stack: str, files: StackFiles) -> Iterator[str]:
    from bedplate.stacks.load import load_stack  # noqa: PLC0415 - `pulumi login` must not cost it
    from bedplate.stacks.profile.charts import secret_keys  # noqa: PLC0415

    if "environment" in files.document(stack):  # of Pulumi ESC: its values are not to be seen from here
        return
    stated = files.config(stack)
    for key in secret_keys(load_stack(stack, files)):
        if f"bedplate:{key}" not in stated:
            yield f"{stack}: secret {key} is not set: `bedplate pulumi config {stack} set --secret bedplate:{key}`"
