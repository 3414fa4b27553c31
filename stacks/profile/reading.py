"""YAML as people save it: what an editor did to the file is said, and not only that it is no YAML."""

import errno
import stat
from collections.abc import Hashable
from pathlib import Path
from typing import Any

import yaml

from bedplate.components.bounded_yaml import BoundedLoader
from bedplate.stacks.profile.slips import HARD, hard_space, slip, unreadable

LARGEST = 2**24
"""Bytes of a file that a profile names: far more than people write, and less than fills the memory."""
MARKS = {b"\xff\xfe": "UTF-16", b"\xfe\xff": "UTF-16"}
"""What a file begins with whose encoding is another (Unicode Standard, 23.8, byte order mark)."""


class NotYamlError(Exception):
    """Why a file cannot be read, in words that do not repeat its lines: it may hold credentials."""


class _Loader(BoundedLoader):
    """Refuses what YAML 1.2 forbids and PyYAML takes: of a key that stands twice the last would win, unnoticed."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:  # noqa: FBT001, FBT002 - PyYAML's signature
        seen = dict[str, int]()
        for key, _ in node.value:
            line = key.start_mark.line + 1
            if isinstance(key, yaml.ScalarNode) and key.value != "<<":
                if str(key.value).startswith(HARD):
                    raise NotYamlError(hard_space(line))
                if key.value in seen:
                    raise NotYamlError(f"{key.value} stands twice, in line {seen[key.value]} and in line {line}")
                seen[key.value] = line
        return super().construct_mapping(node, deep)


def bounded(path: Path) -> bytes:
    """A file's content; of `/dev/zero` and the like no more than the bound.

    Raises:
        OSError: it cannot be read, or is larger than `LARGEST`.
    """
    with path.open("rb") as file:
        data = file.read(LARGEST + 1)
    if len(data) > LARGEST:
        raise OSError(errno.EFBIG, f"it is larger than {LARGEST // 2**20} MiB")
    return data


def regular(path: Path) -> bytes:
    """The content of a regular file: no device, and no pipe that nobody may ever write to.

    Raises:
        OSError: it is none, cannot be read, or is larger than `LARGEST`.
    """
    if not stat.S_ISREG(path.stat().st_mode):
        raise OSError(errno.EINVAL, "it is no regular file")
    return bounded(path)


def parsed(data: bytes) -> object:
    """The document of a file."""
    for mark, encoding in MARKS.items():
        if data.startswith(mark):
            raise NotYamlError(f"it is {encoding}; save it as UTF-8")
    try:
        return yaml.load(data.decode("utf-8-sig"), _Loader)  # noqa: S506 - a safe one, with a check of its own
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise NotYamlError(f"line {line} is not UTF-8; save it as UTF-8") from error
    except yaml.MarkedYAMLError as error:
        raise NotYamlError(_without_contents(error, data.splitlines())) from error
    except yaml.reader.ReaderError as error:
        raise NotYamlError(unreadable(error, data.decode("utf-8-sig"))) from error
    except yaml.YAMLError as error:
        raise NotYamlError(" ".join(str(error).split())) from error


def _without_contents(error: yaml.MarkedYAMLError, lines: list[bytes]) -> str:
    mark = error.problem_mark
    place = f"in line {mark.line + 1}" if mark else None
    text = slip(error, [line.decode("utf-8-sig") for line in lines])
    text = text or " ".join(part for part in (error.context, error.problem, place) if part)
    line = lines[mark.line] if mark and mark.line < len(lines) else b""
    indent = line[: len(line) - len(line.lstrip())]
    return f"{text}; indent with spaces, not with tabs" if b"\t" in indent else text
