"""A plan depends on the project's files alone, not on who runs it where.

The SDKs take defaults from the shell (KUBECONFIG, AWS_REGION, PULUMI_K8S_...), and the program refuses to run with
another kubeconfig context than its profile's. Both are right for `pulumi up` and wrong for a plan, which touches no
cluster: the same stack must plan the same on every desk.
"""

import contextlib
import os
from collections.abc import Generator

FOREIGN = ("KUBE", "PULUMI_", "AWS_", "GOOGLE_", "GCLOUD_", "CLOUDSDK_")
NO_HOME = os.devnull
"""Below it nothing can exist, so nobody finds a ~/.kube/config or ~/.aws."""


@contextlib.contextmanager
def hermetic() -> Generator[None]:
    """Hide the shell's clusters and clouds for a while."""
    hidden = {key: value for key, value in os.environ.items() if key.startswith(FOREIGN) or key == "HOME"}
    for key in hidden:
        del os.environ[key]
    os.environ["HOME"] = NO_HOME
    try:
        yield
    finally:
        del os.environ["HOME"]
        os.environ.update(hidden)
