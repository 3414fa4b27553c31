"""Pulumi's CLI at the version of the SDK, fetched once: held against its checksum, and no script that is run.

The archive and the list of checksums are those of the release (get.pulumi.com/releases/sdk).
"""

import hashlib
import io
import platform
import sys
import tarfile
from importlib.metadata import version
from pathlib import Path
from urllib.request import urlopen

from bedplate.lab.binaries import LabError

RELEASES = "https://get.pulumi.com/releases/sdk"
MACHINES = {"x86_64": "x64", "amd64": "x64", "aarch64": "arm64", "arm64": "arm64"}
PATIENCE = 60
"""Seconds without an answer."""


def fetch(into: Path) -> Path:
    """Install it below `into`; refuses an archive that is not what the release's checksums say."""
    archive = archive_name()
    listed = _get(f"pulumi-{version('pulumi')}-checksums.txt").decode().splitlines()
    data = _get(archive)
    if f"{hashlib.sha256(data).hexdigest()}  {archive}" not in listed:
        raise LabError(f"{RELEASES}/{archive} is not what the release's checksums say: nothing was installed")
    unpack(data, into / "bin")
    return into / "bin" / "pulumi"


def archive_name() -> str:
    """Of this machine's system and processor."""
    machine = MACHINES.get(platform.machine().lower(), platform.machine().lower())
    return f"pulumi-v{version('pulumi')}-{sys.platform}-{machine}.tar.gz"


def unpack(data: bytes, into: Path) -> None:
    """The binaries, which the archive keeps in folders of its own, side by side."""
    into.mkdir(parents=True, exist_ok=True)
    with tarfile.open(fileobj=io.BytesIO(data)) as archive:
        for member in archive:
            if member.isfile() and (held := archive.extractfile(member)):
                binary = into / Path(member.name).name
                binary.write_bytes(held.read())
                binary.chmod(0o755)


def _get(name: str) -> bytes:
    with urlopen(f"{RELEASES}/{name}", timeout=PATIENCE) as answer:  # noqa: S310 - RELEASES is https
        return answer.read()
