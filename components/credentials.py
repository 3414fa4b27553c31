"""Who a registry lets in: what `helm registry login` or `docker login` left, in its file or with a credential helper.

Helm's own file comes first and docker's after it, as Helm reads them (helm v3.18, pkg/registry/client.go), and within a
file a host's helper, then the helper of all, then what is written there (docker/cli, cli/config/configfile/file.go).
"""

import json
import os
import subprocess
from base64 import b64encode
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from bedplate.components.download import Login, NoArchiveError

SECONDS = 60
DOCKER_HUB, ITS_KEY = ("docker.io", "registry-1.docker.io"), "https://index.docker.io/v1/"
BY_TOKEN = "<token>"  # noqa: S105 - what a helper calls a user who has a token in place of a password
NOT_THERE = "credentials not found"
"""What a helper says of a host without a login (docker/docker-credential-helpers, credentials/error.go)."""


def login(host: str) -> Login:
    """For the registry of that name; NoArchiveError where its helper fails."""
    key = ITS_KEY if host in DOCKER_HUB else host
    for config in _configs():
        helpers: Mapping[str, str] = config.get("credHelpers") or {}
        entries: Mapping[str, Mapping[str, str]] = config.get("auths") or {}
        helper: str = helpers.get(key) or config.get("credsStore") or ""
        if found := (_helped(helper, key) if helper else None) or _written(entries.get(key) or {}):
            return found
    return Login()


def _configs() -> Iterator[Mapping[str, Any]]:
    home = Path(os.environ.get("XDG_CONFIG_HOME") or "~/.config").expanduser()
    helm = os.environ.get("HELM_REGISTRY_CONFIG") or home / "helm/registry/config.json"
    for file in (Path(helm), Path(os.environ.get("DOCKER_CONFIG") or "~/.docker").expanduser() / "config.json"):
        try:
            yield json.loads(file.read_text(encoding="utf-8"))
        except FileNotFoundError:
            continue
        except (OSError, ValueError, AttributeError) as error:
            raise NoArchiveError(f"{file}: logins of registries cannot be read: {error}") from error


def _helped(helper: str, key: str) -> Login | None:
    program = f"docker-credential-{helper}"
    try:
        done = subprocess.run([program, "get"], input=key, capture_output=True, text=True, check=False, timeout=SECONDS)  # noqa: S603 - the user's own program
        if done.returncode == 0:
            answer = json.loads(done.stdout)
            return _of(answer["Username"], answer["Secret"])
    except (OSError, subprocess.TimeoutExpired, ValueError, LookupError) as error:
        # Its output is a secret, so of an answer that cannot be read the kind of error is all that is said.
        raise NoArchiveError(f"{program}, which knows the login of {key}: {type(error).__name__}") from None
    if NOT_THERE in (said := f"{done.stdout}{done.stderr}"):
        return None
    raise NoArchiveError(f"{program}, which knows the login of {key}: {' '.join(said.split())}")


def _written(entry: Mapping[str, str]) -> Login | None:
    if refresh := entry.get("identitytoken"):
        return Login(refresh=refresh)
    if auth := entry.get("auth"):
        return Login(f"Basic {auth}")
    return _of(entry["username"], entry.get("password", "")) if entry.get("username") else None


def _of(user: str, secret: str) -> Login:
    if user == BY_TOKEN:
        return Login(refresh=secret)
    return Login(f"Basic {b64encode(f'{user}:{secret}'.encode()).decode()}")
