"""Whether an image or a chart in a registry has the signature that it should: by `cosign`, and a table of signers.

Verifying takes Sigstore's roots, its log and each registry's ways to keep signatures, which cosign knows; a library in
Python would bring as many packages as Bedplate has, and takes no keys.
"""

import shutil
import subprocess
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, fields
from functools import partial
from pathlib import Path
from typing import Any, Literal

from bedplate.charts import DATA
from bedplate.cluster.errors import ClusterError

TABLE = DATA / "signers.toml"
SECONDS = 120
AT_ONCE = 4
State = Literal["signed", "refused", "unknown", "unsigned"]


class NoCosignError(ClusterError):
    """Nobody can verify here, or the table of signers says nothing that can be verified."""


@dataclass(frozen=True)
class Signer:
    """Of every image whose name begins so."""

    images: str
    key: str = ""
    """A public key: a file, or the address of one in a KMS."""
    log: bool = True
    """Whether what the key signed is in Sigstore's public log."""
    identity: str = ""
    issuer: str = ""
    """Of a certificate: whom it names, and who vouched for that."""
    unsigned: str = ""
    """Why a site takes what nobody signs."""
    unknown: str = ""
    """What is known where it cannot be verified."""
    source: str = ""

    @property
    def words(self) -> list[str]:
        """How cosign is told (sigstore/cosign doc/cosign_verify.md)."""
        if self.key:
            return ["--key", self.key, *([] if self.log else ["--insecure-ignore-tlog=true"])]
        return ["--certificate-identity", self.identity, "--certificate-oidc-issuer", self.issuer]

    @property
    def who(self) -> str:
        """As people read it."""
        return self.identity or self.key


@dataclass(frozen=True)
class Verified:
    """One image or chart."""

    name: str
    state: State
    text: str
    """By whom, or why not."""


def signers(file: Path | None = None) -> tuple[Signer, ...]:
    """A site's own before ours."""
    return (*(_read(file) if file else ()), *_read(TABLE))


def _read(file: Path) -> Iterator[Signer]:
    known = {field.name for field in fields(Signer)}
    try:
        rows: list[Mapping[str, Any]] = tomllib.loads(file.read_text(encoding="utf-8")).get("signers", [])
    except (OSError, tomllib.TOMLDecodeError) as error:
        raise NoCosignError(f"{file}: signers cannot be read: {error}") from error
    for number, row in enumerate(rows, 1):
        given: dict[str, Any] = {"images": "", **row}
        one = Signer(**given) if row.keys() <= known else Signer("")
        ways = [bool(one.key), bool(one.identity and one.issuer), bool(one.unsigned), bool(one.unknown)]
        if not one.images or sum(ways) != 1:
            raise NoCosignError(
                f"{file}: signer {number}: write `images` and one of `key`, `identity` with `issuer`, and `unsigned`;"
                f" of {', '.join(sorted(row)) or 'nothing'}"
            )
        yield one


def of(name: str, known: Iterable[Signer]) -> Signer | None:
    """The one whose beginning is the longest, of two alike the first."""
    return max((one for one in known if name.startswith(one.images)), key=lambda one: len(one.images), default=None)


def verified(names: Iterable[str], known: Iterable[Signer]) -> list[Verified]:
    """Each in its order."""
    table, listed = tuple(known), list(names)
    program = shutil.which("cosign")
    if program is None:
        raise NoCosignError("cosign, which verifies signatures, is not on the PATH (docs.sigstore.dev)")
    asked = [of(name, table) for name in listed]
    with ThreadPoolExecutor(AT_ONCE) as pool:
        return list(pool.map(partial(_verified, program), listed, asked))


def _verified(program: str, name: str, signer: Signer | None) -> Verified:
    if signer is None:
        return Verified(name, "unknown", "nobody is known to sign it")
    if signer.unsigned or signer.unknown:
        return Verified(name, "unsigned" if signer.unsigned else "unknown", signer.unsigned or signer.unknown)
    command = [program, "verify", *signer.words, name]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=SECONDS)  # noqa: S603 - the user's own program
    except (OSError, subprocess.TimeoutExpired) as error:
        return Verified(name, "refused", f"cosign: {type(error).__name__}")
    if done.returncode == 0:
        return Verified(name, "signed", signer.who)
    said = [line for line in done.stderr.splitlines() if line.strip()]
    errors = [line for line in said if line.lower().startswith("error")]
    reason = [*errors, *said, "no reason given"][0].strip()
    return Verified(name, "refused", f"not verified as {signer.who}'s: {reason}")
