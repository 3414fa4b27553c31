"""Pulumi's CLI is fetched at the SDK's version and held against the release's checksums; nothing of it is run meanwhile."""

import hashlib
import io
import os
import tarfile
from importlib.metadata import version
from pathlib import Path

import pytest

from bedplate.lab import cli
from bedplate.lab.binaries import LabError


def archive() -> bytes:
    """As the release packs it: binaries in a folder."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as tar:
        for name in ("pulumi/pulumi", "pulumi/pulumi-language-python"):
            member = tarfile.TarInfo(name)
            member.size = 2
            tar.addfile(member, io.BytesIO(b"#!"))
    return packed.getvalue()


def release(monkeypatch: pytest.MonkeyPatch, digest: str) -> list[str]:
    asked: list[str] = []

    def get(name: str) -> bytes:
        asked.append(name)
        return f"{digest}  {cli.archive_name()}\n".encode() if name.endswith(".txt") else archive()

    monkeypatch.setattr(cli, "_get", get)
    return asked


def test_the_archive_of_the_sdks_version_is_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = release(monkeypatch, hashlib.sha256(archive()).hexdigest())
    assert cli.fetch(tmp_path) == tmp_path / "bin" / "pulumi"
    assert sorted(path.name for path in (tmp_path / "bin").iterdir()) == ["pulumi", "pulumi-language-python"]
    assert os.access(tmp_path / "bin" / "pulumi", os.X_OK)
    assert all(version("pulumi") in name for name in asked)


def test_an_archive_that_is_not_what_the_checksums_say_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    release(monkeypatch, "0" * 64)
    with pytest.raises(LabError, match="not what the release's checksums say: nothing was installed"):
        cli.fetch(tmp_path)
    assert list(tmp_path.iterdir()) == []
