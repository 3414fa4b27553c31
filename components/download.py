"""Bytes from the network, of which CRDs come: by https alone, no larger than they may be, tokens to nobody else."""

import gzip
import io
import json
import zlib
from http.client import HTTPMessage
from typing import IO, NamedTuple
from urllib.error import HTTPError, URLError
from urllib.parse import urlencode, urlsplit
from urllib.request import (
    HTTPDefaultErrorHandler,
    HTTPErrorProcessor,
    HTTPRedirectHandler,
    HTTPSHandler,
    OpenerDirector,
    ProxyHandler,
    Request,
    parse_http_list,
    parse_keqv_list,
)

from bedplate.cluster.errors import ClusterError

SECONDS = 60
LARGEST = 100 * 2**20
"""Bytes of an answer, and of what is in an archive: Helm's own bound (helm v3.18, pkg/chart/loader/archive.go)."""
UNAUTHORIZED, REFUSED = 401, (401, 403)


class NoArchiveError(ClusterError):
    """The chart is not where the profile says, or not what it should be."""


class RefusedError(NoArchiveError):
    """Nobody is let in without a login, or not with this one."""


class Login(NamedTuple):
    """What is shown to a registry; nothing where nobody has logged in."""

    basic: str = ""
    """Header `Authorization`."""
    refresh: str = ""
    """For a token of an hour (OAuth 2), as Azure's registries give it."""


class Redirects(HTTPRedirectHandler):
    """Follows to https alone, and shows a token to nobody but the host that it is for."""

    def redirect_request(  # noqa: PLR0913, PLR0917, D102 - as urllib calls it
        self,
        req: Request,
        fp: IO[bytes],
        code: int,
        msg: str,
        headers: HTTPMessage,
        newurl: str,
    ) -> Request | None:
        if urlsplit(newurl).scheme != "https":
            fp.close()  # urllib does it only for whom it follows
        following = super().redirect_request(req, fp, code, msg, headers, only_https(newurl))
        # A registry hands out pre-signed addresses of its storage, which also refuses requests signed twice.
        if following and urlsplit(newurl).netloc != urlsplit(req.full_url).netloc:
            following.remove_header("Authorization")
        return following


def opener() -> OpenerDirector:
    """Urllib without its handlers of `file:`, `ftp:`, `data:` and plain `http:`."""
    made = OpenerDirector()
    for handler in (ProxyHandler(), HTTPSHandler(), Redirects(), HTTPDefaultErrorHandler(), HTTPErrorProcessor()):
        made.add_handler(handler)
    return made


def only_https(url: str) -> str:
    """The address, if it is one of https."""
    if urlsplit(url).scheme != "https":
        raise NoArchiveError(f"{url}: charts come by https alone, from a registry (oci://), or from a mirror's files")
    return url


def download(
    url: str, accept: str = "*/*", login: Login | None = None, shown: str = "", data: bytes | None = None
) -> bytes:
    """What is there; RefusedError where nobody is let in who is not `login`, or without one anybody."""
    headers = {"Accept": accept} | ({"Authorization": shown} if shown else {})
    try:
        with opener().open(Request(only_https(url), data, headers), timeout=SECONDS) as answer:  # noqa: S310 - https
            return bounded(answer, url)
    except HTTPError as error:
        error.close()
        challenge, host = error.headers.get("WWW-Authenticate", ""), urlsplit(url).netloc
        # What storage elsewhere asks after a redirect is none of the login's business.
        asked = error.code == UNAUTHORIZED and urlsplit(error.url).netloc == host and not (shown or data)
        if not (asked and (shown := _shown(challenge, login or Login()))):
            kind = RefusedError if error.code in REFUSED else NoArchiveError
            raise kind(f"{url.partition('?')[0]}: {error}") from error
    except URLError as error:
        raise NoArchiveError(f"{url}: {error.reason}") from error
    return download(url, accept, shown=shown)


def _shown(challenge: str, login: Login) -> str:
    """What answers the challenge; nothing where there is no login."""
    scheme, _, rest = challenge.partition(" ")
    return f"Bearer {_token(rest, login)}" if scheme.lower() == "bearer" else login.basic


def _token(challenge: str, login: Login) -> str:
    """What the registry gives for the login, or to anybody (distribution/distribution, docs/spec/auth)."""
    asked = parse_keqv_list(parse_http_list(challenge))
    realm, about = asked.get("realm", ""), {key: value for key, value in asked.items() if key != "realm"}
    if login.refresh:
        form = about | {"grant_type": "refresh_token", "refresh_token": login.refresh, "client_id": "bedplate"}
        answer = json.loads(download(realm, data=urlencode(form).encode()))
    else:
        answer = json.loads(download(f"{realm}?{urlencode(about)}", shown=login.basic))
    return answer.get("token") or answer["access_token"]


def unpacked(archive: bytes, name: str) -> bytes:
    """The archive's content, unless it is larger than any chart."""
    try:
        with gzip.open(io.BytesIO(archive)) as content:
            return bounded(content, f"{name}, unpacked")
    except (OSError, EOFError, zlib.error) as error:
        raise NoArchiveError(f"{name}: is no chart's archive: {error}") from error


def bounded(content: IO[bytes] | gzip.GzipFile, name: str) -> bytes:
    """All of it; NoArchiveError where it is too large."""
    data = content.read(LARGEST + 1)
    if len(data) > LARGEST:
        raise NoArchiveError(f"{name}: larger than {LARGEST // 2**20} MiB, which no chart may be")
    return data
