"""A statement in its signed envelope: DSSE 1.0 around an in-toto Statement v1, one way of writing and no other.

The signature is over the statement's bytes. What is around them in the file, a space or the spelling of the base64,
changes nothing for other tools; here it must be as it was written, so that any changed byte of the file is found.
"""

import base64
import binascii
import json
from collections.abc import Mapping
from typing import Any

from .keys import PrivateKey, PublicKey, identity, sign, signed_by
from .statement import canonical

PAYLOAD_TYPE = "application/vnd.in-toto+json"
"""As in-toto asks for in a DSSE envelope (in-toto/attestation spec/v1/envelope.md)."""


class NotWhatWasSignedError(Exception):
    """A file that nobody can rely on, with the reason."""


def sealed(statement: Mapping[str, Any], key: PrivateKey) -> bytes:
    """The bytes of the signed file."""
    payload = canonical(statement)
    return _written(payload, sign(key, encoded(payload)), identity(key.public_key()))


def opened(file: bytes, key: PublicKey) -> dict[str, Any]:
    """The statement, if it is what the key's other half signed; NotWhatWasSignedError if it is not."""
    payload, signature, keyid = _parts(file)
    if keyid != identity(key):
        raise NotWhatWasSignedError(f"it is signed by key {keyid[:16]}…, and this one is {identity(key)[:16]}…")
    if not signed_by(key, signature, encoded(payload)):
        raise NotWhatWasSignedError("the signature is not one of this statement: it was changed after it was signed")
    if _written(payload, signature, keyid) != file:
        raise NotWhatWasSignedError("the statement is as it was signed, its envelope is not: it was written anew")
    return json.loads(payload)


def encoded(payload: bytes) -> bytes:
    """What is signed (DSSE, PAE): type and payload, each with its length, so that neither can grow into the other."""
    return b" ".join([b"DSSEv1", b"%d" % len(PAYLOAD_TYPE), PAYLOAD_TYPE.encode(), b"%d" % len(payload), payload])


def _written(payload: bytes, signature: bytes, keyid: str) -> bytes:
    signed = {"keyid": keyid, "sig": base64.b64encode(signature).decode()}
    body = {"payload": base64.b64encode(payload).decode(), "payloadType": PAYLOAD_TYPE, "signatures": [signed]}
    return canonical(body) + b"\n"


def _parts(file: bytes) -> tuple[bytes, bytes, str]:
    try:
        body = json.loads(file)
        (signed,) = body["signatures"]
        payload, signature = (base64.b64decode(text, validate=True) for text in (body["payload"], signed["sig"]))
        keyid, kind = str(signed["keyid"]), body["payloadType"]
    except (ValueError, KeyError, TypeError, binascii.Error, RecursionError):
        raise NotWhatWasSignedError("it is no signed envelope, or no longer one") from None
    if kind != PAYLOAD_TYPE:
        raise NotWhatWasSignedError(f"it holds {kind}, and not {PAYLOAD_TYPE}")
    return payload, signature, keyid
