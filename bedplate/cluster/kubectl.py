"""Requests to a cluster through the tool that knows every way into it: exec plugins, proxies, certificates.

Why not a library: docs/decisions/0008-kubectl-stays.md.
"""

import subprocess
from collections.abc import Sequence

from bedplate.cluster.errors import ClusterError, CutError, of_words

REQUEST = 60.0
"""Seconds that one request may take, its answer included, unless the caller says otherwise."""
START = 30.0
"""Seconds beside the request's own: an exec plugin asks its cloud for a token, which no limit of kubectl's bounds."""


def command(context: str, *arguments: str) -> tuple[str, ...]:
    """kubectl, bound to a context of the kubeconfig; empty: its current one."""
    return ("kubectl", *(("--context", context) if context else ()), *arguments)


def limited(seconds: float) -> str:
    """The option that bounds each request of a command."""
    return f"--request-timeout={max(seconds, 1):.0f}s"


def started(words: Sequence[str], stdin: str | None = None, limit: float | None = None) -> tuple[int, str, str]:
    """Run such a command to its end: status, output and complaint.

    CutError where it takes longer than `limit` seconds, ClusterError where there is no kubectl.
    """
    try:
        done = subprocess.run(words, input=stdin, capture_output=True, text=True, check=False, timeout=limit)  # noqa: S603 - our own words
    except subprocess.TimeoutExpired as error:
        raise CutError(f"kubectl {words[-1]}: no answer within {limit:.0f} s: is the cluster reached?") from error
    except OSError as error:
        raise absent(error) from error
    return done.returncode, done.stdout, done.stderr


def absent(error: OSError) -> ClusterError:
    """Why kubectl cannot be started."""
    return ClusterError(f"kubectl: cannot be started ({error.strerror}): install it, and put it on PATH")


def kubectl(context: str, *arguments: str, stdin: str = "", request: float = REQUEST) -> str:
    """What kubectl prints on the cluster behind a kubeconfig context; its complaint is the error.

    `request` bounds each of its requests in seconds. A command may need many of them, so it has no limit as a whole.
    """
    status, output, complaint = started(command(context, limited(request), *arguments), stdin)
    if status:
        raise ClusterError(f"kubectl {' '.join(arguments)}: {complaint.strip()}")
    return output


def get(context: str, path: str, request: float = REQUEST) -> str:
    """The API server's answer to one path, within `request` seconds; errors.py tells why there is none."""
    words = command(context, limited(request), "get", "--raw", path)
    status, output, complaint = started(words, limit=request + START)
    if status:
        raise of_words(f"kubectl get --raw {path.partition('?')[0]}", complaint)
    return output
