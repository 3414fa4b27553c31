"""Requests to a cluster through the tool that knows every way into it: exec plugins, proxies, certificates (0008)."""

import subprocess

from bedplate.cluster.errors import ClusterError, CutError, of_words

REQUEST = 60.0
"""Seconds that one request may take, its answer included, unless the caller says otherwise."""
START = 30.0
"""Seconds beside the request's own: an exec plugin asks its cloud for a token, which no limit of kubectl's bounds."""


def command(context: str, *arguments: str) -> tuple[str, ...]:
    """kubectl, bound to a context of the kubeconfig; empty: its current one."""
    return ("kubectl", *(("--context", context) if context else ()), *arguments)


def kubectl(context: str, *arguments: str, stdin: str = "", request: float = REQUEST) -> str:
    """What kubectl prints on the cluster behind a kubeconfig context; its complaint is the error.

    `request` bounds each of its requests in seconds. A command may need many of them, so it has no limit as a whole.
    """
    words = command(context, _limit(request), *arguments)
    done = subprocess.run(words, input=stdin, capture_output=True, text=True, check=False)  # noqa: S603 - our own words
    if done.returncode:
        raise ClusterError(f"kubectl {' '.join(arguments)}: {done.stderr.strip()}")
    return done.stdout


def get(context: str, path: str, request: float = REQUEST) -> str:
    """The API server's answer to one path, `request` in seconds; the errors of errors.py tell why there is none."""
    words = command(context, _limit(request), "get", "--raw", path)
    subject = f"kubectl get --raw {path.partition('?')[0]}"
    try:
        done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=request + START)  # noqa: S603 - our own words
    except subprocess.TimeoutExpired as error:
        raise CutError(f"{subject}: no answer within {request + START:.0f} s") from error
    if done.returncode:
        raise of_words(subject, done.stderr)
    return done.stdout


def _limit(seconds: float) -> str:
    return f"--request-timeout={max(seconds, 1):.0f}s"
