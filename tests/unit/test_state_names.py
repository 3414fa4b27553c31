"""What the state of a deployed cluster has of ours by name: it can be updated and destroyed from a checkout and a wheel."""

import base64
import os
import subprocess
import sys
import traceback
from collections.abc import Iterator
from pathlib import Path

import pytest
from pulumi.dynamic import Config, ConfigureRequest, ResourceProvider
from pulumi.dynamic.dynamic import PROVIDER_KEY

from bedplate import providers
from bedplate.cluster.errors import ClusterError
from bedplate.components.dynamic import STATE_NAME, KubectlProvider, Provider, pickled
from bedplate.components.verification.proof import NodesProvider
from tests.rooms import COMMAND, ROOT, folder

BEFORE = {
    # As the versions before wrote them: from a checkout, and from the wheel of the same commit.
    "a checkout": (
        "gASVNQAAAAAAAACMGmNvbXBvbmVudHMudGVuYW5jeS5sZWF2aW5nlIwPTGVhdmluZ1Byb3ZpZGVylJOUKYGULg==",
        "gASVNgAAAAAAAACMHWNvbXBvbmVudHMudmVyaWZpY2F0aW9uLnByb29mlIwNTm9kZXNQcm92aWRlcpSTlCmBlC4=",
        "gASVJwAAAAAAAACMD2NvbXBvbmVudHMuY3Jkc5SMDENyZHNQcm92aWRlcpSTlCmBlC4=",
    ),
    "a wheel": (
        "gASVRAAAAAAAAACMKWJlZHBsYXRlLmhvdXNlLmNvbXBvbmVudHMudGVuYW5jeS5sZWF2aW5nlIwPTGVhdmluZ1Byb3ZpZGVylJOUKYGULg==",
        "gASVRQAAAAAAAACMLGJlZHBsYXRlLmhvdXNlLmNvbXBvbmVudHMudmVyaWZpY2F0aW9uLnByb29mlIwNTm9kZXNQcm92aWRlcpSTlCmBlC4=",
        "gASVNgAAAAAAAACMHmJlZHBsYXRlLmhvdXNlLmNvbXBvbmVudHMuY3Jkc5SMDENyZHNQcm92aWRlcpSTlCmBlC4=",
    ),
}
NOW = tuple(pickled(getattr(providers, name)) for name in providers.__all__)
EACH = ("LeavingProvider", "NodesProvider", "CrdsProvider")
"""Of which they are, in order."""
ENGINE = "import base64, dill, sys\nfor one in sys.argv[1:]: print(type(dill.loads(base64.b64decode(one))).__name__)"
"""As the SDK loads a provider (pulumi/dynamic/__main__.py, `get_provider`), in a process that knows nothing of ours."""


def ours(provider: type[ResourceProvider] = Provider) -> Iterator[type[ResourceProvider]]:
    """Every provider that a resource may have; what it is built on aside."""
    below = provider.__subclasses__()
    yield from (one for other in below for one in ours(other))
    if not below and "tests" not in provider.__qualname__:
        yield provider


def loaded(cwd: Path, path: str) -> list[str]:
    """What the engine's process makes of each; it stands in the project's folder, as `python -m pulumi.dynamic` does."""
    command = [sys.executable, "-c", ENGINE, *BEFORE["a checkout"], *BEFORE["a wheel"], *NOW]
    variables = {**os.environ, "PYTHONPATH": path}
    done = subprocess.run(command, cwd=cwd, env=variables, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def test_every_provider_is_in_the_one_module_that_the_state_names() -> None:
    assert {one.__name__ for one in ours()} == {*providers.__all__}
    assert {one.__module__ for one in ours()} == {STATE_NAME} == {providers.__name__}


@pytest.mark.parametrize("name", providers.__all__)
def test_a_provider_is_kept_by_reference_to_that_module(name: str) -> None:
    kept = base64.b64decode(pickled(getattr(providers, name)))
    assert STATE_NAME.encode() in kept
    assert name.encode() in kept
    assert len(kept) < 200, "its code would otherwise be a change of every cluster"


def test_a_checkout_loads_what_every_form_wrote() -> None:
    assert loaded(ROOT, "") == [*EACH, *EACH, *providers.__all__]


def test_an_installed_package_loads_what_every_form_wrote(tmp_path: Path) -> None:
    """With the folder that `bedplate up` and `bedplate down` put last on the path."""
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "bedplate").symlink_to(folder(COMMAND))
    path = os.pathsep.join((str(tmp_path / "site"), str(tmp_path / "site" / "bedplate" / "house")))
    assert loaded(tmp_path, path) == [*EACH, *EACH, *providers.__all__]


def test_one_up_renews_what_an_older_version_wrote() -> None:
    """Else a provider that has nothing to do would stay in the state by its old name, for a version that lacks it."""
    now = {**dict.fromkeys(NodesProvider.asked, "same"), PROVIDER_KEY: pickled(NodesProvider)}
    assert isinstance(NodesProvider(), KubectlProvider)
    assert not NodesProvider().diff("nodes", now, now).changes
    assert NodesProvider().diff("nodes", {**now, PROVIDER_KEY: BEFORE["a checkout"][1]}, now).changes


def test_the_bytes_are_those_that_the_sdk_writes_itself() -> None:
    from pulumi.dynamic.dynamic import serialize_provider

    assert [serialize_provider(one()) for one in ours()] == [pickled(one) for one in ours()]


def test_our_error_is_its_words_and_that_of_anybody_else_in_the_process_a_traceback(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(traceback, "format_exc", traceback.format_exc)
    monkeypatch.delattr(sys, "tracebacklimit", raising=False)
    NodesProvider().configure(ConfigureRequest(Config({}, "bedplate")))
    said: list[str] = []
    for error in (ClusterError("pool h100: 2 nodes\nare not whole"), ZeroDivisionError("theirs")):
        try:
            raise error
        except type(error):
            said.append(traceback.format_exc())
    assert said[0] == "ClusterError: pool h100: 2 nodes\nare not whole\n"
    assert said[1].startswith("Traceback (most recent call last):\n  File ")
    assert not hasattr(sys, "tracebacklimit"), "it holds for the whole process"
