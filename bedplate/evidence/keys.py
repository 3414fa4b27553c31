"""Keys of the user's own, as `openssl genpkey` writes them: Ed25519, or ECDSA on P-256 and P-384.

`cryptography` is an extra of the package (`bedplate[evidence]`): nothing else here needs it.
"""

import hashlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bedplate.wrong import WrongError

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey, EllipticCurvePublicKey
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

    PrivateKey = Ed25519PrivateKey | EllipticCurvePrivateKey
    PublicKey = Ed25519PublicKey | EllipticCurvePublicKey

PASSWORD = "BEDPLATE_KEY_PASSWORD"  # noqa: S105 - the name of a variable
KINDS = "an Ed25519 key, or an ECDSA key on P-256 or P-384"
MAKE = "`openssl genpkey -algorithm ed25519 -out evidence.key` makes one"
CURVES = ("secp256r1", "secp384r1")


def private_key(file: Path) -> "PrivateKey":
    """What signs; its password, if it has one, comes from the environment."""
    from cryptography.hazmat.primitives.serialization import load_pem_private_key  # noqa: PLC0415 - an extra

    password = os.environ.get(PASSWORD)
    key = _read(file, lambda text: load_pem_private_key(text, password.encode() if password else None), "private")
    return _usable(file, key, private=True)


def public_key(file: Path) -> "PublicKey":
    """What verifies."""
    from cryptography.hazmat.primitives.serialization import load_pem_public_key  # noqa: PLC0415 - an extra

    return _usable(file, _read(file, load_pem_public_key, "public"), private=False)


def _read(file: Path, load: Callable[[bytes], Any], what: str) -> Any:  # noqa: ANN401 - whatever kind the file holds
    from cryptography.exceptions import UnsupportedAlgorithm  # noqa: PLC0415 - an extra

    try:
        return load(file.read_bytes())
    except OSError as error:
        raise WrongError(f"{file}: cannot be read: {error.strerror}; {MAKE}") from None
    except TypeError as error:
        fix = f"give its password in {PASSWORD}" if "not given" in str(error) else f"unset {PASSWORD}"
        raise WrongError(f"{file}: {str(error).lower()}; {fix}") from None
    except (ValueError, UnsupportedAlgorithm):
        raise WrongError(f"{file}: holds no {what} key in PEM, or its password is another; {MAKE}") from None


def _usable(file: Path, key: Any, *, private: bool) -> Any:  # noqa: ANN401 - as above
    from cryptography.hazmat.primitives.asymmetric import ec, ed25519  # noqa: PLC0415 - an extra

    edwards = ed25519.Ed25519PrivateKey if private else ed25519.Ed25519PublicKey
    elliptic = ec.EllipticCurvePrivateKey if private else ec.EllipticCurvePublicKey
    if isinstance(key, edwards) or (isinstance(key, elliptic) and key.curve.name in CURVES):
        return key
    raise WrongError(f"{file}: is {type(key).__name__.strip('_')}; what is signed here needs {KINDS}")


def identity(key: "PublicKey") -> str:
    """Which key it is: the SHA-256 of its public half, as `openssl pkey -pubout -outform DER | sha256sum` says it."""
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat  # noqa: PLC0415 - an extra

    return hashlib.sha256(key.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)).hexdigest()


def sign(key: "PrivateKey", data: bytes) -> bytes:
    """Over all of the data."""
    from cryptography.hazmat.primitives.asymmetric.ec import ECDSA, EllipticCurvePrivateKey  # noqa: PLC0415 - an extra
    from cryptography.hazmat.primitives.hashes import SHA256  # noqa: PLC0415

    return key.sign(data, ECDSA(SHA256())) if isinstance(key, EllipticCurvePrivateKey) else key.sign(data)


def signed_by(key: "PublicKey", signature: bytes, data: bytes) -> bool:
    """Whether this key's other half signed exactly this."""
    from cryptography.exceptions import InvalidSignature  # noqa: PLC0415 - an extra
    from cryptography.hazmat.primitives.asymmetric.ec import ECDSA, EllipticCurvePublicKey  # noqa: PLC0415
    from cryptography.hazmat.primitives.hashes import SHA256  # noqa: PLC0415

    try:
        if isinstance(key, EllipticCurvePublicKey):
            key.verify(signature, data, ECDSA(SHA256()))
        else:
            key.verify(signature, data)
    except InvalidSignature:
        return False
    return True
