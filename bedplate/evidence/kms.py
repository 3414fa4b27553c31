"""Keys that never leave a KMS, by securesystemslib's signers.

`securesystemslib` with the SDK of the KMS is asked for here alone: who signs by a file needs neither.
"""

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

from cryptography.hazmat.primitives.serialization import load_pem_public_key

from bedplate.wrong import WrongError

EXTRA: Mapping[str, tuple[str, str]] = {
    "awskms": ("AWSSigner", "awskms"),
    "azurekms": ("AzureSigner", "azurekms"),
    "gcpkms": ("GCPSigner", "gcpkms"),
    "hv": ("VaultSigner", "vault"),
}
"""By scheme: the signer, and what of securesystemslib brings its SDK."""
SCHEMES = ("ecdsa-sha2-nistp256", "ed25519")
"""Ways to sign that a file of ours has: a KMS signs by P-384 with SHA-384, our files have SHA-256."""


class HeldKey:
    """A key in a KMS: its public half is asked for once, and each signature is."""

    def __init__(self, name: str) -> None:
        self.name = name
        scheme, _, held = name.partition(":")
        signer, extra = EXTRA[scheme]
        library = _library(extra)
        # Azure's is named by its vault and by itself, all others by one name.
        places = held.split("/", 1) if scheme == "azurekms" else [held]
        made = getattr(library, signer)
        uri, public = self._asked(lambda: made.import_(*places))
        if public.scheme not in SCHEMES:
            raise WrongError(f"{name}: signs by {public.scheme}; make a key of one of {', '.join(SCHEMES)}")
        self._public = public
        self._signer = self._asked(lambda: made.from_priv_key_uri(uri, public))

    def public_key(self) -> Any:  # noqa: ANN401 - whatever kind the KMS holds; `keys.py` says which are taken
        """Its public half."""
        return load_pem_public_key(self._public.keyval["public"].encode())

    def sign(self, data: bytes) -> bytes:
        """Its signature over all of the data."""
        return bytes.fromhex(self._asked(lambda: self._signer.sign(data)).signature)

    def _asked(self, ask: Callable[[], Any]) -> Any:  # noqa: ANN401 - securesystemslib's own
        try:
            return ask()
        except Exception as error:
            raise WrongError(f"{self.name}: {' '.join(str(error).split())}") from error


def held(name: str) -> bool:
    """Whether a key is one of a KMS, by its name."""
    return name.partition(":")[0] in EXTRA


def _library(extra: str) -> Any:  # noqa: ANN401 - a module
    try:
        return import_module("securesystemslib.signer")
    except ModuleNotFoundError:
        raise WrongError(
            f"a key in a KMS needs securesystemslib: pip install 'securesystemslib[{extra},crypto]>=1.6,<2'"
        ) from None
