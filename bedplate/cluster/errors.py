"""What can go wrong between us and a cluster, told apart by what helps."""

import re

from bedplate.wrong import WrongError

EXPIRED = re.compile(r"\((Expired|Gone)\)|too old resource version")
REFUSED = re.compile(r"\((Forbidden|Unauthorized|NotFound|MethodNotAllowed|NotAcceptable|BadRequest|Invalid)\)")
"""As kubectl writes them before the server's words (kubectl v1.32, `Error from server (Forbidden): …`)."""
GONE, REFUSALS = 410, range(400, 407)


class ClusterError(WrongError):
    """What the cluster did not do, or does not have, in words for whoever has to mend it."""


class ExpiredError(ClusterError):
    """The server no longer has the version that it was asked for (410): only a new list helps."""


class CutError(ClusterError):
    """A connection broke, or nobody answers for now: trying again may help."""


def of_words(subject: str, words: str) -> ClusterError:
    """The error of what kubectl wrote to its standard error."""
    last = (words.strip().splitlines() or ["no answer"])[-1].strip()
    kind = ExpiredError if EXPIRED.search(words) else ClusterError if REFUSED.search(words) else CutError
    return kind(f"{subject}: {last}")


def of_code(subject: str, code: int, words: str) -> ClusterError:
    """The error of a `Status` in a watch."""
    kind = ExpiredError if code == GONE else ClusterError if code in REFUSALS else CutError
    return kind(f"{subject}: {words or f'error {code}'}")
