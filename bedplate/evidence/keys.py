"""Keys of the user's own, as `openssl genpkey` writes them: Ed25519, or ECDSA on P-256 and P-384; or held by a KMS.

`cryptography` is an extra of the package (`bedplate[evidence]`): only what signs or verifies imports this module.
"""

import hashlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ec import ECDSA, EllipticCurvePrivateKey, EllipticCurvePublicKey
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature, encode_dss_signature
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    PublicFormat,
    load_pem_private_key,
    load_pem_public_key,
)

from bedplate.evidence import kms
from bedplate.wrong import WrongError

PrivateKey: TypeAlias = Ed25519PrivateKey | EllipticCurvePrivateKey | kms.HeldKey
PublicKey: TypeAlias = Ed25519PublicKey | EllipticCurvePublicKey
PASSWORD = "BEDPLATE_KEY_PASSWORD"  # noqa: S105 - the name of a variable
KINDS = "an Ed25519 key, or an ECDSA key on P-256 or P-384"
MAKE = "`openssl genpkey -algorithm ed25519 -out evidence.key` makes one"
CURVES = ("secp256r1", "secp384r1")


def private_key(file: Path) -> PrivateKey:
    """The key that signs; its password, if it has one, comes from the environment."""
    if kms.held(str(file)):
        return kms.HeldKey(str(file))
    password = os.environ.get(PASSWORD)
    key = _read(file, lambda text: load_pem_private_key(text, password.encode() if password else None), "private")
    return _usable(file, key, Ed25519PrivateKey, EllipticCurvePrivateKey)


def public_key(file: Path) -> PublicKey:
    """The key that verifies."""
    return _usable(file, _read(file, load_pem_public_key, "public"), Ed25519PublicKey, EllipticCurvePublicKey)


def _read(file: Path, load: Callable[[bytes], Any], half: str) -> Any:  # noqa: ANN401 - whatever kind the file holds
    try:
        return load(file.read_bytes())
    except OSError as error:
        raise WrongError(f"{file}: cannot be read: {error.strerror}; {MAKE}") from None
    except TypeError as error:
        fix = f"give its password in {PASSWORD}" if "not given" in str(error) else f"unset {PASSWORD}"
        raise WrongError(f"{file}: {str(error).lower()}; {fix}") from None
    except (ValueError, UnsupportedAlgorithm):
        raise WrongError(f"{file}: holds no {half} key in PEM, or its password is another; {MAKE}") from None


def _usable(file: Path, key: Any, edwards: type, elliptic: type) -> Any:  # noqa: ANN401 - as above
    if isinstance(key, edwards) or (isinstance(key, elliptic) and key.curve.name in CURVES):
        return key
    raise WrongError(f"{file}: is {type(key).__name__.strip('_')}; what is signed here needs {KINDS}")


def identity(key: PublicKey) -> str:
    """The SHA-256 of the public half, as `openssl pkey -pubout -outform DER | sha256sum` writes it."""
    return hashlib.sha256(key.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)).hexdigest()


def sign(key: PrivateKey, data: bytes) -> bytes:
    """The signature over all of the data."""
    signature = key.sign(data, ECDSA(SHA256())) if isinstance(key, EllipticCurvePrivateKey) else key.sign(data)
    public = key.public_key()
    if isinstance(public, EllipticCurvePublicKey):
        signature = encode_dss_signature(*_lower(signature, public.curve.group_order))
    if not signed_by(public, signature, data):
        raise WrongError("the KMS signed something else than it was given: nothing was written")
    return signature


def _lower(signature: bytes, order: int) -> tuple[int, int]:
    """Of the two signatures that ECDSA has for the same data, (r, s) and (r, order - s), the one with the lower s."""
    r, s = decode_dss_signature(signature)
    return r, min(s, order - s)


def signed_by(key: PublicKey, signature: bytes, data: bytes) -> bool:
    """Whether this key's other half signed exactly these data, in the one way in which `sign` does."""
    try:
        if not isinstance(key, EllipticCurvePublicKey):
            key.verify(signature, data)
            return True
        key.verify(signature, data, ECDSA(SHA256()))
        return signature == encode_dss_signature(*_lower(signature, key.curve.group_order))
    except InvalidSignature:
        return False
