"""When a certificate ends: the one date that is asked of it, read from its DER. No library is needed for that."""

import base64
import binascii
import re
from collections.abc import Iterator
from datetime import UTC, datetime

PEM = re.compile(r"-----BEGIN CERTIFICATE-----(.+?)-----END CERTIFICATE-----", re.DOTALL)
EXPLICIT_0 = 0xA0
UTC_TIME, GENERALIZED = 0x17, 0x18
BEFORE_VALIDITY = 3
"""Serial number, algorithm and issuer (RFC 5280, 4.1)."""


def ends(bundle: str) -> datetime | None:
    """When the last of a `caBundle`'s certificates ends; None where there is none to be read."""
    try:
        text = base64.b64decode(bundle, validate=True).decode("ascii")
        expiries = [not_after(base64.b64decode("".join(body.split()))) for body in PEM.findall(text)]
    except (binascii.Error, UnicodeDecodeError, ValueError, IndexError):
        return None
    return max(expiries, default=None)


def not_after(der: bytes) -> datetime:
    """Of one certificate: the second date of what says how long it holds."""
    (_, certificate), *_ = parts(der)
    (_, to_be_signed), *_ = parts(certificate)
    fields = [
        field for field in parts(to_be_signed) if field[0] != EXPLICIT_0
    ]  # the version stands there from the second on
    _, (kind, date) = parts(fields[BEFORE_VALIDITY][1])
    return _date(kind, date.decode("ascii"))


def parts(data: bytes) -> Iterator[tuple[int, bytes]]:
    """Tags and contents, one after the other (X.690, 8.1)."""
    at = 0
    while at < len(data):
        tag, length, at = data[at], data[at + 1], at + 2
        if length & 0x80:
            size = length & 0x7F
            length, at = int.from_bytes(data[at : at + size]), at + size
        yield tag, data[at : at + length]
        at += length


def _date(kind: int, text: str) -> datetime:
    if kind not in (UTC_TIME, GENERALIZED):
        raise ValueError(f"tag {kind} is no date")
    year = "%y" if kind == UTC_TIME else "%Y"
    return datetime.strptime(text, f"{year}%m%d%H%M%SZ").replace(tzinfo=UTC)
